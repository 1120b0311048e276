import { isObject, type JsonValue } from '../json/json.ts';
import { urlParts, withoutFragment } from '../http/url.ts';
import type { VersionEntry } from '../rules/subjects.ts';
import { digestOf } from './checksum.ts';
import { versionFields } from './manifest.ts';

/** The elements of `versions` that are objects. What several rules ask of their texts is worked out once. */
export function versionEntries(list: readonly JsonValue[]): VersionEntry[] {
  const entries: VersionEntry[] = [];
  for (const [index, item] of list.entries())
    if (isObject(item)) entries.push(versionEntry(index, versionFields(item)));
  return entries;
}

/** An element of `versions` with what its texts mean. */
export function versionEntry(index: number, fields: ReturnType<typeof versionFields>): VersionEntry {
  const { version, artifactUrl, artifactChecksum } = fields;
  const parts = artifactUrl === null ? null : urlParts(artifactUrl);
  return {
    index,
    version,
    artifactUrl,
    artifactChecksum,
    parts,
    address: parts === null ? artifactUrl : withoutFragment(parts.href),
    digest: digestOf(artifactChecksum ?? ''),
  };
}
