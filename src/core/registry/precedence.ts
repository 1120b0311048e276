import SemVer from 'semver/classes/semver.js';
import { isComparable, withoutBuild } from './version.ts';

/** The order of semantic versions (semver.org section 11), as the semver package defines it. */

/** A valid version that was parsed once, to be compared several times. */
interface Precedence {
  version: string;
  /** Null if the version is not compared: its numbers are too large, or it is too long. */
  parsed: SemVer | null;
}

function precedenceOf(version: string): Precedence {
  return { version, parsed: isComparable(version) ? new SemVer(version) : null };
}

function compare({ version: a, parsed }: Precedence, { version: b, parsed: other }: Precedence): number {
  if (parsed !== null && other !== null) {
    const order = parsed.compare(other);
    if (order !== 0) return order;
  } else if (parsed !== other) return parsed === null ? -1 : 1;
  // The package rounds large numbers of pre-releases: versions are equal only if they are spelled alike.
  const [left, right] = [withoutBuild(a), withoutBuild(b)];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/**
 * Negative, 0 or positive; build metadata is ignored. A version that is not compared (`isComparable`) is below all that
 * are, so that it is never the latest one.
 * @param a valid, as `b`
 */
export function comparePrecedence(a: string, b: string): number {
  return compare(precedenceOf(a), precedenceOf(b));
}

/**
 * Sorts items by their versions, the lowest first; those with equal ones stay in their order. Each version is parsed once.
 * @param versionOf a valid version
 */
export function byPrecedence<Item>(items: Iterable<Item>, versionOf: (item: Item) => string): Item[] {
  const parsed = Array.from(items, (item) => ({ item, precedence: precedenceOf(versionOf(item)) }));
  return parsed.toSorted((a, b) => compare(a.precedence, b.precedence)).map(({ item }) => item);
}

/** The highest of valid versions by precedence, plain ones preferred over pre-releases; null if there are none. */
export function latestOf(versions: Iterable<string>): string | null {
  let latest: Precedence | null = null;
  for (const version of versions) {
    const one = precedenceOf(version);
    if (latest === null || isNewer(one, latest)) latest = one;
  }
  return latest?.version ?? null;
}

function isNewer(one: Precedence, than: Precedence): boolean {
  const isPlain = one.parsed?.prerelease.length === 0;
  const isOtherPlain = than.parsed?.prerelease.length === 0;
  if (isPlain !== isOtherPlain) return isPlain;
  // Of builds of one version the first by spelling, so that the order of a list makes no difference.
  return (compare(one, than) || (one.version < than.version ? 1 : -1)) > 0;
}
