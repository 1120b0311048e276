import { message } from '../core/text/message.ts';
import { closeSync, openSync, readSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AppFacts, DocumentFacts, Snapshot } from '../core/facts/facts.ts';
import { printable, redact } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';
import { observeWorkspace } from '../observe/workspace/observe-workspace.ts';
import { type LocalPath, localPathOf } from '../observe/baseline/local-path.ts';
import { gitTree } from '../observe/workspace/git.ts';
import { targetAt } from '../observe/workspace/target.ts';
import { folderTree } from '../observe/workspace/tree.ts';
import { snapshotOfTree } from '../observe/workspace/tree-snapshot.ts';
import type { FactsSink } from '../observe/registry/options.ts';
import { whyNotRegularFile } from '../platform/regular-file.ts';
import { workspaceSettings } from './config/config.ts';
import type { Context } from './context.ts';
import { shownPath } from './io/shown-path.ts';
import { readSnapshot } from './check/snapshot-file.ts';
import { isStored, storeSnapshot } from './stored-state.ts';
import { registryUrl, type VerifyOptions, webOptionsOf } from './check/verify-options.ts';
import { manifestAppsIn } from '../core/registry/manifest.ts';

/**
 * A state of a registry, by any of its names: a live registry's URL, saved facts, a folder, a manifest, a git ref.
 * Artifacts are read from the folder. For a workspace with another store, the folder refers to that store.
 * @param options.web how a live registry is requested
 * @param options.documentsOnly artifacts and icons are not read
 * @throws AppregError (exit 2) if it does not exist or cannot be read
 */
export async function registryState(
  context: Context,
  where: string,
  { web = {}, documentsOnly = false }: { web?: VerifyOptions; documentsOnly?: boolean },
): Promise<Snapshot> {
  const seenAt = new Date().toISOString();
  if (/^https?:\/\//i.test(where)) return liveState(context, where, web, seenAt);
  const local = localPathOf(where, context.cwd);
  if (local !== null) {
    if (!local.isFolder && isFacts(local.path)) return { ...(await readSnapshot(local.path)), target: where };
    return folderState(context, local, where, seenAt, documentsOnly);
  }
  const { config, root } = await context.config();
  return snapshotOfTree(gitTree(where, root), config.manifest ?? 'registry.json', config.baseUrl ?? null, seenAt);
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

async function folderState(
  context: Context,
  { path, isFolder }: LocalPath,
  where: string,
  seenAt: string,
  documentsOnly: boolean,
): Promise<Snapshot> {
  const loaded = await context.config(isFolder ? path : resolve(path, '..'));
  const target = targetAt(path, workspaceSettings(loaded));
  if (target.kind === 'metadata')
    throw new AppregError(
      'registry-unusable',
      message`${where} is a metadata file, not a registry.`,
      message`Give the folder or the manifest.`,
    );
  const { workspace } = target;
  if (isStored(loaded, workspace.root, workspace.manifest))
    return storeSnapshot(context, loaded, workspace.manifest, seenAt);
  if (documentsOnly)
    return snapshotOfTree(folderTree(workspace.root, where), workspace.manifest, workspace.baseUrl, seenAt);
  const state = collectState(where, seenAt);
  const sink = { ...state.sink, orphans() {} };
  await observeWorkspace(workspace, sink, {
    nameOf: (name) => shownPath(context.cwd, resolve(workspace.root, name)),
  });
  return state.finish();
}

async function liveState(context: Context, where: string, options: VerifyOptions, seenAt: string): Promise<Snapshot> {
  const { observeRegistry } = await import('../observe/registry/observe.ts');
  const { config } = await context.config(context.cwd, { needsWorkspace: false });
  const url = registryUrl(where);
  const state = collectState(redact(url.href), seenAt);
  const progress = context.terminal.progress(message`Requesting ${url.host}`);
  try {
    const web = { ...webOptionsOf(context, config, url, options), skipArtifacts: true };
    await observeRegistry(url.href, web, state.sink);
  } finally {
    progress.stop();
  }
  return state.finish();
}

/** Collects the facts of an observation. */
interface StateCollector {
  sink: FactsSink;
  /** @throws AppregError `registry-unusable` without a usable manifest: an empty state would show no differences */
  finish(): Snapshot;
}

function collectState(target: string, seenAt: string): StateCollector {
  const observed: { manifest: DocumentFacts | null; apps: AppFacts[] } = { manifest: null, apps: [] };
  return {
    sink: {
      manifest(facts) {
        observed.manifest = facts;
      },
      app(facts) {
        observed.apps.push(facts);
      },
    },
    finish() {
      const { manifest, apps } = observed;
      if (manifest === null || manifestAppsIn(manifest.content) === null)
        throw unusable(target, manifest?.file ?? null);
      return { snapshot: 1, target, seenAt, origins: [], manifest, apps, orphans: [] };
    },
  };
}

/** @param file the manifest that was read; null if there is none */
function unusable(target: string, file: string | null = null): AppregError {
  const name = printable(target);
  return new AppregError(
    'registry-unusable',
    message`The manifest at ${file === null ? name : file} cannot be used.`,
    /^https?:/.test(target)
      ? message`See its errors: appreg verify ${name} --skip-artifacts`
      : message`See its errors: appreg lint ${name}`,
  );
}
