import type { VersionRange } from '../registry/version-range.ts';
import { versionRange } from '../registry/version-range.ts';
import { matchesGlob } from '../text/glob.ts';

/** Selectors of a policy: `clock`, `acme-*`, `clock@<1.2.0`. */

export interface Selector {
  /** As written. */
  text: string;
  /** An app key; `*` matches any characters. */
  key: string;
  /** Null for all versions. */
  range: VersionRange | null;
}

/** @returns null if what follows the `@` is not a range of versions */
export function selectorOf(text: string): Selector | null {
  const at = text.indexOf('@');
  if (at < 0) return { text, key: text, range: null };
  const range = versionRange(text.slice(at + 1).trim());
  return range === null ? null : { text, key: text.slice(0, at), range };
}

/** True if a version of an app is selected. A selector without a range also selects an invalid version. */
export function selects({ key, range }: Selector, app: string, version: string): boolean {
  return matchesGlob(key, app) && (range === null || range.includes(version));
}
