import { originOf } from '../../core/http/probe.ts';
import { PROBE_ORIGIN } from '../../core/http/cors.ts';
import type { HeaderGroup, HeaderProbe, ResourceKind, Probe } from '../../core/facts/facts.ts';
import { byTurnsIn, dependenceOf, isOther, isRefusal, isUndecided } from '../../core/facts/header-probes.ts';
import { createCopyReader, type Reference } from './copy.ts';
import { type ByTurns, probeOnce, probeTwice } from './retry-probes.ts';
import type { HttpClient } from '../http/client.ts';
import { ALL_GROUPS, type RequestShape } from './request-shape.ts';

/** Asking in ways between a server-side client's and a browser's, to see what another answer depends on. */

/** So many resources of a kind and host are probed; what a host does to them it does to the others. */
const PROBED = 3;

export interface Prober {
  http: HttpClient;
  /** Those that were probed, by kind and host. */
  probed: Map<string, Promise<HeaderProbe[]>[]>;
  byTurns: ByTurns;
  total: { small: number };
}

/** A GET that reads and compares the body where there is something to compare it with. */
export interface BrowserGet {
  url: string;
  role: ResourceKind;
  page: string;
  like: HeaderProbe['like'];
  accept: string;
  /** Of an artifact one byte is asked for. */
  headers: readonly (readonly [string, string])[];
  reference: Reference | null;
  limit: number;
  /** Accept-Encoding, where it is not a browser's. */
  encoding?: string;
}

/** @param visit sends it */
export async function getAsBrowser(
  { url, page, like, accept, headers, reference, limit, role, encoding }: BrowserGet,
  groups: readonly HeaderGroup[],
  look: Pick<Prober, 'http' | 'total'>,
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
  const made = await visit(look.http, {
    method: 'GET',
    url,
    origin: like === 'fetch' && groups.includes('origin') ? page : null,
    accept,
    shape,
    headers,
    total: look.total.small,
    ...(reader === null ? {} : { body: (hop) => reader.body(hop) }),
  });
  const copy = made.failure === null ? reader?.end() : undefined;
  return copy === undefined ? made : { ...made, copy };
}

/** The groups of a browser's request for this: parts are asked for uncompressed. */
export function groupsOf({ role }: BrowserGet): readonly HeaderGroup[] {
  return role === 'artifact' ? ALL_GROUPS.filter((group) => group !== 'encoding') : ALL_GROUPS;
}

/**
 * Probes a resource that answered a browser otherwise.
 * @param key the kind of resource and its host
 */
export async function probe(get: BrowserGet, key: string, look: Prober): Promise<HeaderProbe[]> {
  const before = look.probed.get(key) ?? [];
  look.probed.set(key, before);
  if (before.length >= PROBED) {
    // What they show of the host is known then.
    await Promise.all(before);
    return [];
  }
  const made = inRounds(get, look);
  before.push(made);
  const probes = await made;
  noteByTurns(probes, get, look.byTurns);
  return probes;
}

/**
 * All of a round go out at once, over several connections, since one connection may lead to one of several servers. A
 * refusal that follows the headers is confirmed by a third round.
 */
async function inRounds(get: BrowserGet, look: Prober): Promise<HeaderProbe[]> {
  const all = groupsOf(get);
  const first = await round([[], [], all, ...all.map((group) => [group])], 1);
  if (!isUndecided(first)) return first;
  const second = [...first, ...(await round([[], [], all, all], 2))];
  const dependence = dependenceOf({ headerProbes: second }, get.like);
  const isBlamed = dependence?.on === 'headers' || dependence?.on === 'together';
  if (!isBlamed || !second.some(({ visit }) => isRefusal(visit))) return second;
  // In two orders, so that answers which take turns by number do not follow the headers.
  return [...second, ...(await round([[], all, all, []], 3)), ...(await round([[], all, [], all], 3))];

  function round(list: readonly (readonly HeaderGroup[])[], number: HeaderProbe['round']): Promise<HeaderProbe[]> {
    return Promise.all(
      list.map(async (sent) => ({
        like: get.like,
        sent: [...sent],
        round: number,
        visit: await getAsBrowser(get, sent, look, probeOnce),
      })),
    );
  }
}

function noteByTurns(probes: readonly HeaderProbe[], { like }: BrowserGet, byTurns: ByTurns): void {
  const shown = byTurnsIn({ headerProbes: [...probes] }, like);
  if (shown) byTurns.set(originOf(shown.url), shown);
}

/** Whether what a browser got gives reason to probe. */
export function isToProbe(visits: readonly Probe[]): boolean {
  return visits.some((visit) => isOther(visit) && visit.failure?.phase !== 'time');
}

/** The origin that probes name: the first one that was answered otherwise. */
export function pageOf(visits: readonly Probe[]): string {
  return visits.find((visit) => isOther(visit))?.origin ?? PROBE_ORIGIN;
}
