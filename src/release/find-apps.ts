import { message } from '../core/text/message.ts';
import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { type BuildSettings, type WrittenSettings, writtenIn } from '../core/release/build-settings.ts';
import type { AppProblem } from '../core/release/version-file.ts';
import { pointerTo } from '../core/json/pointer.ts';
import type { FileOfApp, UiOfApp } from '../core/values/scalars.ts';
import { didYouMean } from '../core/text/similar-names.ts';
import { printable } from '../core/text/text.ts';
import { AppregError, isAppregError } from '../core/errors/error.ts';
import { isWithin } from '../observe/workspace/places.ts';
import { checkNewKey } from '../publish/check-key.ts';
import { appFile, type AppFile, appFilesIn, foldersOf } from './folders.ts';

/** Finds the apps of a repository: the folders that the configuration names, and those that describe themselves. */

/** An element of `release` in the configuration. */
export interface ReleaseEntry extends BuildSettings {
  /**
   * A glob for the folders of apps, relative to this file, such as apps/*.
   *
   * @pattern ^(?![/\\]|[A-Za-z]:)[^!]
   * @patternErrorMessage a relative glob, such as "apps/*"
   */
  folder: string;
  /**
   * The app key; {name} is the last segment of the folder.
   *
   * @pattern .
   * @patternErrorMessage text that is not empty, such as "{name}"
   * @default {name}
   */
  key?: string;
  /** The entry point, relative to the folder. */
  entry?: FileOfApp;
  /** A second entry point, built to ui.js. */
  ui?: UiOfApp | null;
  /**
   * The file with the version: JSON with a member version, or a text with one version.
   *
   * @default package.json
   */
  version?: FileOfApp;
  /**
   * True in a branch that maintains an older version of the app, while higher ones are published from elsewhere.
   *
   * @default false
   */
  maintenance?: boolean;
}

/** An app in a folder of the repository. */
export interface FoundApp {
  key: string;
  /** Relative to the configuration, with forward slashes. */
  folder: string;
  /** The folder, absolute, with links resolved. */
  path: string;
  /** Relative to the folder; null if it is not configured. */
  entry: string | null;
  ui: string | null;
  /** Absolute, of the file with the declared version. */
  versionFile: string;
  /** An older version of the app is maintained here. */
  isMaintained: boolean;
  /** The options of its build in its item of `release` and its app.json; those that count most come last. */
  build: readonly WrittenSettings[];
  /** The reason why the app cannot be released. */
  problem: AppProblem | null;
}

const DEFAULT_KEY = '{name}';
export const DEFAULT_VERSION_FILE = 'package.json';

/**
 * All apps, sorted by key.
 * @param root the folder of the configuration, absolute
 * @param positions of the settings in the configuration, by JSON Pointer; for messages
 * @throws AppregError (exit 2) for an error in the configuration: a folder that matches nothing, two folders for one
 * key, an unsafe key
 */
export async function findApps(
  root: string,
  entries: readonly ReleaseEntry[],
  positions: ReadonlyMap<string, string> = new Map(),
): Promise<FoundApp[]> {
  const repository = repositoryOf(root);
  const configured = await configuredFolders(root, entries);
  const found = configured.map((one) => configuredApp(root, repository, one, positions));
  const folders = new Set(configured.map(({ folder }) => folder));
  const described = appFilesIn(root)
    .filter(({ folder, key, entry, version, problem }) => {
      // Without an entry point, it completes an app whose sources are elsewhere.
      const completes = entry === null && version === null && problem === null && found.some((app) => app.key === key);
      return !folders.has(folder) && !completes;
    })
    .map((file) => describedApp(root, repository, file));
  const apps = [...found, ...described].toSorted((a, b) => (a.key < b.key ? -1 : 1));
  if (apps.length === 0) throw unconfigured();
  checkKeys(apps);
  return apps;
}

/** A folder that an item of `release` matches. */
interface ConfiguredFolder {
  key: string;
  /** Relative to the configuration, with forward slashes. */
  folder: string;
  entry: ReleaseEntry;
  /** The JSON Pointer of the item in the configuration. */
  pointer: string;
}

/** The folders that `release` matches. Of items that give a folder the same key, the first one counts. */
async function configuredFolders(root: string, entries: readonly ReleaseEntry[]): Promise<ConfiguredFolder[]> {
  const found = new Map<string, ConfiguredFolder>();
  for (const [index, entry] of entries.entries())
    for (const folder of await foldersOf(root, entry.folder)) {
      const key = keyOf(entry.key, root, folder);
      const one = { key, folder, entry, pointer: pointerTo('release', index) };
      if (!found.has(`${key} ${folder}`)) found.set(`${key} ${folder}`, one);
    }
  return [...found.values()];
}

