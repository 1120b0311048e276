import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { inOtherCase, namesOf } from '../core/registry/file-names.ts';
import { systemErrorCode } from './system-error.ts';

/** The file system; tests may substitute it. */
export interface Disk {
  /** True if the file system finds this path. */
  has(path: string): boolean;
  /** The names in a folder, as listed. */
  list(folder: string): readonly string[];
  /** The name that the file system gives for a path. */
  nameOf(path: string): string;
}

const DISK: Disk = {
  has: (path) => lstatSync(path, { throwIfNoEntry: false }) !== undefined,
  list: (folder) => readdirSync(folder),
  nameOf: (path) => basename(realpathSync.native(path)),
};

/**
 * The path as listed, if the file system finds it under a name that the folder does not list (another case on Windows
 * and macOS, another Unicode normalization, a short name). Null if each name is listed as it is, and if there is
 * nothing of that name. On a case-sensitive file system, folders are not listed for plain names.
 * @param root the folder that `segments` are relative to; its own name is not checked
 */
export function otherNameOnDisk(root: string, segments: readonly string[], disk: Disk = DISK): string | null {
  const listed: string[] = [];
  for (const name of segments) {
    const folder = join(root, ...segments.slice(0, listed.length));
    const found = listedName(folder, name, disk);
    if (found === null) break;
    listed.push(found);
  }
  return listed.every((name, index) => name === segments[index]) ? null : listed.join('/');
}

/** The listed name of what is found under `name`; null if nothing is found, or the folder cannot be read. */
function listedName(folder: string, name: string, disk: Disk): string | null {
  try {
    if (!disk.has(join(folder, name))) return null;
    if (isPlain(name)) return name;
    const other = inOtherCase(name);
    if (other !== null && !disk.has(join(folder, other))) return name;
    const names = namesOf(disk.list(folder));
    return names.has(name) ? name : (names.like(name)[0] ?? disk.nameOf(join(folder, name)));
  } catch (error) {
    if (systemErrorCode(error) === null) throw error;
    return null;
  }
}

/**
 * True for a name that every file system lists unchanged: ASCII without letters, and without the short names' tilde.
 */
function isPlain(name: string): boolean {
  return /^[\u0020-\u007d]*$/.test(name) && !/[a-z]/i.test(name);
}
