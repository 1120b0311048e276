import { message } from '../core/text/message.ts';
import { lstatSync, readdirSync, readFileSync, statSync, type Dirent } from 'node:fs';
import { join, resolve } from 'node:path';
import { AppregError } from '../core/errors/error.ts';
import { documentContent } from '../core/json/json.ts';
import { faultText } from '../core/json/input-file.ts';
import { APP_DESCRIPTION, describedBuild, type DescribedBuild } from '../core/release/app-description.ts';
import type { WrittenSettings } from '../core/release/build-settings.ts';
import type { AppProblem } from '../core/release/version-file.ts';
import { unlikeRegularFile } from '../platform/regular-file.ts';

/** The fields of an app.json that say how an app is built; the others are those of its manifest entry. */
export interface AppFile extends DescribedBuild {
  key: string;
  /** Relative to the configuration, with forward slashes. */
  folder: string;
  problem: AppProblem | null;
}

const MAX_BYTES = 1_000_000;
const NO_SETTINGS: WrittenSettings = { settings: {}, places: new Map() };

/** Those below apps/ that have such a field, or that cannot be read. */
export function appFilesIn(root: string): AppFile[] {
  const folder = appsFolder(root);
  if (folder === null) return [];
  // Links are not followed.
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.flatMap(({ name }) => appFile(root, `apps/${name}`, name) ?? []);
}

/** The app.json in the folder of an app; null without the file, or without such a field. */
export function appFile(root: string, folder: string, key: string): AppFile | null {
  const path = join(root, folder, APP_DESCRIPTION);
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  const nothing = { key, folder, entry: null, ui: null, version: null, maintenance: null, build: NO_SETTINGS };
  const name = `${folder}/${APP_DESCRIPTION}`;
  const isRegular = stats.isFile();
  if (!isRegular || stats.size > MAX_BYTES) {
    const what = isRegular ? 'is larger than 1 MB' : unlikeRegularFile(stats);
    return { ...nothing, problem: { message: message`${name} ${what}.`, advice: message`Use a small, regular file.` } };
  }
  const found = describedBuild(documentContent(readFileSync(path)), name);
  if (found === null) return null;
  if ('faults' in found)
    return {
      ...nothing,
      problem: { message: faultText(name, found.faults), advice: message`Fix the file.` },
    };
  return { ...nothing, ...found, problem: null };
}

/**
 * The folder apps/ of a workspace, absolute; null if it is missing.
 * @throws AppregError `not-a-folder` (exit 2)
 */
export function appsFolder(root: string): string | null {
  const path = join(root, 'apps');
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return null;
  if (stats.isDirectory()) return path;
  throw new AppregError(
    'not-a-folder',
    message`${path} is not a folder.`,
    message`Move or rename it: apps/ is the folder of the apps.`,
    { effect: 'none' },
  );
}

/** The folders as `matchingFolders` finds them. @throws AppregError `release-folder-missing` (exit 2) without a match */
export async function foldersOf(root: string, glob: string): Promise<string[]> {
  const folders = await matchingFolders(root, glob);
  if (folders.length > 0) return folders;
  throw new AppregError(
    'release-folder-missing',
    message`The folder ${JSON.stringify(glob)} in "release" matches no folder in ${root}.`,
    message`Correct the glob, or remove the item. The glob is relative to the configuration, and separates folders with /.`,
  );
}

/**
 * The folders that match a glob, sorted, relative to the root, with forward slashes and without a trailing one. A link
 * matches as a folder, but is not searched.
 */
export async function matchingFolders(root: string, glob: string, listing: Listing = ON_DISK): Promise<string[]> {
  const { escapePath, globSync } = await import('tinyglobby');
  // An existing name is taken literally, even if it contains brackets.
  const literal = listing.isFolder(join(root, glob));
  const matches = globSync(literal ? escapePath(glob) : glob, {
    cwd: root,
    onlyDirectories: true,
    expandDirectories: false,
    ignore: glob.includes('node_modules') ? [] : ['**/node_modules/**'],
    // The package lists no links, or searches them.
    fs: { readdirSync: listing.open() as unknown as typeof readdirSync },
  });
  return matches.map((match) => match.replace(/\/+$/, '').replace(/^\.\//, '') || '.').toSorted();
}

/** Lists folders, by absolute paths. */
interface Listing {
  isFolder(path: string): boolean;
  /** For one search. */
  open(): (folder: string) => Dirent[];
}

const ON_DISK: Listing = {
  isFolder: (path) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false,
  open: linksAsFolders,
};

/** The folders of files that are not on the disk, such as those of a commit. @param files relative to the root */
export function filesAsFolders(root: string, files: readonly string[]): Listing {
  const entries = new Map<string, Map<string, Dirent>>([[resolve(root), new Map()]]);
  for (const file of files) {
    const names = file.split('/');
    for (const [index, name] of names.entries()) {
      const parent = resolve(root, ...names.slice(0, index));
      const isFolder = index < names.length - 1;
      const known = entries.get(parent) ?? new Map<string, Dirent>();
      known.set(name, direntOf(name, isFolder));
      entries.set(parent, known);
    }
  }
  const list = (folder: string): Dirent[] => [...(entries.get(resolve(folder))?.values() ?? [])];
  return { isFolder: (path) => entries.has(resolve(path)), open: () => list };
}

/** The methods that a search calls. */
function direntOf(name: string, isFolder: boolean): Dirent {
  const methods = { isDirectory: () => isFolder, isFile: () => !isFolder, isSymbolicLink: () => false };
  return { name, ...methods } as Dirent;
}

/** Lists a folder; a link to a folder, or to nothing, looks like an empty folder. */
function linksAsFolders(): (folder: string) => Dirent[] {
  const links = new Set<string>();
  return (folder) => {
    const at = resolve(folder);
    if (links.has(at)) return [];
    return readdirSync(at, { withFileTypes: true }).map((entry) => {
      const path = join(at, entry.name);
      if (!entry.isSymbolicLink() || statSync(path, { throwIfNoEntry: false })?.isDirectory() === false) return entry;
      links.add(path);
      const asFolder = { isDirectory: () => true, isSymbolicLink: () => false };
      const shown: Dirent = Object.assign(Object.create(entry), { name: entry.name }, asFolder);
      return shown;
    });
  };
}
