import { message } from '../core/text/message.ts';
import { printable, shorten } from '../core/text/text.ts';
import { AppregError } from '../core/errors/error.ts';
import { latestOf } from '../core/registry/precedence.ts';
import { bump, isPlainVersion, isSemver, likelyVersion } from '../core/registry/version.ts';
import { prereleaseNotAllowed } from './refuse-typos.ts';

/** Resolves the version argument of the command line. */

const PARTS = ['major', 'minor', 'patch'] as const;
type Part = (typeof PARTS)[number];

/** True for major, minor and patch. */
export function isBump(word: string): word is Part {
  return PARTS.some((part) => part === word);
}

/**
 * Refuses an argument that is neither a version nor major, minor or patch, before anything is built or fetched.
 * @throws AppregError: exit 2 for an invalid version, exit 1 for one that requires --allow-prerelease
 */
export function checkVersion(word: string, allowPrerelease: boolean): void {
  if (isBump(word) || isPlainVersion(word)) return;
  const name = printable(shorten(word, 80));
  if (!isSemver(word)) {
    const meant = likelyVersion(word);
    throw new AppregError(
      'version-invalid',
      message`“${name}” is not a version.`,
      meant === null
        ? message`Use MAJOR.MINOR.PATCH, such as 1.2.3, or major, minor or patch.`
        : message`Write it as ${meant}`,
    );
  }
  if (allowPrerelease) return;
  throw prereleaseNotAllowed(name);
}

/**
 * The version to publish: the given one, or the increment of the highest listed release version.
 * @throws AppregError (exit 2) for an increment if no release version is listed
 */
export function chooseVersion(word: string, listed: readonly string[], app: string): string {
  if (!isBump(word)) return word;
  const latest = latestOf(listed.filter(isPlainVersion));
  if (latest !== null) return increment(latest, word);
  throw new AppregError(
    'no-version-to-increment',
    message`${app} has no version yet that can be incremented with ${word}.`,
    message`Use a number for its first version: appreg publish-version ${app} 1.0.0 …`,
  );
}

/** The next version after a plain one. */
export function increment(version: string, part: Part): string {
  const next = bump(version, part);
  if (next === null) throw new Error(`${version} cannot be incremented`);
  return next;
}
