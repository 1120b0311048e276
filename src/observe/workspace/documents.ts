import { isAscii, isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { printable } from '../../core/text/text.ts';
import type { DocumentContent } from '../../core/facts/facts.ts';
import { member, type ParsedDocument, parseDocument } from '../../core/json/json.ts';
import { AppregError } from '../../core/errors.ts';

/** A registry of 100,000 apps has a manifest of 43 MB; files larger than this are truncated. */
const DOCUMENT_LIMIT = 256 * 1024 * 1024;

/** A text this large is not kept next to its value: for positions, it is read again. */
const LARGE = 4 * 1024 * 1024;

/** Bytes as the facts about a document; text if they are UTF-8, so that saved facts are readable. */
export function contentOf(bytes: Uint8Array, cut = false): DocumentContent {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // Pure ASCII text takes one byte per character in memory, and decodes fastest as Latin-1.
  if (isAscii(buffer)) return { text: buffer.toString('latin1'), base64: null, bytes: buffer.length, cut };
  if (isUtf8(buffer)) return { text: buffer.toString('utf8'), base64: null, bytes: buffer.length, cut };
  return { text: null, base64: buffer.toString('base64'), bytes: buffer.length, cut };
}

// The manifest is read several times in a row: to detect the kind of a folder, to find its base URL, to observe it.
let last: { path: string; stamp: string; content: DocumentContent } | null = null;

export type LocalState = 'missing' | 'not-a-file';

/**
 * Reads a local document, at most `DOCUMENT_LIMIT` bytes of it. Synchronous, which is four times as fast for 100,000
 * small files. A missing path or one that is not a file is returned as a fact; a file that may not be read throws
 * AppregError.
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
    const stamp = stampOf(stat);
    if (last?.path === path && last.stamp === stamp) return last.content;
    const large = stat.size > LARGE && stat.size <= DOCUMENT_LIMIT ? largeContent(fd, path, stat) : null;
    const content =
      large ??
      contentOf(readBytes(fd, Buffer.allocUnsafe(Math.min(stat.size, DOCUMENT_LIMIT))), stat.size > DOCUMENT_LIMIT);
    last = { path, stamp, content };
    return content;
  } catch (error) {
    return absence(path, error);
  } finally {
    closeSync(fd);
  }
}

/** Functions that release the text of a large document. */
const holds = new WeakMap<DocumentContent, () => void>();

/**
 * Releases a large text that was read without findings, and has the heap collected at once: V8 would otherwise let it
 * grow by as much again before a collection, and the text takes more memory than all of its apps.
 */
export function releaseText(content: DocumentContent): void {
  const hold = holds.get(content);
  if (hold === undefined || !isAllUsual(parseDocument(content))) return;
  hold();
  // The engine retains the input of the last regular expression match.
  / /.test(' ');
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

function isAllUsual({ value, nonCanonical: doubtful }: ParsedDocument): boolean {
  return value !== doubtful && Object.keys(member(doubtful, 'apps') ?? {}).length === 0;
}

function stampOf(stat: Stats): string {
  return `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
}

/** Fills a buffer from the beginning of an open file, as far as it goes. */
function readBytes(fd: number, buffer: Buffer): Buffer {
  let read = 0;
  while (read < buffer.length) {
    const count = readSync(fd, buffer, read, buffer.length - read, read);
    if (count === 0) break;
    read += count;
  }
  return buffer.subarray(0, read);
}

/** A large text, decoded on demand. Once released, the file is read again. Null if it is not UTF-8. */
function largeContent(fd: number, path: string, stat: Stats): DocumentContent | null {
  // Only this kind of buffer returns its memory on request.
  const memory = new ArrayBuffer(stat.size, { maxByteLength: stat.size });
  const bytes = readBytes(fd, Buffer.from(memory));
  if (!isUtf8(bytes)) return null;
  const { length } = bytes;
  let isFirst = true;
  let text: string | null = null;
  const content = {
    get text() {
      if (text === null && isFirst) {
        text = contentOf(bytes).text;
        memory.resize(0);
        isFirst = false;
      }
      return (text ??= contentOf(readAgain(path, stampOf(stat))).text);
    },
    base64: null,
    bytes: length,
    cut: false,
  };
  holds.set(content, () => {
    text = null;
  });
  return content;
}

function readAgain(path: string, stamp: string): Buffer {
  const again = readStamped(path, stamp);
  if (again !== null) return again;
  throw new AppregError(
    'file-changed',
    `${printable(path)} was changed while it was being read.`,
    'Run the command again.',
  );
}

/** Null if the file has changed. */
function readStamped(path: string, stamp: string): Buffer | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    absence(path, error);
    return null;
  }
  try {
    const stat = fstatSync(fd);
    return stampOf(stat) === stamp ? readBytes(fd, Buffer.allocUnsafe(stat.size)) : null;
  } finally {
    closeSync(fd);
  }
}

function absence(path: string, error: unknown): LocalState {
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return 'missing';
  if (code === 'EISDIR' || code === 'ELOOP' || code === 'ENXIO') return 'not-a-file';
  throw new AppregError(
    'file-unreadable',
    `${printable(path)} cannot be read: ${printable((error as Error).message)}`,
    'Check the permissions of the file.',
    { cause: error },
  );
}
