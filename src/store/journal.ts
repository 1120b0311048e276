import type { WriteState } from '../core/errors.ts';
import { isAppregError } from '../core/errors.ts';
import type { Store, Write } from './store.ts';

/** The writes of one run of a command, for the message of a run that ends early. Paths, in the order of the writes. */
export interface Journal {
  stored: string[];
  /** Sent, and not known to be stored. */
  unknown: Set<string>;
  /** Files outside the registry, such as the one that tests a bucket's conditions. */
  aside: string[];
}

export function newJournal(): Journal {
  return { stored: [], unknown: new Set(), aside: [] };
}

/** True while nothing was written or sent. */
export function isBlank({ stored, unknown, aside }: Journal): boolean {
  return stored.length === 0 && unknown.size === 0 && aside.length === 0;
}

export function stateOf({ stored, unknown }: Journal): WriteState {
  return { stored: [...new Set(stored)], notStored: [], unknown: [...unknown] };
}

/** The same store; every write is recorded in the journal. */
export function journaled(store: Store, journal: Journal): Store {
  async function noted<T>(paths: readonly string[], done: T, write: () => Promise<T>): Promise<T> {
    for (const path of paths) journal.unknown.add(path);
    let isUnknown = false;
    try {
      const answer = await write();
      if (answer === done) journal.stored.push(...paths);
      return answer;
    } catch (error) {
      isUnknown = !isAppregError(error) || error.effect === 'unknown';
      throw error;
    } finally {
      if (!isUnknown) for (const path of paths) journal.unknown.delete(path);
    }
  }
  const { batch: atOnce } = store;
  return {
    ...store,
    create: (path, bytes, details) => noted([path], 'created', () => store.create(path, bytes, details)),
    replace: (path, bytes, token, details) =>
      noted([path], 'replaced', () => store.replace(path, bytes, token, details)),
    ...(atOnce && {
      batch: {
        read: (paths: readonly string[]) => atOnce.read(paths),
        write: (writes: readonly Write[], why?: string) =>
          noted(
            writes.map(({ path }) => path),
            'written',
            () => atOnce.write(writes, why),
          ),
      },
    }),
  };
}
