import type { Probe } from '../../core/facts/facts.ts';

/** Stops requests to a host after repeated failures, so that a run over thousands of files does not take hours. */
export interface CircuitBreaker {
  /** Why requests of this kind to a host are stopped, in words that follow its name; null while they are not. */
  openReason(origin: string, kind: string): string | null;
  record(origin: string, kind: string, probe: Probe): void;
  /** Records a response after a wait: whether it was “too many requests” again. */
  recordRateLimit(origin: string, again: boolean): void;
}

/** The probes of one kind to a host; a failure is a timeout, or a rate limit that still applies after a wait. */
interface Tally {
  probes: number;
  failures: number;
  consecutiveFailures: number;
}

/** Consecutive failures after which no more requests are sent. */
const MAX_CONSECUTIVE = { GET: 6, other: 3 };
/** Failures from which their share of all probes counts, for a host that responds to some of them. */
const MIN_FAILURES = { GET: 32, other: 12 };
/** No more requests are sent if one of this many probes failed. */
const MAX_PROBES_PER_FAILURE = 4;

/** Opens a circuit breaker for one run. */
export function openCircuitBreaker(): CircuitBreaker {
  const tallies = new Map<string, Tally>();

  function tallyOf(origin: string, kind: string): Tally {
    const key = `${kind} ${origin}`;
    const tally = tallies.get(key) ?? { probes: 0, failures: 0, consecutiveFailures: 0 };
    tallies.set(key, tally);
    return tally;
  }

  return {
    openReason(origin, kind) {
      const own = tallies.get(`${kind} ${origin}`);
      if (own && isTripped(own, kind === 'GET' ? 'GET' : 'other'))
        return `did not respond completely to ${own.failures} requests (${kind}) in time; no more requests were sent`;
      // A rate limit applies to all kinds of requests.
      const all = tallies.get(`any ${origin}`);
      if (all && isTripped(all, 'GET'))
        return `still refused requests (429 or 503) after waiting ${all.failures} times; no more requests were sent`;
      return null;
    },
    record(origin, kind, probe) {
      const own = tallyOf(origin, kind);
      const isFailure = isTimeout(probe);
      own.probes += 1;
      own.failures += isFailure ? 1 : 0;
      own.consecutiveFailures = isFailure ? own.consecutiveFailures + 1 : 0;
    },
    recordRateLimit(origin, again) {
      const all = tallyOf(origin, 'any');
      all.probes += 1;
      all.failures += again ? 1 : 0;
      all.consecutiveFailures = again ? all.consecutiveFailures + 1 : 0;
    },
  };
}

function isTripped({ consecutiveFailures, failures, probes }: Tally, kind: 'GET' | 'other'): boolean {
  return (
    consecutiveFailures >= MAX_CONSECUTIVE[kind] ||
    (failures >= MIN_FAILURES[kind] && failures * MAX_PROBES_PER_FAILURE >= probes)
  );
}

/** True for a probe without a complete response in time. */
export function isTimeout({ failure }: Probe): boolean {
  return /^(HEADERS|BODY|TOTAL)_TIMEOUT$/.test(failure?.code ?? '');
}

/** The kind of a request: some hosts answer one kind and hang on the other. */
export function requestKindOf({
  method,
  origin,
  headers = [],
  optional = false,
}: {
  method: Probe['method'];
  origin: string | null;
  headers?: readonly (readonly [string, string])[];
  optional?: boolean;
}): string {
  if (optional) return 'optional GET';
  if (headers.some(([name]) => name.startsWith('if-'))) return 'conditional GET';
  return method === 'GET' && origin !== null ? 'GET with Origin' : method;
}
