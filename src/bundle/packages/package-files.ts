import { readdirSync, realpathSync, type Dirent } from 'node:fs';
import { isAbsolute, join, posix, relative, resolve, sep } from 'node:path';
import { unzipSync } from 'fflate';
import { counted } from '../../core/text/text.ts';
import { type FileRead, readRegularFile } from '../../platform/regular-file.ts';
import { readable } from '../files.ts';

/** The files of an installed package: in a folder, or in a .zip file of Yarn's Plug'n'Play. */
export interface PackageFiles {
  /**
   * The paths of the files in its folders that were asked for, and in a folder `LICENSES` (REUSE) in one of them;
   * relative, with slashes, in order.
   */
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

/** The top level of a package. */
const TOP: ReadonlySet<string> = new Set(['']);

/**
 * @param folder as `packageModule` returns it
 * @param inner the folders whose files are listed, relative and with slashes; '' for the top level
 * @throws AppregError `file-unreadable`
 */
export function openPackage(folder: string, inner = TOP): PackageFiles {
  const [, archive, inside] = /^(.*\.zip)[\\/](.+)$/.exec(folder) ?? [];
  return archive === undefined || inside === undefined
    ? filesInFolder(folder, inner)
    : filesInArchive(archive, inside.split(sep).join('/'), inner);
}

function filesInFolder(folder: string, inner: ReadonlySet<string>): PackageFiles {
  const names = new Set<string>();
  for (const at of inner) {
    for (const entry of entriesOf(join(folder, at))) {
      const path = posix.join(at, entry.name);
      if (!entry.isDirectory()) names.add(path);
      else if (TEXTS_FOLDER.test(entry.name))
        for (const text of entriesOf(join(folder, path)))
          if (!text.isDirectory()) names.add(posix.join(path, text.name));
    }
  }
  return {
    names: [...names].toSorted(),
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

function filesInArchive(archive: string, inside: string, inner: ReadonlySet<string>): PackageFiles {
  const read = readRegularFile(archive);
  if ('failure' in read) return { names: [], read: () => read };
  const prefix = `${inside}/`;
  const names: string[] = [];
  unzipSync(read.bytes, {
    filter({ name }) {
      const path = name.startsWith(prefix) ? name.slice(prefix.length) : '';
      const folder = folderOf(path);
      const isListed = inner.has(folder) || (TEXTS_FOLDER.test(posix.basename(folder)) && inner.has(folderOf(folder)));
      if (isListed && path !== '' && !path.endsWith('/')) names.push(path);
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

/** The folder of a relative path; '' for the top level. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
