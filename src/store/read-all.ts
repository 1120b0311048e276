import { inPool } from './pool.ts';
import { isBatchStore, type Store, type Stored } from './store.ts';

/** Number of files read at a time, if the store does not specify one. */
const AT_A_TIME = 16;
/** For fewer files a listing is not worth its request. */
const LISTED_FROM = 8;

/**
 * The contents of several files, at one point in time if the store supports it. Missing paths are left out.
 * @param options.mayBeAbsent true if many of them are probably missing: a store that can list is then listed first
 */
export async function readAll(
  store: Store,
  paths: readonly string[],
  { mayBeAbsent = false } = {},
): Promise<Map<string, Stored>> {
  let wanted = [...new Set(paths)];
  if (mayBeAbsent && store.absent && wanted.length >= LISTED_FROM) {
    const absent = await store.absent(wanted);
    wanted = wanted.filter((path) => !absent.has(path));
  }
  if (isBatchStore(store)) return wanted.length === 0 ? new Map() : store.batch.read(wanted);
  const found = new Map<string, Stored>();
  await inPool(wanted, store.concurrency ?? AT_A_TIME, async (path) => {
    const stored = await store.read(path);
    if (stored) found.set(path, stored);
  });
  return found;
}
