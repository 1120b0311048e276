import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Likeness } from '../core/release/state.ts';
import { type Bytes, chunksOf } from '../store/bytes.ts';

/** Artifacts with other bytes (spec 2.4), and the same content. */

/**
 * The way in which two artifacts with other bytes have the same content: another compression, or other line ends in texts,
 * as git writes them with core.autocrlf.
 * @returns null for another content, and for bytes that are no archive
 * @throws what reading the bytes throws
 */
export async function likenessOf(one: Bytes, other: Bytes): Promise<Likeness | null> {
  const sha256 = await unpackedSha256(one);
  if (sha256 === null) return null;
  if (sha256 === (await unpackedSha256(other))) return { kind: 'compression' };
  // Their texts are compared in memory.
  if (one.length > MOST_BYTES || other.length > MOST_BYTES) return null;
  const [before, after] = [entriesOf(await unpacked(one)), entriesOf(await unpacked(other))];
  if (before.length !== after.length) return null;
  const files: string[] = [];
  for (const [index, { path, kind, bytes }] of before.entries()) {
    const now = after[index];
    if (now?.path !== path || now.kind !== kind) return null;
    if (now.bytes.equals(bytes)) continue;
    if (!haveSameLines(path, bytes, now.bytes)) return null;
    files.push(path);
  }
  return { kind: 'line-ends', files };
}

/** Larger artifacts are compared as they are. */
const MOST_BYTES = 32 * 1024 ** 2;
const BLOCK = 512;

/** The hexadecimal SHA-256 of the data in a gzip file; null if it is not one, or is damaged. */
async function unpackedSha256(bytes: Bytes): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    await pipeline(Readable.from(chunksOf(bytes)), createGunzip(), async (data: AsyncIterable<Buffer>) => {
      for await (const chunk of data) hash.update(chunk);
    });
  } catch (error) {
    if (isZlibError(error)) return null;
    throw error;
  }
  return hash.digest('hex');
}

function unpacked(bytes: Bytes): Promise<Buffer> {
  return buffer(Readable.from(chunksOf(bytes)).pipe(createGunzip()));
}

interface Entry {
  path: string;
  /** The type flag. */
  kind: string;
  bytes: Buffer;
}

/** The entries of an archive in the form that `bundle` writes; those of another form differ in more than line ends. */
function entriesOf(tar: Buffer): Entry[] {
  const found: Entry[] = [];
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0;) {
    const path = textIn(tar, at, 100);
    const kind = textIn(tar, at + 156, 1);
    const size = Number.parseInt(textIn(tar, at + 124, 12), 8) || 0;
    found.push({ path, kind, bytes: tar.subarray(at + BLOCK, at + BLOCK + size) });
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
  return found;
}

/** A field of a header, up to its end or a zero byte. */
function textIn(tar: Buffer, start: number, length: number): string {
  const [text = ''] = tar.toString('utf8', start, start + length).split('\0');
  return text;
}

/** True if two texts differ in nothing but line ends, also in the strings of code. */
function haveSameLines(path: string, one: Buffer, other: Buffer): boolean {
  const withLineFeeds = path.endsWith('.js') ? codeWithLineFeeds : textWithLineFeeds;
  const [before, after] = [one.toString('latin1'), other.toString('latin1')];
  return !before.includes('\0') && withLineFeeds(before) === withLineFeeds(after);
}

function textWithLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Code whose strings, template literals, data URLs and source map have line feeds. */
function codeWithLineFeeds(code: string): string {
  return textWithLineFeeds(code)
    .replace(/\\r(?=\\n|\n)|%0D(?=%0A)/g, '')
    .replace(/(;base64,)([\w+/=]+)/g, (all, head: string, data: string) => {
      const text = Buffer.from(data, 'base64').toString('latin1');
      return text.includes('\0') ? all : head + textWithLineFeeds(text).replace(/\\r(?=\\n)/g, '');
    });
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}
