import type { PublishedVersion } from '../facts/facts.ts';
import { checksumError, isChecksum } from './checksum.ts';
import type { VersionEntry } from './version-entry.ts';

/** The listed versions that were published before, each with its earlier state. */
export function matchVersions(
  versions: readonly VersionEntry[],
  earlier: readonly PublishedVersion[],
): { entry: VersionEntry; before: PublishedVersion }[] {
  const before = new Map(earlier.map((version) => [version.version, version]));
  const found = [];
  for (const entry of versions) {
    const published = entry.version === null ? undefined : before.get(entry.version);
    if (published) found.push({ entry, before: published });
  }
  return found;
}

/** True when two checksums denote the same digest: fixing its spelling changes no artifact. */
export function sameDigest(a: string | null, b: string | null): boolean {
  return a === b || (a !== null && b !== null && normalizedChecksum(a) === normalizedChecksum(b));
}

/** True when a checksum contains a SHA-256 digest in any spelling. A version without one was not installable. */
export function isDigestForm(checksum: string): boolean {
  return isChecksum(normalizedChecksum(checksum));
}

function normalizedChecksum(checksum: string): string {
  return checksumError(checksum)?.repaired ?? checksum;
}
