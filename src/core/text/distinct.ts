/** True if each text of a list occurs once; nulls are ignored. */
export function areDistinct<T>(list: readonly T[], textOf: (one: T) => string | null): boolean {
  const seen = new Set<string>();
  let count = 0;
  for (const one of list) {
    const text = textOf(one);
    if (text === null) continue;
    seen.add(text);
    count += 1;
  }
  return seen.size === count;
}
