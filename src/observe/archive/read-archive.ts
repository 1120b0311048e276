import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { ArchiveFacts, Content } from '../../core/facts/facts.ts';
import { kindOf } from '../../core/text/file-type.ts';
import { GzipReader } from './gzip.ts';
import { type TarLimits, TarReader } from './tar.ts';
import { type DetectorLimits, DetectorRun, type TakeTurn } from '../content/detector-run.ts';
import { secretsInNames, withoutNamedSecrets, withoutSecretsInHead } from '../content/redact-head.ts';
import { ContentScanner } from '../content/scan-content.ts';
import { createDigester } from '../digest/digest.ts';

/** Limits of an archive; reading it stops at the first that it exceeds. */
export interface ArchiveLimits extends TarLimits {
  /** Maximum number of inflated bytes. */
  unpackedBytes: number;
  /** Maximum expansion ratio once more than `ratioFrom` bytes were inflated. */
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
  /** Bytes of the whole file, if known: the ratio is relative to it, not to the bytes received so far. */
  packedBytes?: number | null;
  /** True to scan the content of the entries, and for which folders of this machine; absent for no scan. */
  scan?: ScanOptions | null;
  /** Shares the thread with other archives; absent if other events only run in between. */
  takeTurn?: TakeTurn | undefined;
}

export interface ScanOptions {
  /** Folders of this machine that an artifact should not name. */
  folders: readonly string[];
  /** Secrets that are listed with their place and fingerprint; more are counted. 1,000 if absent. */
  maxListed?: number;
  /** Where the scan ends; absent for 10,000 secrets, in any time. */
  limits?: DetectorLimits;
}

/** Limits of the search in the names of entries, if their content is not scanned. */
const NAME_LIMITS: DetectorLimits = { milliseconds: 10_000, secrets: Infinity };

/** Lists a .tar.gz (spec 2.4) while its bytes are streamed; nothing is extracted to disk or kept. */
export interface ArchiveReader {
  /**
   * Takes the next bytes; the caller may reuse them when it returns. Await a returned promise before the next call.
   * Never throws or rejects: defects of an archive are facts.
   */
  write(chunk: Uint8Array): Promise<void> | undefined;
  /** The facts about all bytes written. Also to be called if the rest will never arrive: they then say truncated. */
  end(): Promise<ArchiveFacts>;
}

const HEAD_BYTES = 512;
const READ_BYTES = 64 * 1024;

/** Creates a reader for one archive. */
export function createArchiveReader({
  limits = {},
  packedBytes = null,
  scan = null,
  takeTurn,
}: ArchiveOptions = {}): ArchiveReader {
  const bounds = { ...ARCHIVE_LIMITS, ...limits };
  const scanner = scan === null ? null : new ContentScanner(scan, takeTurn);
  const tar = new TarReader(bounds, scanner);
  let gzip: GzipReader | null = null;
  let head: Uint8Array = new Uint8Array(0);
  let received = 0;
  let unpackedBytes = 0;
  let stopped: ArchiveFacts['stopped'] = null;

  function onInflated(data: Buffer): void {
    unpackedBytes += data.length;
    const packed = Math.max(packedBytes ?? 0, received);
    if (unpackedBytes > bounds.unpackedBytes) stopped = 'unpacked-bytes';
    else if (unpackedBytes > bounds.ratioFrom && unpackedBytes > bounds.ratio * packed) stopped = 'ratio';
    else {
      tar.write(data);
      stopped = tar.stopped;
    }
    if (stopped !== null) gzip?.stop();
  }

  function inflate(chunk: Uint8Array): Promise<void> | undefined {
    if (chunk.length === 0 || stopped !== null) return undefined;
    received += chunk.length;
    if (gzip !== null) return gzip.fault === null ? gzip.write(chunk) : undefined;
    if (head.length >= HEAD_BYTES) return undefined;
    head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES)]);
    // The format is unknown until there are two bytes; if they are gzip's, all bytes so far are in `head` or here.
    if (head.length < 2 || head[0] !== 0x1f || head[1] !== 0x8b) return undefined;
    gzip = new GzipReader(onInflated, packedBytes);
    const before = head.subarray(0, received - chunk.length);
    return gzip.write(before.length === 0 ? chunk : Buffer.concat([before, chunk]));
  }

  return {
    write(chunk) {
      const written = inflate(chunk);
      return scanner === null || (written === undefined && !scanner.isBusy) ? written : drained(scanner, written);
    },
    async end() {
      await gzip?.end();
      const isComplete = gzip !== null && stopped === null && gzip.fault === null;
      if (isComplete) tar.end();
      const facts = archiveFacts(tar, gzip, { kind: gzip === null ? kindOf(head) : 'gzip', unpackedBytes, stopped });
      const inNames = await secretsInNames(facts, scanner?.detectors ?? new DetectorRun(NAME_LIMITS, takeTurn));
      const scanned = (await scanner?.end(inNames)) ?? null;
      return withoutNamedSecrets({ ...facts, ...(scanned !== null && { scan: scanned }) }, inNames);
    },
  };
}

