/** The form of semantic versions (semver.org 2.0.0), exactly: the semver package also accepts ` 1.2.3` and `v1.2.3`. */

const NUMBER = '(?:0|[1-9]\\d*)';
const PRE = `(?:${NUMBER}|\\d*[a-zA-Z-][0-9a-zA-Z-]*)`;
const BUILD = '[0-9a-zA-Z-]+';
const SEMVER = new RegExp(
  `^(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})(?:-(${PRE}(?:\\.${PRE})*))?(?:\\+(${BUILD}(?:\\.${BUILD})*))?$`,
);
const PLAIN = /^(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)\.(?:0|[1-9]\d*)$/;

/** True for a semantic version exactly according to the standard's grammar: no `v`, no spaces, no leading zeros. */
export function isSemver(text: string): boolean {
  return PLAIN.test(text) || SEMVER.test(text);
}

/** True for plain MAJOR.MINOR.PATCH (spec 2.2). */
export function isPlainVersion(text: string): boolean {
  return PLAIN.test(text);
}

/** True for a pre-release and the plain version of the same number, such as 1.1.0-beta.1 and 1.1.0. */
export function isPromotion(from: string, to: string): boolean {
  return isPlainVersion(to) && isSemver(from) && from.startsWith(`${to}-`);
}

/** The largest version that is compared, in characters: the semver package reads no longer one. */
export const LONGEST_COMPARED = 256;

/**
 * True for a semantic version that can be compared with others: its numbers are at most 2^53 − 1, and it is not too long.
 * Numbers of a pre-release may be larger.
 */
export function isComparable(version: string): boolean {
  if (version.length > LONGEST_COMPARED || !isSemver(version)) return false;
  // Nearly always: no number can be too large.
  if (version.length < 16) return true;
  return withoutBuild(version)
    .replace(/-.*/, '')
    .split('.')
    .every((number) => Number(number) <= Number.MAX_SAFE_INTEGER);
}

/** The version without its build metadata: equal for versions of equal precedence. */
export function withoutBuild(version: string): string {
  const plus = version.indexOf('+');
  return plus === -1 ? version : version.slice(0, plus);
}

/** The version that an invalid text probably means, or null. */
export function likelyVersion(text: string): string | null {
  const bare = text.trim().replace(/^(?:version|release)?[-_ ]?[vV=]+\s*/, '');
  const candidates = [
    bare,
    bare.replace(/^(\d+)$/, '$1.0.0').replace(/^(\d+\.\d+)$/, '$1.0'),
    bare.replace(/(^|\.)0+(?=\d)/g, '$1'),
    bare.replaceAll(',', '.'),
  ];
  return candidates.find((candidate) => isSemver(candidate) && candidate !== text) ?? null;
}

/** The next version after a bump; null when `version` is not a plain one. */
export function bump(version: string, part: 'major' | 'minor' | 'patch'): string | null {
  if (!isPlainVersion(version)) return null;
  if (part === 'major') return `${version.replace(/\..*/, '').replace(/\d+/, increment)}.0.0`;
  return part === 'minor'
    ? `${version.replace(/\.\d+$/, '').replace(/(?<!\d)\d+$/, increment)}.0`
    : version.replace(/(?<!\d)\d+$/, increment);
}

function increment(digits: string): string {
  return String(BigInt(digits) + 1n);
}
