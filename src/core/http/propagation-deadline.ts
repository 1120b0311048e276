import { freshness } from './cache.ts';
import type { Probe } from '../facts/facts.ts';
import { isMissing, type Resource } from '../facts/facts.ts';
import { header, seconds } from './headers.ts';
import { isAnswered, lastHop } from './probe.ts';

/** When every subscriber has seen what a registry serves now: caches may hold what was served before (RFC 9111). */

/** The service checks once an hour (spec 8). */
const HOURLY = 3600;

export interface PropagationDeadline {
  /** ISO 8601, in whole seconds. */
  at: string;
  /** From now. */
  seconds: number;
  /** How long caches may hold an older manifest or metadata file, in seconds. */
  cached: number;
  /** How many documents say nothing of it, not even when they changed. */
  unsaid: number;
}

/** What is known of one document: the longest lifetime it ever had, and how old the copy was that came last. */
interface Known {
  lifetime: number | null;
  age: number;
}

/** Notes documents as they are seen, one look after another: an older answer may have had a longer lifetime. */
export interface Lifetimes {
  note(document: Pick<Resource, 'url' | 'web'>): void;
  /** @param now ISO 8601 */
  visibleBy(now: string): PropagationDeadline;
}

export function openLifetimes(): Lifetimes {
  const documents = new Map<string, Known>();
  return {
    note({ url, web }) {
      if (url === null || isMissing(web) || !isAnswered(web.server)) return;
      const seen = read(web.server);
      const before = documents.get(url);
      const lifetimes = [before?.lifetime, seen.lifetime].filter((one) => typeof one === 'number');
      documents.set(url, { age: seen.age, lifetime: lifetimes.length === 0 ? null : Math.max(...lifetimes) });
    },
    visibleBy(now) {
      let cached = 0;
      let unsaid = 0;
      for (const { lifetime, age } of documents.values()) {
        if (lifetime === null) unsaid += 1;
        // A copy that is so old was served anew then, so whatever came before it was served earlier still.
        else cached = Math.max(cached, lifetime - age);
      }
      const at = Math.ceil(Date.parse(now) / 1000) + cached + HOURLY;
      return { at: new Date(at * 1000).toISOString().replace('.000Z', 'Z'), seconds: cached + HOURLY, cached, unsaid };
    },
  };
}

function read(visit: Probe): Known {
  const hop = lastHop(visit)!;
  // Without a Date of the host nothing can be told from when it changed.
  const { lifetime, heuristic, stale } = freshness(hop, Number.NaN);
  const usable = lifetime ?? (Number.isFinite(heuristic) ? heuristic : null);
  return { lifetime: usable === null ? null : usable + stale, age: seconds(header(hop.headers, 'age')) ?? 0 };
}
