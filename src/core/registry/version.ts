/**
 * Semantic versions (semver.org 2.0.0). Own implementation, since the semver package accepts ` 1.2.3` and `v1.2.3` as
 * valid and rejects legal versions with numbers above 2^53, so it can neither validate nor order what a registry may
 * list.
 */

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

/** A valid version, divided into its parts. */
interface Parts {
  version: string;
  numbers: readonly [major: string, minor: string, patch: string];
  /** The pre-release part, if there is one. */
  pre: string | undefined;
}

function partsOf(version: string): Parts {
  const [, major = '', minor = '', patch = '', pre] = SEMVER.exec(version) ?? [];
  return { version, numbers: [major, minor, patch], pre };
}

/** Precedence (semver.org section 11): negative, 0 or positive; build metadata is ignored. Both must be valid. */
export function comparePrecedence(a: string, b: string): number {
  return compareParts(partsOf(a), partsOf(b));
}

function compareParts({ numbers: a, pre }: Parts, { numbers: b, pre: otherPre }: Parts): number {
  const order = compareNumbers(a[0], b[0]) || compareNumbers(a[1], b[1]) || compareNumbers(a[2], b[2]);
  return order || comparePreReleases(pre, otherPre);
}

/** A version without a pre-release part is higher than one with it. */
function comparePreReleases(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return (a === undefined ? 1 : 0) - (b === undefined ? 1 : 0);
  const right = b.split('.');
  for (const [index, identifier] of a.split('.').entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = compareIdentifiers(identifier, other);
    if (order !== 0) return order;
  }
  return a.split('.').length - right.length;
}

function compareNumbers(a: string, b: string): number {
  return a.length - b.length || compareAscii(a, b);
}

function compareAscii(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function compareIdentifiers(a: string, b: string): number {
  const aIsNumber = /^\d+$/.test(a);
  const bIsNumber = /^\d+$/.test(b);
  if (aIsNumber && bIsNumber) return compareNumbers(a, b);
  if (aIsNumber !== bIsNumber) return aIsNumber ? -1 : 1;
  return compareAscii(a, b);
}

/** The version without its build metadata: equal for versions of equal precedence. */
export function withoutBuild(version: string): string {
  const plus = version.indexOf('+');
  return plus === -1 ? version : version.slice(0, plus);
}

/** The highest of valid versions by precedence, plain ones preferred over pre-releases; null if there are none. */
export function latestOf(versions: Iterable<string>): string | null {
  let latest: Parts | null = null;
  for (const version of versions) {
    const parts = partsOf(version);
    if (latest === null || isNewer(parts, latest)) latest = parts;
  }
  return latest?.version ?? null;
}

function isNewer(one: Parts, than: Parts): boolean {
  const isPlain = one.pre === undefined;
  if (isPlain !== (than.pre === undefined)) return isPlain;
  // Of builds of one version the first by spelling, so that the order of a list makes no difference.
  return (compareParts(one, than) || (one.version < than.version ? 1 : -1)) > 0;
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
