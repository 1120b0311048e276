import { message } from '../core/text/message.ts';
import type { DocumentContent, Snapshot } from '../core/facts/facts.ts';
import { contentOf } from '../observe/workspace/document-content.ts';
import { snapshotOfTree } from '../observe/workspace/tree-snapshot.ts';
import { manifestMissing } from '../publish/registry-location.ts';
import { readAll } from '../store/pool.ts';
import type { Store } from '../store/store.ts';
import type { Listener } from './listener.ts';

/**
 * The documents in a store, as a state of the registry; artifacts are not fetched.
 * @param seenAt ISO 8601
 * @param withAbout whether about files are read
 * @throws AppregError `manifest-missing` (exit 2)
 */
export async function storeSnapshot(
  store: Store,
  { manifest, baseUrl }: { manifest: string; baseUrl: string | null },
  seenAt: string,
  listener: Listener,
  withAbout = false,
): Promise<Snapshot> {
  const progress = listener.progress(message`Reading ${store.name}`);
  try {
    const known = new Map<string, DocumentContent | null>();
    // Documents are discovered from those already read: two rounds, rarely a third.
    for (let wanted = [manifest]; ;) {
      const found = await readAll(store, wanted);
      for (const path of wanted) {
        const stored = found.get(path);
        known.set(path, stored ? contentOf(stored.bytes) : null);
      }
      if (known.get(manifest) === null) throw manifestMissing(store, manifest);
      const missing = new Set<string>();
      const fetch = (paths: readonly string[]): void => {
        for (const path of paths) if (!known.has(path)) missing.add(path);
      };
      const tree = { source: store.name, fetch, read: (path: string) => known.get(path) ?? null };
      const state = snapshotOfTree(tree, manifest, baseUrl, seenAt, withAbout);
      if (missing.size === 0) return state;
      wanted = [...missing];
    }
  } finally {
    progress.stop();
  }
}
