import { aboutUrl, companionState } from '../../core/registry/companion.ts';
import type { DocumentFacts, Failure, Missing, Probe } from '../../core/facts/facts.ts';
import type { DocumentContent } from '../../core/json/content.ts';
import { notRequested, originOf, statusOf } from '../../core/http/probe.ts';
import { contentOf } from '../content/document-content.ts';
import { conditionAfter, isCausedByCondition, isConfirmedBy } from './conditional.ts';
import { type FetchedResource, fetchOnce, fetchResource } from './fetch.ts';
import type { ObserveContext } from './context.ts';

export const ABOUT_ACCEPT = 'application/json, */*;q=0.8';
/** The views of browsers are those of the metadata file beside it. */
const NOT_VIEWED: Missing = { missing: { code: 'not-requested', flag: null } };
const SIGNED: Missing = { missing: { code: 'url-signed' } };

/** An about file, as an earlier run observed it. */
export interface KnownAbout {
  /** As requested. */
  url: string;
  content: DocumentContent;
  /** The header of a conditional request, in lower case; null without a usable validator. */
  condition: [name: string, value: string] | null;
}

export interface ObservedAbout {
  /** Null if the host has none; its content is missing if the host does not say whether it has one. */
  facts: DocumentFacts | null;
  /** For a later run; null unless its content was observed. */
  known: KnownAbout | null;
  /** Why the host did not say it, if a request failed; null otherwise. */
  failure: Failure | null;
}

/** How the about file of an app is requested. */
export interface AboutRequest {
  /** As listed. */
  metadataUrl: string;
  /** Null if it is not known. */
  known: KnownAbout | null;
  /** True if a file that is reported as missing is requested again, as for the files that have to be there. */
  confirms: boolean;
}

/** Requests the about file of an app. */
export async function observeAbout(
  { metadataUrl, known, confirms }: AboutRequest,
  context: ObserveContext,
): Promise<ObservedAbout> {
  const url = aboutUrl(metadataUrl);
  const base = { url, file: null, web: NOT_VIEWED };
  if (url === null) return { facts: { ...base, content: SIGNED }, known: null, failure: null };
  const { fetched, confirmed } = await fetchAbout(url, known?.url === url ? known : null, confirms, context);
  if (confirmed !== null) return { facts: { ...base, content: confirmed.content }, known: confirmed, failure: null };
  const { probe, content: sent, bytes } = fetched;
  const { failure } = probe;
  const stopped = notRequested(probe);
  if (stopped !== null) return { facts: { ...base, content: stopped }, known: null, failure: null };
  const status = failure === null ? statusOf(probe) : null;
  const state = companionState({ status, head: bytes.subarray(0, 512) });
  if (state === 'absent') return { facts: null, known: null, failure: null };
  if (state === 'unknown') return { facts: { ...base, content: notKnown(probe) }, known: null, failure };
  const content = contentOf(bytes, sent.cut);
  return { facts: { ...base, content }, known: { url, content, condition: conditionAfter(probe) }, failure: null };
}

/** The response, and the known file if the response confirms it. */
async function fetchAbout(
  url: string,
  known: KnownAbout | null,
  confirms: boolean,
  context: ObserveContext,
): Promise<{ fetched: FetchedResource; confirmed: KnownAbout | null }> {
  const options = { accept: ABOUT_ACCEPT, limit: context.limits.metadata, optional: !confirms };
  const fetch = (headers: [string, string][]): Promise<FetchedResource> =>
    // A file that was there before is requested again.
    confirms || known !== null
      ? fetchResource(url, options, context, headers)
      : fetchOnce({ url, headers, fresh: false }, options, context);
  const condition = context.state.always304Origins.has(originOf(url)) ? null : (known?.condition ?? null);
  if (condition === null) return { fetched: await fetch([]), confirmed: null };
  const fetched = await fetch([condition]);
  if (isConfirmedBy(fetched.probe, condition)) return { fetched, confirmed: known };
  return { fetched: isCausedByCondition(fetched.probe) ? await fetch([]) : fetched, confirmed: null };
}

function notKnown({ attempts, failure, hops }: Probe): Missing {
  const what = failure?.code ?? `status ${hops.at(-1)?.status ?? 0}`;
  return { missing: { code: 'probe-failed', probe: 'request for its about file', attempts, failure: what } };
}
