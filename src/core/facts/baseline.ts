import type { Missing } from './missing.ts';

/** The state of a registry that had been published before. */

/** A baseline of a registry: what had been published. */
export interface Baseline {
  /** As messages name it: a git ref, a folder, a URL. */
  source: string;
  keys: readonly string[];
  /** The published versions of an app, null when it had none, or why they are missing. */
  app(key: string): PublishedVersion[] | null | Missing;
  /** The URL of an app's metadata file there; null if that is not known. Absent if no URL is known. */
  metadataUrl?(key: string): string | null;
  /** The reason why there was no registry to compare with; absent if there was one. */
  absent?: Missing;
  /** True for an app that is only stored: nothing shows that it was served. Absent if all of them were published. */
  isUnserved?(key: string): boolean;
  /** True if the user requested the comparison: a run that does not make it, of any app listed there, is incomplete. */
  isRequired?: true;
}

/** A version that had been published before. */
export interface PublishedVersion {
  version: string;
  artifactUrl: string;
  artifactChecksum: string;
  /** True if it had an attestation; absent if that is not known. */
  isAttested?: true;
  /** True if it is only stored: nothing shows that it was served. */
  isUnserved?: true;
  /** The decision of the service about it; absent if only its listing is known. */
  offer?: OfferBefore;
}

/** The decision about a version when it was last examined. */
export interface OfferBefore {
  /** Null if that is not known. */
  isOffered: boolean | null;
  /** The rule that refused it; null for none. */
  rule: string | null;
  /** True if the service still has the bytes. */
  isKept: boolean;
}
