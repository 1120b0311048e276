import { PROBE_ORIGIN } from '../../core/http/cors.ts';
import type { HeaderGroup, HeaderProbe, Probe, ResourceKind } from '../../core/facts/facts.ts';
import { alternatingStatuses, dependenceOf, isOther, isRefusal, isUndecided } from '../../core/facts/header-probes.ts';
import { codings } from '../../core/http/headers.ts';
import { originOf } from '../../core/http/probe.ts';
import type { ObserveContext } from './context.ts';
import { perAttempt } from '../http/body.ts';
import { readCopy, type Reference } from './copy.ts';
import { ALL_GROUPS, type RequestShape } from './request-shape.ts';
import { probeOnce, probeTwice } from './retry-probes.ts';

/** Requests between a server-side client's and a browser's, to find out which header changes the response. */

/** Number of resources probed per kind and host; the others are expected to behave alike. */
const PROBED = 3;

/** A GET that reads and compares the body if there is a reference. */
export interface BrowserGet {
  url: string;
  kind: ResourceKind;
  page: string;
  like: HeaderProbe['like'];
  accept: string;
  /** Artifacts are requested with a range of one byte. */
  headers: readonly (readonly [string, string])[];
  reference: Reference | null;
  limit: number;
  /** Accept-Encoding, if it differs from a browser's. */
  encoding?: string;
}

/** @param send sends the request */
export async function getAsBrowser(
  { url, page, like, accept, headers, reference, limit, kind, encoding }: BrowserGet,
  groups: readonly HeaderGroup[],
  { http, timeouts }: ObserveContext,
  send = probeTwice,
): Promise<Probe> {
  const shape: RequestShape = {
    page,
    mode: like === 'fetch' ? 'cors' : 'no-cors',
    destination: kind === 'icon' ? 'image' : 'empty',
    groups,
    ...(encoding === undefined ? {} : { encoding }),
  };
  const reader = reference && perAttempt(({ headers: sent }) => readCopy(codings(sent), reference, limit));
  const probe = await send(http, {
    method: 'GET',
    url,
    origin: like === 'fetch' && groups.includes('origin') ? page : null,
    accept,
    shape,
    headers,
    total: timeouts.small,
    ...(reader && { body: reader.body }),
  });
  const copy = probe.failure === null ? reader?.last()?.end() : undefined;
  return copy === undefined ? probe : { ...probe, copy };
}

/** The header groups of a browser's request for this: ranges are requested uncompressed. */
export function groupsOf({ kind }: BrowserGet): readonly HeaderGroup[] {
  return kind === 'artifact' ? ALL_GROUPS.filter((group) => group !== 'encoding') : ALL_GROUPS;
}

/**
 * Probes a resource that responded differently to a browser.
 * @param key the kind of resource and its host
 */
export async function probeHeaders(get: BrowserGet, key: string, context: ObserveContext): Promise<HeaderProbe[]> {
  const { headerProbes, alternatingOrigins } = context.state;
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
        probe: await getAsBrowser(get, sent, context, probeOnce),
      })),
    );
  }
}

/** Whether a browser's responses differ from the server-side client's, so that they are probed. */
export function isDifferent(browser: readonly Probe[]): boolean {
  return browser.some((probe) => isOther(probe) && probe.failure?.phase !== 'time');
}

/** The origin for the probes: the first one that got a different response. */
export function differingOrigin(browser: readonly Probe[]): string {
  return browser.find((probe) => isOther(probe))?.origin ?? PROBE_ORIGIN;
}
