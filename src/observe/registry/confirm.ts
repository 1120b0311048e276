import { blockedBy } from '../../core/facts/missing.ts';
import {
  type HeaderGroup,
  type HeaderProbe,
  type HttpViews,
  isMissing,
  type Missing,
  type Probe,
  type RepeatedProbe,
  type ResourceKind,
  type SideProbe,
} from '../../core/facts/facts.ts';
import { PROBE_ORIGIN } from '../../core/http/cors.ts';
import { alternatingStatuses, dependenceOf, isOther, isRefusal, isUndecided } from '../../core/http/header-probes.ts';
import { isAnswered, lastHop, notRequested, originOf, statusOf } from '../../core/http/probe.ts';
import { isIntermittent, isRefusalStatus, isUnanswered, mayBeRepeated } from '../../core/http/repeated-probes.ts';
import { memoizeAsync } from '../../core/values/promises.ts';
import { sendOnce, sendRegardless } from '../http/accompanying.ts';
import { type BrowserGet, getAsBrowser, groupsOf } from './browser-get.ts';
import type { ObserveContext } from './context.ts';
import { hasSameValidators } from './hosts-seen.ts';

/**
 * The requests for a resource that follow if responses differ or fail, so that no finding depends on one sample:
 * repetitions of a request that failed unlike the plain GET, and requests between a server-side client's and a
 * browser's, to find out which header changes the response.
 */

/**
 * The order of the requests in each round: plain GETs (p) and the other request (o). It varies, so that alternating
 * responses do not correlate with the kind of request.
 */
const ROUNDS = ['poop', 'opop', 'ppoo'] as const;

interface RepeatedResource {
  kind: ResourceKind;
  /** The initially requested URL. */
  url: string;
  accept: string;
}

/**
 * Repeats the request, once per kind of resource and request and per host.
 * @param probe the result of the request
 * @param send sends it again
 * @returns null if there was no need
 */
export async function repeat(
  of: SideProbe,
  probe: Probe,
  resource: RepeatedResource,
  send: () => Promise<Probe>,
  context: ObserveContext,
): Promise<RepeatedProbe | null> {
  const hop = lastHop(probe);
  if (!hop || notRequested(probe) !== null || !mayBeRepeated(of, probe)) return null;
  const origin = originOf(hop.url);
  if (probe.failure !== null)
    return memoizeAsync(context.state.unanswered, `${of} ${origin}`, async () => {
      const [round] = ROUNDS;
      const repeated = await repeatInRounds(of, resource, send, [round], context);
      // The one that was not answered may be the target of a redirect.
      return repeated !== null && isUnanswered(repeated) ? { ...repeated, url: hop.url } : null;
    });
  const key = `${of} ${resource.kind} ${origin}`;
  const { repeatedProbes, alternatingOrigins } = context.state;
  const known = repeatedProbes.get(key);
  if (known) return known;
  // A host that supports the method and rejects it uses the first two; the HTTP client repeats the others itself.
  const isOnce = [405, 501, 503].includes(hop.status) || (of === 'condition' && hop.status >= 500);
  const rounds = isOnce ? ROUNDS.slice(0, 1) : ROUNDS;
  const repeating = repeatInRounds(of, resource, send, rounds, context);
  repeatedProbes.set(key, repeating);
  const repeated = await repeating;
  if (repeated !== null && repeated.plain.some(isRefusalStatus)) alternatingOrigins.set(origin, repeated);
  return repeated;
}

/** Why such a request is not sent: another one showed that the host never answers them; null if none did. */
export async function knownAsUnanswered(
  of: keyof typeof RULES,
  url: string,
  { state }: ObserveContext,
): Promise<Missing | null> {
  const repeated = await state.unanswered.get(`${of} ${originOf(url)}`);
  return repeated ? { ...blockedBy(RULES[of]), intentional: true } : null;
}

/** The rules that report a host that never answers such requests. */
const RULES = { preflight: 'cors-preflight-refused', HEAD: 'head-refused', range: 'range-request-unanswered' } as const;

async function repeatInRounds(
  of: SideProbe,
  { kind, url, accept }: RepeatedResource,
  send: () => Promise<Probe>,
  rounds: readonly string[],
  { http, timeouts }: ObserveContext,
): Promise<RepeatedProbe | null> {
  const headers: [string, string][] = kind === 'artifact' && of !== 'range' ? [['range', 'bytes=0-0']] : [];
  const sendPlain = (): Promise<Probe> =>
    sendRegardless(http, { method: 'GET', url, origin: null, accept, headers, total: timeouts.small });
  const repeated: RepeatedProbe = { of, url, plain: [], same: [] };
  for (const order of rounds) {
    if (isIntermittent(repeated)) break;
    const round = [...order].map(async (letter) =>
      letter === 'p'
        ? { statuses: repeated.plain, probe: await sendPlain() }
        : { statuses: repeated.same, probe: await send() },
    );
    for (const { statuses, probe } of await Promise.all(round)) statuses.push(...statusesOf(probe));
  }
  return repeated.plain.length > 0 && repeated.same.length > 0 ? repeated : null;
}

