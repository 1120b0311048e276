import { isBatchStore, type Store, type Stored } from './store.ts';

/**
 * Processes the items with bounded concurrency. After a failure no more are started.
 * @throws the first error, once all started work has ended
 */
export async function inPool<T>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (let next = left.next(); !next.done && failures.length === 0; next = left.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  if (failures.length > 0) throw failures[0];
}

/**
 * The same for work with results, each as soon as it is known. No more work is started while nobody asks for the next one.
 * @throws the first error, once all started work has ended
 */
export async function* asDone<T, R>(
  items: Iterable<T>,
  concurrency: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const running = new Set<Promise<R>>();
  const next = async (): Promise<R> => {
    const [done, result] = await Promise.race([...running].map(async (one) => [one, await one] as const));
    running.delete(done);
    return result;
  };
  try {
    for (const item of items) {
      running.add(work(item));
      if (running.size >= concurrency) yield await next();
    }
    while (running.size > 0) yield await next();
  } finally {
    await Promise.allSettled(running);
  }
}

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
