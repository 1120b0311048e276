import type { Count } from '../scalars.ts';
import type { Missing } from './missing.ts';
import type { Content, Resource } from './resource.ts';

/** The artifact of a version, and the archive in it. */

export interface ArtifactFacts extends Resource {
  content: Content | Missing;
  /** The result of a second download, which is made once if the digest is not the listed one. */
  again?: Content | Missing;
  archive: ArchiveFacts | Missing;
}

/** What keeps an archive from being read to its end. */
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
  /** What the content of the entries has; absent if it was not scanned. */
  scan?: ContentScan;
}

/** What a scan of the content of an archive's entries found. It never contains the value of a secret. */
export interface ContentScan {
  /** Different secrets, the first place of each, in the order found. */
  secrets: SecretPlace[];
  /** The number of different secrets; more than `secrets.length` when the list was capped. */
  secretCount: Count;
  /** Absolute paths of the machine that built the code, one per folder and entry. */
  buildPaths: { entry: string; line: Count; folder: string }[];
  /** The limit that ended the scan before the archive's end; absent if all of it was scanned. */
  stopped?: 'time' | 'secrets';
}

export interface SecretPlace {
  /** What it is: `github-token`, `private-key`, `env-file`, … */
  kind: string;
  /** Its path; secrets in it are replaced. */
  entry: string;
  /** From 1; in a source map, the line of the code that contains the map; 0 if the secret is in the path of the entry. */
  line: Count;
  /** Identifies kind and value: equal in each run, and slow to compute, so that a short value cannot be guessed. */
  fingerprint: string;
}

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
