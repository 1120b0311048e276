import { message } from '../../core/text/message.ts';
import { lstatSync, realpathSync, statSync, type Stats } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { AppregError } from '../../core/errors/error.ts';
import { homeFolder } from '../../platform/home-folder.ts';
import { readRegularFile, whyUnreadable } from '../../platform/regular-file.ts';

/** Which file is the configuration. */

/** Syntax of a configuration; `package` is the field of a package.json. */
export type ConfigForm = 'json' | 'yaml' | 'package';

/** In order of precedence. */
export const CONFIG_FILES: ReadonlyMap<string, ConfigForm> = new Map([
  ['appreg.config.json', 'json'],
  ['appreg.config.yaml', 'yaml'],
  ['appreg.config.yml', 'yaml'],
  ['.appregrc', 'yaml'],
  ['.appregrc.json', 'json'],
  ['.appregrc.yaml', 'yaml'],
  ['.appregrc.yml', 'yaml'],
  ['package.json', 'package'],
]);

/** A configuration is data: one that is code could do anything wherever a command reads it. */
const CODE_ENDINGS = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.cts'];

/** The names of configurations that are code. */
export const CODE_FILES: readonly string[] = namesWith(CODE_ENDINGS);

const UNSUPPORTED = [...CODE_FILES, ...namesWith(['.toml', '.json5', '.jsonc', '.ini', '.xml'])];

function namesWith(endings: readonly string[]): string[] {
  return ['appreg.config', '.appregrc'].flatMap((stem) => endings.map((ending) => stem + ending));
}

/** Files that other tools would read, and this one does not: they are reported, since ignoring one may hide findings. */
const UNSUPPORTED_FILES: readonly string[] = [
  ...UNSUPPORTED,
  ...[...CONFIG_FILES.keys(), ...UNSUPPORTED]
    .filter((name) => name !== 'package.json')
    .map((name) => `.config/${name.replace(/^\./, '')}`),
];

/** The form of a file named with --config; null if its ending is not supported. */
export function formOf(name: string): ConfigForm | null {
  const known = CONFIG_FILES.get(name);
  if (known !== undefined) return known;
  const ending = extname(name);
  return ending === '' ? 'yaml' : (CONFIG_FILES.get(`appreg.config${ending}`) ?? null);
}

/** Whose files may decide how appreg runs: the same users as for git's safe.directory. */

/** The user who runs the command, and for root with sudo also the one who called it; null on Windows. */
function trustedUsers(): readonly number[] | null {
  const user = process.geteuid?.();
  if (user === undefined) return null;
  const caller = Number(process.env['SUDO_UID'] || Number.NaN);
  return user === 0 && Number.isSafeInteger(caller) ? [user, caller] : [user];
}

function isOwn(uid: number): boolean {
  return trustedUsers()?.includes(uid) ?? true;
}

/** Throws AppregError for a file of another user than root. A path that cannot be read is left to its reader. */
function refuseForeignOwner(path: string): void {
  const owner = owners(path).find((uid) => !isOwn(uid) && uid !== 0);
  if (owner === undefined) return;
  throw new AppregError(
    'config-owner',
    message`${path} belongs to another user (uid ${owner}), so it was not used.`,
    message`If you trust it, name it: --config ${path}`,
  );
}

/** The owners of a file, and of the link to it. */
function owners(path: string): number[] {
  try {
    return [lstatSync(path).uid, statSync(path).uid];
  } catch {
    return [];
  }
}

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
    if (folder !== from) refuseForeignOwner(found.path);
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

/**
 * True if a package.json has the field `appreg`, which may be of any type. One that cannot be read or parsed counts as
 * one that has it, so that reading it reports the error.
 * @param isSecond true if the folder has another configuration, so that nothing depends on this file
 */
function hasPackageField(path: string, isSecond: boolean): boolean {
  const read = readRegularFile(path);
  if ('failure' in read) return !isSecond;
  try {
    const value: unknown = JSON.parse(read.bytes.toString('utf8').replace(/^\ufeff/, ''));
    return typeof value === 'object' && value !== null && Object.hasOwn(value, 'appreg');
  } catch {
    return !isSecond;
  }
}

/** The error for a file that is not read as a configuration: its folder, its ending, or code. */
export function unsupported(path: string): AppregError {
  const name = basename(path);
  if (CODE_ENDINGS.includes(extname(name)))
    return new AppregError(
      'config-unsupported',
      message`${path} is code, which appreg does not execute: a configuration is data.`,
      message`Write its settings in appreg.config.json or appreg.config.yaml, and remove it.`,
    );
  if (basename(dirname(path)) === '.config' && UNSUPPORTED_FILES.includes(`.config/${name}`))
    return new AppregError(
      'config-unsupported',
      message`${path} is not read: a configuration is not searched in .config.`,
      message`Write its settings in the folder above, as appreg.config.json.`,
    );
  return new AppregError(
    'config-unsupported',
    message`${path} is a configuration in a format that appreg does not support.`,
    message`Write it as appreg.config.json or appreg.config.yaml, or remove it.`,
  );
}
