import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { realpath, open, type FileHandle } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { otherNameOnDisk } from '../platform/names.ts';
import { systemErrorCode } from '../platform/system-error.ts';

// On Windows, a backslash is a path separator, and a colon denotes a drive or an alternate data stream.
const FORBIDDEN = /[\u0000-\u001f\u007f/\\:]/;

/** Device names on Windows, with any suffix. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|com[\d¹²³]|lpt[\d¹²³])(\.|$)/i;

/**
 * The path of a request target: its segments, percent-decoded once. Null if it cannot be a served file, independent of
 * the disk: dot segments, encoded slashes, control characters, drive letters, streams, names that Windows aliases (a
 * trailing dot or space), empty segments. The target may be in absolute form, as sent by proxies.
 * @param platform of the system with the files; on Windows, device names are refused as well
 */
export function targetSegments(target: string, platform: NodeJS.Platform = process.platform): string[] | null {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i, '').replace(/[?#].*$/s, '');
  if (!path.startsWith('/')) return null;
  const segments: string[] = [];
  for (const encoded of path.slice(1).split('/')) {
    const segment = decode(encoded);
    if (segment === null || segment === '' || FORBIDDEN.test(segment) || /[. ]$/.test(segment)) return null;
    if (platform === 'win32' && DEVICE.test(segment)) return null;
    segments.push(segment);
  }
  return segments;
}

/** The part of a URL that names a file: the inverse of `targetSegments`. */
export function encodedPath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null; // Not UTF-8, or a stray percent sign.
  }
}

const PRIVATE_NAMES = new Set([
  'node_modules',
  'package.json',
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
]);
const PRIVATE_SUFFIX = /(?:\.lock|\.tmp|\.temp|\.bak|\.swp|\.part|~)$/;

/**
 * True for names that are never served: hidden files, configuration, dependencies, lock files and temporary files.
 * Compared in lower case, because some file systems ignore case.
 */
export function isPrivate(name: string): boolean {
  const lower = name.toLowerCase();
  return (
    lower.startsWith('.') ||
    lower.startsWith('appreg.config.') ||
    PRIVATE_NAMES.has(lower) ||
    PRIVATE_SUFFIX.test(lower)
  );
}

/** Error codes of the file system that mean: no such file. */
export const ABSENT: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP', 'EINVAL', 'EISDIR']);

/**
 * The file for the segments: its real path, with links resolved, or null if there is no file that may be served.
 * It must be within `root` (itself a real path), neither the requested path nor the real one may be private, and each
 * folder must list the requested name exactly.
 */
export async function servedFile(
  root: string,
  segments: readonly string[],
  hidden: ReadonlySet<string>,
): Promise<string | null> {
  if (segments.some(isPrivate)) return null;
  let file: string;
  try {
    // The native realpath, which also resolves short names (PROGRA~1).
    file = await realpath(join(root, ...segments));
  } catch (error) {
    if (ABSENT.has(systemErrorCode(error) ?? '')) return null;
    throw error;
  }
  // A case-sensitive host would not find it.
  if (otherNameOnDisk(root, segments) !== null) return null;
  const within = relative(root, file).split(sep);
  if (within[0] === '..' || within.join(sep) === file || hidden.has(file)) return null;
  return within.some((segment) => segment === '' || isPrivate(segment)) ? null : file;
}

/** An open regular file, and its state when it was opened. */
export interface OpenFile {
  handle: FileHandle;
  path: string;
  /** In bytes. */
  size: number;
  /** Milliseconds. */
  modified: number;
  /** Identifies the state of its content, as far as file system metadata allow. */
  state: string;
  /** The change time (ctime): also changes if a program resets the modification time after writing. */
  touched: string;
}

/** The file changed while it was read: the bytes are neither the old nor the new content. */
export class FileChanged extends Error {
  readonly code = 'FILE_CHANGED';
}

/** Opens a file for reading; null if it is missing or not a regular file. */
export async function openFile(path: string): Promise<OpenFile | null> {
  let handle: FileHandle;
  try {
    // Non-blocking: opening a named pipe must not hang the server.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (ABSENT.has(systemErrorCode(error) ?? '')) return null;
    throw error;
  }
  try {
    const stat = await handle.stat({ bigint: true });
    if (stat.isFile()) {
      const [size, modified] = [Number(stat.size), Number(stat.mtimeMs)];
      return { handle, path, size, modified, state: contentState(stat), touched: String(stat.ctimeNs) };
    }
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return null;
}

interface FileStats {
  ino: bigint;
  size: bigint;
  mtimeNs: bigint;
}

function contentState(stat: FileStats): string {
  return `${stat.ino}:${stat.size}:${stat.mtimeNs}`;
}

const CHUNK = 256 * 1024;

/**
 * The bytes from `start` to `end` (exclusive). Throws FileChanged, before the last chunk is yielded, if the file was
 * truncated or its state has changed since it was opened, so that a client never accepts mixed content as complete.
 * (ctime is not compared: it also changes when another file takes over the name, which is harmless.)
 */
export async function* readRange(file: OpenFile, start: number, end: number): AsyncGenerator<Buffer> {
  for (let at = start; at < end;) {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK, end - at));
    const { bytesRead } = await file.handle.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) throw new FileChanged(`${file.path} was truncated while it was read`);
    at += bytesRead;
    if (at >= end && contentState(await file.handle.stat({ bigint: true })) !== file.state) {
      throw new FileChanged(`${file.path} was changed while it was read`);
    }
    yield buffer.subarray(0, bytesRead);
  }
}

export async function readWhole(file: OpenFile): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of readRange(file, 0, file.size)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** A strong ETag: the SHA-256 of the bytes served. */
export function etagOf(bytes: Uint8Array): string {
  return `"${createHash('sha256').update(bytes).digest('base64url')}"`;
}

const MAX_CACHED = 10_000;
/** The coarsest timestamp resolution of file systems (milliseconds): later changes within it may go undetected. */
const SETTLED = 2000;

/** Caches the ETags of files by state, so that each file is hashed once, also for concurrent requests. */
export function openEtagCache(): (file: OpenFile) => Promise<string> {
  const known = new Map<string, Promise<string>>();
  return (file) => {
    const key = `${file.state} ${file.touched} ${file.path}`;
    const found = known.get(key);
    if (found) return found;
    const settled = Date.now() - file.modified > SETTLED;
    const etag = hashed(file);
    known.set(key, etag);
    const [oldest] = known.keys();
    if (known.size > MAX_CACHED && oldest !== undefined) known.delete(oldest);
    const forget = (): void => void known.delete(key);
    etag.then(settled ? undefined : forget, forget);
    return etag;
  };
}

async function hashed(file: OpenFile): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of readRange(file, 0, file.size)) hash.update(chunk);
  return `"${hash.digest('base64url')}"`;
}
