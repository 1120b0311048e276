import { comparePrecedence, latestOf } from '../registry/precedence.ts';
import { isSemver } from '../registry/version.ts';
import type { AboutVersion, Retirement } from './about-file.ts';

/** Consequences of retirements. No version is hidden: a retired one is handed to those who pinned it. */

/** The retirements in an about file; an `About` has this shape. */
export interface Retirements {
  versions: ReadonlyMap<string, Pick<AboutVersion, 'deprecated'>>;
}

/** The retirement of a version; null if its author did not retire it. */
export function retirementOf(version: string, about: Retirements | null): Retirement | null {
  return about?.versions.get(version)?.deprecated ?? null;
}

export type ReplacementFault = 'not-listed' | 'not-higher';

/**
 * Checks that a version can replace a retired one; null if it can.
 * @param listed the valid versions of the metadata file
 */
export function replacementFault(version: string, use: string, listed: readonly string[]): ReplacementFault | null {
  if (!listed.includes(use)) return 'not-listed';
  return comparePrecedence(use, version) > 0 ? null : 'not-higher';
}

/**
 * The version that the author names in place of a retired one. If that one is retired too, the version that is named in
 * its place, and so on.
 * @param listed the valid versions of the metadata file
 * @returns null if the version is not retired, or no usable version is named
 */
export function replacementOf(version: string, about: Retirements | null, listed: readonly string[]): string | null {
  let found: string | null = null;
  // It ends, since each replacement is higher.
  for (let at = version; ; at = found) {
    const use = retirementOf(at, about)?.use ?? null;
    if (use === null || replacementFault(at, use, listed) !== null) return found;
    found = use;
  }
}

/**
 * The version that is offered as the latest. One that is retired for security is not, while the version that the author
 * names in its place, or a newer one, is listed and not retired for security. An older version is never offered in its
 * place, unless the author names it: it may have the same weakness.
 * @param listed the versions of the metadata file; invalid ones are ignored
 * @returns null if no valid version is listed
 */
export function latestOffered(listed: readonly string[], about: Retirements | null): string | null {
  const valid = listed.filter(isSemver);
  const latest = latestOf(valid);
  if (latest === null || isSafe(latest, about)) return latest;
  const named = retirementOf(latest, about)?.use ?? null;
  const replacement = replacementOf(latest, about, valid) ?? named;
  if (replacement !== null && valid.includes(replacement) && isSafe(replacement, about)) return replacement;
  const newer = valid.filter((one) => comparePrecedence(one, latest) > 0 && isSafe(one, about));
  return latestOf(newer) ?? latest;
}

function isSafe(version: string, about: Retirements | null): boolean {
  return retirementOf(version, about)?.reason !== 'security';
}
