import { aboutUrl } from '../../core/about/about-url.ts';
import { companionState } from '../../core/attestation/companion.ts';
import type { DocumentFacts, Missing, Probe } from '../../core/facts/facts.ts';
import { statusOf } from '../../core/http/probe.ts';
import { notRequested } from '../http/circuit-breaker.ts';
import { contentOf } from '../workspace/document-content.ts';
import type { ObserveContext } from './context.ts';
import { fetchResource } from './fetch.ts';

const ACCEPT = 'application/json, */*;q=0.8';
/** The views of browsers are those of the metadata file beside it. */
const NOT_VIEWED: Missing = { missing: { code: 'not-requested', flag: null } };
const SIGNED: Missing = { missing: { code: 'url-signed' } };

/**
 * Requests the about file of an app, with one GET.
 * @param metadataUrl as listed
 * @returns null if the host has none; its content is missing if the host does not say whether it has one
 */
export async function observeAbout(metadataUrl: string, context: ObserveContext): Promise<DocumentFacts | null> {
  const url = aboutUrl(metadataUrl);
  if (url === null) return { url, file: null, web: NOT_VIEWED, content: SIGNED };
  const limit = context.limits.metadata;
  const { probe, content, bytes } = await fetchResource(url, { accept: ACCEPT, limit }, context);
  const facts = { url, file: null, web: NOT_VIEWED };
  const stopped = notRequested(probe);
  if (stopped !== null) return { ...facts, content: stopped };
  const status = probe.failure === null ? statusOf(probe) : null;
  const state = companionState({ status, head: bytes.subarray(0, 512) });
  if (state === 'absent') return null;
  return { ...facts, content: state === 'unknown' ? notKnown(probe) : contentOf(bytes, content.cut) };
}

function notKnown({ attempts, failure, hops }: Probe): Missing {
  const what = failure?.code ?? `status ${hops.at(-1)?.status ?? 0}`;
  return { missing: { code: 'probe-failed', probe: 'request for its about file', attempts, failure: what } };
}
