import type { Store, Stored } from './store.ts';

/** So many are asked for at a time, where each has to be asked for by itself. */
const AT_A_TIME = 16;

/** What is there of several files: as of one moment where the store can. A path where nothing is, is not in it. */
export async function readAll(store: Store, paths: readonly string[]): Promise<Map<string, Stored>> {
  const wanted = [...new Set(paths)];
  if (store.atOnce) return wanted.length === 0 ? new Map() : store.atOnce.read(wanted);
  const found = new Map<string, Stored>();
  const left = wanted.values();
  const work = async (): Promise<void> => {
    for (const path of left) {
      const stored = await store.read(path);
      if (stored) found.set(path, stored);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  return found;
}