/**
 * The options of the build of one app, in its item of `release` and its app.json, for a command that builds no other.
 * @param root the folder of the configuration, absolute
 * @param wanted the key of the app, or a file in its folder, absolute
 * @returns those that count most come last; none if no app of the repository is meant
 * @throws AppregError `app-folder-invalid` for an invalid app.json, and as `findApps` for an invalid configuration
 */
export async function buildSettingsOf(
  root: string,
  entries: readonly ReleaseEntry[],
  wanted: { key: string } | { file: string },
  positions: ReadonlyMap<string, string>,
): Promise<WrittenSettings[]> {
  const isOfFile = (folder: string): boolean =>
    'file' in wanted && isWithin(realpathOf(join(root, folder)), realpathOf(wanted.file));
  const configured = (await configuredFolders(root, entries)).find(({ key, folder }) =>
    'key' in wanted ? key === wanted.key : isOfFile(folder),
  );
  const [name = ''] =
    'key' in wanted ? [wanted.key] : shownBelow(join(realpathOf(root), 'apps'), realpathOf(wanted.file)).split('/');
  const key = configured?.key ?? name;
  if (configured === undefined && (key === '..' || key === '')) return [];
  const own = descriptionOf(root, configured?.folder ?? `apps/${key}`, key);
  if (own?.problem) throw new AppregError('app-folder-invalid', own.problem.message, own.problem.advice);
  return [
    ...(configured === undefined ? [] : [settingsOfItem(configured, positions)]),
    ...(own === null ? [] : [own.build]),
  ];
}

function realpathOf(path: string): string {
  return existsSync(path) ? realpathSync(path) : path;
}

function settingsOfItem({ entry, pointer }: ConfiguredFolder, positions: ReadonlyMap<string, string>): WrittenSettings {
  return writtenIn(entry, pointer, positions);
}

/** The app.json in the folder of an app; or, if its sources are elsewhere, in apps/<key>. */
function descriptionOf(root: string, folder: string, key: string): AppFile | null {
  return appFile(root, folder, key) ?? appFile(root, `apps/${key}`, key);
}

/** True if the configuration, or an app.json of the app, says how apps of this repository are built. */
export function describesApp(root: string, entries: readonly ReleaseEntry[] | undefined, key: string): boolean {
  return (entries ?? []).length > 0 || appFile(root, `apps/${key}`, key) !== null;
}

/** The nearest folder with a git repository, links resolved; the workspace itself without one. */
function repositoryOf(root: string): string {
  const real = realpathSync(root);
  for (let at = real; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (at === dirname(at)) return real;
  }
}

function configuredApp(
  root: string,
  repository: string,
  configured: ConfiguredFolder,
  positions: ReadonlyMap<string, string>,
): FoundApp {
  const { key, folder, entry } = configured;
  const full = join(root, folder);
  const real = existsSync(full) ? realpathSync(full) : full;
  const own = isWithin(repository, real) ? descriptionOf(root, folder, key) : null;
  const app = {
    key,
    folder,
    path: real,
    entry: own?.entry ?? entry.entry ?? null,
    ui: own?.ui ?? entry.ui ?? null,
    versionFile: join(real, own?.version ?? entry.version ?? DEFAULT_VERSION_FILE),
    isMaintained: own?.maintenance ?? entry.maintenance ?? false,
    build: [settingsOfItem(configured, positions), ...(own === null ? [] : [own.build])],
  };
  return { ...app, problem: own?.problem ?? problemOf(app, repository) };
}

function describedApp(root: string, repository: string, file: AppFile): FoundApp {
  const { key, folder, entry, ui } = file;
  const path = realpathSync(join(root, folder));
  const versionFile = join(path, file.version ?? DEFAULT_VERSION_FILE);
  const isMaintained = file.maintenance ?? false;
  const app = { key, folder, path, entry, ui, versionFile, isMaintained, build: [file.build] };
  return { ...app, problem: file.problem ?? problemOf(app, repository) };
}

