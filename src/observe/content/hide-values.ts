import { stampFor } from '../../core/text/text.ts';

/**
 * Replaces values in a text. The result has the same length, and different values stay different, so that two paths do
 * not become the same.
 */
export function hideValues(values: Iterable<string>): (text: string) => string {
  // Longest first: the rest of a value after a shorter one was replaced would still disclose something.
  const hidden = [...new Set(values)].toSorted((a, b) => b.length - a.length);
  const stamps = hidden.map((value, i) => [value, stampFor(value, i + 1)] as const);
  return (text) => stamps.reduce((seen, [value, stamp]) => seen.replaceAll(value, () => stamp), text);
}
