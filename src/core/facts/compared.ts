import type { Moment } from '../values/scalars.ts';
import type { PublishedVersion } from './baseline.ts';
import type { Missing } from './missing.ts';

/** The state that a live registry is compared with. */
export interface ComparedState {
  /** As messages name it: a git ref, a folder, a URL. */
  source: string;
  /**
   * True for files that are to be served: those of a folder or a commit. False for what was served: another live
   * registry, saved facts, a lock file.
   */
  isStored: boolean;
  /** True if the user requested the comparison. */
  isRequested: boolean;
  apps: ComparedApp[];
  /** The reason why there was no registry to compare with; absent if there was one. */
  absent?: Missing;
}

/** An app of the state that is compared. */
export interface ComparedApp {
  key: string;
  /** The URL of its metadata file there; null or absent if that is not known. */
  metadataUrl?: string | null;
  versions: ComparedVersion[] | Missing;
  /** True if the lock file of the workspace shows that it was served; absent if nothing shows that. */
  wasServed?: true;
  /** Since when it is stored, for an app that is not served; absent if that is not known. */
  since?: StoredSince;
}

/** A version of the state that is compared. */
export interface ComparedVersion extends PublishedVersion {
  /** True if the lock file of the workspace shows that it was served; absent if nothing shows that. */
  wasServed?: true;
  /** Since when it is stored, for a version that is not served; absent if that is not known. */
  since?: StoredSince;
}

/** The time since which something is listed in a stored file. */
export interface StoredSince {
  at: Moment;
  /** `commit`: of the commit that added it; `file`: of the last change of the file, which is not committed. */
  by: 'commit' | 'file';
  /** True in a shallow clone, which has no earlier commits. */
  orEarlier?: true;
}
