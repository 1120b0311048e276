import type { Digest } from './bytes.ts';
import { sha256Of } from './bytes.ts';
import type { Store, Stored } from './store.ts';

/** A store whose files are cached until they are written. */
export interface RememberingStore extends Store {
  /** Clears the cache. */
  forget(): void;
}

function once<T>(known: Map<string, Promise<T>>, path: string, ask: () => Promise<T>): Promise<T> {
  const asked = known.get(path) ?? ask();
  known.set(path, asked);
  // Errors are not cached.
  asked.catch(() => known.delete(path));
  return asked;
}

/**
 * The same store for one command, if each request is slow: a plan and its execution read the same files. A write of
 * another process in between is detected by the conditional write, which is `changed` or `exists`; from then on the
 * file is read again.
 */
export function remembering(store: Store): RememberingStore {
  const files = new Map<string, Promise<Stored | null>>();
  const digests = new Map<string, Promise<Digest | null>>();

  function forgetFile(path: string): void {
    files.delete(path);
    digests.delete(path);
  }

  function remember(path: string, stored: Stored): void {
    files.set(path, Promise.resolve(stored));
  }

  return {
    ...store,
    read: (path) => once(files, path, () => store.read(path)),
    async digest(path) {
      const known = await files.get(path);
      if (known === undefined) return once(digests, path, () => store.digest(path));
      return known && { length: known.bytes.length, sha256: sha256Of(known.bytes) };
    },
    create(path, bytes, details) {
      forgetFile(path);
      return store.create(path, bytes, details);
    },
    replace(path, bytes, token, details) {
      forgetFile(path);
      return store.replace(path, bytes, token, {
        ...details,
        verified: (next) => remember(path, { bytes, token: next }),
      });
    },
    ...(store.absent && {
      async absent(paths: readonly string[]) {
        const absent = await store.absent!(paths);
        for (const path of absent) files.set(path, Promise.resolve(null));
        return absent;
      },
    }),
    forget() {
      files.clear();
      digests.clear();
    },
  };
}
