import { createHash } from 'node:crypto';
import type { Content } from '../../core/facts/facts.ts';

const HEAD_BYTES = 512;
/** The bytes in which secrets of the head are searched: one may end after the head. */
const START_BYTES = 4096;
/** The header of gzip data: the bytes after it are content, which may be a secret. */
const GZIP_HEAD_BYTES = 10;

export interface Digester {
  /** Takes the next bytes; anything beyond the limit is dropped. The chunk is not retained, so it may be reused. */
  write(chunk: Uint8Array): void;
  /** True once bytes were dropped: reading on is pointless. */
  readonly full: boolean;
  /** The first bytes taken, more than the facts have of them. Valid until the next call. */
  readonly start: Buffer;
  /** The facts about all bytes taken; call it once. */
  end(): Content;
}

/**
 * Digests bytes while they are streamed, in constant memory.
 * @param limit maximum number of bytes to take (Infinity for all); beyond it the content is `cut`
 * @param options.lines also counts line feeds
 * @param options.weak also computes SHA-1 and MD5, which only serve to name the cause of a mismatch; else they are ''
 */
export function createDigester(
  limit: number,
  { weak = false, lines = false }: { weak?: boolean; lines?: boolean } = {},
): Digester {
  const sha256 = createHash('sha256');
  const sha1 = weak ? createHash('sha1') : null;
  const md5 = weak ? createHash('md5') : null;
  // Not cleared: what lies after the bytes that were written is never read.
  const start = Buffer.allocUnsafe(START_BYTES);
  const lineFeeds = { all: 0, afterCr: 0 };
  let last = 0;
  let bytes = 0;
  let cut = false;

  function count(taken: Uint8Array): void {
    for (let at = taken.indexOf(0x0a); at !== -1; at = taken.indexOf(0x0a, at + 1)) {
      lineFeeds.all += 1;
      if ((at === 0 ? last : taken[at - 1]) === 0x0d) lineFeeds.afterCr += 1;
    }
    last = taken.at(-1) ?? last;
  }

  return {
    get full() {
      return cut;
    },
    get start() {
      return start.subarray(0, Math.min(bytes, START_BYTES));
    },
    write(chunk) {
      if (cut || chunk.length === 0) return;
      let taken = chunk;
      if (bytes + chunk.length > limit) {
        cut = true;
        taken = chunk.subarray(0, limit - bytes);
      }
      if (bytes < START_BYTES) start.set(taken.subarray(0, START_BYTES - bytes), bytes);
      sha256.update(taken);
      sha1?.update(taken);
      md5?.update(taken);
      if (lines && taken.length > 0) count(taken);
      bytes += taken.length;
    },
    end() {
      return {
        bytes,
        sha256: sha256.digest('hex'),
        sha1: sha1?.digest('hex') ?? '',
        md5: md5?.digest('hex') ?? '',
        head: start.toString('base64', 0, Math.min(bytes, bytes > 1 && isGzip(start) ? GZIP_HEAD_BYTES : HEAD_BYTES)),
        cut,
        decoded: null,
        ...(lines ? { lineFeeds } : {}),
      };
    },
  };
}

function isGzip(start: Buffer): boolean {
  return start[0] === 0x1f && start[1] === 0x8b;
}
