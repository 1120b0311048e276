/** Objects whose keys are known: TypeScript widens them to string. */

/** The keys of an object literal, in its order. */
export function keysOf<Keyed extends object>(record: Keyed): Extract<keyof Keyed, string>[] {
  const keys: Extract<keyof Keyed, string>[] = [];
  for (const key in record) if (Object.hasOwn(record, key)) keys.push(key);
  return keys;
}

/** The keys of an object literal with their values, in its order. */
export function entriesOf<Keyed extends object>(
  record: Keyed,
): [key: Extract<keyof Keyed, string>, value: Keyed[Extract<keyof Keyed, string>]][] {
  return keysOf(record).map((key) => [key, record[key]]);
}

/** A record with the keys of `Keyed`, of entries that contain each key that it has; optional keys stay optional. */
export function recordLike<Keyed extends object, Value>(
  entries: readonly (readonly [Extract<keyof Keyed, string>, Value])[],
): { [Key in keyof Keyed]: Value } {
  return Object.fromEntries(entries) as { [Key in keyof Keyed]: Value };
}

/** A record of these entries, which contain every key. */
export function recordFrom<Key extends string, Value>(entries: readonly (readonly [Key, Value])[]): Record<Key, Value> {
  return Object.fromEntries(entries) as Record<Key, Value>;
}

/** The value of a name that users choose, such as that of an environment variable: `constructor` is not one by itself. */
export function ownValue<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
