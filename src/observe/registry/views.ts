import type {
  Conditional,
  Hop,
  HttpViews,
  Missing,
  Probe,
  RepeatedProbe,
  Resource,
  ResourceKind,
  SideProbe,
} from '../../core/facts/facts.ts';
import { hopOrigins, PROBE_HEADER, PROBE_ORIGIN } from '../../core/http/cors.ts';
import { codings, header, httpDate } from '../../core/http/headers.ts';
import { isAnswered, lastHop, notRequested, originOf } from '../../core/http/probe.ts';
import { mayBeRepeated } from '../../core/http/repeated-probes.ts';
import { createDigester } from '../digest/digest.ts';
import { sendAccompanying, sendOnce, sendRegardless } from '../http/accompanying.ts';
import { type Body, perAttempt } from '../http/body.ts';
import type { Reference } from '../http/compare-copy.ts';
import { ALL_GROUPS, IMAGE_ACCEPT, isEntityTag, type RequestShape, UNCOMPRESSED } from '../http/request-shape.ts';
import { type BrowserGet, getAsBrowser, groupsOf } from './browser-get.ts';
import { isSameBehavior, type Views, viewsBefore } from './cache.ts';
import { isDifferent, knownAsUnanswered, probeDifferences, probeHead, repeat } from './confirm.ts';
import type { ObserveContext } from './context.ts';
import { reasonMissing } from './fetch.ts';
import type { Methods } from './hosts-seen.ts';

/** How a resource responds to a page of the service, as browsers request it, and to conditional requests. */

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

/** A request that is repeated if it is refused, with the response to it. */
interface SideRequest {
  of: SideProbe;
  /** @param send sends the request */
  request(send: typeof sendAccompanying): Promise<Probe>;
  /** Null until it is sent. */
  probe: Probe | null;
}

/** The side requests for a resource, in order. */
export type SideRequests = SideRequest[];

/** A request that is sent for one resource of each kind and host. */
interface FirstOfKindRequest {
  /** The kind of request, if it is repeated when it is refused. */
  of?: SideProbe;
  when: boolean;
  request: SideRequest['request'];
  fact(probe: Probe): FirstOfKindViews;
}

type FirstOfKindViews = Pick<HttpViews, 'headPreflight' | 'image' | 'gzip' | 'revalidation'>;

/** The requests with other methods, as a browser sends them: HEAD, and the preflights at each URL of the chain. */
function methodRequests(
  chain: readonly string[],
  get: BrowserGet,
  context: ObserveContext,
): { of: 'HEAD' | 'preflight'; url: string; when: boolean; request: SideRequest['request'] }[] {
  const { url, page, accept } = get;
  const shape = { page, mode: 'cors', destination: 'empty', groups: UNCOMPRESSED } as const;
  const total = context.timeouts.small;
  return [
    {
      of: 'HEAD',
      url: chain.at(-1) ?? url,
      when: true,
      request: (send) => send(context.http, { method: 'HEAD', url, origin: page, accept, shape, total }),
    },
    ...chain.map((hop, i) => {
      const before = chain.slice(0, i + 1);
      return {
        of: 'preflight' as const,
        url: hop,
        when: originSent(page, before) !== null,
        request: (send: typeof sendAccompanying) => sendPreflight('GET', before, page, context, send),
      };
    }),
  ];
}

/** The requests that do not depend on the response to the browser's GET. */
function firstOfKind(get: BrowserGet, context: ObserveContext): FirstOfKindRequest[] {
  const { url, page, kind } = get;
  return [
    {
      of: 'HEAD preflight',
      when: originSent(page, [url]) !== null,
      request: (send) => sendPreflight('HEAD', [url], page, context, send),
      fact: (headPreflight) => ({ headPreflight }),
    },
    {
      when: kind === 'icon',
      request: () => getAsBrowser({ ...get, like: 'image' }, ALL_GROUPS, context),
      fact: (image) => ({ image }),
    },
  ];
}

