import { message } from '../core/text/message.ts';
import { checksumError } from '../core/registry/checksum.ts';
import { printable, shorten } from '../core/text/text.ts';
import { AppregError } from '../core/errors/error.ts';
import { comparePrecedence } from '../core/registry/precedence.ts';
import { isSemver } from '../core/registry/version.ts';
import { addElement } from './edit.ts';
import { type Document, requireVersions } from './document.ts';
import { versionFields } from '../core/registry/manifest.ts';

/** An element of the metadata's `versions` (spec 2.2). */
export interface NewVersion {
  version: string;
  artifactUrl: string;
  artifactChecksum: string;
}

/** The text of an empty metadata file. */
export function newMetadata(): string {
  return '{\n  "versions": []\n}\n';
}

/** A valid element of the metadata's `versions`, at its index. */
export interface ListedVersion extends NewVersion {
  index: number;
}

/** The valid versions listed in a metadata file, unmodified, each with its checksum and URL. */
export function validVersions(metadata: Document): ListedVersion[] {
  const listed: ListedVersion[] = [];
  for (const [index, item] of requireVersions(metadata).entries()) {
    const { version, artifactUrl, artifactChecksum } = versionFields(item);
    if (version !== null && isSemver(version))
      listed.push({ index, version, artifactUrl: artifactUrl ?? '', artifactChecksum: artifactChecksum ?? '' });
  }
  return listed;
}

/**
 * Adds a version to a metadata file; every other byte is preserved (spec 4.4). It is appended, or inserted in order if
 * the list is sorted in descending order.
 * @returns the new metadata file; null if the version is already listed with the same bytes, at any address
 * @throws AppregError `immutable` (exit 1) if the version is published with other bytes or other build metadata (spec
 * 2.4); `document-invalid` (exit 1)
 */
export function addVersion(metadata: Document, added: NewVersion): Document | null {
  const listed = validVersions(metadata);
  const same = listed.filter((one) => one.version === added.version);
  if (same.length > 0) {
    assertSameChecksum(same, added, metadata.path);
    return null;
  }
  const equal = listed.find((one) => isSemver(added.version) && comparePrecedence(one.version, added.version) === 0);
  if (equal) {
    throw immutable(
      `${added.version} has the same precedence as ${printable(equal.version)}, which is published in ${printable(metadata.path)}: build metadata is ignored in comparisons.`,
    );
  }
  const { version, artifactUrl, artifactChecksum } = added;
  return addElement(metadata, '/versions', indexFor(version, listed), { version, artifactUrl, artifactChecksum });
}

function assertSameChecksum(listed: readonly NewVersion[], added: NewVersion, path: string): void {
  const other = listed.find((one) => !isListedAs(one, added.artifactChecksum));
  if (!other) return;
  throw immutable(
    `${added.version} is published in ${printable(path)} with different bytes: the listed checksum is ${printable(shorten(other.artifactChecksum, 80))}, yours is ${added.artifactChecksum}.`,
  );
}

/** True if an entry lists this checksum, also in upper case or without the prefix. */
export function isListedAs(entry: NewVersion, checksum: string): boolean {
  return entry.artifactChecksum === checksum || checksumError(entry.artifactChecksum)?.repaired === checksum;
}

function immutable(what: string): AppregError {
  return new AppregError(
    'immutable',
    message`${what} A published version never changes.`,
    message`Publish your bytes as a new version, for example with patch instead of the number.`,
    { effect: 'none' },
  );
}

/** The insertion index of a version: before the first lower one in a descending list, otherwise the end. */
function indexFor(version: string, listed: readonly { index: number; version: string }[]): number {
  const descends =
    listed.length > 1 &&
    listed.slice(1).every((one, index) => {
      const previous = listed[index];
      return previous !== undefined && comparePrecedence(previous.version, one.version) > 0;
    });
  if (!descends) return Infinity;
  return listed.find((one) => comparePrecedence(one.version, version) < 0)?.index ?? Infinity;
}
