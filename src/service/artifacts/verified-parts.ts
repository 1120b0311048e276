import { createHash } from 'node:crypto';
import type { BlobReader } from '../../store/blobs/blobs.ts';
import { PART_BYTES } from './receiving.ts';

/**
 * The bytes of a file from `start` up to, but not including, `end`: every part is verified before it is used.
 * @param damaged called for a part that the store has lost, or with other bytes; its error is thrown
 */
export async function* verifiedParts(
  reader: BlobReader,
  { bytes, partDigests }: { bytes: number; partDigests: Buffer },
  { start, end }: { start: number; end: number },
  damaged: () => Promise<Error>,
): AsyncGenerator<Uint8Array> {
  for (let part = Math.floor(start / PART_BYTES); part * PART_BYTES < end; part += 1) {
    const from = part * PART_BYTES;
    const to = Math.min(from + PART_BYTES, bytes);
    const content = await reader.read(from, to);
    const expected = partDigests.subarray(part * 32, part * 32 + 32);
    if (content === null || !createHash('sha256').update(content).digest().equals(expected)) throw await damaged();
    yield content.subarray(Math.max(0, start - from), Math.min(to, end) - from);
  }
}
