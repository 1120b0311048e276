import type { ColumnType } from 'kysely';
import type { Retirement } from '../../core/about/about-file.ts';

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
  /** Links, and the license. */
  homepage: string | null;
  source: string | null;
  licence: string | null;
  support: string | null;
}

/** What it says about a known version; a version of which it says nothing has no row. */
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
