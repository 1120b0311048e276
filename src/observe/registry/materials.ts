import { type AppFacts, type Content, isMissing, type MaterialsFacts, type Missing } from '../../core/facts/facts.ts';
import type { AdvisoryFolder } from '../advisories/advisory-folder.ts';
import { BILL_MISSING, factsOfBill, unusableBill } from '../advisories/bill-facts.ts';
import { fetchCompanion, whyUnknown } from './companion.ts';
import { mapLimit } from './concurrency.ts';
import type { ObserveContext } from './context.ts';
import { isRequestable } from '../http/request.ts';

/** Requests the bills of materials beside the artifacts of an app. They are not cached: advisories change daily. */

const CONCURRENCY = 8;

const NOT_ADDRESSABLE: Missing = { missing: { code: 'bill-not-addressable' } };

/** @param app with the URLs as listed: secrets in them are not redacted yet */
export async function withMaterials(
  app: AppFacts,
  advisories: AdvisoryFolder,
  context: ObserveContext,
): Promise<AppFacts> {
  const artifacts = [...app.artifacts];
  await mapLimit(
    [...app.artifacts.entries()],
    async ([index, facts]) => {
      const { url, content } = facts;
      // Nothing is known about an artifact that was not requested, or not received.
      if (!isRequestable(url) || isMissing(content)) return;
      artifacts[index] = { ...facts, materials: await materialsAt(url, content, advisories, context) };
    },
    CONCURRENCY,
  );
  return { ...app, artifacts };
}

async function materialsAt(
  artifactUrl: string,
  artifact: Content,
  advisories: AdvisoryFolder,
  context: ObserveContext,
): Promise<MaterialsFacts | Missing> {
  const transport = { http: context.http, total: context.timeouts.small };
  const fetched = await fetchCompanion({ artifactUrl, kind: 'sbom', etag: null }, transport);
  if (fetched.state === 'url-signed') return NOT_ADDRESSABLE;
  if (fetched.state === 'absent') return BILL_MISSING;
  if (fetched.state !== 'present') return whyUnknown(fetched, 'sbom');
  return fetched.isCut ? unusableBill('too-large') : factsOfBill(fetched.bytes, artifact, advisories);
}
