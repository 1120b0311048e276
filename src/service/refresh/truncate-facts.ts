import { isMissing } from '../../core/facts/facts.ts';
import type { RememberedApp } from '../../observe/registry/cache/observation-cache.ts';

/** The cached facts of two dozen apps must fit into memory at once, for any archive content. */
const BYTES_LIMIT = 4_000_000;
const BYTES_PER_ARTIFACT = 1500;
const BYTES_PER_ENTRY = 130;

/** Omits the artifacts whose facts are too large; their rows still record them as verified. */
export function truncateFacts({ ids, facts }: RememberedApp): RememberedApp {
  let bytes = 0;
  const isKept = facts.artifacts.map(({ archive }) => {
    const size = BYTES_PER_ARTIFACT + (isMissing(archive) ? 0 : archive.entries.length * BYTES_PER_ENTRY);
    if (bytes + size > BYTES_LIMIT) return false;
    bytes += size;
    return true;
  });
  return isKept.every(Boolean)
    ? { ids, facts }
    : {
        ids: ids.filter((_, i) => isKept[i]),
        facts: { ...facts, artifacts: facts.artifacts.filter((_, i) => isKept[i]) },
      };
}
