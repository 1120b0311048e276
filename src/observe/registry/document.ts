import {
  type Conditional,
  type DocumentFacts,
  type Hop,
  type HttpViews,
  isMissing,
  type Missing,
  type Probe,
  type Resource,
} from '../../core/facts/facts.ts';
import { contentCodings, headerValue, headerLines, httpDate } from '../../core/http/headers.ts';
import { hasChanged, isOutdated } from '../../core/http/judged-headers.ts';
import { isAnswered, lastHop, notRequested, statusOf } from '../../core/http/probe.ts';
import { mayBeRepeated } from '../../core/http/repeated-probes.ts';
import { aboutUrl, companionState } from '../../core/registry/companion.ts';
import { contentOf } from '../content/document-content.ts';
import { createDigester } from '../digest/digest.ts';
import { referenceOfDocument } from '../http/compare-copy.ts';
import { conditionalBefore, type KnownAbout } from './cache.ts';
import { probeDifferences, repeatRefused } from './confirm.ts';
import type { ObserveContext } from './context.ts';
import { type FetchedResource, fetchOnce, type FetchOptions, fetchResource, reasonMissing } from './fetch.ts';
import type { ObservedAbout } from './part.ts';
import type { Outcome } from './probes.ts';
import { documentFault } from './second-look.ts';
import { browserGet, conditionalViews, observeViews, type ResourceViews, type ServerView } from './views.ts';

/** Observes a JSON document over HTTP, and how its host responds to browsers and to conditional requests. */

type DocumentKind = 'manifest' | 'metadata';

/** The `Accept` header of requests for documents. */
export const JSON_ACCEPT = 'application/json, */*;q=0.8';

/** A truncated document is not parsed; its start is kept to detect its format. */
const KEPT_OF_CUT = 4096;

/**
 * If the host sends something else at the end of the requests than at the beginning, the document is observed again.
 * @param known the result of an earlier run; a conditional request checks whether it is still valid
 * @param onContent is called with the content as soon as it is received, so that what it lists is fetched during the
 * further requests; not called for known content
 */
export async function observeDocument(
  url: string,
  kind: DocumentKind,
  context: ObserveContext,
  known: DocumentFacts | null = null,
  onContent: (content: DocumentFacts['content']) => void = () => {},
): Promise<DocumentFacts> {
  const facts = await observeState(url, kind, context, known, onContent);
  const isOld = known !== null && facts.viewsReusedFrom === undefined && isOutdated(facts.web);
  return hasChanged(facts.web) || isOld ? observeState(url, kind, context, null, () => {}) : facts;
}

async function observeState(
  url: string,
  kind: DocumentKind,
  context: ObserveContext,
  known: DocumentFacts | null,
  onContent: (content: DocumentFacts['content']) => void,
): Promise<DocumentFacts> {
  const { origin } = new URL(url);
  const { hosts } = context;
  const earlier = context.daily ? conditionalBefore(known, context.now) : null;
  if (earlier?.some(isFalse304)) hosts.noteFalse304(url);
  const fetching = fetchDocument(url, kind, context, hosts.sendsFalse304(url) ? null : known);
  const isFirst = hosts.claimAnswered(
    `${kind} ${origin}`,
    fetching.then(({ probe }) => isAnswered(probe)),
  );
  const document = await fetching;
  const { content } = document;
  if (document.known === null) onContent(content);
  const view = serverView(kind, document, context);
  if (earlier === null)
    return { url, file: null, ...(await viewsAndConditions(url, view, document, context, isFirst)) };
  const views = await observeViews(view, context, document.known);
  const web = !isMissing(views.web) && (await isFirst) ? { ...views.web, conditional: earlier } : views.web;
  return { url, file: null, ...views, web, content };
}

/**
 * The views of a document, with conditional requests if it is the first of its kind and host.
 * @param isFirst resolves once no earlier one can become the first
 */
async function viewsAndConditions(
  url: string,
  view: ServerView,
  document: FetchedDocument,
  context: ObserveContext,
  isFirst: Promise<boolean>,
): Promise<ResourceViews & Pick<DocumentFacts, 'content'>> {
  const { content, sha256, known, probe } = document;
  if (sha256 === null) return { ...(await observeViews(view, context, known)), content };
  const sendConditions = (): Promise<Outcome> => conditionalViews(view, sha256, context);
  // In parallel with the views, to save a round trip, if sending the conditions does not depend on them.
  const isParallel = known === null && isAnswered(probe);
  const sent = isParallel ? isFirst.then((first) => (first ? sendConditions() : null)) : null;
  const [views, early] = await Promise.all([observeViews(view, context, known), sent]);
  const isReused = context.daily && views.viewsReusedFrom !== undefined;
  if (isMissing(views.web) || isReused || !(await isFirst)) return { ...views, content };
  const conditions = early ?? (await sendConditions());
  if (known === null || !conditions.facts.conditional?.some(isFalse304))
    return { ...views, web: await withConditions(views.web, conditions, view, context), content };
  // A host that answers 304 to everything has said nothing about this document.
  context.hosts.noteFalse304(url);
  const again = await fetchDocument(url, document.kind, context, null);
  const viewAgain = serverView(document.kind, again, context);
  const viewsAgain = await observeViews(viewAgain, context, null);
  if (isMissing(viewsAgain.web)) return { ...viewsAgain, content: again.content };
  const web = await withConditions(viewsAgain.web, conditions, viewAgain, context);
  return { ...viewsAgain, web, content: again.content };
}

