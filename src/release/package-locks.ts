import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { PACKAGE_LOCKS, withPackageVersion } from '../core/release/package-lock.ts';

const MAX_BYTES = 64 * 1024 ** 2;

/** A file to write. */
export interface ChangedFile {
  /** Absolute. */
  file: string;
  text: string;
}

/**
 * The lock files of npm with another version of the package: those beside a package.json, and those of the repository
 * whose workspace it is. Links, and files that do not have that version, are left out.
 * @param versionFile the file with the version, absolute
 * @param pending new texts of files, by path, that are to be written
 */
export function changedPackageLocks(
  versionFile: string,
  version: string,
  pending: ReadonlyMap<string, string> = new Map(),
): ChangedFile[] {
  if (basename(versionFile) !== 'package.json') return [];
  const folder = dirname(versionFile);
  return foldersUp(folder).flatMap((above) => {
    const path = relative(above, folder).replaceAll('\\', '/');
    return PACKAGE_LOCKS.flatMap((name) => {
      const file = join(above, name);
      const bytes = pending.has(file) ? Buffer.from(pending.get(file) ?? '') : readLock(file);
      const text = bytes === null ? null : withPackageVersion(bytes, path, version);
      return text === null ? [] : [{ file, text }];
    });
  });
}

/** A folder and those above it, up to the root of the repository. */
function foldersUp(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder || existsSync(join(folder, '.git')) ? [folder] : [folder, ...foldersUp(parent)];
}

function readLock(file: string): Buffer | null {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats === undefined || !stats.isFile() || stats.size > MAX_BYTES ? null : readFileSync(file);
}
