import { digestOf } from '../../core/registry/checksum.ts';
import type { ArtifactFacts } from '../../core/facts/facts.ts';
import { isObject, type JsonValue } from '../../core/json/json.ts';
import { versionFields } from '../../core/registry/metadata.ts';
import { isSemver } from '../../core/registry/version.ts';
import { storable } from '../database/packed.ts';
import type { StoredVersion } from '../database/tables.ts';

/** The entries of a metadata file that can be stored, with the facts about their artifacts. */

/** The entry of a version in a metadata file. */
export interface ListedEntry {
  version: string;
  url: string;
  /** `sha256:` and the digest, or null if invalid. */
  checksum: string | null;
  listed: string;
  facts: ArtifactFacts | undefined;
}

/** Column values are untrusted: longer ones are not realistic versions or URLs. */
const LONGEST = { version: 200, url: 4096 };

/** The entries of one version. More than one is an error of the registry. */
export type SameVersion = readonly [ListedEntry, ...ListedEntry[]];

/** All listed version numbers, and the valid entries of each. */
export function listedEntries(
  listed: readonly JsonValue[],
  artifacts: readonly ArtifactFacts[],
): { names: Set<string>; entries: Map<string, SameVersion> } {
  const names = new Set<string>();
  const entries = new Map<string, SameVersion>();
  for (const [index, item] of listed.entries()) {
    const { version } = versionFields(item);
    if (version === null) continue;
    names.add(version);
    const entry = isObject(item) && isSemver(version) ? entryOf(item, version, artifacts[index]) : null;
    if (entry === null) continue;
    const others = entries.get(version);
    entries.set(version, others === undefined ? [entry] : [...others, entry]);
  }
  return { names, entries };
}

function entryOf(item: JsonValue, version: string, facts: ArtifactFacts | undefined): ListedEntry | null {
  const { artifactUrl: url, artifactChecksum: listed } = versionFields(item);
  if (
    url === null ||
    listed === null ||
    url.length > LONGEST.url ||
    version.length > LONGEST.version ||
    storable(url) !== url
  )
    return null;
  const digest = digestOf(listed);
  return { version, url, checksum: digest === null ? null : `sha256:${digest}`, listed, facts };
}

/** Whether the row of a version needs no write. */
export function isSameVersion(a: StoredVersion, b: StoredVersion | undefined): boolean {
  return b !== undefined && COLUMNS.every((name) => isEqual(a[name], b[name]));
}

// The time of the last attempt on a refused version does not justify a write each hour.
const COLUMNS = [
  'artifactUrl',
  'artifactChecksum',
  'state',
  'rule',
  'reason',
  'verifiedAt',
  'bytes',
  'swappedChecksum',
  'servedChecksum',
  'withdrawnAt',
  'lostAt',
] as const;

function isEqual(a: unknown, b: unknown): boolean {
  return a instanceof Date && b instanceof Date ? a.getTime() === b.getTime() : a === b;
}
