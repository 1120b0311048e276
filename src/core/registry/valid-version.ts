import type { VersionFields } from './manifest.ts';
import { isSemver } from './version.ts';

/** The texts of a version that the service may offer, depending on its artifact. */
export interface ValidVersion {
  version: string;
  artifactUrl: string;
  artifactChecksum: string;
}

/** True for an entry that the service may offer: it has all required texts, and a semantic version. */
export function isValidVersion<E extends VersionFields>(entry: E): entry is E & ValidVersion {
  const { version, artifactUrl, artifactChecksum } = entry;
  return version !== null && isSemver(version) && artifactUrl !== null && artifactChecksum !== null;
}