/** The requests that depend on it. */
function requestsOfFirstAnswered(get: BrowserGet, browser: Probe, context: ObserveContext): FirstOfKindRequest[] {
  const { kind } = get;
  const headers = lastHop(browser)?.headers ?? [];
  const applied = codings(headers);
  const condition = isAnswered(browser) ? conditionFrom(headers) : null;
  return [
    {
      // Many clients accept only gzip, and hosts keep a file per coding.
      when: (kind === 'manifest' || kind === 'metadata') && applied.length > 0 && !applied.includes('gzip'),
      request: () => getAsBrowser({ ...get, encoding: 'gzip' }, ['encoding'], context),
      fact: (gzip) => ({ gzip }),
    },
    {
      of: 'condition',
      when: kind !== 'artifact' && condition !== null,
      request: (send) =>
        getAsBrowser({ ...get, headers: condition ? [condition] : [], reference: null }, ALL_GROUPS, context, send),
      fact: (probe) => (condition ? { revalidation: { condition, probe } } : {}),
    },
  ];
}

/** The validator that a browser stores; null if there is none. */
function conditionFrom(headers: readonly [string, string][]): Conditional['condition'] | null {
  const tag = header(headers, 'etag');
  if (tag !== null && isEntityTag(tag)) return ['if-none-match', tag];
  const date = header(headers, 'last-modified');
  return date !== null && httpDate(date) !== null ? ['if-modified-since', date] : null;
}

const SAME_ORIGIN: Missing = {
  missing: { code: 'same-origin' },
  intentional: true,
};

/**
 * Sends HEAD, and the preflights of a GET with a header that is not safelisted, at every URL of its redirect chain:
 * after each redirect the Fetch standard starts over (HTTP-redirect fetch → main fetch), with `Origin: null` once it
 * has become that.
 * @param chain the URLs of a plain GET and its redirects; at least one
 * @param sent takes the requests
 */
export async function probeMethods(
  chain: readonly string[],
  get: BrowserGet,
  context: ObserveContext,
  sent: SideRequests,
): Promise<Methods> {
  const [head, preflight, ...preflights] = await Promise.all(
    methodRequests(chain, get, context).map(async ({ of, url, when, request }): Promise<Probe | Missing> => {
      const side: SideRequest = { of, request, probe: null };
      sent.push(side);
      if (!when) return SAME_ORIGIN;
      const known = await knownAsUnanswered(of, url, context);
      if (known !== null) return known;
      side.probe = await request(sendAccompanying);
      return notRequested(side.probe) ?? side.probe;
    }),
  );
  if (head === undefined || preflight === undefined) throw new Error('A preflight needs a URL.');
  return { preflight, ...(preflights.length > 0 ? { preflights } : {}), head };
}

/**
 * Probes the settings of a host, for the first resource of each kind and host.
 * @param get the browser's request for it
 * @param answered the response to that; requests that do not depend on it are sent at once, to save a round trip
 * @param sent takes the requests
 */
export async function probeFirstOfKind(
  get: BrowserGet,
  answered: Promise<Probe>,
  context: ObserveContext,
  sent: SideRequests,
): Promise<FirstOfKindViews> {
  const { probedKinds } = context.state;
  if (probedKinds.has(get.key)) return {};
  probedKinds.add(get.key);
  const send = async ({ of, when, request, fact }: FirstOfKindRequest): Promise<FirstOfKindViews> => {
    if (!when) return {};
    const side: SideRequest | null = of === undefined ? null : { of, request, probe: null };
    if (side) sent.push(side);
    const probe = await request(sendAccompanying);
    if (side) side.probe = probe;
    return notRequested(probe) === null ? fact(probe) : {};
  };
  const facts = await Promise.all([
    ...firstOfKind(get, context).map(send),
    answered.then((browser) => Promise.all(requestsOfFirstAnswered(get, browser, context).map(send))),
  ]);
  return facts.flat().reduce((all, fact) => Object.assign(all, fact), {});
}

/** Repeats requests that got an error status: one sample does not show that the status depends on the method. */
export async function repeatRefused(
  sent: SideRequests,
  get: BrowserGet,
  context: ObserveContext,
): Promise<RepeatedProbe[]> {
  const repeated = await Promise.all(
    sent.map(async ({ of, probe, request }) =>
      probe === null ? null : repeat(of, probe, get, () => request(sendRegardless), context),
    ),
  );
  return repeated.filter((result) => result !== null);
}

/** The value of Origin in a request to the last of these URLs; null at the page's own origin, where none is sent. */
function originSent(page: string, chain: readonly string[]): string | null {
  return hopOrigins(page, chain).at(-1)?.origin ?? null;
}

/**
 * One preflight, for a request with a header that is not safelisted.
 * @param chain the URLs of the redirect chain up to the one that gets it
 */
