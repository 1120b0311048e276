/** Bounded concurrency. */

/** Items in flight at once; those after a slow one wait, so that memory does not grow with the registry. */
const WINDOW = 24;

/** Items of a list that are processed at once, and whose results are taken in order. */
export class InFlight<T, R> {
  readonly #items: readonly T[];
  readonly #work: (item: T) => Promise<R>;
  readonly #results: Promise<R>[] = [];
  #started = 0;

  /** Starts nothing. */
  constructor(items: readonly T[], work: (item: T) => Promise<R>) {
    this.#items = items;
    this.#work = work;
  }

  /** Starts items, as long as few enough are in flight. */
  startMore(): void {
    const end = this.#started + WINDOW - this.#results.length;
    for (const item of this.#items.slice(this.#started, end)) {
      const result = this.#work(item);
      // Awaited later in order; until then a rejection must not count as unhandled.
      result.catch(() => {});
      this.#results.push(result);
      this.#started += 1;
    }
  }

  /** The result of the first item in flight; null if none is. */
  first(): Promise<R> | null {
    return this.#results[0] ?? null;
  }

  /** Takes the first item, so that another one can be started. */
  remove(): void {
    void this.#results.shift();
  }

  /** Resolves once no item is in flight. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.#results);
  }
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
