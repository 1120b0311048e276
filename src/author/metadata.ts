import { checksumError } from '../core/registry/checksum.ts';
import { type JsonValue, member, stringOrNull } from '../core/json/json.ts';
import { printable, shorten } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';
import { comparePrecedence, isSemver, latestOf } from '../core/registry/version.ts';
import { addElement } from './edit.ts';
import { versionsIn } from './usable.ts';

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

interface ListedVersion extends NewVersion {
  index: number;
}

/** Cached by list: a plan reads the same list several times. */
const known = new WeakMap<JsonValue[], readonly ListedVersion[]>();

/** The valid versions listed in a metadata file, unmodified, each with its checksum and URL. */
export function listedVersions(text: string, file: string): readonly ListedVersion[] {
  const versions = versionsIn(text, file);
  const there = known.get(versions);
  if (there !== undefined) return there;
  const listed: ListedVersion[] = [];
  for (const [index, item] of versions.entries()) {
    const version = textIn(item, 'version');
    if (isSemver(version))
      listed.push({
        index,
        version,
        artifactUrl: textIn(item, 'artifactUrl'),
        artifactChecksum: textIn(item, 'artifactChecksum'),
      });
  }
  known.set(versions, listed);
  return listed;
}

/** The entry of the highest listed version; null if none is listed. */
export function latestListed(text: string, file: string): NewVersion | null {
  const listed = listedVersions(text, file);
  const latest = latestOf(listed.map((one) => one.version));
  return listed.find((one) => one.version === latest) ?? null;
}

function textIn(item: JsonValue, name: string): string {
  return stringOrNull(member(item, name)) ?? '';
}

/**
 * Adds a version to a metadata file; every other byte is preserved (spec 4.4). It is appended, or inserted in order if
 * the list is sorted in descending order.
 * @param file the metadata file's name in messages
 * @returns the new text; null if the version is already listed with the same bytes, at any address
 * @throws AppregError `immutable` (exit 1) if the version is published with other bytes or other build metadata (spec
 * 2.4); `document-invalid` (exit 1)
 */
export function addVersion(text: string, added: NewVersion, file: string): string | null {
  const listed = listedVersions(text, file);
  const same = listed.filter((one) => one.version === added.version);
  if (same.length > 0) return agree(same, added, file);
  const equal = listed.find((one) => isSemver(added.version) && comparePrecedence(one.version, added.version) === 0);
  if (equal) {
    throw immutable(
      `${added.version} has the same precedence as ${printable(equal.version)}, which is published in ${printable(file)}: build metadata does not count.`,
    );
  }
  const { version, artifactUrl, artifactChecksum } = added;
  return addElement(text, '/versions', placeFor(version, listed), { version, artifactUrl, artifactChecksum });
}

function agree(listed: readonly NewVersion[], added: NewVersion, file: string): null {
  const other = listed.find((one) => !isListedAs(one, added.artifactChecksum));
  if (!other) return null;
  throw immutable(
    `${added.version} is published in ${printable(file)} with other bytes: ${printable(shorten(other.artifactChecksum, 80))} is listed, ${added.artifactChecksum} is what you have.`,
  );
}

/** True if an entry lists this checksum, also in upper case or without the prefix. */
export function isListedAs(entry: NewVersion, checksum: string): boolean {
  return entry.artifactChecksum === checksum || checksumError(entry.artifactChecksum)?.repaired === checksum;
}

function immutable(what: string): AppregError {
  return new AppregError(
    'immutable',
    `${what} A published version never changes. Nothing was changed.`,
    'Publish it as a new version, for example with patch in place of the number.',
  );
}

/** The insertion index of a version: before the first lower one in a descending list, otherwise the end. */
function placeFor(version: string, listed: readonly { index: number; version: string }[]): number {
  const descends =
    listed.length > 1 &&
    listed.every((one, i) => i === 0 || comparePrecedence(listed[i - 1]!.version, one.version) > 0);
  if (!descends) return Infinity;
  return listed.find((one) => comparePrecedence(one.version, version) < 0)?.index ?? Infinity;
}
