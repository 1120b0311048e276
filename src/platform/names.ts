import { lstatSync, readdirSync, realpathSync } from 'node:fs';
import { basename, join } from 'node:path';
import { inOtherCase, namesOf } from '../core/registry/file-names.ts';

/** What the file system says; a test may give answers of its own. */
export interface Disk {
  /** True where something is found under this path. */
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
 * Where a file system finds a file under a name that its folder does not list (another case on Windows and macOS,
 * another Unicode normalization, a short name): the path as it is listed. Null where each name is listed as it is, and
 * where there is nothing of that name. On a file system that tells case, folders are not listed for plain names.
 * @param root the folder that `segments` lead from; its own name is not looked at
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

/** The name in the listing of what is found under `name`; null where nothing is found, or the folder cannot be read. */
function listedName(folder: string, name: string, disk: Disk): string | null {
  try {
    if (!disk.has(join(folder, name))) return null;
    if (isPlain(name)) return name;
    const other = inOtherCase(name);
    if (other !== null && !disk.has(join(folder, other))) return name;
    const names = namesOf(disk.list(folder));
    return names.has(name) ? name : (names.like(name)[0] ?? disk.nameOf(join(folder, name)));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return null;
  }
}

/** True for a name that every file system lists as it is: ASCII without letters, and without the tilde of short names. */
function isPlain(name: string): boolean {
  return /^[\u0020-\u007d]*$/.test(name) && !/[a-z]/i.test(name);
}
