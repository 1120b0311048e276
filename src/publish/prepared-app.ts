import type { Provenance } from '../core/registry/lock-file.ts';
import type { AppToAssemble } from './assemble.ts';
import type { ArtifactToStore } from './artifact.ts';

/** An app of the repository that is built, and whose declared version is to be published. */
export interface PreparedApp {
  key: string;
  /** Its folder as messages show it, relative to the configuration, with forward slashes. */
  folder: string;
  /** The declared version, a semantic version. */
  version: string;
  /** The archive, with its digest (`content.sha256`) and what was found in it. */
  artifact: ArtifactToStore;
  /** The description with which it is listed if the manifest does not have it; null if it has none. */
  listing: AppToAssemble | null;
  /** What the archive was built from, for the lock file. */
  provenance: Provenance;
}
