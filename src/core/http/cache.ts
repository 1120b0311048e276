import type { Hop, Probe } from '../facts/facts.ts';
import { cacheControl, header, httpDate, seconds } from './headers.ts';
import { lastHop } from './probe.ts';

/** For how long an answer may be held without asking again (RFC 9111 section 4.2), as far as its headers say. */
export interface Freshness {
  /** Seconds; 0 when it must be asked for each time; null when nothing is said. */
  lifetime: number | null;
  /** The header that says so, as sent. */
  said: string | null;
  immutable: boolean;
  /** Seconds that a copy may be served beyond its lifetime, while a cache asks for a new one (RFC 5861). */
  stale: number;
  malformed: readonly string[];
  /** What a cache may assume when nothing is said: a tenth of the time since the last change. */
  heuristic: number | null;
}

/** @param now milliseconds since 1970, for hosts that send no Date */
export function freshness(hop: Hop, now: number): Freshness {
  const own = ownFreshness(hop, now);
  // What is said to CDNs alone overrules the rest for them (RFC 9213), and they stand before everybody.
  const targeted = header(hop.headers, 'cdn-cache-control');
  const { directives } = cacheControl(targeted ?? '');
  const lifetime = directives.has('no-store') || directives.has('no-cache') ? null : seconds(directives.get('max-age'));
  if (lifetime === null || lifetime <= (own.lifetime ?? 0)) return own;
  return { ...own, lifetime, said: `CDN-Cache-Control: ${targeted}` };
}

function ownFreshness(hop: Hop, now: number): Freshness {
  const value = header(hop.headers, 'cache-control');
  const { directives, malformed } = cacheControl(value ?? '');
  const date = httpDate(header(hop.headers, 'date')) ?? now;
  const changed = httpDate(header(hop.headers, 'last-modified'));
  const heuristic = changed === null || changed > date ? null : Math.floor((date - changed) / 10_000);
  const stale = seconds(directives.get('stale-while-revalidate')) ?? 0;
  const base = { said: value, immutable: directives.has('immutable'), stale, malformed, heuristic };
  // `no-cache` with a field name in quotes is about that field alone.
  if (directives.has('no-store') || (directives.has('no-cache') && directives.get('no-cache') === null))
    return { ...base, immutable: false, stale: 0, lifetime: 0 };
  const own = seconds(directives.get('max-age'));
  // Whoever fetches through a shared cache gets what it holds, so the longer of both counts.
  const shared = seconds(directives.get('s-maxage'));
  if (own !== null || shared !== null) return { ...base, lifetime: Math.max(own ?? 0, shared ?? 0) };
  const expires = header(hop.headers, 'expires');
  if (expires === null) return { ...base, lifetime: null };
  const end = httpDate(expires);
  // An Expires that is no date (0, -1) means: already over.
  return {
    ...base,
    said: value === null ? `Expires: ${expires}` : value,
    lifetime: end === null ? 0 : Math.max(0, Math.floor((end - date) / 1000)),
  };
}

/** The service's check interval (spec section 8), in seconds. */
const HOUR = 3600;

/**
 * How old the copy is that a cache answered with, in seconds, where that is older than the hourly check: what was
 * published since is not in it. Otherwise 0, and for copies that are dropped at each deploy (an Age beside max-age=0).
 * @param now ISO 8601
 */
export function oldCopyAge(visit: Probe, now: string): number {
  const hop = lastHop(visit);
  const age = hop === null ? null : seconds(header(hop.headers, 'age'));
  if (hop === null || age === null || age <= HOUR) return 0;
  return freshness(hop, Date.parse(now)).lifetime === 0 ? 0 : age;
}
