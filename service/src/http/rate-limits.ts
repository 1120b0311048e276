/**
 * Rate limits. The buckets are in the memory of one node: with N nodes behind a load balancer, the limit is N times
 * higher, which still prevents one client from starving the others.
 */

interface RateLimit {
  /** Requests in a burst; the same number is restored over `seconds`. */
  requests: number;
  seconds: number;
}

export interface RateLimits {
  /** Per organization: reads, and changes. */
  reads: RateLimit;
  changes: RateLimit;
  /** Per address, or network of IPv6: invalid tokens, and organizations created without the operator's token. */
  failures: RateLimit;
  signUps: RateLimit;
}

export const RATE_LIMITS: RateLimits = {
  reads: { requests: 1200, seconds: 60 },
  changes: { requests: 120, seconds: 60 },
  failures: { requests: 60, seconds: 60 },
  signUps: { requests: 20, seconds: 60 },
};

export interface LimiterResult {
  allowed: boolean;
  /** Remaining requests of the burst. */
  remaining: number;
  /** Whole seconds until the next request is allowed; if it is allowed, until the burst is fully restored. */
  wait: number;
}

interface Limiter {
  readonly limit: RateLimit;
  /** Counts one request. */
  take(client: string): LimiterResult;
  /** The number of buckets. */
  size(): number;
}

/** Maximum buckets per generation; two generations are kept. */
const BUCKETS_LIMIT = 50_000;

interface Bucket {
  left: number;
  at: number;
}

/** @param now milliseconds */
export function openLimiter(limit: RateLimit, now: () => number = () => performance.now()): Limiter {
  const { requests, seconds } = limit;
  const perMillisecond = requests / (seconds * 1000);
  // Clients since `since`, and those of the previous generation without a request since.
  let recent = new Map<string, Bucket>();
  let older = new Map<string, Bucket>();
  let since = now();
  return {
    limit,
    size: () => recent.size + older.size,
    take(client) {
      const moment = now();
      // A bucket without requests for this long is full, so it can be dropped.
      if (moment - since >= seconds * 1000 || recent.size >= BUCKETS_LIMIT) {
        [older, recent, since] = [recent, new Map(), moment];
      }
      const bucket = recent.get(client) ?? older.get(client) ?? { left: requests, at: moment };
      const left = Math.min(requests, bucket.left + (moment - bucket.at) * perMillisecond);
      const allowed = left >= 1;
      const remaining = allowed ? left - 1 : left;
      recent.set(client, { left: remaining, at: moment });
      const missing = allowed ? requests - remaining : 1 - remaining;
      return { allowed, remaining: Math.floor(remaining), wait: Math.ceil(missing / perMillisecond / 1000) };
    },
  };
}

/** One limiter for each rate limit: the API and the pages count together. */
export type Limiters = Record<keyof RateLimits, Limiter>;

export function openLimiters(limits: RateLimits): Limiters {
  return {
    reads: openLimiter(limits.reads),
    changes: openLimiter(limits.changes),
    failures: openLimiter(limits.failures),
    signUps: openLimiter(limits.signUps),
  };
}

/** Header fields with the client's limits (draft-ietf-httpapi-ratelimit-headers). */
export function limitHeaders(
  name: string,
  { requests, seconds }: RateLimit,
  taken: LimiterResult,
): Record<string, string> {
  return {
    'ratelimit-policy': `"${name}";q=${requests};w=${seconds}`,
    ratelimit: `"${name}";r=${taken.remaining};t=${taken.wait}`,
    ...(taken.allowed ? {} : { 'retry-after': String(taken.wait) }),
  };
}
