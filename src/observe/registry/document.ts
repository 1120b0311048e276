import type { Conditional, DocumentFacts, HttpViews, Probe } from '../../core/facts/facts.ts';
import { isMissing } from '../../core/facts/facts.ts';
import { codings } from '../../core/http/headers.ts';
import { isAnswered, lastHop, statusOf } from '../../core/http/probe.ts';
import { createDigester } from '../digest/digest.ts';
import { contentOf } from '../content/document-content.ts';
import { conditionalBefore } from './cache/reuse.ts';
import { probeConditions, repeatCondition, revalidate } from './conditional.ts';
import type { ObserveContext } from './context.ts';
import { type FetchedResource, fetchResource, reasonMissing } from './fetch.ts';
import { probeContents } from './further-requests.ts';
import { browserGet, observeViews, referenceOfDocument, type ResourceViews, type ServerView } from './views.ts';

/** Observes a JSON document over HTTP, and how its host responds to browsers and to conditional requests. */

type DocumentKind = 'manifest' | 'metadata';

const JSON_ACCEPT = 'application/json, */*;q=0.8';

/** A truncated document is not parsed; its start is kept to detect its format. */
const KEPT_OF_CUT = 4096;

/**
 * @param known the result of an earlier run; a conditional request checks whether it is still valid
 * @param onContent is called with the content as soon as it is final, so that what it lists is fetched during the
 * further requests; not called for known content
 */
export async function observeDocument(
  url: string,
  kind: DocumentKind,
  context: ObserveContext,
  known: DocumentFacts | null = null,
  onContent: (content: DocumentFacts['content']) => void = () => {},
): Promise<DocumentFacts> {
  const { origin } = new URL(url);
  const { always304Origins, firstPerKey } = context.state;
  const earlier = context.daily ? conditionalBefore(known, context.now) : null;
  if (earlier?.some(isFalse304)) always304Origins.add(origin);
  const fetching = fetchDocument(url, kind, context, always304Origins.has(origin) ? null : known);
  const isFirst = firstPerKey.claim(
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
  const sendConditions = (): Promise<Conditional[]> => probeConditions(view, sha256, context);
  // In parallel with the views, to save a round trip, if sending the conditions does not depend on them.
  const isParallel = known === null && isAnswered(probe);
  const sent = isParallel ? isFirst.then((first) => (first ? sendConditions() : null)) : null;
  const [views, early] = await Promise.all([observeViews(view, context, known), sent]);
  const isReused = context.daily && views.viewsReusedFrom !== undefined;
  if (isMissing(views.web) || isReused || !(await isFirst)) return { ...views, content };
  const conditional = early ?? (await sendConditions());
  if (known === null || !conditional.some(isFalse304))
    return { ...views, web: await withConditions(views.web, conditional, view, context), content };
  // A host that answers 304 to everything has said nothing about this document.
  context.state.always304Origins.add(new URL(url).origin);
  const again = await fetchDocument(url, document.kind, context, null);
  const viewAgain = serverView(document.kind, again, context);
  const viewsAgain = await observeViews(viewAgain, context, null);
  if (isMissing(viewsAgain.web)) return { ...viewsAgain, content: again.content };
  const web = await withConditions(viewsAgain.web, conditional, viewAgain, context);
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

/** Adds the conditional requests, and the requests repeated because of them. */
async function withConditions(
  web: HttpViews,
  conditional: Conditional[],
  view: ServerView,
  context: ObserveContext,
): Promise<HttpViews> {
  const extended = { ...web, conditional };
  const repeated = await repeatCondition(web.server, conditional, view, context);
  if (repeated !== null) extended.repeatedProbes = [...(web.repeatedProbes ?? []), repeated];
  const isOtherContent = web.headerProbes === undefined && conditional.some(({ sameBytes }) => sameBytes === false);
  const probes = isOtherContent ? await probeContents(browserGet(view, context), context) : [];
  return probes.length > 0 ? { ...extended, headerProbes: probes } : extended;
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
  return { kind, known: null, ...decodedDocument(fetched ?? (await fetchResource(url, options, context)), limit) };
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
  if (isMissing(web) || isMissing(content) || codings(lastHop(web.server)?.headers ?? []).length > 0) return null;
  const digester = createDigester(Infinity);
  digester.write(content.text === null ? Buffer.from(content.base64 ?? '', 'base64') : Buffer.from(content.text));
  return digester.end().sha256;
}
