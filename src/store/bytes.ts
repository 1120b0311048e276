import { message } from '../core/text/message.ts';
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { AppregError } from '../core/errors/error.ts';
import { readChunks } from '../platform/read-chunks.ts';

/** The content of a write: bytes in memory, or a local file that is read again for every attempt. */
export type Bytes = Uint8Array | FileBytes;

export interface FileBytes {
  /** Size in bytes. */
  readonly length: number;
  /** 64 lowercase hexadecimal digits. */
  readonly sha256: string;
  /** In base64, as in Content-MD5 (RFC 1864). */
  readonly md5: string;
  /**
   * Reads the file from its start. The last chunk is yielded only if the file still has the bytes that were hashed.
   * @throws AppregError `artifact-changed`, and file system errors
   */
  chunks(): AsyncGenerator<Uint8Array>;
}

/** Size and digest of a stored file, without its content. */
export interface Digest {
  /** Size in bytes. */
  length: number;
  /** 64 lowercase hexadecimal digits. */
  sha256: string;
}

/** Bytes per chunk. */
const CHUNK_SIZE = 65_536;

/**
 * A local file that was hashed already.
 * @param path absolute
 * @param shownAs the name shown to the user
 */
export function fileBytes(
  path: string,
  shownAs: string,
  known: { length: number; sha256: string; md5: string },
): FileBytes {
  async function* chunks(): AsyncGenerator<Uint8Array> {
    if ((await stat(path)).size !== known.length) throw changed(shownAs);
    const hash = createHash('sha256');
    let length = 0;
    let last: Uint8Array | null = null;
    for await (const chunk of readChunks(path, CHUNK_SIZE)) {
      length += chunk.length;
      // A growing file would never end.
      if (length > known.length) throw changed(shownAs);
      hash.update(chunk);
      if (last !== null) yield last;
      last = chunk;
    }
    if (hash.digest('hex') !== known.sha256) throw changed(shownAs);
    if (last !== null) yield last;
  }
  return { ...known, chunks };
}

export function isFileBytes(bytes: Bytes): bytes is FileBytes {
  return !(bytes instanceof Uint8Array);
}

/** The bytes in chunks, from the start on each call. */
export function chunksOf(bytes: Bytes): AsyncIterable<Uint8Array> | Iterable<Uint8Array> {
  return isFileBytes(bytes) ? bytes.chunks() : split(bytes);
}

function* split(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_SIZE) yield bytes.subarray(at, at + CHUNK_SIZE);
}

/** SHA-256 in hexadecimal. */
export function sha256Of(bytes: Bytes): string {
  return isFileBytes(bytes) ? bytes.sha256 : createHash('sha256').update(bytes).digest('hex');
}

/** MD5 in base64. */
export function md5Of(bytes: Bytes): string {
  return isFileBytes(bytes) ? bytes.md5 : createHash('md5').update(bytes).digest('base64');
}

export function digestOfBytes(bytes: Bytes): Digest {
  return { length: bytes.length, sha256: sha256Of(bytes) };
}

/** The digest of a stream. */
export async function digestOfChunks(chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Digest> {
  const hash = createHash('sha256');
  let length = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    length += chunk.length;
  }
  return { length, sha256: hash.digest('hex') };
}

function changed(shownAs: string): AppregError {
  return new AppregError(
    'artifact-changed',
    message`${shownAs} changed while it was published.`,
    message`Wait until the program that writes the file has finished; then run the same command again.`,
    { effect: 'none', advisesRepeat: true },
  );
}
