import { PROBE_ORIGIN } from '../core/cors.ts';
import type { HeaderGroup, Probe, Role, Visit } from '../core/facts.ts';
import { isOther, isUndecided } from '../core/probes.ts';
import { createCopyReader, type Reference } from './copy.ts';
import type { Http } from './http.ts';
import { ALL_GROUPS, type RequestShape } from './request-shape.ts';

/** Asking in ways between a server-side client's and a browser's, to see what another answer depends on. */

/** So many resources of a kind and host are probed; what a host does to them it does to the others. */
const PROBED = 3;

export interface Prober {
  http: Http;
  /** How many were probed, by kind and host. */
  probed: Map<string, number>;
  total: { small: number };
}

/** A GET that reads and compares the body where there is something to compare it with. */
export interface BrowserGet {
  url: string;
  role: Role;
  page: string;
  like: Probe['like'];
  accept: string;
  /** Of an artifact one byte is asked for. */
  headers: readonly (readonly [string, string])[];
  reference: Reference | null;
  limit: number;
  /** Accept-Encoding, where it is not a browser's. */
  encoding?: string;
}

export async function getAsBrowser(
  { url, page, like, accept, headers, reference, limit, role, encoding }: BrowserGet,
  groups: readonly HeaderGroup[],
  look: Pick<Prober, 'http' | 'total'>,
): Promise<Visit> {
  const shape: RequestShape = {
    page,
    mode: like === 'fetch' ? 'cors' : 'no-cors',
    destination: role === 'icon' ? 'image' : 'empty',
    groups,
    ...(encoding === undefined ? {} : { encoding }),
  };
  const reader = reference === null ? null : createCopyReader(reference, limit);
  const visit = await look.http.visit({
    method: 'GET',
    url,
    origin: like === 'fetch' && groups.includes('origin') ? page : null,
    accept,
    shape,
    headers,
    total: look.total.small,
    ...(reader === null ? {} : { body: (hop) => reader.body(hop) }),
  });
  const copy = visit.failure === null ? reader?.end() : undefined;
  return copy === undefined ? visit : { ...visit, copy };
}

/** The groups of a browser's request for this: parts are asked for uncompressed. */
export function groupsOf({ role }: BrowserGet): readonly HeaderGroup[] {
  return role === 'artifact' ? ALL_GROUPS.filter((group) => group !== 'encoding') : ALL_GROUPS;
}

/**
 * Probes a resource that answered a browser otherwise. All of a round go out at once, over several connections, since
 * one connection may lead to one of several servers.
 * @param key the kind of resource and its host
 */
export async function probe(get: BrowserGet, key: string, look: Prober): Promise<Probe[]> {
  const count = look.probed.get(key) ?? 0;
  if (count >= PROBED) return [];
  look.probed.set(key, count + 1);
  const all = groupsOf(get);
  const first = await round([[], [], all, ...all.map((group) => [group])], 1);
  return isUndecided(first) ? [...first, ...(await round([[], [], all, all], 2))] : first;

  function round(list: readonly (readonly HeaderGroup[])[], number: Probe['round']): Promise<Probe[]> {
    return Promise.all(
      list.map(async (sent) => ({
        like: get.like,
        sent: [...sent],
        round: number,
        visit: await getAsBrowser(get, sent, look),
      })),
    );
  }
}

/** Whether what a browser got gives reason to probe. */
export function isToProbe(visits: readonly Visit[]): boolean {
  return visits.some((visit) => isOther(visit) && visit.failure?.phase !== 'time');
}

/** The origin that probes name: the first one that was answered otherwise. */
export function pageOf(visits: readonly Visit[]): string {
  return visits.find((visit) => isOther(visit))?.origin ?? PROBE_ORIGIN;
}
