import {
  type AppFacts,
  type Content,
  isMissing,
  type MaterialsFacts,
  type Missing,
  type Probe,
} from '../../core/facts/facts.ts';
import { statusOf } from '../../core/http/probe.ts';
import { companionUrl } from '../../core/attestation/companion.ts';
import type { AdvisoryFolder } from '../advisories/advisory-folder.ts';
import { BILL_MISSING, factsOfBill, unusableBill } from '../advisories/bill-facts.ts';
import { notRequested } from '../http/circuit-breaker.ts';
import { fetchCompanion } from './companion.ts';
import { mapLimit } from './concurrency.ts';
import type { ObserveContext } from './context.ts';
import { isRequestable } from './run.ts';

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
  const url = companionUrl(artifactUrl, 'sbom');
  if (url === null) return NOT_ADDRESSABLE;
  const timing = { http: context.http, total: context.timeouts.small };
  const { state, probe, bytes, isCut } = await fetchCompanion({ url, kind: 'sbom', etag: null }, timing);
  if (state === 'absent') return BILL_MISSING;
  if (state !== 'present') return unanswered(probe);
  return isCut ? unusableBill('too-large') : factsOfBill(bytes, artifact, advisories);
}

/** A host that does not answer says nothing about what it has. */
function unanswered(probe: Probe): Missing {
  const stopped = notRequested(probe);
  if (stopped !== null) return stopped;
  const failure = probe.failure?.code ?? `status ${statusOf(probe)}`;
  const { attempts } = probe;
  return { missing: { code: 'probe-failed', probe: 'request for the bill of materials', attempts, failure } };
}
