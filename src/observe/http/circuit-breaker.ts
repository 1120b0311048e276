import type { Missing, Probe } from '../../core/facts/facts.ts';
import { hostOf } from '../../core/http/probe.ts';

/** Stops requests to a host after repeated failures, so that a run over thousands of files does not take hours. */
export interface CircuitBreaker {
  /** Why requests of this kind to a host are stopped, in words that follow its name; null while they are not. */
  openReason(origin: string, view: string): string | null;
  record(origin: string, view: string, visit: Probe): void;
  /** Records a response after a wait: whether it was “too many requests” again. */
  recordRateLimit(origin: string, again: boolean): void;
}

interface Tally {
  visits: number;
  late: number;
  lateInRow: number;
}

/** Consecutive failures; a host that succeeds now and then is given up when a quarter of many probes failed. */
const IN_ROW = { GET: 6, other: 3 };
const MANY = { GET: 32, other: 12 };
const SHARE = 4;

export function openCircuitBreaker(): CircuitBreaker {
  const tallies = new Map<string, Tally>();

  function tallyOf(origin: string, view: string): Tally {
    const key = `${view} ${origin}`;
    let tally = tallies.get(key);
    if (!tally) tallies.set(key, (tally = { visits: 0, late: 0, lateInRow: 0 }));
    return tally;
  }

  return {
    openReason(origin, view) {
      const kind = view === 'GET' ? 'GET' : 'other';
      const own = tallies.get(`${view} ${origin}`);
      if (own && isSpent(own.lateInRow, own.late, own.visits, kind))
        return `left ${own.late} requests (${view}) without a whole answer in time, and was not asked again`;
      // A rate limit applies to all kinds of requests.
      const all = tallies.get(`any ${origin}`);
      if (all && isSpent(all.lateInRow, all.late, all.visits, 'GET'))
        return `wanted no more requests (429 or 503) even after ${all.late} waits, and was not asked again`;
      return null;
    },
    record(origin, view, visit) {
      const own = tallyOf(origin, view);
      const isLate = /^(HEADERS|BODY|TOTAL)_TIMEOUT$/.test(visit.failure?.code ?? '');
      own.visits += 1;
      own.late += isLate ? 1 : 0;
      own.lateInRow = isLate ? own.lateInRow + 1 : 0;
    },
    recordRateLimit(origin, again) {
      const all = tallyOf(origin, 'any');
      all.visits += 1;
      all.late += again ? 1 : 0;
      all.lateInRow = again ? all.lateInRow + 1 : 0;
    },
  };
}

function isSpent(inRow: number, total: number, visits: number, kind: 'GET' | 'other'): boolean {
  return inRow >= IN_ROW[kind] || (total >= MANY[kind] && total * SHARE >= visits);
}

/** The kind of a request: some hosts answer one kind and hang on the other. */
export function requestKindOf({
  method,
  origin,
  headers = [],
}: {
  method: Probe['method'];
  origin: string | null;
  headers?: readonly (readonly [string, string])[];
}): string {
  if (headers.some(([name]) => name.startsWith('if-'))) return 'GET with a condition';
  return method === 'GET' && origin !== null ? 'GET with Origin' : method;
}

/** Why a probe was not made or not completed, for reasons that are not the host's; null otherwise. */
export function notRequested({ failure }: Probe): Missing | null {
  if (failure?.code === 'INTERRUPTED') return { missing: { code: 'interrupted' } };
  return failure?.phase === 'unasked'
    ? { missing: { code: 'host-failing', host: hostOf(failure.url), message: failure.message } }
    : null;
}
