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
  handle: (result: R) => Promise<void>,
): Promise<boolean> {
  const inFlight: Promise<R>[] = [];
  let started = 0;
  function startMore(): void {
    const end = started + WINDOW - inFlight.length;
    for (const item of items.slice(started, end)) {
      const result = work(item);
      // Awaited later in order; until then a rejection must not count as unhandled.
      result.catch(() => {});
      inFlight.push(result);
      started += 1;
    }
  }
  startMore();
  for (let oldest = inFlight.shift(); oldest; oldest = inFlight.shift()) {
    const result = await oldest;
    if (signal?.aborted) {
      await Promise.allSettled(inFlight);
      return true;
    }
    await handle(result);
    startMore();
  }
  return false;
}

/** Processes a limited number of items at once; results are in the order of the items. */
export async function mapLimit<T, R>(items: readonly T[], work: (item: T) => Promise<R>, limit: number): Promise<R[]> {
  const results: R[] = [];
  // Shared by the workers, so that each item is taken once.
  const queue = items.entries();
  async function worker(): Promise<void> {
    for (const [index, item] of queue) results[index] = await work(item);
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

/** The result for a key, computed once and shared by all callers. */
export function memoizeAsync<T>(known: Map<string, Promise<T>>, key: string, compute: () => Promise<T>): Promise<T> {
  const earlier = known.get(key);
  if (earlier) return earlier;
  const result = compute();
  known.set(key, result);
  return result;
}
