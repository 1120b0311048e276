import type { Missing } from './missing.ts';
import type { Content, Resource } from './resource.ts';

/** The artifact of a version, and the archive in it. */

export interface ArtifactFacts extends Resource {
  content: Content | Missing;
  /** The result of a second download, which is made once if the digest is not the listed one. */
  again?: Content | Missing;
  archive: ArchiveFacts | Missing;
}

/** One strict pass over a .tar.gz; nothing is unpacked. */
export interface ArchiveFacts {
  /** The kind of the bytes, by their magic number: gzip, zip, tar, xz, zstd, html, git-lfs-pointer, empty, … */
  kind: string;
  /** The first fault that kept the pass from reaching a clean end, or null. */
  fault: { layer: 'gzip' | 'tar'; code: string; message: string; offset: number } | null;
  entries: ArchiveEntry[];
  /** Number of entries seen; more than `entries.length` when the list was capped. */
  entryCount: number;
  /** Unpacked bytes seen before the pass ended or was stopped. */
  unpackedBytes: number;
  /** The limit that stopped the pass, or null. */
  stopped: 'unpacked-bytes' | 'ratio' | 'entries' | 'header-bytes' | null;
  /** Bytes after the end of the archive: after the tar's end mark (unpacked), or after the gzip stream (packed). */
  trailing: { layer: 'gzip' | 'tar'; bytes: number } | null;
  gzipMembers: number;
  /** Ambiguities that archive readers handle differently, by code. */
  oddities: { code: string; entry: string | null; message: string }[];
}

export interface ArchiveEntry {
  path: string;
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
