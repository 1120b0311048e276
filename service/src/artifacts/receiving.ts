import type { Content } from 'appreg';
import { type ArtifactCopy, type BlobReader, makeFolder, type ReceivedFile, tempName } from 'appreg/node';
import { join } from 'node:path';
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, rm, open } from 'node:fs/promises';

/** Writes the bytes of an artifact to a file while it is verified. */

/** Bytes per part: each is verified by its own digest when it is read, before it is handed over. */
const PART_BYTES = 4 * 2 ** 20;

/** A complete file, and the SHA-256 of each of its parts, one after the other. */
export interface ReceivedArtifact extends ReceivedFile {
  partDigests: Buffer;
}

interface ReceivingOptions {
  folder: string;
  /** Maximum bytes: a larger artifact is not kept. */
  limit: number;
  /** The file is complete. It has to be stored or removed. */
  onReceived(file: ReceivedArtifact): void;
  /** The disk is full, for example: the artifact is verified, but not kept. */
  onError(error: unknown): void;
}

/** Creates the file with the first bytes. */
export function receiveArtifact({ folder, limit, onReceived, onError }: ReceivingOptions): ArtifactCopy {
  const path = join(folder, tempName('artifact'));
  const [sha256, md5, parts] = [createHash('sha256'), createHash('md5'), openPartDigests()];
  let file: FileHandle | null = null;
  let length = 0;
  let isOver = false;

  async function discard(): Promise<void> {
    isOver = true;
    await file?.close().catch(onError);
    if (file !== null) await rm(path, { force: true }).catch(onError);
    file = null;
  }

  return {
    async write(chunk) {
      if (isOver) return;
      length += chunk.length;
      if (length > limit) return discard();
      try {
        const bytes = Buffer.from(chunk);
        if (file === null) {
          await makeFolder(folder);
          file = await open(path, 'wx', 0o600);
        }
        for (const part of [sha256, md5, parts]) part.update(bytes);
        // Writes everything; write() may write less on a disk that is nearly full.
        await file.writeFile(bytes);
      } catch (error) {
        onError(error);
        await discard();
      }
    },
    async end(content: Content) {
      if (isOver || file === null) return;
      const digest = sha256.digest('hex');
      if (content.cut || content.sha256 !== digest) return discard();
      try {
        await file.close();
      } catch (error) {
        onError(error);
        return discard();
      }
      isOver = true;
      onReceived({ path, length, sha256: digest, md5: md5.digest('base64'), partDigests: parts.end() });
    },
    discard,
  };
}

/** The digests of the parts of a file. */
function openPartDigests(): { update(bytes: Uint8Array): void; end(): Buffer } {
  const digests: Buffer[] = [];
  let hash: Hash = createHash('sha256');
  let filled = 0;
  const endPart = (): void => {
    digests.push(hash.digest());
    hash = createHash('sha256');
    filled = 0;
  };
  return {
    update(bytes) {
      for (let rest = bytes; rest.length > 0;) {
        const taken = rest.subarray(0, PART_BYTES - filled);
        hash.update(taken);
        filled += taken.length;
        rest = rest.subarray(taken.length);
        if (filled === PART_BYTES) endPart();
      }
    },
    end() {
      if (filled > 0) endPart();
      return Buffer.concat(digests);
    },
  };
}

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
