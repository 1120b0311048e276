import type { SemanticVersion } from './semantic-version.ts';
import type { VersionEntry } from './version-entry.ts';

/** An entry that the service may offer, depending on its artifact: it has all required texts, and a semantic version. */
export interface ValidVersion extends VersionEntry {
  version: string;
  semver: SemanticVersion;
  artifactUrl: string;
  artifactChecksum: string;
}

/** True for an entry that the service may offer. */
export function isValidVersion(entry: VersionEntry): entry is ValidVersion {
  return entry.semver !== null && entry.artifactUrl !== null && entry.artifactChecksum !== null;
}
