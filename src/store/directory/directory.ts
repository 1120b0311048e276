import { message } from '../../core/text/message.ts';
import { createHash } from 'node:crypto';
import { mkdir, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { AppregError } from '../../core/errors/error.ts';
import { createFile, replaceFile, requireWritableFile } from './atomic.ts';
import { type Bytes, type Digest, digestOfChunks } from '../bytes.ts';
import { diskError, errno, nullIfMissing, type WriteOutcome } from './disk-error.ts';
import { deferSignals } from '../interrupt.ts';
import { removeStaleFiles } from './owner.ts';
import { takeLock, type LockOptions } from './lock.ts';
import { pathOnDisk } from './path-on-disk.ts';
import type { Store, Stored } from '../store.ts';
import { lstat, retryWhileBusy, readFile, stat, syncFolder } from './system.ts';
import { readChunks } from '../../platform/read-chunks.ts';

/**
 * A registry in a folder. Writes are atomic and durable (atomic.ts), and conditional among any number of processes
 * (lock.ts); an editor that takes no lock is detected too, until just before the rename. Symbolic links are followed as
 * long as they stay below the root.
 * @param root relative to the current folder, or absolute; created with the first file
 * @param options the timeouts of locks, in milliseconds, and the callback for a broken lock
 */
export function openDirectory(root: string, options: LockOptions = {}): Store {
  return {
    name: root,
    folder: resolve(root),
    read,
    digest,
    create,
    replace: (path, bytes, token) => replaceIn(root, { path, bytes, token }, options),
    requireWritable: (path, how) => requireWritableIn(root, path, how),
    tidy: tidyBeside,
  };

  /** @throws AppregError if the path is refused or the file cannot be read; the token is the SHA-256 of the bytes */
  async function read(path: string): Promise<Stored | null> {
    try {
      const bytes = await readAt(await pathOnDisk(root, path), path);
      return bytes && { bytes, token: tokenOf(bytes) };
    } catch (error) {
      throw diskError(error, path, null, join(root, path));
    }
  }

  /** @throws AppregError as `read` does */
  async function digest(path: string): Promise<Digest | null> {
    try {
      const target = await pathOnDisk(root, path);
      if (!(await isFile(target, path))) return null;
      return await nullIfMissing(digestOfChunks(readChunks(target)));
    } catch (error) {
      throw diskError(error, path, null, join(root, path));
    }
  }

  /**
   * A missing folder has nothing to remove.
   * @throws AppregError if a path is refused
   */
  async function tidyBeside(paths: readonly string[]): Promise<void> {
    const folders = new Set<string>();
    for (const path of paths) folders.add(dirname(await pathOnDisk(root, path)));
    for (const folder of folders) await removeStaleFiles(folder);
  }

  /**
   * Creates missing folders too, and removes them again if the file cannot be created.
   * @throws AppregError if the path is refused or on a disk error
   */
  async function create(path: string, bytes: Bytes): Promise<'created' | 'exists'> {
    const made: string[] = [];
    try {
      const target = await pathOnDisk(root, path);
      await makeFolders(dirname(target), made);
      return (await createFile(target, bytes, { shownAs: path })) ? 'created' : 'exists';
    } catch (error) {
      await removeEmptyFolders(made);
      throw diskError(error, path, { effect: 'none' }, join(root, path));
    }
  }
}

/** @throws AppregError as a write does */
async function requireWritableIn(root: string, path: string, how: 'create' | 'replace'): Promise<void> {
  try {
    const target = await pathOnDisk(root, path);
    if (how === 'create' && (await nullIfMissing(lstat(target))) !== null) return;
    await requireWritableFile(target, path);
  } catch (error) {
    throw diskError(error, path, { effect: 'none' }, join(root, path));
  }
}

/** @throws AppregError `store-locked`, `lock-lost`, if the path is refused or on a disk error; nothing is changed then */
async function replaceIn(
  root: string,
  { path, bytes, token }: { path: string; bytes: Uint8Array; token: string },
  options: LockOptions,
): Promise<'replaced' | 'changed'> {
  const progress = { isReplaced: false };
  try {
    const target = await pathOnDisk(root, path);
    // Checked before taking the lock, too: without the folder there cannot be a lock.
    const expected = await readAt(target, path);
    if (expected === null || tokenOf(expected) !== token) return 'changed';
    return await deferSignals(() => replaceLocked({ target, path, bytes, expected, options }, progress));
  } catch (error) {
    throw diskError(error, path, progress.isReplaced ? STILL_LOCKED : { effect: 'none' }, join(root, path));
  }
}

const STILL_LOCKED: WriteOutcome = {
  effect: 'applied',
  state: message`The file was written, but its lock was not removed.`,
};

interface Replacement {
  /** The file on disk. */
  target: string;
  /** Its path in the store. */
  path: string;
  bytes: Uint8Array;
  /** The bytes that it must have until then. */
  expected: Uint8Array;
  options: LockOptions;
}

/** Replaces a file under its lock. @param progress records, also for an error, whether the file was replaced */
async function replaceLocked(
  { target, path, bytes, expected, options }: Replacement,
  progress: { isReplaced: boolean },
): Promise<'replaced' | 'changed'> {
  const isUnchanged = async (): Promise<boolean> => {
    const current = await readAt(target, path);
    return current !== null && Buffer.compare(current, expected) === 0;
  };
  const lock = await takeLock(target, path, options);
  try {
    if (!(await isUnchanged())) return 'changed';
    const check = async (): Promise<boolean> => {
      if (await lock.held()) return isUnchanged();
      throw lockLost(path);
    };
    progress.isReplaced = await replaceFile(target, bytes, { shownAs: path, check });
    return progress.isReplaced ? 'replaced' : 'changed';
  } finally {
    await lock.release();
  }
}

/** Identifies the state of a file: the SHA-256 of its bytes. */
function tokenOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function readAt(target: string, path: string): Promise<Uint8Array | null> {
  return (await isFile(target, path)) ? nullIfMissing(retryWhileBusy(() => readFile(target))) : null;
}

/**
 * False if nothing exists.
 * @throws AppregError `not-a-file` for a folder or a special file
 */
async function isFile(target: string, path: string): Promise<boolean> {
  const stats = await nullIfMissing(stat(target)).catch((error: unknown) => {
    if (errno(error) === 'ENOTDIR') return null; // There is nothing below a file.
    throw error;
  });
  if (stats === null) return false;
  if (!stats.isFile())
    throw new AppregError('not-a-file', message`${path} is not a regular file.`, message`Give the path of a file.`, {
      effect: 'none',
    });
  return true;
}

/**
 * Each new folder's name is synced to disk, like the file's later. (Node's own recursion hides why it failed.)
 * @param made receives each folder that is created, also if a later one fails
 */
async function makeFolders(folder: string, made: string[]): Promise<void> {
  if ((await nullIfMissing(stat(folder))) !== null) return;
  const parent = dirname(folder);
  if (parent !== folder) await makeFolders(parent, made);
  try {
    await mkdir(folder);
    made.push(folder);
  } catch (error) {
    if (errno(error) !== 'EEXIST') throw error; // Another process created it first.
  }
  await syncFolder(parent);
}

/** Removes the folders, the last one first. A folder that another process has put a file into stays. */
async function removeEmptyFolders(folders: readonly string[]): Promise<void> {
  for (const folder of folders.toReversed()) await rmdir(folder).catch(() => {});
}

function lockLost(path: string): AppregError {
  return new AppregError(
    'lock-lost',
    message`The lock of ${path} was removed before the write was finished.`,
    message`Run the same command again. Do not remove a lock while its process is running.`,
    { effect: 'none', advisesRepeat: true },
  );
}
