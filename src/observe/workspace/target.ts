import { message } from '../../core/text/message.ts';
import { existsSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { type JsonObject, type JsonValue, member, parseDocument } from '../../core/json/json.ts';
import { manifestApps, metadataUrlOf } from '../../core/registry/manifest.ts';
import { isAboutPath, metadataPath } from '../../core/registry/companion.ts';
import { LOCK_FILE } from '../../core/registry/lock-file.ts';
import { AppregError } from '../../core/errors/error.ts';
import { whyUnreadable } from '../../platform/regular-file.ts';
import { readDocumentFile } from './documents.ts';
import { inferBase, isWithin, type Workspace } from './places.ts';

/** Resolves a path on the command line: a workspace, or one metadata file. */

/** A workspace, or one metadata file in it. */
export type LintTarget =
  | { kind: 'workspace'; workspace: Workspace; inferred: boolean }
  /** `path` is relative to the workspace around it. */
  | { kind: 'metadata'; workspace: Workspace; path: string };

/** The relevant part of the configuration; `root` is its folder, or the folder searched from if there is none. */
export interface WorkspaceSettings {
  root: string;
  found: boolean;
  manifest: string | null;
  baseUrl: string | null;
}

/**
 * Resolves `path`; an about file as the metadata file beside it. Throws AppregError if it does not exist, or is not part of a registry.
 * @param path absolute
 * @param settings of the configuration nearest to it
 */
export function targetAt(path: string, settings: WorkspaceSettings): LintTarget {
  const stat = statOf(path);
  if (stat.isDirectory()) return folderTarget(path, settings);
  if (!stat.isFile())
    throw new AppregError(
      'not-a-file',
      message`${path} is neither a file nor a folder.`,
      message`Give a folder or a JSON file.`,
    );
  if (basename(path) === LOCK_FILE)
    throw new AppregError(
      'registry-unusable',
      message`${path} is a lock file, not a registry.`,
      message`Give the folder or the manifest. To compare with the lock file: appreg lint --against ${LOCK_FILE}`,
    );
  const metadata = isAboutPath(path) ? metadataPath(path) : null;
  if (metadata !== null && existsSync(metadata)) return targetAt(metadata, settings);
  if (basename(path) !== settings.manifest && isMetadata(path))
    return { kind: 'metadata', ...workspaceAround(path, settings) };
  const isConfigured = settings.found && isSameFolder(dirname(path), settings.root);
  return workspaceTarget(dirname(path), basename(path), isConfigured ? settings.baseUrl : null);
}

/** @throws AppregError `path-missing` for a path that does not exist or cannot be followed */
function statOf(path: string): Stats {
  try {
    return statSync(path);
  } catch (error) {
    const why = whyUnreadable(path, error);
    if (why === null) throw error;
    throw new AppregError(
      'path-missing',
      message`${path} ${why}.`,
      message`Give a folder or a JSON file; appreg init creates a workspace.`,
      { cause: error },
    );
  }
}

function folderTarget(folder: string, settings: WorkspaceSettings): LintTarget {
  if (settings.found && isSameFolder(folder, settings.root))
    return workspaceTarget(folder, settings.manifest ?? manifestIn(folder) ?? 'registry.json', settings.baseUrl);
  const own = manifestIn(folder);
  if (own !== null) return workspaceTarget(folder, own, null);
  if (settings.found && isInside(folder, settings.root))
    return workspaceTarget(
      settings.root,
      settings.manifest ?? manifestIn(settings.root) ?? 'registry.json',
      settings.baseUrl,
    );
  throw new AppregError(
    'manifest-missing',
    message`No registry manifest in ${folder}.`,
    message`Give the manifest file, or create a workspace: appreg init`,
  );
}

/** The name of a folder's manifest: registry.json, or the only JSON file that has an object `apps` (as a lock file has). */
export function manifestIn(folder: string): string | null {
  if (existsSync(join(folder, 'registry.json'))) return 'registry.json';
  const candidates = readdirSync(folder).filter(
    (name) => name.endsWith('.json') && name !== LOCK_FILE && manifestApps(valueOf(join(folder, name))) !== null,
  );
  const [only = null, ...others] = candidates;
  return others.length === 0 ? only : null;
}

function workspaceTarget(root: string, manifest: string, baseUrl: string | null): LintTarget {
  if (baseUrl !== null) return { kind: 'workspace', workspace: { root, manifest, baseUrl }, inferred: false };
  const apps = manifestApps(valueOf(join(root, manifest))) ?? {};
  const base = inferBase(metadataUrls(apps), (path) => existsSync(join(root, path)));
  return { kind: 'workspace', workspace: { root, manifest, baseUrl: base }, inferred: base !== null };
}

function* metadataUrls(apps: JsonObject): Iterable<string> {
  for (const key of Object.keys(apps)) {
    const url = metadataUrlOf(apps[key]);
    if (url !== null) yield url;
  }
}

function workspaceAround(file: string, settings: WorkspaceSettings): { workspace: Workspace; path: string } {
  const root = settings.found && isInside(file, settings.root) ? settings.root : dirname(file);
  return {
    workspace: { root, manifest: settings.manifest ?? 'registry.json', baseUrl: settings.baseUrl },
    path: relative(root, file).split(sep).join('/'),
  };
}

function isMetadata(file: string): boolean {
  const value = valueOf(file);
  if (value === undefined) return basename(file) === 'versions.json';
  return member(value, 'versions') !== undefined && member(value, 'apps') === undefined;
}

function valueOf(file: string): JsonValue | undefined {
  const content = readDocumentFile(file);
  return typeof content === 'string' ? undefined : parseDocument(content).value;
}

function isSameFolder(a: string, b: string): boolean {
  return a === b || realpathSync.native(a) === realpathSync.native(b);
}

export function isInside(path: string, root: string): boolean {
  return isWithin(realpathSync.native(root), realpathSync.native(path));
}
