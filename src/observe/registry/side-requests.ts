import { hopOrigins, PROBE_HEADER } from '../../core/http/cors.ts';
import type { Conditional, HttpViews, Missing, Probe, RepeatedProbe, SideProbe } from '../../core/facts/facts.ts';
import { codings, header, httpDate } from '../../core/http/headers.ts';
import { isAnswered, lastHop, notRequested } from '../../core/http/probe.ts';
import type { ObserveContext } from './context.ts';
import { isEntityTag, ALL_GROUPS, type RequestShape, UNCOMPRESSED } from '../http/request-shape.ts';
import { type BrowserGet, getAsBrowser, sendRegardless, sendAccompanying } from './fetch.ts';
import { knownAsUnanswered, repeat } from './further-requests.ts';
import type { Methods } from './sampling.ts';

/**
 * The requests that accompany a browser's GET of a resource; docs/long-runs.md lists them under “Requests for each
 * file”. The conditional requests for documents are in conditional.ts.
 */

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
