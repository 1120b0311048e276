import { readdirSync, realpathSync, type Dirent } from 'node:fs';
import { isAbsolute, join, relative, resolve, sep } from 'node:path';
import { unzipSync } from 'fflate';
import { counted } from '../../core/text/text.ts';
import { type FileRead, readRegularFile } from '../../platform/regular-file.ts';
import { readable } from '../files.ts';

/** The files of an installed package: in a folder, or in a .zip file of Yarn's Plug'n'Play. */
export interface PackageFiles {
  /** The names of its top-level files, and of those in a folder `LICENSES` (REUSE), with a slash; in order. */
  names: readonly string[];
  /** The content of a file, or why it cannot be read. A link out of the package is not followed. */
  read(name: string): FileRead;
}

/** Files of a package are not larger. */
const MOST_BYTES = 2 ** 20;
const TOO_LARGE = { failure: `is larger than ${counted(MOST_BYTES, 'byte')}`, code: null };
const OUTSIDE = { failure: 'is outside of the package', code: null };
const MISSING = { failure: 'does not exist', code: 'ENOENT' };
/** The folder with the license texts of a project that follows REUSE. */
const TEXTS_FOLDER = /^licenses$/i;

/** @param folder as `packageFolder` returns it @throws AppregError `file-unreadable` */
export function openPackage(folder: string): PackageFiles {
  const [, archive, inside] = /^(.*\.zip)[\\/](.+)$/.exec(folder) ?? [];
  return archive === undefined || inside === undefined
    ? filesInFolder(folder)
    : filesInArchive(archive, inside.split(sep).join('/'));
}

function filesInFolder(folder: string): PackageFiles {
  const names: string[] = [];
  for (const entry of entriesOf(folder)) {
    if (!entry.isDirectory()) names.push(entry.name);
    else if (TEXTS_FOLDER.test(entry.name))
      for (const inner of entriesOf(join(folder, entry.name)))
        if (!inner.isDirectory()) names.push(`${entry.name}/${inner.name}`);
  }
  return {
    names: names.toSorted(),
    read(name) {
      const path = resolve(folder, name);
      return leadsOut(folder, path) ? OUTSIDE : readRegularFile(path, MOST_BYTES);
    },
  };
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    throw readable(error);
  }
}

/** True for a path that is, or links to, something outside of the folder: a package must not publish other files. */
function leadsOut(folder: string, path: string): boolean {
  let [base, real] = [folder, path];
  try {
    [base, real] = [realpathSync(folder), realpathSync(path)];
  } catch {
    // Nothing is there, or nothing that can be read.
  }
  const way = relative(base, real);
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}

function filesInArchive(archive: string, inside: string): PackageFiles {
  const read = readRegularFile(archive);
  if ('failure' in read) return { names: [], read: () => read };
  const prefix = `${inside}/`;
  const names: string[] = [];
  unzipSync(read.bytes, {
    filter({ name }) {
      const path = name.startsWith(prefix) ? name.slice(prefix.length) : '';
      const [first = '', ...others] = path.split('/');
      const isTopLevel = others.length === 0 || (others.length === 1 && TEXTS_FOLDER.test(first));
      if (isTopLevel && path !== '' && !path.endsWith('/')) names.push(path);
      return false;
    },
  });
  return {
    names: names.toSorted(),
    read(name) {
      let isTooLarge = false;
      const found = unzipSync(read.bytes, {
        filter(file) {
          if (file.name !== prefix + name) return false;
          isTooLarge = file.originalSize > MOST_BYTES;
          return !isTooLarge;
        },
      })[prefix + name];
      if (isTooLarge) return TOO_LARGE;
      return found === undefined ? MISSING : { bytes: Buffer.from(found) };
    },
  };
}
