/** Bounded concurrency. */

/** Items in flight at once; those after a slow one wait, so that memory does not grow with the registry. */
const WINDOW = 24;

/**
 * Processes several items at once and passes the results on in order.
 * @returns true when interrupted
 */
export async function mapInOrder<T, R>(
  items: readonly T[],
  signal: AbortSignal | undefined,
  work: (item: T) => Promise<R>,
  hand: (result: R) => Promise<void>,
): Promise<boolean> {
  const underWay: Promise<R>[] = [];
  let next = 0;
  for (let i = 0; i < items.length; i += 1) {
    while (next < items.length && underWay.length < WINDOW) {
      const started = work(items[next++]!);
      // Awaited later in order; until then a rejection must not count as unhandled.
      started.catch(() => {});
      underWay.push(started);
    }
    const result = await underWay.shift()!;
    if (signal?.aborted) {
      await Promise.allSettled(underWay);
      return true;
    }
    await hand(result);
  }
  return false;
}

/** Processes a limited number of items at once; results are in the order of the items. */
export async function mapLimit<T, R>(items: readonly T[], work: (item: T) => Promise<R>, limit: number): Promise<R[]> {
  const results: R[] = [];
  let next = 0;
  async function worker(): Promise<void> {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index]!);
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

/** The result for a key, computed once and shared by all callers. */
export function memoizeAsync<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  let made = known.get(key);
  if (!made) known.set(key, (made = make()));
  return made;
}
