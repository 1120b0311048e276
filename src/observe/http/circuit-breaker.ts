import type { Missing, Probe } from '../../core/facts/facts.ts';
import { hostOf } from '../../core/http/probe.ts';

/** Stops requests to a host after repeated failures, so that a run over thousands of files does not take hours. */
export interface CircuitBreaker {
  /** Why requests of this kind to a host are stopped, in words that follow its name; null while they are not. */
  openReason(origin: string, kind: string): string | null;
  record(origin: string, kind: string, probe: Probe): void;
  /** Records a response after a wait: whether it was “too many requests” again. */
  recordRateLimit(origin: string, again: boolean): void;
}

interface Tally {
  probes: number;
  late: number;
  lateInRow: number;
}

/** Consecutive failures; a host that succeeds now and then is given up when a quarter of many probes failed. */
const MAX_CONSECUTIVE = { GET: 6, other: 3 };
const MIN_FOR_SHARE = { GET: 32, other: 12 };
const FAILING_SHARE = 4;

export function openCircuitBreaker(): CircuitBreaker {
  const tallies = new Map<string, Tally>();

  function tallyOf(origin: string, kind: string): Tally {
    const key = `${kind} ${origin}`;
    const tally = tallies.get(key) ?? { probes: 0, late: 0, lateInRow: 0 };
    tallies.set(key, tally);
    return tally;
  }

  return {
    openReason(origin, kind) {
      const own = tallies.get(`${kind} ${origin}`);
      if (own && isSpent(own, kind === 'GET' ? 'GET' : 'other'))
        return `did not respond completely to ${own.late} requests (${kind}) in time; no more requests were sent`;
      // A rate limit applies to all kinds of requests.
      const all = tallies.get(`any ${origin}`);
      if (all && isSpent(all, 'GET'))
        return `still refused requests (429 or 503) after waiting ${all.late} times; no more requests were sent`;
      return null;
    },
    record(origin, kind, probe) {
      const own = tallyOf(origin, kind);
      const isLate = /^(HEADERS|BODY|TOTAL)_TIMEOUT$/.test(probe.failure?.code ?? '');
      own.probes += 1;
      own.late += isLate ? 1 : 0;
      own.lateInRow = isLate ? own.lateInRow + 1 : 0;
    },
    recordRateLimit(origin, again) {
      const all = tallyOf(origin, 'any');
      all.probes += 1;
      all.late += again ? 1 : 0;
      all.lateInRow = again ? all.lateInRow + 1 : 0;
    },
  };
}

function isSpent({ lateInRow, late, probes }: Tally, kind: 'GET' | 'other'): boolean {
  return lateInRow >= MAX_CONSECUTIVE[kind] || (late >= MIN_FOR_SHARE[kind] && late * FAILING_SHARE >= probes);
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
  if (headers.some(([name]) => name.startsWith('if-'))) return 'conditional GET';
  return method === 'GET' && origin !== null ? 'GET with Origin' : method;
}

/** Why a probe was not made or not completed, for reasons that are not the host's; null otherwise. */
export function notRequested({ failure }: Probe): Missing | null {
  if (failure?.code === 'INTERRUPTED') return { missing: { code: 'interrupted' } };
  return failure?.phase === 'not-sent'
    ? { missing: { code: 'host-failing', host: hostOf(failure.url), message: failure.message } }
    : null;
}
