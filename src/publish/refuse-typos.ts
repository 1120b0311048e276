import { message } from '../core/text/message.ts';
import { isListedAs, type NewVersion } from '../author/metadata.ts';
import { AppregError } from '../core/errors/error.ts';
import { comparePrecedence, latestOf, versionToExceed } from '../core/registry/precedence.ts';
import { isComparable, isPlainVersion, isPromotion } from '../core/registry/version.ts';

/** Refuses a new version that is probably a mistake: once published, it can neither be changed nor taken back. */

/** Permissions that the user gives explicitly. */
export interface Allowances {
  /** A version with a pre-release or build part. */
  prerelease?: boolean;
  /** A version below the latest one. */
  lower?: boolean;
  /** The keys of apps that may have the bytes of another of their versions. A promoted pre-release needs no permission. */
  same?: readonly string[];
}

/**
 * @param listed the valid versions of the metadata file, without the new one
 * @throws AppregError (exit 1) `prerelease-not-allowed`, `version-lower` or `version-same-bytes`
 */
export function refuseTypos(
  key: string,
  { version, artifactChecksum }: NewVersion,
  listed: readonly NewVersion[],
  { prerelease = false, lower = false, same: mayRepeat = [] }: Allowances,
): void {
  if (!prerelease && !isPlainVersion(version)) throw prereleaseNotAllowed(version);
  const latest = versionToExceed(
    version,
    listed.map((one) => one.version),
  );
  // One that is not compared is refused by a rule.
  if (!lower && latest !== null && isComparable(version) && comparePrecedence(version, latest) < 0)
    throw new AppregError(
      'version-lower',
      message`${key} ${version} would be lower than ${latest}, the latest version, so subscribers of that would not get it.`,
      message`Publish a version above ${latest}. To add ${version} intentionally, such as a correction of an older release: appreg publish-version … --allow-lower`,
      { effect: 'none' },
    );
  const same = listed.filter((entry) => isListedAs(entry, artifactChecksum)).map((entry) => entry.version);
  const before = latestOf(same.filter((one) => !isPromotion(one, version)));
  if (!mayRepeat.includes(key) && before !== null)
    throw new AppregError(
      'version-same-bytes',
      message`The bytes of ${key} ${version} are already published, as ${before}: subscribers would update to the same code.`,
      message`Check that the app was built from the changed sources. To publish the same code under a new number intentionally: publish-version … --allow-same, or release --allow-same ${key}`,
      { effect: 'none' },
    );
}

/** @returns the error for a version with a pre-release or build part */
export function prereleaseNotAllowed(version: string): AppregError {
  return new AppregError(
    'prerelease-not-allowed',
    message`${version} has a pre-release or build part; the service's format is MAJOR.MINOR.PATCH.`,
    message`Publish a plain version, or use --allow-prerelease.`,
    { effect: 'none' },
  );
}
