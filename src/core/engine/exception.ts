import type { DocumentFacts } from '../facts/facts.ts';
import type { VersionRange } from '../registry/version-range.ts';

/** Exceptions of the configuration: findings that do not count, with a reason. */

export interface Exception {
  rule: string;
  /** A glob; null for any app, and for findings that are not about an app. */
  app: string | null;
  /** Null for any version. */
  version: VersionRange | null;
  /** A glob; null for any URL. */
  url: string | null;
  reason: string;
  /** The last day on which it applies, YYYY-MM-DD in UTC; null for no end. */
  until: string | null;
  issue: string | null;
}

/** The exceptions of a configuration, and where they are. */
export interface ExceptionList {
  entries: readonly Exception[];
  /** The configuration, for the positions of findings about an exception; null if it is not a file. */
  document: DocumentFacts | null;
  /** JSON Pointer to the list in that document. */
  pointer: string;
}
