import { lstatSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { PACKAGE_LOCKS, withPackageVersion } from '../core/release/package-lock.ts';

const MAX_BYTES = 64 * 1024 ** 2;

/** A file to write. */
export interface ChangedFile {
  /** Absolute. */
  file: string;
  text: string;
}

/**
 * The lock files of npm beside a package.json, with another version of the package. Links, and files that are not lock
 * files, are left out.
 * @param versionFile the file with the version, absolute
 */
export function changedPackageLocks(versionFile: string, version: string): ChangedFile[] {
  if (basename(versionFile) !== 'package.json') return [];
  return PACKAGE_LOCKS.flatMap((name) => {
    const file = join(dirname(versionFile), name);
    const stats = lstatSync(file, { throwIfNoEntry: false });
    if (stats === undefined || !stats.isFile() || stats.size > MAX_BYTES) return [];
    const text = withPackageVersion(readFileSync(file), version);
    return text === null ? [] : [{ file, text }];
  });
}
