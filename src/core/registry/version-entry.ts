import { type UrlParts, urlParts, withoutFragment } from '../url/url.ts';
import { isObject, type JsonValue } from '../json/json.ts';
import { versionFields } from './manifest.ts';
import { digestOf } from './checksum.ts';
import { type SemanticVersion, semanticVersion } from './semantic-version.ts';

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
    semver: version === null ? null : semanticVersion(version),
    artifactUrl,
    artifactChecksum,
    parts,
    address: parts === null ? artifactUrl : withoutFragment(parts.href),
    digest: digestOf(artifactChecksum ?? ''),
  };
}

/** An element of `versions` that is an object; fields are validated individually, so any of them may be unusable. */
export interface VersionEntry {
  index: number;
  version: string | null;
  /** The version that was read; null without a valid one. */
  semver: SemanticVersion | null;
  artifactUrl: string | null;
  artifactChecksum: string | null;
  /** The URL parsed; null without a valid one. */
  parts: UrlParts | null;
  /** The URL in the form that is equal for all spellings of an address; null without one. */
  address: string | null;
  /** The 64 digits of a well-formed checksum; null without one. */
  digest: string | null;
}