/** Combines the facts of both readers at the end. */
function archiveFacts(
  tar: TarReader,
  gzip: GzipReader | null,
  { kind, unpackedBytes, stopped }: Pick<ArchiveFacts, 'kind' | 'unpackedBytes' | 'stopped'>,
): ArchiveFacts {
  const trailing = gzip?.trailing ?? null;
  if (gzip !== null && gzip.members > 1) tar.notes.add('several-members', null);
  if (trailing !== null) tar.notes.add(trailing.zeros ? 'zeros-after-gzip' : 'bytes-after-gzip', null);
  return {
    kind,
    // Broken gzip data explains a broken tar inside, so it takes precedence.
    fault: gzip?.fault ?? tar.fault,
    entries: tar.entries,
    entryCount: tar.entryCount,
    unpackedBytes,
    stopped: gzip?.fault || tar.fault ? null : stopped,
    trailing:
      tar.trailing > 0
        ? { layer: 'tar', bytes: tar.trailing, ...(trailing !== null && { gzipBytes: trailing.bytes }) }
        : trailing && { layer: 'gzip', bytes: trailing.bytes },
    gzipMembers: gzip?.members ?? 0,
    oddities: tar.notes.list,
  };
}

/** Waits for the detectors of the scan, so that their input does not pile up. */
async function drained(scanned: ContentScanner, written: Promise<void> | undefined): Promise<void> {
  await written;
  await scanned.drain();
}

/**
 * Digests and lists a local artifact in one pass, in constant memory. File system errors are rethrown.
 * @param options.bytes maximum number of bytes to read; beyond it the content is `cut`
 */
export async function readArchiveFile(
  path: string,
  {
    bytes = Infinity,
    weak = false,
    limits = {},
    scan = null,
  }: { bytes?: number; weak?: boolean } & Pick<ArchiveOptions, 'limits' | 'scan'> = {},
): Promise<{ content: Content; archive: ArchiveFacts }> {
  const file = openSync(path, 'r');
  try {
    const digester = createDigester(bytes, { weak });
    const archive = createArchiveReader({ limits, packedBytes: fstatSync(file).size, scan });
    const buffer = Buffer.allocUnsafe(READ_BYTES);
    while (!digester.full) {
      const bytesRead = readSync(file, buffer, 0, READ_BYTES, null);
      if (bytesRead === 0) break;
      const chunk = buffer.subarray(0, bytesRead);
      // zlib's thread inflates while this one hashes.
      const listed = archive.write(chunk);
      digester.write(chunk);
      if (listed !== undefined) await listed;
    }
    return { content: await withoutSecretsInHead(digester.end(), digester.start), archive: await archive.end() };
  } finally {
    closeSync(file);
  }
}
