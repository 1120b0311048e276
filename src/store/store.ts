/**
 * Where a registry lives. Three verbs, and every write is conditional: nothing that somebody else wrote is lost.
 * Paths are relative to the store's root, with forward slashes, never leaving it.
 */
export interface Store {
  /** As the user would name it: a folder, a bucket, a branch. */
  readonly name: string;
  /** What is there, with a token that stands for exactly this state; null when nothing is there. */
  read(path: string): Promise<Stored | null>;
  /** Writes a new file. `exists`: something is there already, and nothing was written. */
  create(path: string, bytes: Uint8Array): Promise<'created' | 'exists'>;
  /** Replaces a file if it is still in the state that `token` stands for. `changed`: it is not; nothing was written. */
  replace(path: string, bytes: Uint8Array, token: string): Promise<'replaced' | 'changed'>;
  /** Several files in one step, as a commit is; only where the store can do that. */
  readonly atOnce?: {
    /** What is there, all of it as of one moment; a path where nothing is, is not in it. */
    read(paths: readonly string[]): Promise<Map<string, Stored>>;
    /** Writes all of them. `changed`: one of the files is in another state than was read; nothing was written. */
    write(writes: readonly Write[]): Promise<'written' | 'changed'>;
  };
}
export interface Write {
  path: string;
  bytes: Uint8Array;
  /** The state that the file must be in; null where none may be. */
  token: string | null;
}
export interface Stored {
  bytes: Uint8Array;
  token: string;
}
