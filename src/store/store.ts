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
}
export interface Stored {
  bytes: Uint8Array;
  token: string;
}
