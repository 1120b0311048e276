import { isMissing } from '../../core/facts/facts.ts';
import type { RememberedApp } from '../../observe/registry/cache/observation-cache.ts';

/** The cached facts of two dozen apps must fit into memory at once, for any archive content. */
const WEIGHT = 4_000_000;
const OF_AN_ARTIFACT = 1500;
const OF_AN_ENTRY = 130;

/** Omits the artifacts whose facts are too large; their rows still record them as verified. */
export function truncateFacts({ ids, facts }: RememberedApp): RememberedApp {
  let weight = 0;
  const light = facts.artifacts.map(({ archive }) => {
    const own = OF_AN_ARTIFACT + (isMissing(archive) ? 0 : archive.entries.length * OF_AN_ENTRY);
    if (weight + own > WEIGHT) return false;
    weight += own;
    return true;
  });
  return light.every(Boolean)
    ? { ids, facts }
    : {
        ids: ids.filter((_, i) => light[i]),
        facts: { ...facts, artifacts: facts.artifacts.filter((_, i) => light[i]) },
      };
}
