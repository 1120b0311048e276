import type { Count, Digest, Integer, Moment } from '../scalars.ts';
import type { HttpViews } from './http-views.ts';
import type { Missing } from './missing.ts';

/** A file of a registry: its location and its content. */

/**
 * What is at a path instead of a readable file. `missing`: nothing, although other files of the kind are in the
 * workspace; `not-a-file`: a pipe, a socket or a device; `outside`: a link out of the workspace.
 */
export type LocalState = 'missing' | 'dangling-link' | 'link-loop' | 'folder' | 'not-a-file' | 'outside';

/** The location of a resource, and the responses of its URL. `file` is a local path, as a message names it. */
export interface Resource {
  url: string | null;
  file: string | null;
  web: HttpViews | Missing;
  /** What is at the local path instead of a readable file; absent for a readable file. */
  local?: LocalState;
  /**
   * Paths relative to the workspace: the one that the URL refers to, and the one that the directories list, if they
   * differ in case or Unicode normalization. The file is not read then: a host does not find it.
   */
  otherName?: { path: string; listed: string };
  /** When it was observed, if this run reused an earlier observation and sent no request. */
  reusedFrom?: Moment;
  /** The same for the browser and HEAD views, if only the document or the icon was requested. */
  viewsReusedFrom?: Moment;
}

/** A JSON document: its text exactly as found (a BOM included), or base64 when the bytes are not UTF-8. */
export interface DocumentFacts extends Resource {
  content: DocumentContent | Missing;
}

export interface DocumentContent {
  text: string | null;
  base64: string | null;
  /** Size in bytes of the document, as far as it was read. */
  bytes: Count;
  /** True when reading stopped at the size limit. */
  cut: boolean;
}

/** The bytes of an artifact or an icon, digested while streaming. */
export interface Content {
  bytes: Count;
  /** Lowercase hexadecimal digests of the bytes as found on disk or on the wire. */
  sha256: Digest;
  /** '' if the weak digests were not computed: they only identify the cause of a mismatch. */
  sha1: Digest;
  md5: Digest;
  /** Base64 of the first bytes (up to 512; 10 of gzip data), enough to distinguish an HTML page from an archive. */
  head: string;
  /** True when reading stopped at the size limit; the digests then cover what was read. */
  cut: boolean;
  /** The bytes after decoding the Content-Encoding; null when there is none. */
  decoded: DecodedContent | null;
  /** SHA-256 of the content of the gzip layer; computed only if the digest is not the listed one. */
  inner?: string | null;
  /** Line feeds in it, and those after a carriage return; counted only in that case as well. */
  lineFeeds?: { all: Integer; afterCr: Integer };
}

/** The bytes after decoding the Content-Encoding. */
interface DecodedContent {
  coding: string;
  bytes: Count;
  sha256: Digest;
  head: string;
  error: string | null;
}
