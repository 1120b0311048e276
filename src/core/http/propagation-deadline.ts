import { freshness } from './cache.ts';
import type { Probe } from '../facts/facts.ts';
import { isMissing, type Resource } from '../facts/facts.ts';
import { headerValue, secondsIn } from './headers.ts';
import { finalHop, isAnswered } from './probe.ts';

/** When every subscriber sees what a registry serves now: caches may still serve older responses (RFC 9111). */

/** The service checks once an hour (spec 8). */
const CHECK_INTERVAL = 3600;

export interface PropagationDeadline {
  /** ISO 8601, in whole seconds. */
  at: string;
  /** From now. */
  seconds: number;
  /** The time for which caches may hold an older manifest or metadata file, in seconds. */
  cached: number;
  /** The number of documents that specify no lifetime and no change date. */
  withoutLifetime: number;
}

/** Caching of one document: its longest observed lifetime, and the age of the latest copy. */
interface DocumentLifetime {
  lifetime: number | null;
  age: number;
}

/** Records documents as they are observed repeatedly: an older response may have had a longer lifetime. */
export interface Lifetimes {
  note(document: Pick<Resource, 'url' | 'web'>): void;
  /** @param now ISO 8601 */
  visibleBy(now: string): PropagationDeadline;
}

export function openLifetimes(): Lifetimes {
  const documents = new Map<string, DocumentLifetime>();
  return {
    note({ url, web }) {
      if (url === null || isMissing(web) || !isAnswered(web.server)) return;
      const seen = lifetimeIn(web.server);
      const before = documents.get(url);
      const lifetimes = [before?.lifetime, seen.lifetime].filter((one) => typeof one === 'number');
      documents.set(url, { age: seen.age, lifetime: lifetimes.length === 0 ? null : Math.max(...lifetimes) });
    },
    visibleBy(now) {
      let cached = 0;
      let withoutLifetime = 0;
      for (const { lifetime, age } of documents.values()) {
        if (lifetime === null) withoutLifetime += 1;
        // The copy was fetched from the host `age` seconds ago; earlier responses were served even before that.
        else cached = Math.max(cached, lifetime - age);
      }
      const at = Math.ceil(Date.parse(now) / 1000) + cached + CHECK_INTERVAL;
      return {
        at: new Date(at * 1000).toISOString().replace('.000Z', 'Z'),
        seconds: cached + CHECK_INTERVAL,
        cached,
        withoutLifetime,
      };
    },
  };
}

function lifetimeIn(probe: Probe): DocumentLifetime {
  const hop = finalHop(probe);
  // Without the host's Date there is no heuristic lifetime.
  const { lifetime, heuristic, stale } = freshness(hop, Number.NaN);
  const usable = lifetime ?? (Number.isFinite(heuristic) ? heuristic : null);
  return { lifetime: usable === null ? null : usable + stale, age: secondsIn(headerValue(hop.headers, 'age')) ?? 0 };
}
