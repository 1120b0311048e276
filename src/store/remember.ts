import type { Digest } from './bytes.ts';
import { sha256Of } from './bytes.ts';
import type { Store, Stored } from './store.ts';

/** A store whose files are cached until they are written. */
export interface RememberingStore extends Store {
  /** Clears the cache. */
  forget(): void;
}

/** The answer to the first call for the path. Errors are not cached. */
function firstAnswer<T>(answers: Map<string, Promise<T>>, path: string, request: () => Promise<T>): Promise<T> {
  const answer = answers.get(path) ?? request();
  answers.set(path, answer);
  answer.catch(() => answers.delete(path));
  return answer;
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

  const { absent } = store;
  return {
    ...store,
    read: (path) => firstAnswer(files, path, () => store.read(path)),
    async digest(path) {
      const known = await files.get(path);
      if (known === undefined) return firstAnswer(digests, path, () => store.digest(path));
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
    ...(absent && {
      async absent(paths: readonly string[]) {
        const missing = await absent(paths);
        for (const path of missing) files.set(path, Promise.resolve(null));
        return missing;
      },
    }),
    forget() {
      files.clear();
      digests.clear();
    },
  };
}
