/**
 * How often somebody may ask. The buckets are in the memory of one node: with several nodes behind a balancer, the limit
 * is so many times higher, which is good enough to keep one client from starving the others.
 */

export interface Allowance {
  /** Requests in a burst, and the same number is given back over `seconds`. */
  requests: number;
  seconds: number;
}

export interface Allowances {
  /** Of an organization: questions, and changes. */
  reads: Allowance;
  changes: Allowance;
  /** Of an address: tokens that are none, and organizations created without the operator's token. */
  failures: Allowance;
  signUps: Allowance;
}

export const ALLOWANCES: Allowances = {
  reads: { requests: 1200, seconds: 60 },
  changes: { requests: 120, seconds: 60 },
  failures: { requests: 60, seconds: 60 },
  signUps: { requests: 20, seconds: 60 },
};

export interface Taken {
  allowed: boolean;
  /** What is left of the burst. */
  remaining: number;
  /** Whole seconds until the next request is allowed; where it is allowed, until the burst is whole again. */
  wait: number;
}

export interface Limiter {
  /** Counts one request. */
  take(who: string): Taken;
}

/** Buckets that were full again are forgotten, at the latest when there are so many. */
const MOST = 50_000;

/** @param now milliseconds */
export function openLimiter({ requests, seconds }: Allowance, now: () => number = () => performance.now()): Limiter {
  const perMillisecond = requests / (seconds * 1000);
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    take(who) {
      const moment = now();
      const bucket = buckets.get(who) ?? { left: requests, at: moment };
      const left = Math.min(requests, bucket.left + (moment - bucket.at) * perMillisecond);
      const allowed = left >= 1;
      const remaining = allowed ? left - 1 : left;
      // The one that asked longest ago stands first.
      buckets.delete(who);
      buckets.set(who, { left: remaining, at: moment });
      forget(buckets, moment, seconds * 1000);
      const missing = allowed ? requests - remaining : 1 - remaining;
      return { allowed, remaining: Math.floor(remaining), wait: Math.ceil(missing / perMillisecond / 1000) };
    },
  };
}

function forget(buckets: Map<string, { at: number }>, moment: number, age: number): void {
  for (const [who, { at }] of buckets) {
    if (moment - at < age && buckets.size <= MOST) return;
    buckets.delete(who);
  }
}

/** Header fields that tell a client where it stands (draft-ietf-httpapi-ratelimit-headers). */
export function limitHeaders(name: string, { requests, seconds }: Allowance, taken: Taken): Record<string, string> {
  return {
    'ratelimit-policy': `"${name}";q=${requests};w=${seconds}`,
    ratelimit: `"${name}";r=${taken.remaining};t=${taken.wait}`,
    ...(taken.allowed ? {} : { 'retry-after': String(taken.wait) }),
  };
}
