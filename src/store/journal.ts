import { joined, message, safe, type SafeText } from '../core/text/message.ts';
import type { Effect, WriteState } from '../core/errors/error.ts';
import { isAppregError } from '../core/errors/error.ts';
import { type BatchStore, isBatchStore, type Store } from './store.ts';

/** The writes of one run of a command, for the message of a run that ends early. Paths, in the order of the writes. */
export interface Journal {
  stored: string[];
  /** Sent, and not known to be stored. */
  unknown: Set<string>;
  /** Files outside the registry, such as the one that tests a bucket's conditions. */
  auxiliary: string[];
}

export function newJournal(): Journal {
  return { stored: [], unknown: new Set(), auxiliary: [] };
}

/** True as long as nothing was written or sent. */
export function isEmptyJournal({ stored, unknown, auxiliary }: Journal): boolean {
  return stored.length === 0 && unknown.size === 0 && auxiliary.length === 0;
}

/** The journal as the message of an error lists it. */
export function writeStateOf({ stored, unknown }: Journal): WriteState {
  return { stored: [...new Set(stored)], notStored: [], unknown: [...unknown] };
}

/** Describes the stored and the missing files, in sentences; '' if there is nothing to say. */
export function describeWriteState({ stored, notStored, unknown }: WriteState): SafeText {
  const parts: SafeText[] = [];
  if (stored.length > 0) parts.push(message`Stored: ${safe(named(stored))}.`);
  if (notStored.length > 0) parts.push(message`Not stored: ${safe(named(notStored))}.`);
  if (unknown.length > 0) parts.push(message`It is unknown whether this was stored: ${safe(named(unknown))}.`);
  return joined(parts, ' ');
}

function named(paths: readonly string[]): SafeText {
  return joined(
    paths.map((path) => message`${path}`),
    ', ',
  );
}

/** Effect of the run on the store. */
export function effectOf({ stored, unknown }: Journal): Effect {
  if (unknown.size > 0) return 'unknown';
  return stored.length > 0 ? 'applied' : 'none';
}

/** The same store; every write is recorded in the journal. */
export function journaled(store: Store, journal: Journal): Store {
  async function record<T>(paths: readonly string[], done: T, write: () => Promise<T>): Promise<T> {
    for (const path of paths) journal.unknown.add(path);
    let isUnknown = false;
    try {
      const answer = await write();
      if (answer === done) journal.stored.push(...paths);
      return answer;
    } catch (error) {
      isUnknown = !isAppregError(error) || error.effect === 'unknown';
      if (isAppregError(error) && error.effect === 'applied') journal.stored.push(...paths);
      throw error;
    } finally {
      if (!isUnknown) for (const path of paths) journal.unknown.delete(path);
    }
  }
  const recorded: Store = {
    ...store,
    create: (path, bytes, details) => record([path], 'created', () => store.create(path, bytes, details)),
    replace: (path, bytes, token, details) =>
      record([path], 'replaced', () => store.replace(path, bytes, token, details)),
  };
  if (!isBatchStore(store)) return recorded;
  const { batch } = store;
  const recordedBatch: BatchStore = {
    ...recorded,
    batch: {
      read: (paths) => batch.read(paths),
      write: (writes, why) => {
        const paths = writes.map(({ path }) => path);
        return record(paths, 'written', () => batch.write(writes, why));
      },
    },
  };
  return recordedBatch;
}
