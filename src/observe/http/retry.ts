import type { Hop, Probe } from '../../core/facts/facts.ts';
import { headerValue, retryAfter } from '../../core/http/headers.ts';
import { originOf } from '../../core/http/probe.ts';
import { isTemporaryRefusal } from './circuit-breaker.ts';
import { isTransientFailure } from './failure.ts';
import type { ConnectionPool } from './pool.ts';
import type { RetryOptions } from './request.ts';

/** When an attempt is repeated, and after how long. */

/** Attempts refused by a host while other requests were in flight that do not count as retries. */
export const MAX_CROWDED = 5;

export interface LastAttempt {
  /** Its last hop. */
  hop: Hop;
  /** True if fewer concurrent requests may help. */
  isOverloaded: boolean;
  /** Attempts of the probe that do not count as retries. */
  crowded: number;
}

/** Milliseconds until the next attempt, or null for none. The wait that a host requests is added to the probe. */
export function waitBeforeRetry(
  probe: Probe,
  { hop, isOverloaded, crowded }: LastAttempt,
  { backoff = defaultBackoff, maxWait = 30_000 }: RetryOptions,
  pool: ConnectionPool,
): number | null {
  // Fewer concurrent requests help here, rather than time.
  const pause = (): number => (isOverloaded ? backoff(1) / 4 : backoff(Math.max(1, probe.attempts - crowded)));
  if (probe.failure) return isTransientFailure(probe.failure) ? pause() : null;
  if (!isRetried(probe.method, hop.status)) return null;
  const origin = originOf(hop.url);
  const seconds = isTemporaryRefusal(hop.status)
    ? retryAfter(headerValue(hop.headers, 'retry-after'), Date.now())
    : null;
  if (seconds === null) {
    const wait = pause();
    // A rate limit applies to all connections of the host.
    if (hop.status === 429) pool.pause(origin, wait);
    return wait;
  }
  const wait = seconds * 1000;
  if (probe.retryAfterMs + wait > maxWait) return null;
  probe.retryAfterMs += wait;
  pool.pause(origin, wait);
  return wait;
}

/** A 501 or 405 for OPTIONS or HEAD is usually permanent; only statuses declared temporary are retried. */
function isRetried(method: Probe['method'], status: number): boolean {
  if (isTemporaryRefusal(status)) return true;
  return method === 'GET' && (status === 408 || (status >= 500 && status <= 599));
}

function defaultBackoff(attempt: number): number {
  return 400 * 2 ** attempt + Math.random() * 200;
}
