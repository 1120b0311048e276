import type { Bytes, Digest } from './bytes.ts';

/**
 * Where a registry is stored. Every write is conditional: nothing that another process wrote is lost. Paths are
 * relative to the store's root, with forward slashes, and never lead out of it.
 */
export interface Store {
  /** As the user would name it: a folder, a bucket, a branch. */
  readonly name: string;
  /** The folder on this machine, absolute; absent for a store elsewhere. */
  readonly folder?: string;
  /** The content, with a token that identifies exactly this state; null if nothing exists. */
  read(path: string): Promise<Stored | null>;
  /** Size and digest of a file of any size, in constant memory; null if nothing exists. */
  digest(path: string): Promise<Digest | null>;
  /** Writes a new file. `exists`: there is one already, and nothing was written. */
  create(path: string, bytes: Bytes, details?: WriteDetails): Promise<'created' | 'exists'>;
  /** Replaces a file if it is still in the state that `token` identifies. `changed`: it is not; nothing was written. */
  replace(path: string, bytes: Uint8Array, token: string, details?: WriteDetails): Promise<'replaced' | 'changed'>;
  /** The time of the store in milliseconds since the epoch; null if it has not answered yet. Absent: it has no clock. */
  now?(): number | null;
  /** The number of files that may be read or written at a time (default: 1 write). */
  readonly concurrency?: number;
  /** The missing ones of the paths, as far as a few requests show; the others may exist or not. */
  absent?(paths: readonly string[]): Promise<Set<string>>;
  /**
   * Tests that a file can be written, without writing. Absent: only a write shows it.
   * @param how `create`: an existing file is not written
   * @throws AppregError as the write would
   */
  requireWritable?(path: string, how: 'create' | 'replace'): Promise<void>;
  /** Removes what killed runs left next to these files: locks and temporary files whose process is gone. */
  tidy?(paths: readonly string[]): Promise<void>;
}

/** A store that reads and writes several files in one step, such as a commit. */
export interface BatchStore extends Store {
  readonly batch: {
    /** The contents, all at one point in time; missing paths are left out. */
    read(paths: readonly string[]): Promise<Map<string, Stored>>;
    /** Writes all of them. `changed`: one of the files is in another state than was read; nothing was written. */
    write(writes: readonly Write[], why?: string): Promise<'written' | 'changed'>;
  };
}

export function isBatchStore(store: Store): store is BatchStore {
  return 'batch' in store;
}

export interface WriteDetails {
  /** The reason in a line, such as `Publish clock 1.2.0`, for stores that keep a history. */
  why?: string | undefined;
  /** Called with the new token by a store that was read after the write, and contains exactly these bytes. */
  verified?: (token: string) => void;
}
export interface Write {
  path: string;
  bytes: Bytes;
  /** The state that the file must be in; null if it must not exist. */
  token: string | null;
}

/** A stored file, with the token of this state of it. */
export interface Stored {
  bytes: Uint8Array;
  token: string;
}
