import type { Hop, Probe } from '../facts/facts.ts';
import { cacheControl, headerValue, httpDate, secondsIn } from './headers.ts';
import { lastHop } from './probe.ts';

/** Time for which a response may be reused without revalidation (RFC 9111 section 4.2), according to its headers. */
export interface Freshness {
  /** Seconds; 0 when it must be revalidated each time; null when no header sets it. */
  lifetime: number | null;
  /** The header that sets it, as sent. */
  source: string | null;
  immutable: boolean;
  /** Seconds that a stale response may be served while a cache revalidates it (RFC 5861). */
  stale: number;
  /** Seconds that any stale response may be served, also while the host fails (stale-if-error). */
  staleAtMost: number;
  malformed: readonly string[];
  /** Time that a cache may assume without an explicit lifetime: a tenth of the time since the last change. */
  heuristic: number | null;
}

/**
 * The time for which caches may reuse a response.
 *
 * @param now milliseconds since 1970, for hosts that send no Date
 */
export function freshness(hop: Hop, now: number): Freshness {
  const own = ownFreshness(hop, now);
  // The header for CDNs overrides the others for them (RFC 9213), and they are in front of all clients.
  const targeted = headerValue(hop.headers, 'cdn-cache-control');
  const { directives } = cacheControl(targeted ?? '');
  const lifetime =
    directives.has('no-store') || directives.has('no-cache') ? null : secondsIn(directives.get('max-age'));
  if (lifetime === null || lifetime <= (own.lifetime ?? 0)) return own;
  const stale = Math.max(own.stale, secondsIn(directives.get('stale-while-revalidate')) ?? 0);
  const staleAtMost = Math.max(own.staleAtMost, stale, secondsIn(directives.get('stale-if-error')) ?? 0);
  return { ...own, lifetime, stale, staleAtMost, source: `CDN-Cache-Control: ${targeted}` };
}

function ownFreshness(hop: Hop, now: number): Freshness {
  const value = headerValue(hop.headers, 'cache-control');
  const { directives, malformed } = cacheControl(value ?? '');
  const date = httpDate(headerValue(hop.headers, 'date')) ?? now;
  const changed = httpDate(headerValue(hop.headers, 'last-modified'));
  const heuristic = changed === null || changed > date ? null : Math.floor((date - changed) / 10_000);
  const stale = secondsIn(directives.get('stale-while-revalidate')) ?? 0;
  // Both forbid every use of a stale response (RFC 9111 section 5.2.2.2).
  const isFresh = directives.has('must-revalidate') || directives.has('proxy-revalidate');
  const staleAtMost = isFresh ? 0 : Math.max(stale, secondsIn(directives.get('stale-if-error')) ?? 0);
  const base = { staleAtMost, source: value, immutable: directives.has('immutable'), stale, malformed, heuristic };
  // `no-cache` with a field name in quotes applies to that field only.
  if (directives.has('no-store') || (directives.has('no-cache') && directives.get('no-cache') === null))
    return { ...base, immutable: false, stale: 0, staleAtMost: 0, lifetime: 0 };
  const own = secondsIn(directives.get('max-age'));
  // Clients behind a shared cache get its stored response, so the longer of both counts.
  const shared = secondsIn(directives.get('s-maxage'));
  if (own !== null || shared !== null) return { ...base, lifetime: Math.max(own ?? 0, shared ?? 0) };
  const expires = headerValue(hop.headers, 'expires');
  if (expires === null) return { ...base, lifetime: null };
  const end = httpDate(expires);
  // An invalid Expires (0, -1) means: already expired.
  return {
    ...base,
    source: value === null ? `Expires: ${expires}` : value,
    lifetime: end === null ? 0 : Math.max(0, Math.floor((end - date) / 1000)),
  };
}

/** Seconds that a deployment is given where caches may hold no copy as long: the lifetime that spec section 8 recommends. */
const SHORTEST_DEADLINE = 300;

/**
 * Seconds after which a changed file must be served everywhere: caches may hold a copy until then.
 * @param now ISO 8601
 */
export function cacheDeadline(probe: Probe, now: string): number {
  const hop = lastHop(probe);
  if (hop === null) return SHORTEST_DEADLINE;
  const { lifetime, stale } = freshness(hop, Date.parse(now));
  return Math.max(SHORTEST_DEADLINE, (lifetime ?? 0) + stale);
}

/** The service's check interval (spec section 8), in seconds. */
export const HOUR = 3600;

/**
 * The age in seconds of a cached response that is older than the hourly check, so that later publications are missing
 * from it. Otherwise 0, also for copies that are purged at each deploy (an Age with max-age=0).
 * @param now ISO 8601
 */
export function oldCopyAge(probe: Probe, now: string): number {
  const hop = lastHop(probe);
  const age = hop === null ? null : secondsIn(headerValue(hop.headers, 'age'));
  if (hop === null || age === null || age <= HOUR) return 0;
  return freshness(hop, Date.parse(now)).lifetime === 0 ? 0 : age;
}
