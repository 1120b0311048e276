import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { ABSENT } from './paths.ts';
import { systemErrorCode } from '../platform/system-error.ts';

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
