import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';
import { join } from 'node:path';
import { AppregError } from '../../core/errors/error.ts';
import type { LocalState } from '../../core/facts/facts.ts';
import type { DocumentContent } from '../../core/json/content.ts';
import { message } from '../../core/text/message.ts';
import { otherNameOnDisk } from '../../platform/names.ts';
import { contentOf } from '../content/document-content.ts';
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

/** The files of a baseline, by their path below the workspace. */
export interface Tree {
  /** As the user named it. */
  source: string;
  /** Declares which files will be read, so that they can be loaded in one batch. */
  fetch(paths: readonly string[]): void;
  /** A file's content; null if it is missing. */
  read(path: string): DocumentContent | null;
  /** The reason why a missing file is not in the tree although the registry has it; null if that is not known. */
  faultOf?(path: string): 'in-submodule' | 'linked-outside' | null;
  /** The content of a file in Git LFS; null if it is not on this machine. */
  readLfs?(oid: string): DocumentContent | null;
  /** The newest earlier state of a file that can be used; null without one, `unknown` if the history is incomplete. */
  earlier?(path: string, isUsable: (content: DocumentContent) => boolean): DocumentContent | null | 'unknown';
}

/** The files of a folder as a baseline. */
export function folderTree(folder: string, source: string): Tree {
  // The folders of a path are the same for many files.
  const folders = new Map<string, boolean>([['', true]]);
  const isListed = (path: string): boolean => {
    const end = path.lastIndexOf('/');
    const parent = path.slice(0, Math.max(end, 0));
    const isParentListed = folders.get(parent) ?? isListed(parent);
    folders.set(parent, isParentListed);
    return isParentListed && otherNameOnDisk(join(folder, parent), [path.slice(end + 1)]) === null;
  };
  return {
    source,
    fetch() {},
    read(path) {
      if (!isListed(path)) return null;
      const found = readDocumentFile(join(folder, path));
      return typeof found === 'string' ? null : found;
    },
  };
}

/**
 * The content of a large document, whose text can be released: it is read from the file
 * again after that. For all other code, and when it is saved, it is a `DocumentContent`
 * like any other.
 */
interface LargeDocument extends DocumentContent {
  readonly text: string | null;
}

/** Functions that release the text of a large document. */
const releaseFunctions = new WeakMap<DocumentContent, () => void>();

/**
 * Reads a large document; null if it is not UTF-8.
 * @param readInto fills a buffer from the beginning of the file, and returns what was read
 * @param readAgain reads the file again
 */
function openLargeDocument(
  size: number,
  readInto: (buffer: Buffer) => Buffer,
  readAgain: () => Buffer,
): LargeDocument | null {
  const bytes = readInto(Buffer.allocUnsafe(size));
  if (!isUtf8(bytes)) return null;
  let text = contentOf(bytes).text;
  const content: LargeDocument = {
    get text() {
      text ??= contentOf(readAgain()).text;
      return text;
    },
    base64: null,
    bytes: bytes.length,
    cut: false,
  };
  releaseFunctions.set(content, () => {
    text = null;
  });
  return content;
}

/** Releases a large text once it was judged: it takes more memory than all of its apps. */
export function releaseText(content: DocumentContent): void {
  const release = releaseFunctions.get(content);
  release?.();
}
