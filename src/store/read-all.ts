import { inPool } from './pool.ts';
import type { Store, Stored } from './store.ts';

/** Files that are read at a time, where the store names no number. */
const AT_A_TIME = 16;
/** For fewer files a listing is not worth its request. */
const LISTED_FROM = 8;

/**
 * What is there of several files: as of one moment where the store can. A path where nothing is, is not in it.
 * @param options.mayBeAbsent true where many of them are probably not there: then a store that can list is listed first
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
  if (store.batch) return wanted.length === 0 ? new Map() : store.batch.read(wanted);
  const found = new Map<string, Stored>();
  await inPool(wanted, store.concurrency ?? AT_A_TIME, async (path) => {
    const stored = await store.read(path);
    if (stored) found.set(path, stored);
  });
  return found;
}