/** Finds the fault that prevents an app from being built, as far as its files show. */
function problemOf(app: Omit<FoundApp, 'problem'>, repository: string): AppProblem | null {
  const { folder, path, entry, ui } = app;
  if (!existsSync(path))
    return {
      message: message`${folder} is a link to a folder that does not exist.`,
      advice: message`Remove the link.`,
    };
  if (!isWithin(repository, path))
    return {
      message: message`${folder} is a link to ${path}, which is outside of the repository.`,
      advice: message`Move the folder into the repository.`,
    };
  if (entry === null)
    return {
      message: message`${folder} has no entry point: neither "release" nor an app.json names one.`,
      advice: message`Add "entry" to its item of "release", such as "entry": "main.ts".`,
    };
  const files = [
    ['entry point', entry],
    ['UI entry point', ui],
  ] as const;
  for (const [what, file] of files) {
    if (file === null) continue;
    const full = join(path, file);
    if (!existsSync(full))
      return {
        message: message`The ${what} ${shownIn(folder, file)} does not exist.`,
        advice: message`Create it, or correct ${what === 'entry point' ? '"entry"' : '"ui"'}; if ${folder} is not an app, exclude it from the glob.`,
      };
    if (!isWithin(repository, realpathSync(full)))
      return {
        message: message`The ${what} ${shownIn(folder, file)} is outside of the repository.`,
        advice: message`Copy the file into the repository.`,
      };
  }
  return null;
}

/** A file of an app, relative to the configuration. */
export function shownIn(folder: string, file: string): string {
  return join(folder, file).split(sep).join('/');
}

/** The key of the app in a folder. @throws AppregError `release-key-invalid` (exit 2) for an invalid template */
export function keyOf(given: string | undefined, root: string, folder: string): string {
  const template = given ?? DEFAULT_KEY;
  const name = basename(folder === '.' ? realpathSync(root) : folder);
  const key = template.replaceAll(DEFAULT_KEY, name);
  const [placeholder] = /\{[^}]*\}/.exec(key) ?? [];
  if (placeholder === undefined || name.includes(placeholder)) return key;
  throw new AppregError(
    'release-key-invalid',
    message`The key ${JSON.stringify(template)} in "release" has the unknown placeholder ${placeholder}.`,
    message`The only placeholder is {name}, the last segment of the folder.`,
  );
}

/** @param apps sorted by key */
function checkKeys(apps: readonly FoundApp[]): void {
  const unsafe: string[] = [];
  const twice: string[] = [];
  for (const [index, { key, folder }] of apps.entries()) {
    try {
      checkNewKey(key);
    } catch (error) {
      if (!isAppregError(error)) throw error;
      unsafe.push(`${printable(folder)}: ${error.summary}`);
    }
    const before = apps[index - 1];
    if (before?.key === key) twice.push(`${printable(before.folder)} and ${printable(folder)}: ${printable(key)}`);
  }
  if (unsafe.length > 0)
    throw new AppregError(
      'release-key-invalid',
      message`"release" results in invalid app keys. ${listed(unsafe)}`,
      message`Rename the folder, or correct "key" in "release", such as "key": "acme-{name}".`,
    );
  if (twice.length > 0)
    throw new AppregError(
      'release-key-duplicate',
      message`"release" results in the same key for two folders. ${listed(twice)}`,
      message`Rename one of the folders, or give the items of "release" different keys, such as "key": "acme-{name}".`,
    );
}

const MAX_LISTED = 10;

function listed(lines: readonly string[]): string {
  const shown = lines.slice(0, MAX_LISTED);
  if (lines.length > MAX_LISTED) shown.push(`and ${lines.length - MAX_LISTED} more`);
  return shown.length === 1 ? shown.join('') : `\n  ${shown.join('\n  ')}\n`;
}

function unconfigured(): AppregError {
  return new AppregError(
    'release-unconfigured',
    message`The configuration does not say where the apps are, and no apps/<key>/app.json names an entry point.`,
    message`Add to the configuration: "release": [{ "folder": "apps/*", "entry": "main.ts", "version": "VERSION" }]`,
  );
}

/** The path of a file below a folder for messages. */
export function shownBelow(root: string, path: string): string {
  return relative(root, path).split(sep).join('/');
}

/** The apps with these keys. @throws AppregError `app-unknown` for a key that no folder has */
export function selectedApps(apps: readonly FoundApp[], keys: readonly string[] | undefined): readonly FoundApp[] {
  if (keys === undefined) return apps;
  const unknown = keys.find((key) => !apps.some((app) => app.key === key));
  if (unknown === undefined) return apps.filter(({ key }) => keys.includes(key));
  const known = apps.map(({ key }) => key);
  throw new AppregError(
    'app-unknown',
    message`The repository has no folder for the app “${unknown}”.${didYouMean(unknown, known)}`,
    message`appreg release --check lists the apps.`,
  );
}
