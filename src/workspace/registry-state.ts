import { message } from '../core/text/message.ts';
import { closeSync, openSync, readSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import type { AppFacts, DocumentFacts, Missing, Snapshot } from '../core/facts/facts.ts';
import { isHttpUrl } from '../core/url/url.ts';
import { manifestAppsIn } from '../core/registry/manifest.ts';
import { redact } from '../core/text/text.ts';
import { AppregError } from '../core/errors/error.ts';
import { type ComparedWorkspace, type ConfigReader, findBaseRegistry } from '../observe/baseline/base-registry.ts';
import { localPathOf } from '../observe/baseline/local-path.ts';
import { readSnapshot } from '../observe/baseline/saved-facts.ts';
import type { WebOptions } from '../observe/registry/options.ts';
import { registryUrl } from '../core/url/registry-url.ts';
import { observeWorkspace } from '../observe/workspace/observe-workspace.ts';
import { manifestIn, targetAt, type WorkspaceSettings } from '../observe/workspace/target.ts';
import { folderTree, type Tree } from '../observe/workspace/documents.ts';
import {
  documentsIn,
  documentsOfTree,
  type RegistryDocuments,
  snapshotOfTree,
} from '../observe/workspace/tree-snapshot.ts';
import { whyNotRegularFile } from '../platform/regular-file.ts';
import type { Store } from '../store/store.ts';
import { type Listener, SILENT } from './listener.ts';
import { isStored, type Workspace } from '../observe/workspace/places.ts';

/** A workspace, and where its registry is. */
interface StateWorkspace extends WorkspaceSettings {
  /** The configuration, absolute; null without one. */
  config?: string | null;
  /** Reads the configurations of a baseline; absent if they are not read. */
  openReader?(): Promise<ConfigReader>;

  /** Opens the store of the registry; null if it is the folder. */
  openStore: (() => Promise<Store>) | null;
}

/** Options for resolving the name of a state. */
export interface StateOptions {
  /** The folder that relative paths are resolved against, absolute (default: that of the process). */
  cwd?: string;
  /** The workspace that an absolute folder belongs to (default: the folder itself, without settings). */
  workspaceAt?(folder: string): Promise<StateWorkspace>;
  /** Options for requests to a live registry (default: directly, and without credentials). */
  webOptions?(registry: URL): Promise<WebOptions>;
  /** True if the artifacts of a live registry are downloaded (default: they are not). */
  withArtifacts?: boolean;
  listener?: Listener;
  /** True if about files are read; `registryState` reads those of a folder always, except for `documentsOnly`. */
  about?: boolean;
  /** True if the digests of icons are read; `registryState` reads icons always, except for `documentsOnly`. */
  icons?: boolean;
}

async function folderAlone(root: string): Promise<StateWorkspace> {
  return { root, found: false, manifest: null, baseUrl: null, openStore: null };
}

/**
 * A state of a registry, by any of its names: a live registry's URL, saved facts, a folder, a manifest, a git ref.
 * Artifacts are read from the folder. For a workspace with another store, the folder refers to that store.
 * @param options.documentsOnly artifacts and icons are not read
 * @throws AppregError (exit 2) if it does not exist or cannot be read
 */
export async function registryState(
  where: string,
  { documentsOnly = false, ...options }: StateOptions & { documentsOnly?: boolean } = {},
): Promise<Snapshot> {
  const { cwd = process.cwd() } = options;
  return stateOf(where, options, async (workspace, seenAt) => {
    if (documentsOnly)
      return snapshotOfTree(folderTree(workspace.root, where), workspace.manifest, basesOf(workspace), seenAt, options);
    const seen: ObservedState = { manifest: null, apps: [] };
    await observeWorkspace(
      workspace,
      {
        manifest: (facts) => void (seen.manifest = facts),
        app: (facts) => void seen.apps.push(facts),
        orphans() {},
      },
      { nameOf: (name) => relative(cwd, resolve(workspace.root, name)).split(sep).join('/') },
    );
    return snapshotOf(where, seenAt, seen);
  });
}

/** The documents of a registry, and the folder that they are in; null if they are elsewhere. */
export interface FoundDocuments extends RegistryDocuments {
  folder: Workspace | null;
}

/**
 * The documents of a state, by the same names. Those of a folder are read when they are iterated.
 * @throws AppregError as `registryState` does
 */
export async function registryDocuments(where: string, options: StateOptions): Promise<FoundDocuments> {
  const found = await stateOf(where, { ...options, documentsOnly: true }, async (folder) => ({
    ...documentsOfTree(folderTree(folder.root, where), folder.manifest, basesOf(folder), options),
    folder,
  }));
  if ('folder' in found) return found;
  return { ...found, entries: manifestAppsIn(found.manifest.content) ?? {}, folder: null };
}

function basesOf({ baseUrl }: Workspace): string[] {
  return baseUrl === null ? [] : [baseUrl];
}

async function stateOf<Found>(
  where: string,
  {
    cwd = process.cwd(),
    workspaceAt = folderAlone,
    webOptions = async () => ({}),
    listener = SILENT,
    about = false,
    icons = false,
    withArtifacts = false,
    documentsOnly = false,
  }: StateOptions & { documentsOnly?: boolean },
  inFolder: (workspace: Workspace, seenAt: string) => Promise<Found>,
): Promise<Snapshot | Found> {
  const seenAt = new Date().toISOString();
  if (isHttpUrl(where)) {
    const url = registryUrl(where);
    const web = { ...(await webOptions(url)), about, skipArtifacts: !withArtifacts };
    return liveState(url, web, listener, seenAt, documentsOnly ? documentsIn : undefined);
  }
  const local = localPathOf(where, cwd);
  if (local === null) {
    const { tree, manifest, baseUrls } = findBaseRegistry(where, await comparedWorkspace(workspaceAt, cwd), cwd);
    const absent: Missing[] = [];
    const contents = { about, icons, onAbsent: (reason: Missing) => void absent.push(reason) };
    const state = snapshotOfTree(tree, manifest, baseUrls, seenAt, contents);
    for (const { missing } of absent) {
      // It loads all rules, for their titles.
      const { reasonText } = await import('../core/rules/lookup.ts');
      listener.log(message`Compared with no apps: ${reasonText(missing)}.`);
    }
    return state;
  }
  const { path, isFolder } = local;
  if (!isFolder && isFacts(path)) return { ...(await readSnapshot(path)), target: where };
  const around = await workspaceAt(isFolder ? path : resolve(path, '..'));
  const target = targetAt(path, around);
  if (target.kind === 'metadata')
    throw new AppregError(
      'registry-unusable',
      message`${where} is a metadata file, not a registry.`,
      message`Give the folder or the manifest.`,
    );
  const { workspace } = target;
  if (around.openStore !== null && isStored(around.root, workspace.root, workspace.manifest)) {
    const place = { manifest: workspace.manifest, baseUrl: around.baseUrl };
    const { storeSnapshot } = await import('./stored-state.ts');
    return storeSnapshot(await around.openStore(), place, seenAt, listener, { about, icons });
  }
  return inFolder(workspace, seenAt);
}

/** The workspace of a folder, with what is needed to find its registry at a git ref. */
async function comparedWorkspace(
  workspaceAt: NonNullable<StateOptions['workspaceAt']>,
  folder: string,
): Promise<ComparedWorkspace> {
  const { root, manifest, baseUrl, config = null, openReader } = await workspaceAt(folder);
  const reader = await openReader?.();
  const name = manifest ?? manifestIn(root) ?? 'registry.json';
  return { root, manifest: name, baseUrl, config, ...(reader !== undefined && { reader }) };
}

/**
 * The files of the registry in a git ref.
 * @param options as for `registryState`
 * @throws AppregError as `registryState` does
 */
export async function filesAtRef(
  ref: string,
  { cwd = process.cwd(), workspaceAt = folderAlone }: StateOptions,
): Promise<Tree> {
  return findBaseRegistry(ref, await comparedWorkspace(workspaceAt, cwd), cwd).tree;
}

/** Saved facts are identified by their first field. */
function isFacts(path: string): boolean {
  const failed = whyNotRegularFile(path);
  if (failed !== null)
    throw new AppregError(
      'registry-unusable',
      message`${path} ${failed.failure}.`,
      message`Check the path and its permissions.`,
    );
  const file = openSync(path, 'r');
  try {
    const start = Buffer.alloc(256);
    return /^\s*\{\s*"snapshot"\s*:/.test(start.toString('utf8', 0, readSync(file, start)));
  } finally {
    closeSync(file);
  }
}

/** @param keep what is kept of the facts of an app */
async function liveState(
  url: URL,
  web: WebOptions,
  listener: Listener,
  seenAt: string,
  keep: (facts: AppFacts) => AppFacts = (facts) => facts,
): Promise<Snapshot> {
  const { observe } = await import('../observe/registry/observe.ts');
  const seen: ObservedState = { manifest: null, apps: [] };
  const progress = listener.progress(message`Requesting ${url.host}`);
  try {
    for await (const part of observe(url.href, web)) {
      if (part.kind === 'manifest') seen.manifest = part.facts;
      else if (part.kind === 'app') seen.apps.push(keep(part.facts));
    }
  } finally {
    progress.stop();
  }
  return snapshotOf(redact(url.href), seenAt, seen);
}

interface ObservedState {
  manifest: DocumentFacts | null;
  apps: AppFacts[];
}

/** @throws AppregError `registry-unusable` without a usable manifest: an empty state would show no differences */
async function snapshotOf(target: string, seenAt: string, { manifest, apps }: ObservedState): Promise<Snapshot> {
  if (manifest !== null && manifestAppsIn(manifest.content) !== null)
    return { snapshot: 1, target, seenAt, origins: [], manifest, apps, orphans: [] };
  const { unusableManifest } = await import('./unusable-manifest.ts');
  throw unusableManifest(target, seenAt, manifest);
}
