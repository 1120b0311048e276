import type { Hop, Probe } from '../../core/facts/facts.ts';
import { headerValue } from '../../core/http/headers.ts';
import { lastHop, statusOf } from '../../core/http/probe.ts';

/** Stops requests to a host after repeated failures, so that a run over thousands of files does not take hours. */
export interface CircuitBreaker {
  /**
   * The reason why requests of this kind to a host are stopped, in words that follow its name; null while they
   * are not.
   */
  openReason(origin: string, kind: string, accept: string): string | null;
  /** Records a probe after its last attempt. */
  record(origin: string, kind: string, accept: string, probe: Probe): void;
  /** Records a URL that the host answered. @param kind as of `requestKindOf` */
  recordAnswer(origin: string, url: string, kind: string): void;
  /** The host refuses requests that it answered before, even without others in flight: no more are sent. */
  recordOutage(origin: string): void;
  /** The last URL of a GET that the host answered, or null. */
  answeredUrl(origin: string): string | null;
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

export function openCircuitBreaker(): CircuitBreaker {
  const tallies = new Map<string, Tally>();
  const outages = new Set<string>();
  /** By origin: the last URL of a GET that was not refused. */
  const answered = new Map<string, string>();

  function tallyOf(origin: string, kind: string): Tally {
    const key = `${kind} ${origin}`;
    const tally = tallies.get(key) ?? { probes: 0, failures: 0, consecutiveFailures: 0 };
    tallies.set(key, tally);
    return tally;
  }

  return {
    openReason(origin, kind, accept) {
      const own = tallies.get(`${kind} ${origin}`);
      if (own && isTripped(own, kind === 'GET' ? 'GET' : 'other'))
        return `did not respond completely to ${own.failures} requests (${kind}) in time; no more requests were sent`;
      const refused = tallyOf(origin, `${kind} of ${accept}`);
      const limited = tallyOf(origin, `429 to ${kind} of ${accept}`);
      const isLimited =
        outages.has(origin) || limited.consecutiveFailures >= MAX_CONSECUTIVE.GET || areManyFailures(refused, 'GET');
      return isLimited
        ? 'still refused requests (429 or 503) after a wait without other requests; no more requests were sent'
        : null;
    },
    record(origin, kind, accept, probe) {
      count(tallyOf(origin, kind), isTimeout(probe));
      // Files that the host need not have do not show how it serves the others.
      if (kind === OPTIONAL) return;
      count(tallyOf(origin, `${kind} of ${accept}`), isRefused(probe));
      count(tallyOf(origin, `429 to ${kind} of ${accept}`), statusOf(probe) === 429);
    },
    recordAnswer(origin, url, kind) {
      if (kind === 'GET') answered.set(origin, url);
    },
    recordOutage: (origin) => void outages.add(origin),
    answeredUrl: (origin) => answered.get(origin) ?? null,
  };
}

function count(tally: Tally, isFailure: boolean): void {
  tally.probes += 1;
  tally.failures += isFailure ? 1 : 0;
  tally.consecutiveFailures = isFailure ? tally.consecutiveFailures + 1 : 0;
}

function isTripped(tally: Tally, kind: 'GET' | 'other'): boolean {
  return tally.consecutiveFailures >= MAX_CONSECUTIVE[kind] || areManyFailures(tally, kind);
}

function areManyFailures({ failures, probes }: Tally, kind: 'GET' | 'other'): boolean {
  return failures >= MIN_FAILURES[kind] && failures * MAX_PROBES_PER_FAILURE >= probes;
}

/** True for a probe without a complete response in time. */
export function isTimeout({ failure }: Probe): boolean {
  return /^(HEADERS|BODY|TOTAL)_TIMEOUT$/.test(failure?.code ?? '');
}

const OPTIONAL = 'optional GET';

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
  if (optional) return OPTIONAL;
  if (headers.some(([name]) => name.startsWith('if-'))) return 'conditional GET';
  return method === 'GET' && origin !== null ? 'GET with Origin' : method;
}

function isRefused(probe: Probe): boolean {
  const hop = lastHop(probe);
  return hop !== null && isTemporaryRefusal(hop);
}

/** True if a host refused a request because there are too many; with 403, it says so in a header, as GitHub does. */
export function isTemporaryRefusal({ status, headers }: Pick<Hop, 'status' | 'headers'>): boolean {
  if (status === 429 || status === 503) return true;
  if (status !== 403) return false;
  return headerValue(headers, 'retry-after') !== null || headerValue(headers, 'x-ratelimit-remaining') === '0';
}
