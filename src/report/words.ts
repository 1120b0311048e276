import type { Symptom, SymptomStatus } from '../core/findings/report.ts';
import { capitalized, counted } from '../core/text/text.ts';

/** Numbers and nouns, as formatted by all reporters. */

/** `812 bytes`, `1.4 MB`; MB is 1,000,000 bytes. */
export function byteSize(bytes: number): string {
  if (bytes < 1000) return counted(bytes, 'byte');
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let unit = 0;
  while (value >= 999.95 && unit < units.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value.toFixed(1)} ${units[unit]}`;
}

/** The time that a run took: `0.4 s`, `12 s`, `3 min 20 s`. */
export function elapsedTime(seconds: number): string {
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** The status of a symptom in words. */
export const STATUS_WORDS: Record<SymptomStatus['status'], string> = {
  clear: 'clear',
  suspected: 'suspected',
  confirmed: 'confirmed',
  'not-judged': 'not judged',
};

/** The name of a symptom in section 7 of the specification: `Registry does not refresh`. */
export function symptomName(id: Symptom): string {
  return capitalized(id.replaceAll('-', ' '));
}

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
