import type { Hop, Probe } from '../../core/facts/facts.ts';
import { headerValue, httpDate, retryAfter } from '../../core/http/headers.ts';
import { isTemporaryRefusal } from './circuit-breaker.ts';
import { isTransientFailure } from './failure.ts';
import { AGAIN, type Refusal, type Turn } from './host-queue.ts';
import type { RetryOptions } from './request.ts';

/** When an attempt is repeated, and after how long. */

/** Attempts refused while other requests were in flight that do not count as retries. */
const MAX_CROWDED = 5;
/** Attempts without other requests in flight, to a host that refuses all requests. */
const MAX_ALONE = 6;

/** The result of an attempt. */
export interface Attempt {
  /** The last hop. */
  hop: Hop;
  refusal: Refusal | null;
}

/** The attempt that follows. */
export interface NextAttempt {
  turn: Turn;
  /** Milliseconds until it is queued. */
  delay: number;
  /** Milliseconds for which the host gets no request. */
  hostPause: number;
}

/** The attempts of a probe so far, and the decision about the next one. */
export class Attempts {
  private readonly options: RetryOptions;
  private readonly retries: number;
  private readonly total: number;
  private crowded = 0;
  private alone = 0;
  private waited = 0;
  private pauseOfOutage = 0;

  /**
   * @param retries attempts after the first that count
   * @param total the most that is waited, in milliseconds
   */
  constructor(options: RetryOptions, retries: number, total: number) {
    this.options = options;
    this.retries = retries;
    this.total = options.maxWait ?? total;
  }

  /** True if an attempt was refused while other requests were in flight. */
  get wasCrowded(): boolean {
    return this.crowded > 0;
  }

  /** The pause before the last attempt in milliseconds, if the host had refused all requests before; otherwise 0. */
  get outage(): number {
    return this.pauseOfOutage;
  }

  /**
   * The next attempt, or null for none. The wait that a host requests is added to the probe.
   * @param isHostRefusing asks the host for a file that it answered before: true if it refuses that as well
   */
  async next(probe: Probe, attempt: Attempt, isHostRefusing: () => Promise<boolean>): Promise<NextAttempt | null> {
    const { hop, refusal } = attempt;
    const isResponse = probe.failure === null;
    if (isResponse && refusal !== null) return this.afterRefusal(probe, hop, refusal, isHostRefusing);
    // With fewer concurrent requests it may succeed.
    if (refusal === 'crowded' && this.crowded < MAX_CROWDED) {
      this.crowded += 1;
      return { turn: AGAIN, delay: this.backoff(1) / 4, hostPause: 0 };
    }
    if (probe.attempts - this.crowded > this.retries) return null;
    if (probe.failure ? !isTransientFailure(probe.failure) : !isRetried(probe.method, hop)) return null;
    const wait = this.backoff(Math.max(1, probe.attempts - this.crowded));
    return { turn: AGAIN, delay: wait, hostPause: 0 };
  }

  private async afterRefusal(
    probe: Probe,
    hop: Hop,
    refusal: Refusal,
    isHostRefusing: () => Promise<boolean>,
  ): Promise<NextAttempt | null> {
    const requested = requestedWait(hop);
    if (refusal === 'alone') {
      this.alone += 1;
      const wait = Math.max(requested ?? 0, this.backoff(this.alone));
      if (probe.attempts > this.retries || !this.mayWait(wait)) {
        if (!(await isHostRefusing()) || this.alone >= MAX_ALONE || !this.mayWait(wait)) return null;
        this.pauseOfOutage = wait;
      }
      this.waited += wait;
      probe.retryAfterMs += requested ?? 0;
      // A limit applies to all requests.
      const hostPause = requested !== null || this.pauseOfOutage > 0 ? wait : 0;
      return { turn: { lane: 'alone', pause: wait, isNext: true }, delay: 0, hostPause };
    }
    this.crowded += 1;
    const isAlone = refusal === 'unlikely' || this.crowded > MAX_CROWDED;
    const pause = isAlone ? this.backoff(2) : this.backoff(1) / 4;
    // A wait beyond the time limit is not possible; slower requests may be answered all the same.
    const hostPause = requested !== null && this.mayWait(pause + requested) ? requested : 0;
    if (!this.mayWait(pause + hostPause)) return null;
    this.waited += pause + hostPause;
    probe.retryAfterMs += hostPause;
    return isAlone ? { turn: { lane: 'alone', pause }, delay: 0, hostPause } : { turn: AGAIN, delay: pause, hostPause };
  }

  private mayWait(wait: number): boolean {
    return this.waited + wait <= this.total;
  }

  private backoff(attempt: number): number {
    return (this.options.backoff ?? defaultBackoff)(attempt);
  }
}

/** Milliseconds that the host asks to wait, by its own clock if it sends the time; null for none. */
function requestedWait({ headers }: Hop): number | null {
  const now = httpDate(headerValue(headers, 'date')) ?? Date.now();
  const seconds = retryAfter(headerValue(headers, 'retry-after'), now);
  return seconds === null ? null : seconds * 1000;
}

/** A 501 or 405 for OPTIONS or HEAD is usually permanent; only statuses declared temporary are retried. */
function isRetried(method: Probe['method'], hop: Hop): boolean {
  if (isTemporaryRefusal(hop)) return true;
  const { status } = hop;
  return method === 'GET' && (status === 408 || (status >= 500 && status <= 599));
}

function defaultBackoff(attempt: number): number {
  return 400 * 2 ** attempt + Math.random() * 200;
}
