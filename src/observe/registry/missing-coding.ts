import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { ComparedBody } from '../../core/facts/facts.ts';
import { kindOf } from '../../core/text/file-type.ts';

/** Detects a compressed body without a Content-Encoding. */

type Coding = NonNullable<ComparedBody['missingCoding']>;

const BY_SIGNATURE: ReadonlyMap<string, Coding> = new Map([
  ['gzip', 'gzip'],
  ['zlib', 'deflate'],
  ['zstd', 'zstd'],
]);

const UNDO = [
  ['deflate', inflateSync],
  ['deflate', inflateRawSync],
  ['br', brotliDecompressSync],
] as const;

/**
 * The coding of a body, by its signature, or by decoding it if the coding has no signature.
 * @param isWanted whether some bytes are the requested file
 * @param isArchive true for a file that is compressed itself: its own signature is not evidence
 * @param limit maximum number of decoded bytes
 * @returns null if the bytes are the file, or of an unknown form
 */
export function missingCodingOf(
  sent: Buffer,
  isWanted: (content: Buffer) => boolean,
  isArchive: boolean,
  limit: number,
): Coding | null {
  const kind = kindOf(sent);
  const options = { maxOutputLength: limit };
  const bySignature = BY_SIGNATURE.get(kind) ?? null;
  if (bySignature === 'gzip' && isArchive) {
    const content = attempt(() => gunzipSync(sent, options));
    return content !== null && isWanted(content) ? 'gzip' : null;
  }
  if (bySignature !== null || kind !== 'unknown') return bySignature;
  for (const [coding, undo] of UNDO) {
    const content = attempt(() => undo(sent, options));
    // Some random bytes decode as well, to an unknown form.
    if (content !== null && content.length > 0 && (isWanted(content) || kindOf(content) !== 'unknown')) return coding;
  }
  return null;
}

function attempt(work: () => Buffer): Buffer | null {
  try {
    return work();
  } catch {
    return null;
  }
}
