import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { type Bytes, chunksOf } from '../store/bytes.ts';

/** Artifacts that differ by their compression alone: other bytes (spec 2.4) with the same content. */

/**
 * The hexadecimal SHA-256 of the data in a gzip file.
 * @returns null if it is not one, or is damaged
 * @throws what reading the bytes throws
 */
export async function unpackedSha256(bytes: Bytes): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    await pipeline(Readable.from(chunksOf(bytes)), createGunzip(), async (unpacked: AsyncIterable<Buffer>) => {
      for await (const chunk of unpacked) hash.update(chunk);
    });
  } catch (error) {
    if (isZlibError(error)) return null;
    throw error;
  }
  return hash.digest('hex');
}

/** True if two artifacts contain the same tar. */
export async function haveSameTar(one: Bytes, other: Bytes): Promise<boolean> {
  const unpacked = await unpackedSha256(one);
  return unpacked !== null && unpacked === (await unpackedSha256(other));
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}
