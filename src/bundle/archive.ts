import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { Header } from 'tar/header';
import { Pax } from 'tar/pax';
import { reproducibleDeflate, WINDOW } from './deflate.ts';

/** A file in the archive: `path` is relative and separated by '/', as `checkNames` requires. */
export interface FileToPack {
  path: string;
  bytes: Uint8Array;
}

// A date that every reader accepts: not 0, which some treat as unset, and not before 1980, the zip epoch. npm uses the
// same one for packages.
const MTIME = new Date('1985-10-26T08:15:00.000Z');
const BLOCK = 512;
const SLICE = 128 * 1024;
/** Code is within 0.3 % of level 9, which takes up to four times as long; the zeros at the end of a tar are not. */
const LEVEL = 7;
const LEVEL_AT_END = 9;

/**
 * Packs the files into a .tar.gz (spec 2.4) whose bytes depend only on paths and contents: in the given order, with
 * mode 0644, owner 0 without a name, a fixed date, and a gzip header without time and OS.
 * `checksum` is that of the archive; `tarSha256` (hex) is the digest of the tar inside, independent of the
 * compression.
 */
export async function packArchive(
  files: readonly FileToPack[],
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

function tarOf(files: readonly FileToPack[]): Buffer {
  const parts: Uint8Array[] = [];
  for (const { path, bytes } of files) {
    parts.push(...headersOf(path, bytes.length), bytes, padding(bytes.length));
  }
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

/**
 * One ustar header, preceded by a PAX header for a name that is long or not ASCII. The ustar `prefix` field is never
 * used: writers fill it differently.
 */
function headersOf(path: string, size: number): Buffer[] {
  if (/^[\x20-\x7e]{1,99}$/.test(path)) return [header(path, size, 'File')];
  const body = Buffer.from(new Pax({ path }).encodeBody());
  // The name for readers without PAX support.
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
 * RFC 1952, with our own header, since that of zlib contains the operating system. The data is compressed in slices on
 * all cores; each slice uses the preceding window as its dictionary, so the size hardly grows. The slices do not depend
 * on the number of cores.
 */
async function gzip(bytes: Buffer): Promise<Buffer> {
  const deflate = await reproducibleDeflate();
  const slices: Promise<Uint8Array>[] = [];
  for (let start = 0; start < bytes.length; start += SLICE) {
    const end = start + SLICE;
    const isLast = end >= bytes.length;
    const dictionary = bytes.subarray(Math.max(0, start - WINDOW), start);
    const level = isLast ? LEVEL_AT_END : LEVEL;
    slices.push(deflate({ bytes: bytes.subarray(start, end), level, dictionary, isLast }));
  }
  const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(bytes), 0);
  trailer.writeUInt32LE(bytes.length % 2 ** 32, 4);
  return Buffer.concat([header, ...(await Promise.all(slices)), trailer]);
}
