import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';

/** Undoes content codings (RFC 9110, section 8.4.1). */

const DECODERS = { gzip: gunzipSync, deflate: inflateSync, br: brotliDecompressSync };
const LARGEST = 16_000_000;

/**
 * @param codings in the order in which they were applied
 * @returns null if the bytes are not in these codings, or a coding is unknown
 */
export function withoutCodings(bytes: Buffer, codings: readonly string[]): Buffer | null {
  let content = bytes;
  for (const coding of codings.toReversed()) {
    if (coding !== 'gzip' && coding !== 'deflate' && coding !== 'br') return null;
    try {
      content = DECODERS[coding](content, { maxOutputLength: LARGEST });
    } catch {
      return null;
    }
  }
  return content;
}
