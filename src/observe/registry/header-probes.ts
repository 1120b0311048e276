import { originOf } from '../../core/http/probe.ts';
import { PROBE_ORIGIN } from '../../core/http/cors.ts';
import type { HeaderGroup, HeaderProbe, ResourceKind, Probe } from '../../core/facts/facts.ts';
import { byTurnsIn, dependenceOf, isOther, isRefusal, isUndecided } from '../../core/facts/header-probes.ts';
import { createCopyReader, type Reference } from './copy.ts';
import { type AlternatingOrigins, probeOnce, probeTwice } from './retry-probes.ts';
import type { HttpClient } from '../http/client.ts';
import { ALL_GROUPS, type RequestShape } from './request-shape.ts';

/** Requests between a server-side client's and a browser's, to find out which header changes the response. */

/** Number of resources probed per kind and host; the others are expected to behave alike. */
const PROBED = 3;

export interface Prober {
  http: HttpClient;
  /** The probes made, by kind and host. */
  probed: Map<string, Promise<HeaderProbe[]>[]>;
  byTurns: AlternatingOrigins;
  total: { small: number };
}

/** A GET that reads and compares the body if there is a reference. */
export interface BrowserGet {
  url: string;
  role: ResourceKind;
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

/** @param visit sends the request */
export async function getAsBrowser(
  { url, page, like, accept, headers, reference, limit, role, encoding }: BrowserGet,
  groups: readonly HeaderGroup[],
  context: Pick<Prober, 'http' | 'total'>,
  visit = probeTwice,
): Promise<Probe> {
  const shape: RequestShape = {
    page,
    mode: like === 'fetch' ? 'cors' : 'no-cors',
    destination: role === 'icon' ? 'image' : 'empty',
    groups,
    ...(encoding === undefined ? {} : { encoding }),
  };
  const reader = reference === null ? null : createCopyReader(reference, limit);
  const made = await visit(context.http, {
    method: 'GET',
    url,
    origin: like === 'fetch' && groups.includes('origin') ? page : null,
    accept,
    shape,
    headers,
    total: context.total.small,
    ...(reader === null ? {} : { body: (hop) => reader.body(hop) }),
  });
  const copy = made.failure === null ? reader?.end() : undefined;
  return copy === undefined ? made : { ...made, copy };
}

/** The header groups of a browser's request for this: ranges are requested uncompressed. */
export function groupsOf({ role }: BrowserGet): readonly HeaderGroup[] {
  return role === 'artifact' ? ALL_GROUPS.filter((group) => group !== 'encoding') : ALL_GROUPS;
}

/**
 * Probes a resource that responded differently to a browser.
 * @param key the kind of resource and its host
 */
export async function probe(get: BrowserGet, key: string, context: Prober): Promise<HeaderProbe[]> {
  const before = context.probed.get(key) ?? [];
  context.probed.set(key, before);
  if (before.length >= PROBED) {
    // Their results about the host are available now.
    await Promise.all(before);
    return [];
  }
  const made = inRounds(get, context);
  before.push(made);
  const probes = await made;
  noteByTurns(probes, get, context.byTurns);
  return probes;
}

/**
 * The requests of a round are sent at once, over several connections, since a connection may lead to one of several
 * servers. A refusal that depends on the headers is confirmed by a third round.
 */
async function inRounds(get: BrowserGet, context: Prober): Promise<HeaderProbe[]> {
  const all = groupsOf(get);
  const first = await round([[], [], all, ...all.map((group) => [group])], 1);
  if (!isUndecided(first)) return first;
  const second = [...first, ...(await round([[], [], all, all], 2))];
  const dependence = dependenceOf({ headerProbes: second }, get.like);
  const isBlamed = dependence?.on === 'headers' || dependence?.on === 'together';
  if (!isBlamed || !second.some(({ visit }) => isRefusal(visit))) return second;
  // In two orders, so that alternating responses do not correlate with the headers.
  return [...second, ...(await round([[], all, all, []], 3)), ...(await round([[], all, [], all], 3))];

  function round(list: readonly (readonly HeaderGroup[])[], number: HeaderProbe['round']): Promise<HeaderProbe[]> {
    return Promise.all(
      list.map(async (sent) => ({
        like: get.like,
        sent: [...sent],
        round: number,
        visit: await getAsBrowser(get, sent, context, probeOnce),
      })),
    );
  }
}

function noteByTurns(probes: readonly HeaderProbe[], { like }: BrowserGet, byTurns: AlternatingOrigins): void {
  const shown = byTurnsIn({ headerProbes: [...probes] }, like);
  if (shown) byTurns.set(originOf(shown.url), shown);
}

/** Whether a browser's responses give reason to probe. */
export function isToProbe(visits: readonly Probe[]): boolean {
  return visits.some((visit) => isOther(visit) && visit.failure?.phase !== 'time');
}

/** The origin for the probes: the first one that got a different response. */
export function pageOf(visits: readonly Probe[]): string {
  return visits.find((visit) => isOther(visit))?.origin ?? PROBE_ORIGIN;
}
