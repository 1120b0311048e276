import Range from 'semver/classes/range.js';
import { isComparable, isSemver } from './version.ts';

/**
 * Ranges of semantic versions, as npm writes them (https://github.com/npm/node-semver#ranges), with pre-releases: each is
 * in a range by its precedence alone.
 */

/** A range of semantic versions. */
export interface VersionRange {
  /** As written. */
  text: string;
  /** False for an invalid version, and for one that is not compared (`isComparable`). */
  includes(version: string): boolean;
}

const NUMBER = '(?:0|[1-9]\\d*)';
const REST = '[xX*]';
const LABELS = '(?:-[0-9A-Za-z.-]+)?(?:\\+[0-9A-Za-z.-]+)?';
/** A version whose last numbers may be left out or written as x. */
const PARTIAL = `v?(?:${NUMBER}\\.${NUMBER}\\.${NUMBER}${LABELS}|${NUMBER}\\.${NUMBER}(?:\\.${REST})?|${NUMBER}(?:\\.${REST}){0,2}|${REST}(?:\\.${REST}){0,2})`;
const OPERATOR = '(?:\\^|~>?|>=|<=|>|<|=)';
const ALTERNATIVE = new RegExp(
  `^(?:${PARTIAL}\\s+-\\s+${PARTIAL}|(?:${OPERATOR}\\s*)?${PARTIAL}(?:\\s+(?:${OPERATOR}\\s*)?${PARTIAL})*)$`,
);
/** A longer text is refused. */
const LONGEST = 256;

/**
 * The range that a text describes, such as `1.2.0`, `<1.2.0`, `^1.2`, `1.x`, `1.2 - 1.4` or `>=1.2 <1.4 || 2.x`.
 * @returns null if it is not a range, or a blank text; the semver package also accepts those
 */
export function versionRange(text: string): VersionRange | null {
  if (text.length > LONGEST || !text.split('||').every((one) => ALTERNATIVE.test(one.trim()))) return null;
  const range = rangeIn(text);
  return range && { text, includes: (version) => isComparable(version) && range.test(version) };
}

/** Null for a range with a number above 2^53 − 1, or with a malformed pre-release. */
function rangeIn(text: string): Range | null {
  try {
    return new Range(text, { includePrerelease: true });
  } catch {
    return null;
  }
}

/** The exact version that a range consists of; null for any other range. */
export function onlyVersionOf({ text }: VersionRange): string | null {
  const version = text.trim().replace(/^=\s*/, '');
  return isSemver(version) ? version : null;
}
