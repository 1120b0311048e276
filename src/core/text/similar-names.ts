import { normalized } from './normalized.ts';
import { printableExcerpt } from './text.ts';

/** A name in the form in which it is compared: without case, separators, and invisible characters. */
function folded(name: string): string {
  return normalized(name, 'NFKC')
    .replace(/[\s\p{C}\p{Pd}_.]+/gu, '')
    .toLowerCase();
}

/** Differences between two similar names. */
export type Difference = 'case' | 'separators' | 'invisible-characters' | 'spelling';

/** Finds the difference between two similar names, or null if they are not similar. */
function differenceOf(a: string, b: string): Difference | null {
  if (a.toLowerCase() === b.toLowerCase()) return 'case';
  if (a.replace(/[\s\p{C}]+/gu, '') === b.replace(/[\s\p{C}]+/gu, '')) return 'invisible-characters';
  const [x, y] = [folded(a), folded(b)];
  if (x === y && x !== '') return 'separators';
  const most = Math.min(x.length, y.length) > 4 ? 2 : 1;
  if (Math.min(x.length, y.length) < 3 || Math.abs(x.length - y.length) > most) return null;
  return distance(x, y) <= most ? 'spelling' : null;
}

const ORDER: readonly Difference[] = ['case', 'invisible-characters', 'separators', 'spelling'];

/** The names most similar to the requested one, the closest first, three at most. */
export function similarNames(name: string, known: readonly string[]): { name: string; how: Difference }[] {
  const found: { name: string; how: Difference }[] = [];
  for (const other of known) {
    // Long names are skipped, since the time to compare is quadratic in their length.
    if (other === name || other.length > 200 || name.length > 200) continue;
    const how = differenceOf(name, other);
    if (how !== null) found.push({ name: other, how });
  }
  return found.toSorted((a, b) => ORDER.indexOf(a.how) - ORDER.indexOf(b.how)).slice(0, 3);
}

/**
 * The names that may have been meant, `limit` at most: the most similar ones, or else those with a part of the requested
 * one, or whose words it has.
 */
function closestNames(name: string, known: readonly string[], limit: number): string[] {
  const similar = similarNames(name, known).map((one) => one.name);
  if (similar.length > 0 || name.length < 3 || name.length > 200) return similar.slice(0, limit);
  const words = name.split(/[-_\s]+/).filter((word) => word.length > 2);
  const hasAll = (other: string): boolean => words.length > 0 && words.every((word) => other.includes(word));
  const close = known.filter((other) => hasAll(other) || (other.length > 2 && name.includes(other)));
  return close.toSorted((a, b) => a.length - b.length).slice(0, limit);
}

/**
 * A sentence with the known name closest to a mistyped or abbreviated one, as ` Did you mean clock?`; '' if none is
 * close.
 */
export function didYouMean(name: string, known: readonly string[]): string {
  const [nearest] = similarNames(name, known);
  return suggestion(nearest === undefined ? abbreviated(name, known).slice(0, 3) : [nearest.name]);
}

/** The same for several names that may have been meant, as ` Did you mean clock, clocks or o-clock?`. */
export function didYouMeanAny(name: string, known: readonly string[], limit = 3): string {
  return suggestion(closestNames(name, known, limit));
}

/** The names that begin with a shorter one. */
function abbreviated(name: string, known: readonly string[]): string[] {
  const start = folded(name);
  return start.length < 2 ? [] : known.filter((other) => folded(other).startsWith(start));
}

function suggestion(names: readonly string[]): string {
  const close = names.map((one) => printableExcerpt(one, 80));
  const last = close.pop();
  if (last === undefined) return '';
  return ` Did you mean ${close.length === 0 ? last : `${close.join(', ')} or ${last}`}?`;
}

/** Edit distance: insertions, deletions, substitutions and transpositions of neighbors (optimal string alignment). */
export function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const kept = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isExchange = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const exchanged = isExchange ? before[j - 2]! + 1 : kept;
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, kept, exchanged));
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
