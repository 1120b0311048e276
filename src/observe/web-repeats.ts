import type { Repeated, Role, SideRequest, Visit } from '../core/facts.ts';
import { isUnsteady, mayBeRepeated, refusalOf } from '../core/repeats.ts';
import { lastHop, statusOf, originOf } from '../core/visit.ts';
import type { ByTurns } from './ask-again.ts';
import type { Http } from './http.ts';
import { unasked } from './http-patience.ts';

/** Repeating a request that got an error status beside the plain GET, to see whether the status follows the request. */

/** Rounds of two plain GETs and two of the other request. */
const ROUNDS = 3;

export interface RepeatsLook {
  http: Http;
  total: { small: number };
  /** What came of it, by kind of resource and request, and by host. */
  repeats: Map<string, Promise<Repeated | null>>;
  byTurns: ByTurns;
}

interface Subject {
  role: Role;
  /** The URL that is requested first. */
  url: string;
  accept: string;
}

/**
 * Repeats the request, once for each kind of resource and request and each host.
 * @param visit what the request got
 * @param same sends it again
 * @returns null where there was no need
 */
export async function repeat(
  of: SideRequest,
  visit: Visit,
  { role, url, accept }: Subject,
  same: () => Promise<Visit>,
  look: RepeatsLook,
): Promise<Repeated | null> {
  if (unasked(visit) !== null || !mayBeRepeated(of, visit)) return null;
  const origin = originOf(lastHop(visit)!.url);
  const key = `${of} ${role} ${origin}`;
  const known = look.repeats.get(key);
  if (known) return known;
  // A host that knows the method and refuses it says so with the first two; the HTTP client repeats the others by itself.
  const status = statusOf(visit);
  const isOnce = [405, 501, 503].includes(status) || (of === 'condition' && status >= 500);
  const rounds = isOnce ? 1 : ROUNDS;
  const made = inRounds(of, { role, url, accept }, same, rounds, look);
  look.repeats.set(key, made);
  const repeated = await made;
  if (repeated !== null && repeated.plain.some(refusalOf)) look.byTurns.set(origin, repeated);
  return repeated;
}

async function inRounds(
  of: SideRequest,
  { role, url, accept }: Subject,
  same: () => Promise<Visit>,
  count: number,
  { http, total }: RepeatsLook,
): Promise<Repeated | null> {
  const headers: [string, string][] = role === 'artifact' ? [['range', 'bytes=0-0']] : [];
  const plain = (): Promise<Visit> =>
    http.visit({ method: 'GET', url, origin: null, accept, headers, total: total.small });
  const repeated: Repeated = { of, url, plain: [], same: [] };
  for (let n = 0; n < count && !isUnsteady(repeated); n++) {
    // In this order: answers that take turns by number differ within the one or the other.
    const [one, two, three, four] = await Promise.all([plain(), same(), same(), plain()]);
    repeated.plain.push(...statusesOf(one), ...statusesOf(four));
    repeated.same.push(...statusesOf(two), ...statusesOf(three));
  }
  return repeated.plain.length > 0 && repeated.same.length > 0 ? repeated : null;
}

/** The statuses of all attempts. */
function statusesOf(visit: Visit): number[] {
  if (unasked(visit) !== null) return [];
  const before = (visit.troubles ?? []).map((trouble) => Number(/^status (\d+)$/.exec(trouble)?.[1] ?? 0));
  return [...before, visit.failure === null ? statusOf(visit) : 0];
}