function serverView(
  kind: DocumentKind,
  { probe, content, sha256 }: FetchedDocument,
  context: ObserveContext,
): ServerView {
  const reference = referenceOfDocument(probe, content, sha256);
  return { kind, server: probe, accept: JSON_ACCEPT, reference, limit: context.limits[kind] };
}

/** Adds the conditional requests, and the requests sent because of them. */
async function withConditions(
  web: HttpViews,
  { facts, sent }: Outcome,
  view: ServerView,
  context: ObserveContext,
): Promise<HttpViews> {
  const get = browserGet(view, context);
  // An unknown origin may be refused for other reasons.
  const refused = sent.filter(({ probe }) => probe.origin === null && mayBeRepeated('condition', probe)).slice(0, 1);
  const repeated = await repeatRefused(refused, get, context);
  const repeatedProbes = [...(web.repeatedProbes ?? []), ...repeated];
  const differences = web.headerProbes === undefined ? await probeDifferences(facts, web.server, get, context) : {};
  return {
    ...web,
    ...facts,
    ...(repeatedProbes.length > 0 ? { repeatedProbes } : {}),
    ...differences,
  };
}

/** A 304 to a validator that the host never issued. */
function isFalse304({ fabricated, probe }: Conditional): boolean {
  return fabricated && statusOf(probe) === 304;
}

interface FetchedDocument {
  kind: DocumentKind;
  probe: Probe;
  content: DocumentFacts['content'];
  /** Of the bytes as sent, of a complete document; null if unknown. */
  sha256: string | null;
  /** The earlier facts, if still valid. */
  known: DocumentFacts | null;
}

async function fetchDocument(
  url: string,
  kind: DocumentKind,
  context: ObserveContext,
  known: DocumentFacts | null,
): Promise<FetchedDocument> {
  const limit = context.limits[kind];
  const options = { accept: JSON_ACCEPT, limit };
  const { confirmed, fetched } = await revalidate(url, options, context, known);
  if (confirmed && known) return { kind, probe: confirmed, content: known.content, sha256: knownDigest(known), known };
  const first = decodedDocument(fetched ?? (await fetchResource(url, options, context)), limit);
  const document = await context.hosts.secondLooks.take(
    kind,
    first,
    ({ probe, content }) => documentFault(kind, probe, content),
    async () => decodedDocument(await fetchOnce({ url, headers: [], fresh: true }, options, context), limit),
  );
  return { kind, known: null, ...document };
}

/** A separate function, so that the bytes are released before further requests. */
function decodedDocument(
  { probe, content, bytes }: FetchedResource,
  limit: number,
): Pick<FetchedDocument, 'probe' | 'content' | 'sha256'> {
  const reason = reasonMissing(probe);
  if (reason) return { probe, content: reason, sha256: null };
  if (!content.cut && bytes.length <= limit) return { probe, content: contentOf(bytes), sha256: content.sha256 };
  const start = contentOf(Buffer.from(bytes.subarray(0, KEPT_OF_CUT)), true);
  return { probe, content: { ...start, bytes: Math.min(bytes.length, limit) }, sha256: null };
}

/** The digest of a known document, if its text is what was sent. */
function knownDigest({ web, content }: DocumentFacts): string | null {
  if (isMissing(web) || isMissing(content) || contentCodings(lastHop(web.server)?.headers ?? []).length > 0)
    return null;
  const digester = createDigester(Infinity);
  digester.write(content.text === null ? Buffer.from(content.base64 ?? '', 'base64') : Buffer.from(content.text));
  return digester.end().sha256;
}

/** Revalidates the earlier facts: returns the confirmed probe, or what was fetched instead, or neither. */
export async function revalidate(
  url: string,
  options: FetchOptions,
  context: ObserveContext,
  known: Resource | null,
): Promise<{ confirmed?: Probe; fetched?: FetchedResource }> {
  const conditions = known?.url === url ? revalidationHeaders(known) : null;
  if (!known || !conditions) return {};
  const fetched = await fetchResource(url, options, context, conditions);
  const confirmed = confirmedProbe(known, fetched.probe);
  if (confirmed) return { confirmed };
  return isCausedByCondition(fetched.probe) ? {} : { fetched };
}

