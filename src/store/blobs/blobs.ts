/** Large files by their digest, such as verified artifacts. Several processes may share a store. */
export interface BlobStore {
  /** As the user would name it. */
  readonly name: string;
  /** Where files are received before they are stored: on the disk of the store, if it has one. */
  readonly incoming: string;
  /** Identifies the store for all processes that share it. @throws AppregError if it cannot be used */
  identity(): Promise<string>;
  /**
   * Whether this is still the store that `identity` has identified: the folder of another disk, or one that is not
   * mounted, has lost nothing.
   */
  isStill(identity: string): Promise<boolean>;
  /**
   * Stores a received file, which is gone afterwards; one that is stored already is replaced by the same bytes.
   * @throws AppregError if the file has other bytes, or cannot be written
   */
  put(file: ReceivedFile): Promise<void>;
  /** @param sha256 in hexadecimal digits; null if it is not stored */
  open(sha256: string): Promise<BlobReader | null>;
  remove(sha256: string): Promise<void>;
}

/** A file in the folder `incoming`, and what was written to it. */
export interface ReceivedFile {
  path: string;
  length: number;
  /** In hexadecimal digits. */
  sha256: string;
  /** In base64. */
  md5: string;
}

export interface BlobReader {
  /** The bytes from `start` up to, but not including, `end`; null if they are gone, or if there are fewer. */
  read(start: number, end: number): Promise<Uint8Array | null>;
  close(): Promise<void>;
}

/** The path of a blob below the root. */
export function blobPath(sha256: string): string {
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error('A blob is named by its SHA-256.');
  return `${sha256.slice(0, 2)}/${sha256}.tar.gz`;
}
