import { message, safe } from '../core/text/message.ts';
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { assemble, type AppSource, type Issue } from '../author/assemble.ts';
import { documentContent } from '../core/json/json.ts';
import { isAppregError, AppregError } from '../core/errors/error.ts';
import { APP_DESCRIPTION, describesEntry } from '../core/release/app-description.ts';
import type { AppProblem } from '../core/release/version-file.ts';
import { unlikeRegularFile } from '../platform/regular-file.ts';
import type { AppToAssemble } from '../publish/described-app.ts';
import type { DescribingFolder } from '../publish/parts/description.ts';
import { checkAssembly, type Folders } from '../publish/assemble.ts';
import type { JudgeSettings } from '../publish/check-change.ts';
import { checkNewKey } from '../publish/check-key.ts';
import { appsFolder, foldersOf, matchingFolders } from './folders.ts';
import { type FoundApp, keyOf, type ReleaseEntry } from './find-apps.ts';
import { iconFromBytes } from './inspect-icon.ts';

/**
 * The folders that describe the apps of the manifest, each with an app.json and an icon: those that `release` names in
 * the configuration, and apps/<key>. They may contain untrusted files: links are not followed.
 */

const MAX_DESCRIPTION_BYTES = 1_000_000;
const MAX_ICON_BYTES = 10_000_000;

interface DescriptionFolder {
  /** Of the app; it may be unsafe. */
  key: string;
  /** Relative to the configuration, with forward slashes. */
  folder: string;
  /** True for a symbolic link, which is not followed. */
  isLink: boolean;
  /** Another folder that also describes the app; null if there is none. */
  other: string | null;
}

/**
 * The apps of a workspace with their icons, and the errors in their source files.
 * @param root the workspace, absolute
 * @param base its URL, with the trailing slash
 * @param entries the folders of the apps in the configuration
 * @throws AppregError (exit 2) if there are no folders
 */
export async function appsUnder(root: string, base: string, entries: readonly ReleaseEntry[] = []): Promise<Folders> {
  const found = await descriptionFolders(root, entries);
  if (found.length === 0 && appsFolder(root) === null)
    throw new AppregError(
      'apps-folder-missing',
      message`${root} has no folder apps/.`,
      message`Each app needs apps/<key>/app.json, with an icon such as icon.svg in the same folder.`,
    );
  const issues: Issue[] = [];
  const usable: DescriptionFolder[] = [];
  for (const one of found) {
    const error = folderError(one);
    if (error === null) usable.push(one);
    else issues.push({ message: message`${one.folder}: ${safe(error.message)}`, advice: error.hint });
  }
  const described = describedApps(root, base, usable);
  const known = new Map(found.map(({ key, folder }) => [key, folder]));
  return {
    ...described,
    folderOf: (key) => known.get(key) ?? expectedFolder(entries, key),
    issues: [...issues, ...described.issues],
  };
}

/**
 * The folder with the app.json of an app, relative to the workspace; null if the workspace has none.
 * @param root the workspace, absolute
 * @param entries the folders of the apps in the configuration
 */
export async function folderDescribing(
  root: string,
  entries: readonly ReleaseEntry[],
  key: string,
): Promise<string | null> {
  return (await describingOne(root, entries, key))?.folder ?? null;
}

/**
 * The same folder, to be changed.
 * @throws AppregError `app-folder-invalid` for a link, or for two folders that describe the app
 */
export async function describingFolder(
  root: string,
  entries: readonly ReleaseEntry[],
  key: string,
): Promise<DescribingFolder | null> {
  const found = await describingOne(root, entries, key);
  if (found === null) return null;
  const error = folderError(found);
  if (error !== null) throw error;
  const { openDirectory } = await import('../store/directory/directory.ts');
  return { workspace: openDirectory(root), folder: found.folder, files: readdirSync(join(root, found.folder)) };
}

async function describingOne(
  root: string,
  entries: readonly ReleaseEntry[],
  key: string,
): Promise<DescriptionFolder | null> {
  const found = (await descriptionFolders(root, entries, matchingFolders)).find((one) => one.key === key);
  return found !== undefined && hasDescription(root, found.folder) ? found : null;
}

/** The keys of the apps that a folder describes. @param root the workspace, absolute */
export async function describedKeys(root: string, entries: readonly ReleaseEntry[]): Promise<string[]> {
  const found = await descriptionFolders(root, entries, matchingFolders);
  return found.flatMap(({ key, folder }) => (hasDescription(root, folder) ? key : []));
}

/** The apps that these folders describe. */
function describedApps(
  root: string,
  base: string,
  folders: readonly Pick<DescriptionFolder, 'key' | 'folder'>[],
): Folders {
  const sources = folders.map((one) => sourceIn(root, one));
  const { apps: assembled, issues } = assemble(sources, base);
  const apps: AppToAssemble[] = [];
  for (const app of assembled) {
    try {
      apps.push({ ...app, image: app.icon === null ? null : iconIn(root, app.source, app.icon) });
    } catch (error) {
      if (!isAppregError(error)) throw error;
      issues.push({ message: error.summary, advice: error.hint });
    }
  }
  const known = new Map(folders.map(({ key, folder }) => [key, folder]));
  return { keys: sources.map(({ key }) => key), folderOf: (key) => known.get(key) ?? `apps/${key}`, apps, issues };
}

