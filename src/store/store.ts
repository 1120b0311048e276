import type { Bytes, Digest } from './bytes.ts';

/**
 * Where a registry is kept. Every write is conditional: nothing that another process wrote is lost.
 * Paths are relative to the store's root, with forward slashes, and never lead out of it.
 */
export interface Store {
  /** As the user would name it: a folder, a bucket, a branch. */
  readonly name: string;
  /** What is there, with a token that stands for exactly this state; null when nothing is there. */
  read(path: string): Promise<Stored | null>;
  /** Size and digest of a file of any size, in constant memory; null when nothing is there. */
  digest(path: string): Promise<Digest | null>;
  /** Writes a new file. `exists`: something is there already, and nothing was written. */
  create(path: string, bytes: Bytes, details?: WriteDetails): Promise<'created' | 'exists'>;
  /** Replaces a file if it is still in the state that `token` stands for. `changed`: it is not; nothing was written. */
  replace(path: string, bytes: Uint8Array, token: string, details?: WriteDetails): Promise<'replaced' | 'changed'>;
  /** How many files may be read or written at a time (default: 1 write). */
  readonly concurrency?: number;
  /** Those of the paths where nothing is, as far as a few requests tell; the others may be there or not. */
  absent?(paths: readonly string[]): Promise<Set<string>>;
  /** Removes what killed runs left beside these files: locks and temporary files whose process is gone. */
  tidy?(paths: readonly string[]): Promise<void>;
  /** Several files in one step, as a commit is; only where the store can do that. */
  readonly batch?: {
    /** What is there, all of it as of one moment; a path where nothing is, is not in it. */
    read(paths: readonly string[]): Promise<Map<string, Stored>>;
    /** Writes all of them. `changed`: one of the files is in another state than was read; nothing was written. */
    write(writes: readonly Write[], why?: string): Promise<'written' | 'changed'>;
  };
}
export interface WriteDetails {
  /** The reason in a line, such as `Publish clock 1.2.0`, for stores that keep a history. */
  why?: string | undefined;
  /** Called with the new token by a store that was read after the write, and holds exactly these bytes. */
  verified?: (token: string) => void;
}
export interface Write {
  path: string;
  bytes: Bytes;
  /** The state that the file must be in; null where none may be. */
  token: string | null;
}
export interface Stored {
  bytes: Uint8Array;
  token: string;
}