/** The statuses of all attempts. */
function statusesOf(probe: Probe): number[] {
  if (notRequested(probe) !== null) return [];
  const earlier = (probe.retriedErrors ?? []).map((error) => Number(/^status (\d+)$/.exec(error)?.[1] ?? 0));
  return [...earlier, probe.failure === null ? statusOf(probe) : 0];
}

/** Number of resources probed per kind and host; the others are expected to behave alike. */
const PROBED = 3;

/** Probes a resource that responded differently to a browser. */
async function probeHeaders(get: BrowserGet, context: ObserveContext): Promise<HeaderProbe[]> {
  const { headerProbes, alternatingOrigins } = context.state;
  const key = get.like === 'image' ? `image ${get.key}` : get.key;
  const earlier = headerProbes.get(key) ?? [];
  headerProbes.set(key, earlier);
  if (earlier.length >= PROBED) {
    // Their results about the host are available now.
    await Promise.all(earlier);
    return [];
  }
  const probing = probeInRounds(get, context);
  earlier.push(probing);
  const probes = await probing;
  const alternating = alternatingStatuses({ headerProbes: probes }, get.like);
  if (alternating) alternatingOrigins.set(originOf(alternating.url), alternating);
  return probes;
}

/**
 * The requests of a round are sent at once, over several connections, since a connection may lead to one of several
 * servers. A refusal that depends on the headers is confirmed by a third round.
 */
async function probeInRounds(get: BrowserGet, context: ObserveContext): Promise<HeaderProbe[]> {
  const all = groupsOf(get);
  const first = await round([[], [], all, ...all.map((group) => [group])], 1);
  if (!isUndecided(first)) return first;
  const second = [...first, ...(await round([[], [], all, all], 2))];
  const dependence = dependenceOf({ headerProbes: second }, get.like);
  const isDependent = dependence?.on === 'headers' || dependence?.on === 'together';
  if (!isDependent || !second.some(({ probe }) => isRefusal(probe))) return second;
  // In two orders, so that alternating responses do not correlate with the headers.
  return [...second, ...(await round([[], all, all, []], 3)), ...(await round([[], all, [], all], 3))];

  function round(list: readonly (readonly HeaderGroup[])[], number: HeaderProbe['round']): Promise<HeaderProbe[]> {
    return Promise.all(
      list.map(async (sent) => ({
        like: get.like,
        sent: [...sent],
        round: number,
        probe: await getAsBrowser(get, sent, context, sendOnce),
      })),
    );
  }
}

/** True if a browser's responses differ from the server-side client's, so that they are probed. */
export function isDifferent(browser: readonly Probe[]): boolean {
  return browser.some((probe) => isOther(probe) && probe.failure?.phase !== 'time');
}

/** The origin for the probes: the first one that got a different response. */
function differingOrigin(browser: readonly Probe[]): string {
  return browser.find((probe) => isOther(probe))?.origin ?? PROBE_ORIGIN;
}

/** Probes a resource if a browser's responses differ, or those to other requests of a browser. */
export async function probeDifferences(
  { browser, image, gzip }: Pick<HttpViews, 'browser' | 'image' | 'gzip'>,
  get: BrowserGet,
  context: ObserveContext,
): Promise<HeaderProbe[]> {
  if (isDifferent(browser)) return probeHeaders({ ...get, page: differingOrigin(browser) }, context);
  if (gzip && isDifferent([gzip])) return probeHeaders({ ...get, encoding: 'gzip' }, context);
  return image && isDifferent([image]) ? probeHeaders({ ...get, like: 'image' }, context) : [];
}

/** Probes a resource whose HEAD reports another length or validator, if other GET requests may return those too. */
export async function probeHead(
  server: Probe,
  head: Probe | Missing,
  get: BrowserGet,
  context: ObserveContext,
): Promise<HeaderProbe[]> {
  if (isMissing(head) || !isAnswered(head) || hasSameValidators(server, head)) return [];
  const probes = await probeHeaders(get, context);
  const isDependent = probes.some(
    ({ sent, probe }) => isOther(probe) || (sent.length === 0 && !hasSameValidators(server, probe)),
  );
  return isDependent ? probes : [];
}

/** Probes a document that returned other content only to a conditional request. */
export async function probeContents(get: BrowserGet, context: ObserveContext): Promise<HeaderProbe[]> {
  const probes = await probeHeaders(get, context);
  return probes.some(({ probe }) => isOther(probe)) ? probes : [];
}
