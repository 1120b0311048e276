import { message } from '../../core/text/message.ts';
import { readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import type { StoredSince } from '../../core/facts/facts.ts';
import type { DocumentContent } from '../../core/json/content.ts';
import { parseDocument } from '../../core/json/json.ts';
import { manifestAppsIn, metadataUrlOf } from '../../core/registry/manifest.ts';
import { LOCK_FILE } from '../../core/registry/lock-file.ts';
import { AppregError } from '../../core/errors/error.ts';
import { folderTree, readDocumentFile, type Tree } from '../workspace/documents.ts';
import { type GitBase, openGitBase } from '../workspace/git.ts';
import { commitSince, folderSince, type NamesIn } from '../workspace/git-history.ts';
import type { Workspace } from '../workspace/places.ts';
import { manifestIn } from '../workspace/target.ts';
import { localPathOf } from './local-path.ts';

/** Finds the registry of a baseline: by its own configuration, by what git knows of renames, or as the only one. */

/** The settings of a configuration that say which registry a folder is; null for one that is not known. */
export interface RegistrySettings {
  manifest: string | null;
  baseUrl: string | null;
}

/** Reads configurations of a baseline. They are data: one that is code has no settings that are known. */
export interface ConfigReader<Settings extends RegistrySettings = RegistrySettings> {
  /** File names, in order of precedence. */
  names: readonly string[];
  /** The settings in a file; null if it is not a configuration, such as a package.json without a field for it. */
  read(name: string, content: DocumentContent): Settings | null;
}

/** A workspace that is compared, and how the configurations of its baseline are read. */
export interface ComparedWorkspace<Settings extends RegistrySettings = RegistrySettings> extends Workspace {
  /** The configuration of the workspace, absolute; null without one. Default: it is not known. */
  config?: string | null;
  /** Default: the baseline is searched without configurations. */
  reader?: ConfigReader<Settings>;
  /** True to read the commit of a ref itself, which is to be served; otherwise where the work tree branched off. */
  isTip?: boolean;
}

/** A configuration of a baseline. */
interface FoundConfig<Settings> {
  /** As `folder` of a registry. */
  folder: string;
  settings: Settings;
}

/** A registry in a tree. */
export interface BaseRegistry<Settings extends RegistrySettings = RegistrySettings> {
  /** The files of its folder. */
  tree: Tree;
  /** The name of its manifest in that folder; of the workspace's if the baseline has none. */
  manifest: string;
  /** Base URLs that its files may have, the most likely first. */
  baseUrls: readonly string[];
  /** The settings of the configuration that applies to it; null if none is known. */
  settings: Settings | null;
  /** The path of the folder in the tree that was searched: `''`, or with a slash at the end. */
  folder: string;
  /** Since when a file of the tree has listed the names that it lists; without those of which that is not known. */
  since(path: string, namesIn: NamesIn): ReadonlyMap<string, StoredSince>;
}

/**
 * The registry in a folder, or at a git ref.
 * @param where a folder, or a git ref
 * @param cwd the folder that relative paths are resolved against
 * @throws AppregError if that does not exist, or has several registries that the workspace may have been
 */
export function findBaseRegistry<Settings extends RegistrySettings>(
  where: string,
  workspace: ComparedWorkspace<Settings>,
  cwd: string,
): BaseRegistry<Settings> {
  const local = localPathOf(where, cwd, workspace.root);
  return local === null
    ? inGit(openGitBase(where, workspace.root, workspace.isTip), workspace)
    : inFolder(local.path, where, workspace);
}

/** @throws AppregError `baseline-unusable` for a folder without a registry: it is not the intended one */
function inFolder<Settings extends RegistrySettings>(
  path: string,
  where: string,
  workspace: ComparedWorkspace<Settings>,
): BaseRegistry<Settings> {
  const tree = folderTree(path, where);
  const settings = settingsIn(tree, '', workspace.reader);
  const names = [isConfigured(workspace) ? settings?.manifest : null, workspace.manifest, settings?.manifest];
  const manifest = names.find((name) => typeof name === 'string' && tree.read(name) !== null) ?? manifestIn(path);
  if (manifest === null)
    throw new AppregError(
      'baseline-unusable',
      message`No registry manifest in ${where}, so nothing can be compared.`,
      message`Give the folder that contains the manifest.`,
    );
  return { ...folderRegistry(tree, path, { manifest, baseUrls: baseUrlsOf(settings, workspace) }), settings };
}

/** A registry in a folder. @param path of the folder, absolute */
export function folderRegistry(
  tree: Tree,
  path: string,
  named: Pick<BaseRegistry, 'manifest' | 'baseUrls'>,
): BaseRegistry & { settings: null } {
  const since = (file: string, namesIn: NamesIn) => folderSince(path, file, namesIn);
  return { tree, ...named, settings: null, folder: '', since };
}

function baseUrlsOf(settings: RegistrySettings | null, { baseUrl }: Workspace): string[] {
  return [settings?.baseUrl ?? null, baseUrl].filter((url) => url !== null);
}

/** True if the workspace is the registry of its configuration, and not another manifest that was named. */
function isConfigured({ root, manifest, config, reader }: ComparedWorkspace): boolean {
  if (config === undefined || config === null || reader === undefined) return manifestIn(root) === manifest;
  if (dirname(config) !== root) return false;
  const content = readDocumentFile(config);
  const named = typeof content === 'string' ? null : reader.read(basename(config), content)?.manifest;
  return (named ?? manifestIn(root) ?? 'registry.json') === manifest;
}

/** The settings of the configuration in a folder of a tree; null if it has none that can be read. */
function settingsIn<Settings extends RegistrySettings>(
  tree: Tree,
  folder: string,
  reader: ConfigReader<Settings> | undefined,
): Settings | null {
  if (reader === undefined) return null;
  const paths = reader.names.map((name) => ({ name, path: folder + name }));
  tree.fetch(paths.map(({ path }) => path));
  for (const { name, path } of paths) {
    const content = tree.read(path);
    const settings = content === null ? null : reader.read(name, content);
    if (settings !== null) return settings;
  }
  return null;
}

function inGit<Settings extends RegistrySettings>(
  base: GitBase,
  workspace: ComparedWorkspace<Settings>,
): BaseRegistry<Settings> {
  const files = base.tree('');
  const config = configInGit(base, files, workspace);
  const manifest = manifestInGit(base, files, workspace, config);
  const folder = manifest === null ? base.prefix : folderOf(manifest);
  // A configuration above the registry has the base URL of another folder.
  const own = config?.folder === folder ? config.settings : null;
  return {
    tree: base.tree(folder),
    manifest: manifest === null ? workspace.manifest : manifest.slice(folder.length),
    baseUrls: baseUrlsOf(own, workspace),
    settings: manifest === null ? null : (config?.settings ?? null),
    folder,
    since: (path, namesIn) => commitSince(base.commit, folder + path, base.top, namesIn),
  };
}

/** The folder of a path, with a slash at the end; `''` for a file at the top. */
function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

/** The configuration that applied to the workspace, which may have been moved with its files. */
function configInGit<Settings extends RegistrySettings>(
  base: GitBase,
  files: Tree,
  { config = null, reader }: ComparedWorkspace<Settings>,
): FoundConfig<Settings> | null {
  const own = config === null ? null : pathInRepository(base, config);
  const renamed = own === null ? null : base.renamedFrom(own);
  // A file that --config names can have any name.
  if (own !== null && reader !== undefined && !reader.names.includes(basename(own)))
    for (const path of [own, ...(renamed === null ? [] : [renamed])]) {
      files.fetch([path]);
      const content = files.read(path);
      const settings = content === null ? null : reader.read(basename(path), content);
      if (settings !== null) return { folder: folderOf(path), settings };
    }
  const folders = [own === null ? base.prefix : folderOf(own), ...(renamed === null ? [] : [folderOf(renamed)])];
  for (const start of folders)
    for (const folder of withParents(start)) {
      const settings = settingsIn(files, folder, reader);
      if (settings !== null) return { folder, settings };
    }
  return null;
}

/** The path of a file from the top of the repository; null if it is outside. */
function pathInRepository({ top }: GitBase, path: string): string | null {
  const real = join(realpathSync.native(dirname(path)), basename(path));
  const below = relative(realpathSync.native(top), real).split(sep).join('/');
  return below === '..' || below.startsWith('../') || below === '' ? null : below;
}

function withParents(folder: string): string[] {
  const steps = folder.split('/').slice(0, -1);
  return Array.from({ length: steps.length + 1 }, (_, count) => steps.slice(0, steps.length - count)).map((kept) =>
    kept.map((step) => `${step}/`).join(''),
  );
}

/**
 * The path of the registry's manifest in the commit; null if it had none.
 * @throws AppregError if several manifests are gone, of which each may have been it
 */
function manifestInGit(
  base: GitBase,
  files: Tree,
  workspace: ComparedWorkspace,
  config: FoundConfig<RegistrySettings> | null,
): string | null {
  const path = base.prefix + workspace.manifest;
  const configured = config === null ? null : configuredManifest(base, files, config);
  const isGone = openWorkTree(base.top);
  if (configured !== null && config?.folder === base.prefix && isConfigured(workspace)) return configured;
  files.fetch([path]);
  if (files.read(path) !== null) return path;
  if (configured !== null && isGone(configured)) return configured;
  const renamed = base.renamedFrom(path);
  if (renamed !== null && isManifest(files, renamed)) return renamed;
  const gone = manifestsOf(base, files, isGone);
  const near = gone.filter((one) => folderOf(one) === base.prefix);
  const [only = null, ...others] = near.length > 0 ? near : gone;
  if (others.length > 0)
    throw new AppregError(
      'baseline-unusable',
      message`${files.source} has no ${path}, and several manifests that do not exist any more: ${[only ?? '', ...others].join(', ')}. It is unclear which of them the registry was.`,
      message`Name the manifest in the configuration, or compare with a folder: git worktree add <folder> ${files.source}`,
    );
  return only ?? copiedManifest(base, files, workspace);
}

/** The manifest that a configuration names, or the usual one of its folder. */
function configuredManifest(
  base: GitBase,
  files: Tree,
  { folder, settings }: FoundConfig<RegistrySettings>,
): string | null {
  const path = folder + (settings.manifest ?? 'registry.json');
  files.fetch([path]);
  if (files.read(path) !== null) return path;
  if (settings.manifest !== null) return null;
  const [only = null, ...others] = manifestsOf(base, files, (one) => folderOf(one) === folder);
  return others.length === 0 ? only : null;
}

function manifestsOf(base: GitBase, files: Tree, isWanted: (path: string) => boolean): string[] {
  const paths = base.files().filter((path) => path.endsWith('.json') && !path.endsWith(LOCK_FILE) && isWanted(path));
  files.fetch(paths);
  return paths.filter((path) => isManifest(files, path));
}

/** True for a manifest, and for a file that cannot be parsed now and was one. */
function isManifest(files: Tree, path: string): boolean {
  files.fetch([path]);
  const content = files.read(path);
  if (content === null) return false;
  if (manifestAppsIn(content) !== null) return true;
  if (parseDocument(content).value !== undefined) return false;
  const earlier = files.earlier?.(path, (one) => manifestAppsIn(one) !== null) ?? null;
  return earlier !== null && earlier !== 'unknown';
}

/** A manifest in the same folder that listed metadata files of the workspace: it still exists, and was copied. */
function copiedManifest(base: GitBase, files: Tree, { root, manifest }: Workspace): string | null {
  const content = readDocumentFile(join(root, manifest));
  const urls = new Set(typeof content === 'string' ? [] : metadataUrlsIn(content));
  const near = manifestsOf(base, files, (path) => folderOf(path) === base.prefix);
  const copied = near.filter((path) => metadataUrlsIn(files.read(path)).some((url) => urls.has(url)));
  return copied.length === 1 ? copied[0]! : null;
}

function metadataUrlsIn(content: DocumentContent | null): string[] {
  const apps = content === null ? null : manifestAppsIn(content);
  return Object.values(apps ?? {}).flatMap((entry) => metadataUrlOf(entry) ?? []);
}

/** Says of a path whether the work tree has no file under exactly that name. */
function openWorkTree(top: string): (path: string) => boolean {
  const listings = new Map<string, ReadonlySet<string>>();
  const namesIn = (folder: string): ReadonlySet<string> => {
    const known = listings.get(folder);
    if (known !== undefined) return known;
    let names: ReadonlySet<string>;
    try {
      names = new Set(readdirSync(join(top, folder)));
    } catch {
      // A folder that does not exist has no files.
      names = new Set();
    }
    listings.set(folder, names);
    return names;
  };
  return (path) => {
    const steps = path.split('/');
    return steps.some((step, index) => !namesIn(steps.slice(0, index).join('/')).has(step));
  };
}