async function sendPreflight(
  method: 'GET' | 'HEAD',
  chain: readonly string[],
  page: string,
  { http, secretNames, timeouts }: ObserveContext,
  send: typeof sendAccompanying,
): Promise<Probe> {
  const url = chain.at(-1) ?? '';
  const hasSecrets = secretNames !== null && chain.every((hop) => new URL(hop).origin === secretNames.origin);
  const requestedHeaders = [PROBE_HEADER, ...(hasSecrets ? secretNames.names : [])].sort();
  const headers: [string, string][] = [
    ['access-control-request-method', method],
    ['access-control-request-headers', requestedHeaders.join(',')],
  ];
  const shape: RequestShape = { page, mode: 'cors', destination: 'empty', groups: ALL_GROUPS };
  const total = timeouts.small;
  const origin = originSent(page, chain);
  const probe = await send(http, { method: 'OPTIONS', url, origin, accept: '*/*', headers, shape, total });
  return notRequested(probe) === null ? { ...probe, requestedHeaders } : probe;
}

/** An entity tag that no host has issued. */
const FABRICATED_TAG = '"appreg-probe-never-issued"';

const DAY = 86_400_000;

type Condition = Pick<Conditional, 'condition' | 'fabricated'>;

/**
 * Sends one request with a validator that the host never issued, and one with the validator that it just sent.
 * @param sha256 the digest of the document that the host just sent
 */
export async function probeConditions(
  { server, accept, limit }: { server: Probe; accept: string; limit: number },
  sha256: string,
  context: ObserveContext,
): Promise<Conditional[]> {
  const [first] = server.hops;
  const last = server.hops.at(-1);
  if (!first || !last) return [];
  const sent = conditionsFrom(last).map(async ({ condition, fabricated }): Promise<Conditional> => {
    const reader = fabricated ? null : perAttempt((hop) => digestChanged(hop, last, limit, context));
    const probe = await sendAccompanying(context.http, {
      method: 'GET',
      url: first.url,
      // Also shows how the host responds to an unknown origin; all other requests name the service's own.
      origin: fabricated && context.origins.length > 0 ? PROBE_ORIGIN : null,
      accept,
      headers: [condition],
      total: context.timeouts.small,
      ...(reader && { body: reader.body }),
    });
    const digest = reader?.last()?.digest() ?? null;
    return { condition, fabricated, probe, sameBytes: digest !== null && isAnswered(probe) ? digest === sha256 : null };
  });
  const all = await Promise.all(sent);
  return all.filter(({ probe }) => notRequested(probe) === null);
}

function conditionsFrom({ headers }: Hop): Condition[] {
  const conditions: Condition[] = [{ condition: ['if-none-match', FABRICATED_TAG], fabricated: true }];
  const tag = header(headers, 'etag');
  const changed = httpDate(header(headers, 'last-modified'));
  if (tag !== null && isEntityTag(tag)) conditions.push({ condition: ['if-none-match', tag], fabricated: false });
  else if (tag === null && changed !== null)
    conditions.push({ condition: ['if-modified-since', new Date(changed - DAY).toUTCString()], fabricated: true });
  return conditions;
}

/** Digests a body that is sent under another entity tag than before. */
function digestChanged(
  hop: Hop,
  before: Hop,
  limit: number,
  context: ObserveContext,
): Body & { digest(): string | null } {
  const isSameTag = header(hop.headers, 'etag') === header(before.headers, 'etag');
  if (!isSameTag) context.onBody(hop);
  const digester = isSameTag ? null : createDigester(limit);
  return {
    limit: isSameTag ? 0 : limit,
    over: 'cut',
    write(chunk) {
      context.onBytes(chunk.length);
      digester?.write(chunk);
    },
    digest: () => digester?.end().sha256 ?? null,
  };
}

/**
 * Repeats the request with a condition that was refused; null if none was. An unknown origin may be refused for other
 * reasons.
 */
export async function repeatCondition(
  first: Probe,
  conditional: readonly Conditional[],
  { kind, accept }: { kind: ResourceKind; accept: string },
  context: ObserveContext,
): Promise<RepeatedProbe | null> {
  const refused = conditional.find(({ probe }) => probe.origin === null && mayBeRepeated('condition', probe));
  const url = first.hops[0]?.url;
  if (!refused || url === undefined) return null;
  const sendAgain = (): Promise<Probe> =>
    sendRegardless(context.http, {
      method: 'GET',
      url,
      origin: null,
      accept,
      headers: [refused.condition],
      total: context.timeouts.small,
    });
  return repeat('condition', refused.probe, { kind, url, accept }, sendAgain, context);
}
