import type { Provenance } from '../core/registry/lock-file.ts';
import type { AppToAssemble } from './assemble.ts';
import type { AppToPublish } from './app-to-publish.ts';
import type { Artifact, ArtifactToStore } from './artifact.ts';

/** A version that is to be published. */
export interface VersionToPublish {
  /** Of the app. */
  key: string;
  /** A semantic version; or major, minor or patch. */
  version: string;
  artifact: Artifact;
  /** The description with which the app is listed if the manifest does not have it; null if it has none. */
  listing: AppToAssemble | null;
  /** The app as it was read before: what has not changed since then is not parsed again. */
  known?: AppToPublish;
}

/** An app of the repository that is built, and whose declared version is to be published. */
export interface PreparedApp extends VersionToPublish {
  /** Its folder as messages show it, relative to the configuration, with forward slashes. */
  folder: string;
  /** The archive, with its digest (`content.sha256`) and what was found in it. */
  artifact: ArtifactToStore;
  /** What the archive was built from, for the lock file. */
  provenance: Provenance;
}
