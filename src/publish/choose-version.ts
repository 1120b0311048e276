import { isListedAs, validVersions } from '../author/metadata.ts';
import { sameDigest } from '../core/registry/baseline.ts';
import { LOCK_FILE } from '../core/registry/lock-file.ts';
import { message } from '../core/text/message.ts';
import { printable, shorten } from '../core/text/text.ts';
import { AppregError } from '../core/errors/error.ts';
import { comparePrecedence, latestOf } from '../core/registry/precedence.ts';
import { bump, isPlainVersion, isSemver, likelyVersion } from '../core/registry/version.ts';
import { type Artifact, artifactPath, checksumOf, type ChosenVersion, type SkippedNumber } from './artifact.ts';
import type { AppToPublish } from './listed-app.ts';
import { artifactFits } from './parts/artifact.ts';
import { attestationOf } from './parts/attestation.ts';
import { billOf } from './parts/bill.ts';
import { otherCompanion } from './parts/companion.ts';
import { prereleaseNotAllowed } from './refuse-typos.ts';
import type { RegistryLocation } from './registry-location.ts';

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
function increment(version: string, part: Part): string {
  const next = bump(version, part);
  if (next === null) throw new Error(`${version} cannot be incremented`);
  return next;
}

/**
 * The version with its number. For an increment: the latest one if it already has these bytes, so that repeated runs are
 * idempotent. Bytes of an older version are refused, since a repeated job must not roll subscribers back. An increment
 * skips numbers whose files exist for another artifact (a concurrent or abandoned publication), and withdrawn ones.
 * @param wanted.version a version, or major, minor or patch
 * @throws AppregError `version-rollback` (exit 1); `no-version-to-increment` (exit 2)
 */
export async function chosenVersion(
  place: RegistryLocation,
  { key, metadata }: AppToPublish,
  { version: word, artifact }: { version: string; artifact: Artifact },
  allowSame = false,
): Promise<ChosenVersion> {
  const listed = validVersions(metadata);
  const isIncrement = isBump(word);
  const numbered = (version: string): ChosenVersion => {
    const found = listed.find((one) => one.version === version) ?? null;
    return placed(place, metadata.path, { key, isIncrement, listed: found, skipped: [] }, version, artifact);
  };
  if (!isIncrement) return numbered(word);
  const checksum = checksumOf(artifact);
  const versions = listed.map(({ version }) => version);
  const latest = latestOf(versions);
  const same = listed.filter((entry) => isListedAs(entry, checksum)).map(({ version }) => version);
  if (latest !== null && same.includes(latest)) return numbered(latest);
  const older =
    latest === null ? null : latestOf(same.filter((one) => isSemver(one) && comparePrecedence(one, latest) < 0));
  if (older !== null && latest !== null && !allowSame)
    throw wouldRollBack({ key, word, older, latest, next: chooseVersion(word, versions, key) });
  const skipped: SkippedNumber[] = [];
  for (let next = numbered(chooseVersion(word, versions, key)); ;) {
    const file = await takenBy(place, next);
    if (file === null) return { ...next, skipped };
    skipped.push({ version: next.entry.version, file });
    next = numbered(increment(next.entry.version, 'patch'));
  }
}

/** The version with the place of its artifact, and its entry. */
function placed(
  { base, pathOf }: RegistryLocation,
  metadata: string,
  known: Pick<ChosenVersion, 'key' | 'isIncrement' | 'listed' | 'skipped'>,
  version: string,
  artifact: Artifact,
): ChosenVersion {
  const artifactChecksum = checksumOf(artifact);
  if (artifact.bytes === null)
    return { ...known, artifact, path: null, entry: { version, artifactUrl: artifact.url, artifactChecksum } };
  const path = artifactPath(metadata, version);
  const artifactUrl = base + path.split('/').map(encodeURIComponent).join('/');
  const entry = { version, artifactUrl, artifactChecksum };
  // If the listed bytes are hosted elsewhere, no second copy is made. The URL of the same file may be written otherwise.
  const isElsewhere = known.listed !== null && pathOf(known.listed.artifactUrl) !== path;
  return isElsewhere ? { ...known, artifact, path: null, entry } : { ...known, artifact, path, entry };
}

/** The file that takes the number of a version for other bytes; null if the number is free. */
async function takenBy(place: RegistryLocation, version: ChosenVersion): Promise<string | null> {
  const { key, entry, path } = version;
  const firstSeen = place.firstSeen?.(key, entry.version) ?? entry.artifactChecksum;
  if (!sameDigest(firstSeen, entry.artifactChecksum)) return LOCK_FILE;
  if (path === null) return null;
  if (!(await artifactFits(place, version))) return path;
  return (
    (await otherCompanion(place.store, version, billOf)) ?? (await otherCompanion(place.store, version, attestationOf))
  );
}

function wouldRollBack(found: { key: string; word: string; older: string; latest: string; next: string }): AppregError {
  const { key, older, latest, next } = found;
  return new AppregError(
    'version-rollback',
    message`These bytes are already published, as ${key} ${older}, and ${latest} is the latest version: ${found.word} would give subscribers of ${latest} the code of ${older} again.`,
    message`If a job was run again, nothing is left to do. To publish the older code again intentionally, use the full number: appreg publish-version ${key} ${next} … --allow-same`,
    { effect: 'none' },
  );
}
