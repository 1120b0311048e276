/** Items with the same key: one or more. */
export type Group<T> = [T, ...T[]];

/** Groups the items by key; groups and items are in order of first appearance. */
export function groupBy<K, T>(items: readonly T[], keyOf: (item: T) => K): Map<K, Group<T>> {
  const groups = new Map<K, Group<T>>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