/** As in RFC 9110 section 8.8.3: stricter than what browsers send back (`isEntityTag`). */
const ENTITY_TAG = /^(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"$/;

/** The headers of a conditional request for a resource; null if it has no usable validator. */
function revalidationHeaders({ web }: Resource): [string, string][] | null {
  const condition = isMissing(web) ? null : conditionAfter(web.server);
  return condition === null ? null : [condition];
}

/** The header that makes a later request conditional on the response of a probe; null if it has no usable validator. */
function conditionAfter(probe: Probe): [name: string, value: string] | null {
  const last = lastHop(probe);
  if (!last) return null;
  const tag = headerValue(last.headers, 'etag');
  if (tag !== null && ENTITY_TAG.test(tag)) return ['if-none-match', tag];
  const lastModified = headerValue(last.headers, 'last-modified');
  const changed = httpDate(lastModified);
  const date = httpDate(headerValue(last.headers, 'date'));
  // It may have changed twice within that second (RFC 9110 section 8.8.2.2).
  if (lastModified === null || changed === null || date === null || date - changed < 1000) return null;
  return ['if-modified-since', lastModified];
}

/** True if a 304 says that what has the validator of the condition is unchanged. */
export function isConfirmedBy(probe: Probe, [name, value]: readonly [name: string, value: string]): boolean {
  if (probe.failure !== null || statusOf(probe) !== 304) return false;
  const tag = headerValue(lastHop(probe)?.headers ?? [], 'etag');
  return name !== 'if-none-match' || tag === null || weakTag(tag) === weakTag(value);
}

/** True if a response, or its absence, may be caused by the condition, so that a request without one is justified. */
function isCausedByCondition(probe: Probe): boolean {
  if (probe.failure !== null) return mayBeRepeated('condition', probe);
  return [304, 400, 412, 501].includes(statusOf(probe));
}

/**
 * The probe with a complete response, if a 304 confirmed the earlier facts; null if it did not, or if the redirects
 * differ.
 */
function confirmedProbe({ web }: Resource, probe: Probe): Probe | null {
  const last = lastHop(probe);
  if (isMissing(web) || !last || probe.failure !== null || last.status !== 304) return null;
  const before = web.server.hops;
  const stored = before.at(-1);
  const hasSameHops = before.length === probe.hops.length && before.every(({ url }, i) => url === probe.hops[i]?.url);
  if (!stored || !hasSameHops) return null;
  const tag = headerValue(last.headers, 'etag');
  if (tag !== null && weakTag(tag) !== weakTag(headerValue(stored.headers, 'etag'))) return null;
  return {
    ...probe,
    hops: [...probe.hops.slice(0, -1), { ...last, status: stored.status, headers: updatedHeaders(stored, last) }],
  };
}

function weakTag(tag: string | null): string | null {
  return tag?.replace(/^W\//, '') ?? null;
}

/** Headers of a 304 about the connection or its own (empty) body do not apply to the stored response. */
const OWN_HEADERS = /^(?:content-.*|transfer-encoding|connection|keep-alive|trailer|upgrade|te)$/;

/** The stored headers, updated by those of a 304 (RFC 9111 section 3.2). */
function updatedHeaders({ headers: stored }: Hop, { headers: fresh }: Hop): [string, string][] {
  const names = new Set(fresh.map(([name]) => name).filter((name) => !OWN_HEADERS.test(name)));
  // Age belongs to each response; Expires is relative to the Date that came with it.
  const dropped = new Set(['age']);
  if (names.has('date') && !names.has('expires') && headerLines(stored, 'expires').length > 0) names.delete('date');
  return [
    ...stored.filter(([name]) => !names.has(name) && !dropped.has(name)),
    ...fresh.filter(([name]) => names.has(name)),
  ];
}

/** The views of browsers are those of the metadata file beside it. */
const NOT_VIEWED: Missing = { missing: { code: 'not-requested', flag: null } };

const SIGNED: Missing = { missing: { code: 'url-signed' } };

/** A request for the about file of an app. */
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
  const options = { accept: JSON_ACCEPT, limit: context.limits.metadata, optional: !confirms };
  const fetch = (headers: [string, string][]): Promise<FetchedResource> =>
    // A file that was there before is requested again.
    confirms || known !== null
      ? fetchResource(url, options, context, headers)
      : fetchOnce({ url, headers, fresh: false }, options, context);
  const condition = context.hosts.sendsFalse304(url) ? null : (known?.condition ?? null);
  if (condition === null) return { fetched: await fetch([]), confirmed: null };
  const fetched = await fetch([condition]);
  if (isConfirmedBy(fetched.probe, condition)) return { fetched, confirmed: known };
  return { fetched: isCausedByCondition(fetched.probe) ? await fetch([]) : fetched, confirmed: null };
}

function notKnown({ attempts, failure, hops }: Probe): Missing {
  const what = failure?.code ?? `status ${hops.at(-1)?.status ?? 0}`;
  return { missing: { code: 'probe-failed', probe: 'request for its about file', attempts, failure: what } };
}
