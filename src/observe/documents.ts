import { isAscii, isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { printable } from '../core/text.ts';
import type { DocumentContent } from '../core/facts.ts';
import { Trouble } from '../core/trouble.ts';

/** A registry of 100,000 apps has a manifest of 43 MB; what is larger than this is cut off. */
const DOCUMENT_LIMIT = 256 * 1024 * 1024;

/** Bytes as the facts about a document; text wherever they are UTF-8, so that saved facts can be read. */
export function contentOf(bytes: Uint8Array, cut = false): DocumentContent {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Text that is ASCII alone takes one byte a character in memory, and decodes fastest as Latin-1.
  if (isAscii(buffer)) return { text: buffer.toString('latin1'), base64: null, bytes: buffer.length, cut };
  if (isUtf8(buffer)) return { text: buffer.toString('utf8'), base64: null, bytes: buffer.length, cut };
  return { text: null, base64: buffer.toString('base64'), bytes: buffer.length, cut };
}

// The manifest is asked for several times in a row: to tell what a folder is, to find its base URL, to look at it.
let last: { path: string; stamp: string; content: DocumentContent } | null = null;

export type LocalState = 'missing' | 'not-a-file';

/**
 * Reads a local document, at most `DOCUMENT_LIMIT` bytes of it. Synchronous: over 100,000 small files that is four
 * times as fast. What is not there or no file is said; a file that may not be read is Trouble.
 */
export function readDocumentFile(path: string): DocumentContent | LocalState {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    return absence(path, error);
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return 'not-a-file';
    const stamp = `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
    if (last?.path === path && last.stamp === stamp) return last.content;
    const size = Math.min(stat.size, DOCUMENT_LIMIT);
    const buffer = Buffer.allocUnsafe(size);
    let read = 0;
    while (read < size) {
      const count = readSync(fd, buffer, read, size - read, null);
      if (count === 0) break;
      read += count;
    }
    const content = contentOf(buffer.subarray(0, read), stat.size > DOCUMENT_LIMIT);
    last = { path, stamp, content };
    return content;
  } catch (error) {
    return absence(path, error);
  } finally {
    closeSync(fd);
  }
}

function absence(path: string, error: unknown): LocalState {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return 'missing';
  if (code === 'EISDIR' || code === 'ELOOP' || code === 'ENXIO') return 'not-a-file';
  throw new Trouble(
    'file-unreadable',
    `${printable(path)} cannot be read: ${printable((error as Error).message)}`,
    'Check the permissions of the file.',
    { cause: error },
  );
}
