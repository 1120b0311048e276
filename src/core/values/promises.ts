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