/** The reason why a folder does not describe its app. */
function folderError({ key, folder, isLink, other }: DescriptionFolder): AppregError | null {
  if (isLink) return linkError(folder);
  if (other !== null)
    return new AppregError(
      'app-folder-invalid',
      message`${other} describes the same app, ${key}.`,
      message`Remove one of the two app.json files.`,
    );
  return keyError(key);
}

function keyError(name: string): AppregError | null {
  try {
    checkNewKey(name);
    return null;
  } catch (error) {
    if (isAppregError(error)) return error;
    throw error;
  }
}

function linkError(folder: string): AppregError {
  return new AppregError(
    'app-folder-invalid',
    message`${folder} is a symbolic link, which appreg does not follow.`,
    message`Replace the link with the folder itself.`,
  );
}

function sourceIn(root: string, { key, folder }: Pick<DescriptionFolder, 'key' | 'folder'>): AppSource {
  const files = readdirSync(join(root, folder));
  const isDescribed = files.includes(APP_DESCRIPTION);
  const content = isDescribed
    ? documentContent(readAppFile(root, `${folder}/${APP_DESCRIPTION}`, MAX_DESCRIPTION_BYTES))
    : null;
  return { key, folder, content, files };
}

function iconIn(root: string, folder: string, icon: string): AppToAssemble['image'] {
  const name = `${folder}/${icon}`;
  const found = iconFromBytes(readAppFile(root, name, MAX_ICON_BYTES), name);
  const { kind } = found.image;
  if (icon.endsWith(`.${kind}`)) return found;
  throw new AppregError(
    'icon-invalid',
    message`${name} contains a ${kind.toUpperCase()} image.`,
    message`Rename it to end in .${kind}.`,
  );
}

function readAppFile(root: string, name: string, largest: number): Uint8Array {
  const path = join(root, name);
  const stat = lstatSync(path);
  if (stat.isFile() && stat.size <= largest) return readFileSync(path);
  const what = stat.isFile() ? `is larger than ${largest / 1_000_000} MB` : unlikeRegularFile(stat);
  throw new AppregError('app-folder-invalid', message`${name} ${what}.`, message`Use a small, regular file.`);
}

/**
 * One folder for each app, sorted by key.
 * @param root the folder of the configuration, absolute
 * @param find the folders that match a glob (default: at least one)
 * @throws AppregError of `find`
 */
async function descriptionFolders(
  root: string,
  entries: readonly ReleaseEntry[],
  find: typeof foldersOf = foldersOf,
): Promise<DescriptionFolder[]> {
  const found = new Map<string, DescriptionFolder>();
  const matched = new Set<string>();
  for (const entry of entries)
    for (const folder of await find(root, entry.folder)) {
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
function expectedFolder(entries: readonly ReleaseEntry[], key: string): string {
  const named = entries.find(
    (entry) => (entry.key ?? '{name}') === '{name}' && /^[^*?{}[\]!]*\/\*$/.test(entry.folder),
  );
  return named === undefined ? `apps/${key}` : `${named.folder.slice(0, -1)}${key}`;
}

function hasDescription(root: string, folder: string): boolean {
  return existsSync(join(root, folder, APP_DESCRIPTION));
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

/**
 * The app as its folder describes it, or why that description is invalid, by the rules of `assemble`; null for an app
 * without an app.json, or with one that only says how the app is built.
 * @param root the folder of the configuration
 * @param base the URL of the registry, with its trailing slash
 */
export function describeApp(
  root: string,
  base: string,
  { key, folder }: FoundApp,
  judgeSettings: JudgeSettings,
): AppToAssemble | AppProblem | null {
  const found = [folder, `apps/${key}`].find((one) => hasDescription(root, one));
  if (found === undefined) return null;
  try {
    const source = sourceIn(root, { key, folder: found });
    if (source.content !== null && !describesEntry(source.content)) return null;
    const folders = describedApps(root, base, [{ key, folder: found }]);
    checkAssembly(folders, null, judgeSettings);
    const [app] = folders.apps;
    if (app === undefined) throw new Error(`${key} has neither a description nor an issue`);
    return app;
  } catch (error) {
    if (!isAppregError(error)) throw error;
    return { message: message`The description of the app is invalid. ${safe(error.summary)}`, advice: error.hint };
  }
}

/** The problem of an app that is neither listed nor described. */
export function undescribed({ key, folder }: FoundApp): AppProblem {
  return {
    message: message`The manifest does not list the app, and ${folder}/app.json does not describe it.`,
    advice: message`Write ${folder}/app.json, such as { "name": ${JSON.stringify(key)}, "description": "What it does.", "color": "#1864ab" }, and put an icon beside it, such as icon.svg; appreg release then lists the app. Or list it directly: appreg add-app ${key}`,
  };
}
