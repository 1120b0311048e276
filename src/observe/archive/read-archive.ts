import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { ArchiveFacts, Content } from '../../core/facts/facts.ts';
import { kindOf } from '../../core/text/file-type.ts';
import { createGzipReader, type GzipReader } from './gzip.ts';
import { createTarReader, type TarLimits } from './tar.ts';
import { createDigester } from '../digest/digest.ts';

export interface ArchiveLimits extends TarLimits {
  /** Bytes that it may unpack to. */
  unpackedBytes: number;
  /** How many times its packed size it may unpack to, once it is beyond `ratioFrom` bytes. */
  ratio: number;
  ratioFrom: number;
}

const ARCHIVE_LIMITS: Readonly<ArchiveLimits> = {
  unpackedBytes: 2 ** 30,
  ratio: 200,
  ratioFrom: 10 * 2 ** 20,
  entries: 10_000,
  headerBytes: 2 ** 20,
  headerBytesInAll: 32 * 2 ** 20,
};

export interface ArchiveOptions {
  limits?: Partial<ArchiveLimits>;
  /** Bytes of the whole file, where that is known: the ratio is taken against it, not against what has come so far. */
  packedBytes?: number | null;
}

/** Lists a .tar.gz (spec 2.4) while its bytes stream by: nothing is unpacked to disk or kept. */
export interface ArchiveReader {
  /**
   * Takes the next bytes, which may be reused when it returns. A promise where there was something to unpack: wait for
   * it before the next call. Never throws or rejects: what is wrong with an archive is a fact.
   */
  write(chunk: Uint8Array): Promise<void> | undefined;
  /** The facts about all that was written. Also to be called when the rest will never come: the facts say truncated. */
  end(): Promise<ArchiveFacts>;
}

const HEAD_BYTES = 512;
const READ_BYTES = 64 * 1024;

export function createArchiveReader({ limits = {}, packedBytes = null }: ArchiveOptions = {}): ArchiveReader {
  const bounds = { ...ARCHIVE_LIMITS, ...limits };
  const tar = createTarReader(bounds);
  let gzip: GzipReader | null = null;
  let head: Uint8Array = new Uint8Array(0);
  let received = 0;
  let unpackedBytes = 0;
  let stopped: ArchiveFacts['stopped'] = null;

  function unpacked(data: Buffer): void {
    unpackedBytes += data.length;
    const packed = Math.max(packedBytes ?? 0, received);
    if (unpackedBytes > bounds.unpackedBytes) stopped = 'unpacked-bytes';
    else if (unpackedBytes > bounds.ratioFrom && unpackedBytes > bounds.ratio * packed) stopped = 'ratio';
    else {
      tar.write(data);
      stopped = tar.stopped;
    }
    if (stopped !== null) gzip!.stop();
  }

  return {
    write(chunk) {
      if (chunk.length === 0 || stopped !== null) return undefined;
      received += chunk.length;
      if (gzip !== null) return gzip.fault === null ? gzip.write(chunk) : undefined;
      if (head.length >= HEAD_BYTES) return undefined;
      head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES)]);
      // Until two bytes are there nobody can say; when they are gzip's, all bytes so far are still in `head` or here.
      if (head.length < 2 || head[0] !== 0x1f || head[1] !== 0x8b) return undefined;
      gzip = createGzipReader(unpacked, packedBytes);
      const before = head.subarray(0, received - chunk.length);
      return gzip.write(before.length === 0 ? chunk : Buffer.concat([before, chunk]));
    },
    async end() {
      await gzip?.end();
      const whole = gzip !== null && stopped === null && gzip.fault === null;
      if (whole) tar.end();
      const behind = gzip?.trailing ?? null;
      if (gzip !== null && gzip.members > 1) tar.notes.add('several-members', null);
      if (behind !== null) tar.notes.add(behind.zeros ? 'zeros-after-gzip' : 'bytes-after-gzip', null);
      return {
        kind: gzip === null ? kindOf(head) : 'gzip',
        // Broken gzip data explains a broken tar inside, so it comes first.
        fault: gzip?.fault ?? tar.fault,
        entries: tar.entries,
        entryCount: tar.entryCount,
        unpackedBytes,
        stopped: gzip?.fault || tar.fault ? null : stopped,
        trailing:
          tar.trailing > 0 ? { layer: 'tar', bytes: tar.trailing } : behind && { layer: 'gzip', bytes: behind.bytes },
        gzipMembers: gzip?.members ?? 0,
        oddities: tar.notes.list,
      };
    },
  };
}

/**
 * Digests and lists a local artifact in one pass, in constant memory. Errors of the file system are thrown as they are.
 * @param options.bytes bytes to read at most; beyond it the content is `cut`
 */
export async function readArchiveFile(
  path: string,
  {
    bytes = Infinity,
    weak = false,
    limits = {},
  }: { bytes?: number; weak?: boolean; limits?: Partial<ArchiveLimits> } = {},
): Promise<{ content: Content; archive: ArchiveFacts }> {
  const file = openSync(path, 'r');
  try {
    const digester = createDigester(bytes, { weak });
    const archive = createArchiveReader({ limits, packedBytes: fstatSync(file).size });
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    while (!digester.full) {
      const got = readSync(file, buffer, 0, READ_BYTES, null);
      if (got === 0) break;
      const chunk = buffer.subarray(0, got);
      // Unpacking runs in zlib's thread while this one hashes.
      const listed = archive.write(chunk);
      digester.write(chunk);
      if (listed !== undefined) await listed;
    }
    return { content: digester.end(), archive: await archive.end() };
  } finally {
    closeSync(file);
  }
}
