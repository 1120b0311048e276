import { SemanticVersion } from './semantic-version.ts';

/** The order of semantic versions (semver.org section 11), as the semver package defines it. */

/** Sorts items by their versions, the lowest first; those with equal ones stay in their order. */
export function sortedByVersion<Item>(
  items: readonly Item[],
  versionOf: (item: Item) => SemanticVersion,
): readonly Item[] {
  return items.toSorted((a, b) => versionOf(a).compareTo(versionOf(b)));
}

/** The highest of versions by precedence, releases preferred over pre-releases; null if there are none. */
export function latestVersion(versions: Iterable<SemanticVersion>): SemanticVersion | null {
  let latest: SemanticVersion | null = null;
  for (const version of versions) if (latest === null || isNewer(version, latest)) latest = version;
  return latest;
}

function isNewer(one: SemanticVersion, than: SemanticVersion): boolean {
  if (one.isRelease !== than.isRelease) return one.isRelease;
  // Of builds of one version the first by spelling, so that the order of a list makes no difference.
  return (one.compareTo(than) || (one.text < than.text ? 1 : -1)) > 0;
}

/** Negative, 0 or positive (`SemanticVersion.compareTo`). @param a valid, as `b` */
export function comparePrecedence(a: string, b: string): number {
  return new SemanticVersion(a).compareTo(new SemanticVersion(b));
}

/**
 * Sorts items by their versions, the lowest first. Each version is parsed once.
 * @param versionOf a valid version
 */
export function byPrecedence<Item>(items: Iterable<Item>, versionOf: (item: Item) => string): Item[] {
  const read = Array.from(items, (item) => ({ item, version: new SemanticVersion(versionOf(item)) }));
  return sortedByVersion(read, ({ version }) => version).map(({ item }) => item);
}

/** The highest of valid versions, as `latestVersion`; null if there are none. */
export function latestOf(versions: Iterable<string>): string | null {
  return latestVersion(Array.from(versions, (text) => new SemanticVersion(text)))?.text ?? null;
}

/**
 * The listed version that a new one has to be above, so that subscribers get it; null if there is none. Of a plain version
 * it is the highest plain one, since subscribers of that get no pre-release.
 * @param version a valid version
 * @param listed valid versions
 */
export function versionToExceed(version: string, listed: Iterable<string>): string | null {
  const known = Array.from(listed, (text) => new SemanticVersion(text));
  const compared = new SemanticVersion(version).isRelease ? known.filter(({ isRelease }) => isRelease) : known;
  return sortedByVersion(compared, (one) => one).at(-1)?.text ?? null;
}
