import type { RepeatedProbe, ResourceKind, SideProbe, Probe } from '../../core/facts/facts.ts';
import { isUnsteady, mayBeRepeated, refusalOf } from '../../core/facts/repeated-probes.ts';
import { lastHop, statusOf, originOf } from '../../core/http/probe.ts';
import type { AlternatingOrigins } from './retry-probes.ts';
import type { HttpClient } from '../http/client.ts';
import { notRequested } from '../http/circuit-breaker.ts';

/** Repeats a request that failed unlike the plain GET, to see whether the status depends on the request. */

/**
 * The order of the requests in each round: plain GETs (p) and the other request (o). It varies, so that alternating
 * responses do not correlate with the kind of request.
 */
const ROUNDS = ['poop', 'opop', 'ppoo'] as const;

export interface RepeatsContext {
  http: HttpClient;
  total: { small: number };
  /** The results, by kind of resource and request, and by host. */
  repeats: Map<string, Promise<RepeatedProbe | null>>;
  byTurns: AlternatingOrigins;
}

interface Subject {
  role: ResourceKind;
  /** The initially requested URL. */
  url: string;
  accept: string;
}

/**
 * Repeats the request, once per kind of resource and request and per host.
 * @param visit the result of the request
 * @param same sends it again
 * @returns null if there was no need
 */
export async function repeat(
  of: SideProbe,
  visit: Probe,
  { role, url, accept }: Subject,
  same: () => Promise<Probe>,
  context: RepeatsContext,
): Promise<RepeatedProbe | null> {
  if (notRequested(visit) !== null || !mayBeRepeated(of, visit)) return null;
  const origin = originOf(lastHop(visit)!.url);
  const key = `${of} ${role} ${origin}`;
  const known = context.repeats.get(key);
  if (known) return known;
  // A host that supports the method and rejects it uses the first two; the HTTP client repeats the others itself.
  const status = statusOf(visit);
  const isOnce = [405, 501, 503].includes(status) || (of === 'condition' && status >= 500);
  const rounds = isOnce ? ROUNDS.slice(0, 1) : ROUNDS;
  const made = inRounds(of, { role, url, accept }, same, rounds, context);
  context.repeats.set(key, made);
  const repeated = await made;
  if (repeated !== null && repeated.plain.some(refusalOf)) context.byTurns.set(origin, repeated);
  return repeated;
}

async function inRounds(
  of: SideProbe,
  { role, url, accept }: Subject,
  same: () => Promise<Probe>,
  rounds: readonly string[],
  { http, total }: RepeatsContext,
): Promise<RepeatedProbe | null> {
  const headers: [string, string][] = role === 'artifact' ? [['range', 'bytes=0-0']] : [];
  const plain = (): Promise<Probe> =>
    http.probe({ method: 'GET', url, origin: null, accept, headers, total: total.small });
  const repeated: RepeatedProbe = { of, url, plain: [], same: [] };
  for (const order of rounds) {
    if (isUnsteady(repeated)) break;
    const sent = [...order].map(async (kind) => ({ kind, visit: await (kind === 'p' ? plain() : same()) }));
    for (const { kind, visit } of await Promise.all(sent))
      (kind === 'p' ? repeated.plain : repeated.same).push(...statusesOf(visit));
  }
  return repeated.plain.length > 0 && repeated.same.length > 0 ? repeated : null;
}

/** The statuses of all attempts. */
function statusesOf(visit: Probe): number[] {
  if (notRequested(visit) !== null) return [];
  const before = (visit.retriedErrors ?? []).map((trouble) => Number(/^status (\d+)$/.exec(trouble)?.[1] ?? 0));
  return [...before, visit.failure === null ? statusOf(visit) : 0];
}
