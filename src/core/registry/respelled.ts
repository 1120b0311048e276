import { isSemver, likelyVersion } from './version.ts';

/** Versions that a list has in another spelling than an earlier one: `v1.0.0` in place of `1.0.0`. */

/**
 * Finds the invalid spelling under which a version is listed that is not listed under its own text.
 * @param listed the texts of all listed versions
 * @param version a valid version
 * @returns the first such text; null if there is none, or if the version itself is listed or is not valid
 */
export function respellingIn(listed: ReadonlySet<string | null>, version: string): string | null {
  if (listed.has(version) || !isSemver(version)) return null;
  for (const text of listed) if (text !== null && !isSemver(text) && likelyVersion(text) === version) return text;
  return null;
}

/**
 * True for an invalid version that is listed under another text that means the same: subscribers were never offered the
 * invalid one.
 */
export function isCorrectedIn(listed: ReadonlySet<string | null>, version: string): boolean {
  const meant = likelyVersion(version);
  if (isSemver(version) || meant === null) return false;
  return listed.has(meant) || respellingIn(listed, meant) !== null;
}
