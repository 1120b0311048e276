import { readdir, readFile, rm, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errno, nullIfMissing } from './disk-error.ts';
import { isAlive, parseOwner, type ProcessIdentity, tempOwner } from './owner.ts';
import { FORCE_REMOVE } from './system.ts';

const DAY = 24 * 60 * 60 * 1000;

/**
 * Removes the leftovers of killed runs in a folder: temporary files of processes that are gone, or that ran on another
 * machine more than a day ago. Files that may not be listed or removed are kept.
 */
export async function removeStaleTempFiles(folder: string): Promise<void> {
  await forEachEntry(folder, async (name, path) => {
    const owner = tempOwner(name);
    if (owner !== null && (await isGone(owner, path))) await rm(path, FORCE_REMOVE);
  });
}

/** The same, and locks whose owner is gone. A lock that is held, or that names no owner, is kept. */
export async function removeStaleFiles(folder: string): Promise<void> {
  await removeStaleTempFiles(folder);
  await forEachEntry(folder, async (name, path) => {
    if (!LOCK.test(name)) return;
    const files = (await nullIfMissing(readdir(path))) ?? [];
    const [file = ''] = files;
    if (files.length > 1 || (files.length === 1 && !LOCK_OWNER.test(file))) return;
    const text = file === '' ? null : await nullIfMissing(readFile(join(path, file), 'utf8'));
    const owner = text === null ? null : parseOwner(text);
    // Removing that one file breaks the lock: one that was taken meanwhile has another name.
    if (owner !== null && (await isGone(owner, join(path, file)))) await rm(join(path, file), FORCE_REMOVE);
    await removeEmpty(path);
  });
}

const LOCK = /^\..+\.lock$/;
const LOCK_OWNER = /^[0-9a-f]{24}\.json$/;

async function forEachEntry(folder: string, visit: (name: string, path: string) => Promise<void>): Promise<void> {
  try {
    for (const name of (await nullIfMissing(readdir(folder))) ?? []) await visit(name, join(folder, name));
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EBUSY', 'EROFS', 'ENOTDIR'].includes(errno(error))) throw error;
  }
}

/** True if the process is gone; if that cannot be known, whether the file is more than a day old. */
export async function isGone(owner: ProcessIdentity | null, path: string): Promise<boolean> {
  const alive = owner === null ? null : isAlive(owner);
  return alive === false || (alive === null && (await isOld(path)));
}

/** Removes an empty folder; a lock that is held is not empty. */
export async function removeEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    // Gone, or a lock that was taken meanwhile; on Windows also one that another process has open.
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES', 'EBUSY'].includes(errno(error))) throw error;
  }
}

async function isOld(path: string): Promise<boolean> {
  const stats = await nullIfMissing(stat(path));
  return stats !== null && Date.now() - stats.mtimeMs > DAY;
}
