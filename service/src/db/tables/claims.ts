import type { AboutApp, AttestationFacts, Retirement } from 'appreg';
import { type ColumnType } from 'kysely';

/** The rows of about files: what authors claim about their apps and versions. */

/** The last about file of an app that could be used; an app without one has no row. */
export interface AboutFileRow {
  registryId: number;
  appKey: string;
  /** As requested. */
  url: string;
  /** Of the response, for a conditional request: at most one of them is used, so that the other is null. */
  etag: string | null;
  lastModified: string | null;
  /** gzip of JSON (packed.ts): its content (DocumentContent). */
  content: Buffer;
  /** Links, and the license, by the name of the field; written as JSON. A field that was added later is absent. */
  fields: ColumnType<Partial<AboutApp>, string, string>;
}

/** Statement of an about file about a known version; a version of which it says nothing has no row. */
export interface AboutVersionRow {
  registryId: number;
  appKey: string;
  version: string;
  /** A time in UTC (ISO 8601), which may not exist. */
  published: string | null;
  /** Markdown. */
  notes: string | null;
  /** Null if it is not retired; written as JSON. */
  deprecated: ColumnType<Retirement | null, string | null, string | null>;
}

/** The rows of attestations: what the hosts have, and what was decided for each subscription. */

/** Evidence about the attestation of a version: of a registry, for all of its subscribers. */
export interface AttestationRow {
  registryId: number;
  appKey: string;
  version: string;
  /** The digest of the public key that it was verified with; '' without a key. */
  keySha256: string;
  /** `artifactChecksum` of the version that the row is about: of another one, nothing is known. */
  checksum: string;
  /**
   * `proven`: the bundle is a valid attestation of the version, by any signer. `unknown`: the host did not say.
   * `url-signed`: the URL of the artifact is signed by its query, so that no URL of an attestation is known.
   */
  state: 'proven' | 'unproven' | 'absent' | 'unknown' | 'url-signed';
  /** Null without a bundle; written as JSON. */
  facts: ColumnType<AttestationFacts | null, string | null, string | null>;
  /** When the host was last asked for it. */
  askedAt: Date;
}
