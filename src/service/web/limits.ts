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
  /** How many are remembered. */
  size(): number;
}

/** So many buckets make a generation; two are kept. */
const MOST = 50_000;

interface Bucket {
  left: number;
  at: number;
}

/** @param now milliseconds */
export function openLimiter({ requests, seconds }: Allowance, now: () => number = () => performance.now()): Limiter {
  const perMillisecond = requests / (seconds * 1000);
  // Those who asked since `since`, and those who asked in the generation before and not since.
  let recent = new Map<string, Bucket>();
  let older = new Map<string, Bucket>();
  let since = now();
  return {
    size: () => recent.size + older.size,
    take(who) {
      const moment = now();
      // A bucket that nobody asked of for so long is full: it need not be remembered.
      if (moment - since >= seconds * 1000 || recent.size >= MOST) {
        [older, recent, since] = [recent, new Map(), moment];
      }
      const bucket = recent.get(who) ?? older.get(who) ?? { left: requests, at: moment };
      const left = Math.min(requests, bucket.left + (moment - bucket.at) * perMillisecond);
      const allowed = left >= 1;
      const remaining = allowed ? left - 1 : left;
      recent.set(who, { left: remaining, at: moment });
      const missing = allowed ? requests - remaining : 1 - remaining;
      return { allowed, remaining: Math.floor(remaining), wait: Math.ceil(missing / perMillisecond / 1000) };
    },
  };
}

/** Header fields that tell a client where it stands (draft-ietf-httpapi-ratelimit-headers). */
export function limitHeaders(name: string, { requests, seconds }: Allowance, taken: Taken): Record<string, string> {
  return {
    'ratelimit-policy': `"${name}";q=${requests};w=${seconds}`,
    ratelimit: `"${name}";r=${taken.remaining};t=${taken.wait}`,
    ...(taken.allowed ? {} : { 'retry-after': String(taken.wait) }),
  };
}
