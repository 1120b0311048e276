import { createHash } from 'node:crypto';
import {
  type Content,
  type HttpViews,
  isMissing,
  type Missing,
  type Probe,
  type RepeatedProbe,
  type Resource,
  type ResourceKind,
} from '../../core/facts/facts.ts';
import { type DocumentContent } from '../../core/json/content.ts';
import { PROBE_ORIGIN } from '../../core/http/cors.ts';
import { codings } from '../../core/http/headers.ts';
import { lastHop, notRequested, originOf } from '../../core/http/probe.ts';
import type { Views } from './cache/observation-cache.ts';
import { isSameBehavior, viewsBefore } from './cache/reuse.ts';
import { bytesOf } from '../content/document-content.ts';
import type { ObserveContext } from './context.ts';
import type { Reference } from './copy.ts';
import {
  type BrowserGet,
  getAsBrowser,
  groupsOf,
  sendRegardless,
  sendOnce,
  sendAccompanying,
  reasonMissing,
} from './fetch.ts';
import { isDifferent, knownAsUnanswered, probeDifferences, probeHead, repeat } from './further-requests.ts';
import { IMAGE_ACCEPT } from '../http/request-shape.ts';
import { probeFirstOfKind, probeMethods, repeatRefused, type SideRequests } from './side-requests.ts';

/** How a resource responds to a page of the service: GET, HEAD and preflights as a browser sends them. */

/** The response of a resource to a server-side client's GET. */
export interface ServerView {
  kind: ResourceKind;
  /** With at least one hop. */
  server: Probe;
  accept: string;
  /** The reference for comparing copies; null if nothing can be compared. */
  reference: Reference | null;
  /** Maximum number of bytes to read. */
  limit: number;
}

/** The response of a resource to a server and to a browser. */
export type ResourceViews = Pick<Resource, 'web' | 'viewsReusedFrom'>;

/**
 * The response of a document or an icon, and its views. Those of an unchanged one are reused if the first of its kind
 * and host, which is observed again, responds as before.
 * @param known the earlier facts, if the probe confirmed them
 */
export async function observeViews(
  view: ServerView,
  context: ObserveContext,
  known: Resource | null,
): Promise<ResourceViews> {
  const { kind, server } = view;
  const stopped = notRequested(server);
  if (stopped) return { web: stopped };
  const reason = reasonMissing(server);
  if (reason) return { web: { server, browser: [], preflight: reason, head: reason } };
  const before = known && context.now !== null ? viewsBefore(known, context.now) : null;
  if (!before) return { web: { server, ...(await browserViews(view, context)) } };
  const reused: ResourceViews = { web: { server, ...before.views }, viewsReusedFrom: before.observedAt };
  if (context.daily) return reused;
  const key = `${kind} ${originOf(lastHop(server)?.url ?? '')}`;
  const { unchangedViews } = context.state;
  const isUnchanged = unchangedViews.get(key);
  if (isUnchanged && (await isUnchanged)) return reused;
  const fresh = browserViews(view, context);
  if (!isUnchanged)
    unchangedViews.set(
      key,
      fresh.then((now) => isSameBehavior(now, before.views)),
    );
  const web: HttpViews = { server, ...(await fresh) };
  return { web };
}

