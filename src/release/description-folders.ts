import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { appsFolder } from './apps-folder.ts';
import { keyOf, type ReleaseEntry } from './find-apps.ts';
import { foldersOf } from './match-folders.ts';

/**
 * The folders that describe the apps of the manifest, each with an app.json and an icon: those that `release` names in
 * the configuration, and apps/<key>.
 */

export interface DescriptionFolder {
  /** Of the app; it may be unsafe. */
  key: string;
  /** Relative to the configuration, with forward slashes. */
  folder: string;
  /** True for a symbolic link, which is not followed. */
  isLink: boolean;
  /** Another folder that also describes the app; null if there is none. */
  other: string | null;
}

const DESCRIPTION = 'app.json';

/**
 * One folder for each app, sorted by key.
 * @param root the folder of the configuration, absolute
 * @throws AppregError (exit 2) for a folder in the configuration that matches nothing
 */
export async function descriptionFolders(root: string, entries: readonly ReleaseEntry[]): Promise<DescriptionFolder[]> {
  const found = new Map<string, DescriptionFolder>();
  const matched = new Set<string>();
  for (const entry of entries)
    for (const folder of await foldersOf(root, entry.folder)) {
      matched.add(folder);
      const key = keyOf(entry.key, root, folder);
      if (!found.has(key)) found.set(key, described(root, key, folder));
    }
  for (const folder of namedFolders(root)) {
    if (matched.has(folder)) continue;
    const key = basename(folder);
    const released = found.get(key);
    const isDescribed = hasDescription(root, folder);
    // Without an app.json, it holds the published files of an app whose sources are elsewhere.
    if (!isDescribed && (released !== undefined || entries.length > 0)) continue;
    if (released === undefined || !hasDescription(root, released.folder)) found.set(key, described(root, key, folder));
    else found.set(key, { ...released, other: folder });
  }
  return [...found.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/** The folder that would describe an app: that of its sources if `release` names them one by one, or apps/<key>. */
export function expectedFolder(entries: readonly ReleaseEntry[], key: string): string {
  const named = entries.find(
    (entry) => (entry.key ?? '{name}') === '{name}' && /^[^*?{}[\]!]*\/\*$/.test(entry.folder),
  );
  return named === undefined ? `apps/${key}` : `${named.folder.slice(0, -1)}${key}`;
}

export function hasDescription(root: string, folder: string): boolean {
  return existsSync(join(root, folder, DESCRIPTION));
}

function described(root: string, key: string, folder: string): DescriptionFolder {
  return { key, folder, isLink: lstatSync(join(root, folder)).isSymbolicLink(), other: null };
}

/** The folders below apps/; files and hidden folders are left out. */
function namedFolders(root: string): string[] {
  const folder = appsFolder(root);
  if (folder === null) return [];
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => `apps/${name}`);
}
