import { setTimeout as sleep } from 'node:timers/promises';
import type { RepeatedProbe, Probe } from '../../core/facts/facts.ts';
import { isAnswered, isTransportFailure, lastHop, statusOf, originOf } from '../../core/http/probe.ts';
import type { ProbeRequest, HttpClient } from '../http/client.ts';
import { notRequested } from '../http/circuit-breaker.ts';

/** Repeats requests, so that one sample is not taken for the cause. */

/** Sends the request once. */
export function probeOnce(http: HttpClient, ask: ProbeRequest): Promise<Probe> {
  return http.probe(ask);
}

/** Sends the request, and once more over a new connection if the connection failed and no attempt was repeated. */
export async function probeTwice(http: HttpClient, ask: ProbeRequest): Promise<Probe> {
  const first = await http.probe(ask);
  if (first.attempts > 1 || notRequested(first) !== null || !isTransportFailure(first)) return first;
  const second = await http.probe({ ...ask, fresh: true });
  return notRequested(second) === null ? joined(first, second) : first;
}

/** The later probe, with the attempts of the earlier one. */
function joined(first: Probe, second: Probe): Probe {
  const trouble = first.failure?.code ?? `status ${statusOf(first)}`;
  return {
    ...second,
    attempts: first.attempts + second.attempts,
    retryAfterMs: first.retryAfterMs + second.retryAfterMs,
    retriedErrors: [...(first.retriedErrors ?? []), trouble, ...(second.retriedErrors ?? [])],
  };
}

/** Statuses of a file that a host does not have, or that one of several servers does not have. */
const MISSING = new Set([403, 404, 410]);
/** Of those statuses the HTTP client has already retried. */
const FAULTS = new Set([500, 502, 504]);
/** Number of files per kind and host that are confirmed to be missing; for the others one response is enough. */
const CONFIRMED = { missing: 3, fault: 1 };
/** From this number of recovered files on, files are requested again concurrently. */
const RECOVERED = 3;
/** Rounds of two requests after the first response, and if the host is known to alternate. */
const ROUNDS = { missing: 5, fault: 1, byTurns: 12 };
/** Milliseconds: a slower round is only followed by another one if the host is known to alternate. */
const SLOW = 700;
/** Maximum delay of later rounds in milliseconds, so that alternating responses do not synchronise with them. */
const PAUSE = 20;

/** The origins whose responses alternate, and the probe that showed it. */
export type AlternatingOrigins = Map<string, Omit<RepeatedProbe, 'of'>>;

export interface MissingFiles {
  /**
   * Sends the request, and again if the file is missing, until it is returned or confirmed to be missing.
   * @param kind of the resource
   * @param ask fresh: over a new connection, which may lead to another server
   * @param glance requests only the status, over a new connection
   */
  confirm<T extends { visit: Probe }>(
    kind: string,
    url: string,
    ask: (fresh: boolean) => Promise<T>,
    glance: () => Promise<Probe>,
  ): Promise<T>;
}

/** @param byTurns the known origins; new ones are added */
export function openMissingFiles(byTurns: AlternatingOrigins): MissingFiles {
  const places = new Map<string, { confirmed: number; recovered: number; last: Promise<unknown> }>();

  function note(first: Probe, later: Probe): void {
    const { url } = lastHop(later)!;
    byTurns.set(originOf(url), { url, plain: [statusOf(first), statusOf(later)], same: [] });
  }

  async function again<T extends { visit: Probe }>(
    first: T,
    rounds: number,
    ask: (fresh: boolean) => Promise<T>,
    glance: () => Promise<Probe>,
  ): Promise<T> {
    let got = first;
    let left = rounds;
    for (let n = 0; n < left; n++) {
      if (n > 0) await sleep(Math.random() * PAUSE);
      // Two at once, in varying order: if responses alternate, one of the two gets the other response.
      const since = performance.now();
      const before = n % 2 === 0 ? null : glance();
      const asking = ask(true);
      const [next, other] = await Promise.all([asking, before ?? glance()]);
      if (notRequested(next.visit) !== null) return got;
      got = { ...next, visit: joined(got.visit, next.visit) };
      const passed = [next.visit, other].find(isAnswered);
      if (passed) note(first.visit, passed);
      if (isAnswered(next.visit)) return got;
      if (passed) left = ROUNDS.byTurns;
      else if (left < ROUNDS.byTurns && performance.now() - since > SLOW) return got;
    }
    return got;
  }

  return {
    async confirm(kind, url, ask, glance) {
      const first = await ask(false);
      const status = statusOf(first.visit);
      if (first.visit.failure !== null || !(MISSING.has(status) || FAULTS.has(status))) return first;
      const origin = originOf(lastHop(first.visit)!.url);
      const what = FAULTS.has(status) ? 'fault' : 'missing';
      const key = `${what} ${kind} ${origin}`;
      const place = places.get(key) ?? { confirmed: 0, recovered: 0, last: Promise.resolve() };
      places.set(key, place);
      const limit = CONFIRMED[what];
      const retry = async (): Promise<typeof first> => {
        if (place.confirmed >= limit && place.recovered <= place.confirmed) return first;
        const isKnown = (): boolean => byTurns.has(origin) && place.confirmed < limit;
        const wasKnown = isKnown();
        let got = await again(first, wasKnown ? ROUNDS.byTurns : ROUNDS[what], ask, glance);
        // Requests for other files may have shown it meanwhile.
        if (!wasKnown && !isAnswered(got.visit) && isKnown()) got = await again(got, ROUNDS.byTurns, ask, glance);
        if (isAnswered(got.visit)) place.recovered += 1;
        else place.confirmed += 1;
        return got;
      };
      // Files that were reported missing do appear.
      if (place.recovered >= RECOVERED && place.recovered > place.confirmed) return retry();
      // Sequentially, so that no more than necessary are requested again.
      const mine = place.last.then(retry);
      place.last = mine.catch(() => {});
      return mine;
    },
  };
}
