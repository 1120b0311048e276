import type { Missing } from './missing.ts';

/** A baseline of a registry: what had been published. */
export interface Baseline {
  /** As messages name it: a git ref, a folder, a URL. */
  source: string;
  keys: readonly string[];
  /** The published versions of an app, null when it had none, or why they are missing. */
  app(key: string): PublishedVersion[] | null | Missing;
}

export interface PublishedVersion {
  version: string;
  artifactUrl: string;
  artifactChecksum: string;
  /** What the service decided about it; absent if only its listing is known. */
  offer?: OfferBefore;
}

/** Whether a version was offered when it was last examined. */
export interface OfferBefore {
  /** Null if that is not known. */
  isOffered: boolean | null;
  /** The rule that refused it; null for none. */
  rule: string | null;
  /** Whether the service still has the bytes. */
  isKept: boolean;
}
