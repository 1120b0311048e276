import { isListedAs, type NewVersion } from '../author/metadata.ts';
import { printable } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';
import { comparePrecedence, isSemver, latestOf } from '../core/registry/version.ts';
import type { AppToPublish } from './app-to-publish.ts';
import { type Artifact, artifactPath, checksumOf, isStoredAs } from './artifact.ts';
import { chooseVersion, increment, isBump } from './choose-version.ts';
import type { RegistryLocation } from './registry-location.ts';

/**
 * Resolves `word` to a version. For an increment: the latest one if it already has these bytes. Bytes of an older
 * version are refused, since a repeated job must not roll subscribers back. An increment skips numbers whose artifact
 * exists with other bytes (a concurrent or abandoned publication), and withdrawn ones.
 * @param listed the valid versions of the metadata file
 * @param allowSame whether bytes of an older version may get a new number
 */
export async function versionToPublish(
  place: RegistryLocation,
  { key, metadata }: AppToPublish,
  word: string,
  listed: readonly NewVersion[],
  artifact: Artifact,
  allowSame = false,
): Promise<string> {
  if (!isBump(word)) return word;
  const checksum = checksumOf(artifact);
  const versions = listed.map(({ version }) => version);
  const latest = latestOf(versions);
  const same = listed.filter((entry) => isListedAs(entry, checksum)).map(({ version }) => version);
  if (latest !== null && same.includes(latest)) return latest;
  const older =
    latest === null ? null : latestOf(same.filter((one) => isSemver(one) && comparePrecedence(one, latest) < 0));
  if (older !== null && latest !== null && !allowSame)
    throw wouldRollBack({ key, word, older, latest, next: chooseVersion(word, versions, key) });
  let version = chooseVersion(word, versions, key);
  while (!(await isFree(place, key, version, metadata.path, artifact))) version = increment(version, 'patch');
  return version;
}

/** True if the version was never published, and its file does not exist with other bytes. */
async function isFree(
  place: RegistryLocation,
  key: string,
  version: string,
  metadataPath: string,
  artifact: Artifact,
): Promise<boolean> {
  const checksum = checksumOf(artifact);
  if ((place.firstSeen?.(key, version) ?? checksum) !== checksum) return false;
  const stored = await place.store.digest(artifactPath(metadataPath, version));
  return stored === null || artifact.bytes === null || isStoredAs(stored, artifact);
}

function wouldRollBack(found: { key: string; word: string; older: string; latest: string; next: string }): AppregError {
  const [key, older, latest, next] = [found.key, found.older, found.latest, found.next].map(printable);
  return new AppregError(
    'version-rollback',
    `These bytes are already published, as ${key} ${older}, and ${latest} is the latest version: ${found.word} would give subscribers of ${latest} the code of ${older} again.`,
    `If a job was run again, nothing is left to do. To publish the older code again intentionally, use the full number: appreg publish-version ${key} ${next} … --allow-same`,
    { effect: 'none' },
  );
}
