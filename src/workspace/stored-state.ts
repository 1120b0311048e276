import { message, safe } from '../core/text/message.ts';
import { type AppregError, type ErrorCode, isAppregError } from '../core/errors/error.ts';
import type { Snapshot } from '../core/facts/facts.ts';
import type { DocumentContent } from '../core/json/content.ts';
import { contentOf } from '../observe/content/document-content.ts';
import { snapshotOfTree, type TreeContents } from '../observe/workspace/tree-snapshot.ts';
import { manifestMissing } from '../publish/registry-location.ts';
import { readAll } from '../store/pool.ts';
import type { Store, Stored } from '../store/store.ts';
import type { Listener } from './listener.ts';

/** Errors of one file: the others can be read. */
const FILE_ERRORS: ReadonlySet<ErrorCode> = new Set([
  'path-refused',
  'dangling-link',
  'link-loop',
  'not-a-file',
  'not-a-folder',
  'name-too-long',
  'permission-denied',
]);

/**
 * The documents in a store, as a state of the registry; artifacts are not fetched.
 * A file other than the manifest that cannot be read is missing, with a warning.
 * @param seenAt ISO 8601
 * @throws AppregError `manifest-missing` (exit 2)
 */
export async function storeSnapshot(
  store: Store,
  { manifest, baseUrl }: { manifest: string; baseUrl: string | null },
  seenAt: string,
  listener: Listener,
  contents: TreeContents = {},
): Promise<Snapshot> {
  const progress = listener.progress(message`Reading ${store.name}`);
  try {
    const known = new Map<string, DocumentContent | null>();
    // Documents are discovered from those already read: two rounds, rarely a third.
    for (let wanted = [manifest]; ;) {
      const found = await readReadable(store, wanted, (path, error) => {
        if (path === manifest) throw error;
        listener.log(message`warning: ${safe(error.summary)} ${safe(error.hint)}`);
      });
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
      const state = snapshotOfTree(tree, manifest, baseUrl === null ? [] : [baseUrl], seenAt, contents);
      if (missing.size === 0) return state;
      wanted = [...missing];
    }
  } finally {
    progress.stop();
  }
}

/**
 * The files that can be read.
 * @param onError receives each error of one file
 */
async function readReadable(
  store: Store,
  paths: readonly string[],
  onError: (path: string, error: AppregError) => void,
): Promise<Map<string, Stored>> {
  const unlessUnreadable = <T>(path: string, error: unknown, instead: T): T => {
    if (!isAppregError(error) || !FILE_ERRORS.has(error.code)) throw error;
    onError(path, error);
    return instead;
  };
  // Stores check paths with it, so it is loaded already.
  const { checkedSegments } = await import('../store/paths.ts');
  const isAllowed = (path: string): boolean => {
    try {
      return checkedSegments(path).length > 0;
    } catch (error) {
      return unlessUnreadable(path, error, false);
    }
  };
  const read: Store['read'] = (path) => store.read(path).catch((error: unknown) => unlessUnreadable(path, error, null));
  return readAll({ ...store, read }, paths.filter(isAllowed));
}
