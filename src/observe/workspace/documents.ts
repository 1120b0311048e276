import { message } from '../../core/text/message.ts';
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { AppregError } from '../../core/errors.ts';
import type { DocumentContent, LocalState } from '../../core/facts/facts.ts';
import { contentOf } from './document-content.ts';
import { openLargeDocument } from './large-document.ts';
import { stateOfError } from './local-state.ts';

/** A registry of 100,000 apps has a manifest of 43 MB; files larger than this are truncated. */
const DOCUMENT_LIMIT = 256 * 1024 * 1024;

/** A text this large is not kept next to its value: for positions, it is read again. */
const LARGE = 4 * 1024 * 1024;

// The manifest is read several times in a row: to detect the kind of a folder, to find its base URL, to observe it.
let lastRead: { path: string; stamp: string; content: DocumentContent } | null = null;

/**
 * Reads a local document, at most `DOCUMENT_LIMIT` bytes of it. Synchronous, which is four times as fast for 100,000
 * small files. A missing path or one that is not a file is returned as a fact; a file that may not be read throws
 * AppregError.
 */
export function readDocumentFile(path: string): DocumentContent | LocalState {
  return withFile(path, (fd, stat) => {
    if (stat.isDirectory()) return 'folder';
    if (!stat.isFile()) return 'not-a-file';
    const stamp = stampOf(stat);
    if (lastRead?.path === path && lastRead.stamp === stamp) return lastRead.content;
    const content = readContent(fd, path, stat);
    lastRead = { path, stamp, content };
    return content;
  });
}

function readContent(fd: number, path: string, stat: Stats): DocumentContent {
  const { size } = stat;
  const isLarge = size > LARGE && size <= DOCUMENT_LIMIT;
  const large = isLarge
    ? openLargeDocument(
        size,
        (buffer) => readBytes(fd, buffer),
        () => readAgain(path, stampOf(stat)),
      )
    : null;
  return large ?? contentOf(readBytes(fd, Buffer.allocUnsafe(Math.min(size, DOCUMENT_LIMIT))), size > DOCUMENT_LIMIT);
}

/** Opens a file while it is used; a state of the file instead of a system error. */
function withFile<T>(path: string, use: (fd: number, stat: Stats) => T): T | LocalState {
  let fd: number | null = null;
  try {
    fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    return use(fd, fstatSync(fd));
  } catch (error) {
    return stateOfError(path, error);
  } finally {
    if (fd !== null) closeSync(fd);
  }
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

/** @throws AppregError if the file is not the same any more */
function readAgain(path: string, stamp: string): Buffer {
  const bytes = withFile(path, (fd, stat) =>
    stampOf(stat) === stamp ? readBytes(fd, Buffer.allocUnsafe(stat.size)) : null,
  );
  if (Buffer.isBuffer(bytes)) return bytes;
  throw new AppregError(
    'file-changed',
    message`${path} was changed while it was being read.`,
    message`Run the command again.`,
  );
}
