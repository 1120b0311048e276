import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { PACKAGE_LOCKS, withPackageVersion } from '../core/release/package-lock.ts';

const MAX_BYTES = 64 * 1024 ** 2;

/** A file to write. */
export interface ChangedFile {
  /** An absolute path. */
  file: string;
  text: string;
}

/**
 * The lock files of npm that list a package, with its new version: those beside its package.json, and those in the
 * folders above it, up to the root of its git repository. Links, and files that do not list the package, are left out.
 * @param versionFile the absolute path of the file with the version; lock files repeat only that of a package.json
 * @param pending new texts of files, by path, that are to be written
 */
export function changedPackageLocks(
  versionFile: string,
  version: string,
  pending: ReadonlyMap<string, string> = new Map(),
): ChangedFile[] {
  if (basename(versionFile) !== 'package.json') return [];
  const folder = dirname(versionFile);
  return foldersInRepository(folder).flatMap((above) => {
    const path = relative(above, folder).replaceAll('\\', '/');
    return PACKAGE_LOCKS.flatMap((name) => {
      const file = join(above, name);
      const bytes = pending.has(file) ? Buffer.from(pending.get(file) ?? '') : readLock(file);
      const text = bytes === null ? null : withPackageVersion(bytes, path, version);
      return text === null ? [] : [{ file, text }];
    });
  });
}

/** A folder and those above it, up to the root of its git repository; outside of one, the folder alone. */
function foldersInRepository(folder: string): string[] {
  const folders = [folder];
  for (let at = folder; !existsSync(join(at, '.git')); folders.push(at)) {
    if (dirname(at) === at) return [folder];
    at = dirname(at);
  }
  return folders;
}

function readLock(file: string): Buffer | null {
  const stats = lstatSync(file, { throwIfNoEntry: false });
  return stats === undefined || !stats.isFile() || stats.size > MAX_BYTES ? null : readFileSync(file);
}
