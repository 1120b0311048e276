import { message } from '../../core/text/message.ts';
import { lstatSync, realpathSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppregError } from '../../core/errors.ts';
import { homeFolder } from '../../platform/home-folder.ts';
import { whyUnreadable } from '../../platform/regular-file.ts';
import { CONFIG_FILES, type ConfigForm, formOf, UNSUPPORTED_FILES } from './config-files.ts';
import { hasPackageField } from './read-data.ts';
import { isOwn, refuseForeignOwner } from './config-owner.ts';

/** Finds the configuration file of a folder. */

export interface ConfigFile {
  /** Absolute. */
  path: string;
  form: ConfigForm;
  /** True if --config names it. */
  named: boolean;
  /** The names of other configurations in the same folder, which have no effect. */
  unused: readonly string[];
}

/**
 * The nearest configuration from a folder upwards; null if there is none.
 * @param from absolute
 * @throws AppregError for a file in a form that is not supported, and for one in a parent folder that another user owns
 */
export function findConfig(from: string): ConfigFile | null {
  for (const folder of searchedFolders(from)) {
    const found = configIn(folder);
    if (found === null) continue;
    if (folder !== from) refuseForeignOwner(found.path, { root: true });
    return found;
  }
  return null;
}

/**
 * The file of --config.
 * @param path absolute
 * @throws AppregError for a name with an unknown ending
 */
export function namedConfig(path: string): ConfigFile {
  const form = formOf(basename(path));
  if (form === null) throw unsupported(path);
  return { path, form, named: true, unused: [] };
}

/** The configuration in a folder itself; null if it has none. */
export function configIn(folder: string): ConfigFile | null {
  const present = [...CONFIG_FILES].filter(([name]) => exists(join(folder, name)));
  const candidates = present.filter(
    ([, form], index) => form !== 'package' || hasPackageField(join(folder, 'package.json'), index > 0),
  );
  const [first, ...others] = candidates;
  const foreign = UNSUPPORTED_FILES.filter((name) => exists(join(folder, name)));
  if (first === undefined) {
    if (foreign[0] !== undefined) throw unsupported(join(folder, foreign[0]));
    return null;
  }
  const [name, form] = first;
  return { path: join(folder, name), form, named: false, unused: [...others.map(([other]) => other), ...foreign] };
}

function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    const why = whyUnreadable(path, error);
    if (why === null) throw error;
    // A part of the path is not a folder, so the file does not exist.
    if (why.startsWith('does not exist')) return false;
    throw new AppregError(
      'config-unreadable',
      message`The folder ${dirname(path)} cannot be searched for a configuration: ${basename(path)} ${why}.`,
      message`Allow the user that runs appreg to read the folder, or name the configuration: --config <file>.`,
      { cause: error },
    );
  }
}

/**
 * The folder and its parents, as far as a configuration applies: up to the root of the repository or to the home
 * folder, whichever is nearer. Outside of both, only through folders in which no other user can create files.
 */
function searchedFolders(from: string): string[] {
  const homes = homeFolders();
  const folders: string[] = [];
  for (let folder = from; ; folder = dirname(folder)) {
    folders.push(folder);
    if (homes.has(folder) || exists(join(folder, '.git'))) return folders;
    if (folder === dirname(folder)) break;
  }
  const end = folders.findIndex((folder, index) => index > 0 && !isPrivate(folder));
  return end === -1 ? folders : folders.slice(0, end);
}

function homeFolders(): ReadonlySet<string> {
  const home = homeFolder();
  if (home === null) return new Set();
  try {
    return new Set([home, realpathSync(home)]);
  } catch {
    // A home folder that does not exist contains no workspace.
    return new Set([home]);
  }
}

const WRITABLE_BY_OTHERS = 0o002;

function isPrivate(folder: string): boolean {
  let stat: Stats;
  try {
    stat = statSync(folder);
  } catch {
    return false;
  }
  return isOwn(stat.uid) && (process.platform === 'win32' || (stat.mode & WRITABLE_BY_OTHERS) === 0);
}

/** The folder of the nearest repository around a path; null without one. */
export function repositoryAround(folder: string): string | null {
  for (let at = folder; ; at = dirname(at)) {
    if (exists(join(at, '.git'))) return at;
    if (at === dirname(at)) return null;
  }
}

function unsupported(path: string): AppregError {
  const name = basename(path);
  const isElsewhere = basename(dirname(path)) === '.config' && formOf(name) !== null;
  return new AppregError(
    'config-unsupported',
    isElsewhere
      ? message`${path} is not read: a configuration is not searched in .config.`
      : message`${path} is a configuration in a format that appreg does not support.`,
    isElsewhere
      ? message`Move it to the folder above, as appreg.config.json.`
      : message`Write it as appreg.config.json, .yaml, .js, .mjs or .cjs, or remove it.`,
  );
}
