import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, crc32, deflateRaw, type ZlibOptions } from 'node:zlib';
import { Header } from 'tar/header';
import { Pax } from 'tar/pax';

/** A file of the archive: `path` with '/' between its parts, relative, as `checkNames` wants it. */
export interface PackedFile {
  path: string;
  bytes: Uint8Array;
}

// A date that every reader takes for real: not 0, which some treat as "none", and not before 1980, where zip begins.
// It is the one that npm stamps packages with.
const MTIME = new Date('1985-10-26T08:15:00.000Z');
const BLOCK = 512;
const SLICE = 128 * 1024;
/** Code comes out within 0.3 % of level 9, which takes up to four times as long; the end of a tar, with its zeros, does not. */
const LEVEL = 7;
const LEVEL_AT_END = 9;
/** How far back deflate can look. */
const WINDOW = 32 * 1024;
const deflate = promisify<Buffer, ZlibOptions, Buffer>(deflateRaw);

/**
 * Packs the files into a .tar.gz (spec 2.4) whose bytes depend on paths and contents alone: in the order given,
 * mode 0644, owner 0 without a name, one fixed date, a gzip header without time and system.
 * `checksum` is that of the archive; `tarSha256` (hex) is the digest of the tar inside: it stays the same should a zlib ever compress differently.
 */
export async function pack(
  files: readonly PackedFile[],
): Promise<{ archive: Uint8Array; checksum: string; tarSha256: string }> {
  const tar = tarOf(files);
  const packing = gzip(tar);
  const tarSha256 = sha256(tar);
  const archive = await packing;
  return { archive, checksum: `sha256:${sha256(archive)}`, tarSha256 };
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function tarOf(files: readonly PackedFile[]): Buffer {
  const parts: Uint8Array[] = [];
  for (const { path, bytes } of files) {
    parts.push(...headersOf(path, bytes.length), bytes, padding(bytes.length));
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

/**
 * One ustar header; for a name that is long or not ASCII, a PAX header with the name stands before it. The ustar field
 * for the front part of a long name is never used: writers fill it in different ways.
 */
function headersOf(path: string, size: number): Buffer[] {
  if (/^[\x20-\x7e]{1,99}$/.test(path)) return [header(path, size, 'File')];
  const body = Buffer.from(new Pax({ path }).encodeBody());
  // What readers without PAX see.
  const short = path
    .replace(/[^\x20-\x7e]/gu, '_')
    .slice(-99)
    .replace(/^\/+/, '');
  return [header('PaxHeader', body.length, 'ExtendedHeader'), body, padding(body.length), header(short, size, 'File')];
}

function header(path: string, size: number, type: 'File' | 'ExtendedHeader'): Buffer {
  const block = Buffer.alloc(BLOCK);
  new Header({ path, size, type, mode: 0o644, uid: 0, gid: 0, mtime: MTIME, uname: '', gname: '' }).encode(block, 0);
  return block;
}

function padding(length: number): Buffer {
  return Buffer.alloc(-length & (BLOCK - 1));
}

/**
 * RFC 1952, with the header written here: zlib would put the operating system into it. The data is compressed in
 * slices, on as many cores as there are; each slice knows the window before it, so that nothing of note is lost in
 * size, and the slices are the same however many cores there are.
 */
async function gzip(bytes: Buffer): Promise<Buffer> {
  const slices: Promise<Buffer>[] = [];
  for (let start = 0; start < bytes.length; start += SLICE) {
    const end = start + SLICE;
    const isLast = end >= bytes.length;
    const finishFlush = isLast ? constants.Z_FINISH : constants.Z_SYNC_FLUSH;
    const level = isLast ? LEVEL_AT_END : LEVEL;
    const before = bytes.subarray(Math.max(0, start - WINDOW), start);
    const options = { level, memLevel: 8, windowBits: 15, finishFlush, chunkSize: SLICE / 2 };
    slices.push(deflate(bytes.subarray(start, end), start === 0 ? options : { ...options, dictionary: before }));
  }
  const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(bytes), 0);
  trailer.writeUInt32LE(bytes.length % 2 ** 32, 4);
  return Buffer.concat([header, ...(await Promise.all(slices)), trailer]);
}
