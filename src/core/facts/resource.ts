import type { ObservedAttestation } from './attestation.ts';
import type { Count, Digest, Integer, Moment } from '../values/scalars.ts';
import type { DocumentContent } from '../json/content.ts';
import type { HttpViews } from './http-views.ts';
import type { Missing } from './missing.ts';

/** The files of a registry: their location and their content. */

/**
 * State of a path without a readable file. `missing`: nothing, although other files of the kind are in the
 * workspace; `not-checked-out`: git has it, and the sparse checkout has not; `not-a-file`: a pipe, a socket or a device; `outside`: a link out of the workspace.
 */
export type LocalState =
  | 'missing'
  | 'not-checked-out'
  | 'dangling-link'
  | 'link-loop'
  | 'folder'
  | 'not-a-file'
  | 'outside';

/** The location of a resource, and the responses of its URL. `file` is a local path, as a message names it. */
export interface Resource {
  url: string | null;
  file: string | null;
  web: HttpViews | Missing;
  /** State of the local path; absent for a readable file. */
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
  /** Of the manifest of a workspace, if the configured base URL does not fit its URLs. */
  otherBase?: OtherBase;
}

/** A base URL that does not fit a manifest, whose URLs show that the files of the workspace are below another one. */
export interface OtherBase {
  /** As it is written in the configuration. */
  configured: string;
  /** The base URL below which the manifest's URLs name files of the workspace. */
  shown: string;
  /** The number of apps below `shown`. */
  apps: Count;
  /** True if the configured one fits the URLs of other apps. */
  isPart: boolean;
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

/** Facts about the artifact of a version. */
export interface ArtifactFacts extends Resource {
  content: Content | Missing;
  /** The result of a second download, which is made once if the digest is not the listed one. */
  again?: Content | Missing;
  archive: ArchiveFacts | Missing;
  /** The attestation beside it; absent if attestations were not requested. */
  attestation?: ObservedAttestation | Missing;
}

/** The fault that keeps an archive from being read to its end. */
interface ArchiveFault {
  layer: 'gzip' | 'tar';
  code: string;
  message: string;
  /** @minimum 0 */
  offset: number;
}

/** One strict pass over a .tar.gz; nothing is unpacked. */
export interface ArchiveFacts {
  /** The kind of the bytes, by their magic number: gzip, zip, tar, xz, zstd, html, git-lfs-pointer, empty, … */
  kind: string;
  /** The first fault that kept the pass from reaching a clean end, or null. */
  fault: ArchiveFault | null;
  entries: ArchiveEntry[];
  /** Number of entries seen; more than `entries.length` when the list was capped. */
  entryCount: Count;
  /** Unpacked bytes seen before the pass ended or was stopped. */
  unpackedBytes: Count;
  /**
   * The limit that stopped the pass, or null.
   *
   * @asType string
   */
  stopped: 'unpacked-bytes' | 'ratio' | 'entries' | 'header-bytes' | null;
  /**
   * Bytes after the end of the archive: after the tar's end marker (unpacked), or after the gzip stream (packed). `gzipBytes`: if
   * there are both, those after the gzip stream.
   */
  trailing: { layer: 'gzip' | 'tar'; bytes: Count; gzipBytes?: Count } | null;
  gzipMembers: Count;
  /** Ambiguities that archive readers handle differently, by code. */
  oddities: { code: string; entry: string | null; message: string }[];
  /** Result of the scan of the entries' content; absent if it was not scanned. */
  scan?: ContentScan;
}

/** Result of a scan of the content of an archive's entries. It never contains the value of a secret. */
export interface ContentScan {
  /** Different secrets, the first place of each, in the order found. */
  secrets: SecretPlace[];
  /** The number of different secrets; more than `secrets.length` when the list was capped. */
  secretCount: Count;
  /**
   * Absolute paths of the machine that built the code, one per folder and entry: of its own folders, where they are
   * known, and of the sources in source maps.
   */
  buildPaths: { entry: string; line: Count; folder: string }[];
  /** The limit that ended the scan before the archive's end; absent if all of it was scanned. */
  stopped?: 'time' | 'secrets';
}

/** The place of a secret in an archive, without the secret. */
export interface SecretPlace {
  /** `github-token`, `private-key`, `env-file`, … */
  kind: string;
  /** Its path; secrets in it are replaced. */
  entry: string;
  /** From 1; in a source map, the line of the code that contains the map; 0 if the secret is in the path of the entry. */
  line: Count;
  /**
   * The file that the code came from, as the bundler names it: `node_modules/ssh2/lib/keys.js`. Absent if it is unknown,
   * and in an older file of facts.
   */
  source?: string;
  /** Identifies kind and value: equal in each run, and slow to compute, so that a short value cannot be guessed. */
  fingerprint: string;
}

/** One entry of a tar archive. */
export interface ArchiveEntry {
  path: string;
  /** @asType string */
  type:
    | 'file'
    | 'directory'
    | 'symlink'
    | 'link'
    | 'character-device'
    | 'block-device'
    | 'fifo'
    | 'contiguous'
    | 'other';
  size: number;
  mode: number;
  link: string | null;
}

/** Facts about the icon of an app. */
export interface IconFacts extends Resource {
  content: Content | Missing;
  image: ImageFacts | Missing;
}

/** Facts about the content of an image. */
export interface ImageFacts {
  /** By content, not by name: png, svg, jpeg, gif, webp, ico, avif, html, xml, empty, unknown, … */
  kind: string;
  width: number | null;
  height: number | null;
  /**
   * The fault that keeps it from being a complete image of its kind (a truncated PNG, a bad CRC, malformed XML), or
   * null.
   */
  fault: { code: string; message: string } | null;
  /**
   * The part of a PNG or SVG that was not read, so that it is not known whether browsers show it: the frames of an
   * animation, or an SVG whose DOCTYPE has other declarations than those of drawing programs, or rare parts of XML.
   * Absent if all of it was read.
   */
  unread?: 'frames' | 'xml';
  /** SVG only: active or external content in it. `line` is 1-based. */
  active: {
    /** @asType string */
    code:
      | 'script'
      | 'event-handler'
      | 'javascript-url'
      | 'foreign-reference'
      | 'foreign-object'
      | 'doctype'
      /** A DOCTYPE whose entities are only URLs: the namespaces that drawing programs declare there. */
      | 'namespace-entities';
    name: string;
    line: number | null;
  }[];
}