/** The browser's request for an artifact asks for one byte: it is not fetched twice. */
export async function browserViews(view: ServerView, context: ObserveContext): Promise<Views> {
  const { kind, server } = view;
  const { sample, alternatingOrigins } = context.state;
  const get = browserGet(view, context);
  const chain = server.hops.map(({ url }) => url);
  const ranges: RepeatedProbe[] = [];
  const otherMethods: SideRequests = [];
  const firstOfKind: SideRequests = [];
  // Failures in one of them are probed.
  const getFrom = (origin: string): Promise<Probe> =>
    kind === 'artifact'
      ? getPart({ ...get, page: origin }, context, ranges)
      : getAsBrowser({ ...get, page: origin }, groupsOf(get), context, sendOnce);
  const firstGet = getFrom(get.page);
  const [methods, first, ...browser] = await Promise.all([
    sample.methods(kind, server, () => probeMethods(chain, get, context, otherMethods)),
    probeFirstOfKind(get, firstGet, context, firstOfKind),
    firstGet,
    ...context.origins.slice(1).map(getFrom),
  ]);
  const [headerProbes, repeatedProbes] = await Promise.all([
    probeDifferences({ browser, ...first }, get, context).then((probes) =>
      probes.length > 0 ? probes : probeHead(server, methods.head, get, context),
    ),
    repeatRefused([...otherMethods, ...firstOfKind], get, context),
  ]);
  const isUnexplained = headerProbes.length === 0 && isDifferent(browser);
  const alternating = isUnexplained ? alternatingOrigins.get(originOf(lastHop(server)?.url ?? '')) : undefined;
  if (alternating) repeatedProbes.push({ ...alternating, of: 'browser' });
  repeatedProbes.push(...ranges.slice(0, 1));
  return {
    browser: browser.filter((probe) => !notRequested(probe)),
    ...methods,
    ...first,
    ...(headerProbes.length > 0 ? { headerProbes } : {}),
    ...(repeatedProbes.length > 0 ? { repeatedProbes } : {}),
  };
}

/**
 * The browser's request for one byte of an artifact, or for all of it if the host never answers requests with a Range.
 * @param ranges receives the requests that show this
 */
async function getPart(get: BrowserGet, context: ObserveContext, ranges: RepeatedProbe[]): Promise<Probe> {
  const send = (headers: BrowserGet['headers'], how: typeof sendOnce): Promise<Probe> =>
    getAsBrowser({ ...get, headers }, groupsOf(get), context, how);
  if ((await knownAsUnanswered('range', get.url, context)) !== null) return send([], sendOnce);
  const part = await send(get.headers, sendAccompanying);
  if (part.failure === null) return part;
  const repeated = await repeat('range', part, get, () => send(get.headers, sendRegardless), context);
  if (repeated === null) return part;
  const whole = await send([], sendAccompanying);
  if (whole.failure !== null) return part;
  ranges.push(repeated);
  return whole;
}

/** The request of a browser for a resource, from the first page. */
export function browserGet(
  { kind, server, accept, reference, limit }: ServerView,
  { origins: [page = PROBE_ORIGIN] }: ObserveContext,
): BrowserGet {
  const [first] = server.hops;
  if (!first) throw new Error('Only a requested resource has views.');
  return {
    url: first.url,
    kind,
    key: `${kind} ${server.hops.map(({ url }) => originOf(url)).join(' ')}`,
    page,
    like: 'fetch',
    accept: kind === 'icon' ? IMAGE_ACCEPT : accept,
    headers: kind === 'artifact' ? [['range', 'bytes=0-0']] : [],
    reference,
    limit,
  };
}

/** The reference for browsers' copies: the response to a server-side client, with no coding applied. */

/**
 * @param sha256 of the bytes as sent, if known
 * @returns null for a document that was not read completely
 */
export function referenceOfDocument(
  probe: Probe,
  content: DocumentContent | Missing,
  sha256: string | null,
): Reference | null {
  if (isMissing(content) || content.cut) return null;
  return {
    sha256: sha256 !== null && isPlain(probe) ? sha256 : digestOf(bytesOf(content)),
    bytes: content.bytes,
    text: () => content.text,
    isImage: false,
  };
}

/** @param bytes decoded; null if they were not kept */
export function referenceOfIcon(probe: Probe, content: Content, bytes: Uint8Array | null): Reference | null {
  if (content.cut) return null;
  if (isPlain(probe)) return { sha256: content.sha256, bytes: content.bytes, text: null, isImage: true };
  return bytes === null ? null : { sha256: digestOf(bytes), bytes: bytes.length, text: null, isImage: true };
}

function isPlain(probe: Probe): boolean {
  return codings(lastHop(probe)?.headers ?? []).length === 0;
}

function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
