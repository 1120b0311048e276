// Not node:fs/promises, which takes 2 ms to load, and is needed by few commands.
import { mkdirSync, promises, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { systemErrorCode } from './system-error.ts';

/**
 * Creates folders with their missing parents. Node's `mkdir` with `recursive` calls mkdir again for ever, and cannot be
 * interrupted, if the system responds with ENOENT although the parent exists, as below /proc.
 */

/**
 * Creates the folder and its missing parents; an existing folder is left as it is.
 * @param mode of each new folder
 * @returns the topmost folder that was created, if any
 * @throws the error of the system
 */
export async function makeFolder(folder: string, mode?: number): Promise<string | undefined> {
  let topmost: string | undefined;
  for (const path of await missingFolders(resolve(folder)))
    try {
      await promises.mkdir(path, mode);
      topmost ??= path;
    } catch (error) {
      // It exists already, or another process has created it.
      if ((await typeOf(path)) !== 'folder') throw error;
    }
  return topmost;
}

/** `makeFolder`, synchronously. */
export function makeFolderSync(folder: string, mode?: number): string | undefined {
  let topmost: string | undefined;
  for (const path of missingFoldersSync(resolve(folder)))
    try {
      mkdirSync(path, mode);
      topmost ??= path;
    } catch (error) {
      if (typeOfSync(path) !== 'folder') throw error;
    }
  return topmost;
}

/** The folder, and its parents that do not exist; the topmost one first. */
async function missingFolders(folder: string): Promise<string[]> {
  const missing = [folder];
  for (let path = dirname(folder); (await typeOf(path)) === null && path !== missing[0]; path = dirname(path))
    missing.unshift(path);
  return missing;
}

function missingFoldersSync(folder: string): string[] {
  const missing = [folder];
  for (let path = dirname(folder); typeOfSync(path) === null && path !== missing[0]; path = dirname(path))
    missing.unshift(path);
  return missing;
}

/** Null if nothing of that name exists. */
async function typeOf(path: string): Promise<'folder' | 'other' | null> {
  return promises.stat(path).then(typeIn, nullIfMissing);
}

function typeOfSync(path: string): 'folder' | 'other' | null {
  try {
    return typeIn(statSync(path));
  } catch (error) {
    return nullIfMissing(error);
  }
}

function typeIn(stats: Stats): 'folder' | 'other' {
  return stats.isDirectory() ? 'folder' : 'other';
}

function nullIfMissing(error: unknown): null {
  const code = systemErrorCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return null;
  throw error;
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EEXIST: 'it is a file',
  ENOENT: 'a part of its path does not exist',
  ENOTDIR: 'a part of its path is not a folder',
  ELOOP: 'its path has a symbolic link that forms a loop',
  ENAMETOOLONG: 'its path is too long',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is exceeded',
};

/**
 * The reason why a folder cannot be created or written, in words and with the code of the system; worded to
 * follow a colon.
 */
export function whyNotUsable(error: unknown): string {
  const code = systemErrorCode(error);
  if (code === null) return error instanceof Error ? error.message : String(error);
  const reason = REASONS[code];
  return reason === undefined ? code : `${reason} (${code})`;
}
