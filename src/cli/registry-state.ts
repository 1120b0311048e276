import { closeSync, existsSync, openSync, readSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { AppFacts, DocumentFacts, Snapshot } from '../core/facts/facts.ts';
import { printable, redact } from '../core/text/text.ts';
import { AppregError } from '../core/errors.ts';
import { observeWorkspace } from '../observe/workspace/observe-workspace.ts';
import { gitTree } from '../observe/workspace/git.ts';
import { targetAt } from '../observe/workspace/target.ts';
import { snapshotOfTree } from '../observe/workspace/tree-snapshot.ts';
import type { Context } from './context.ts';
import { shownPath } from './io/shown-path.ts';
import { readSnapshot } from './check/snapshot-file.ts';
import { isStored, storeSnapshot } from './stored-state.ts';
import { registryUrl, type VerifyOptions, webOptionsOf } from './check/verify-options.ts';
import { manifestAppsIn } from '../core/registry/manifest.ts';

/**
 * A state of a registry, by any of its names: a live registry's URL, saved facts, a folder, a manifest, a git ref.
 * Artifacts are read from the folder. For a workspace with another store, the folder refers to that store.
 * @throws AppregError (exit 2) if it does not exist or cannot be read
 */
export async function registryState(context: Context, where: string, options: VerifyOptions): Promise<Snapshot> {
  const seenAt = new Date().toISOString();
  if (/^https?:\/\//i.test(where)) return liveState(context, where, options, seenAt);
  const path = resolve(context.cwd, where);
  if (existsSync(path)) {
    if (statSync(path).isFile() && isFacts(path)) return { ...(await readSnapshot(path)), target: where };
    return folderState(context, path, where, seenAt);
  }
  const { config, root } = await context.config();
  return snapshotOfTree(gitTree(where, root), config.manifest ?? 'registry.json', config.baseUrl ?? null, seenAt);
}

/** Saved facts are identified by their first field. */
function isFacts(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const start = Buffer.alloc(256);
    return /^\s*\{\s*"snapshot"\s*:/.test(start.toString('utf8', 0, readSync(file, start)));
  } finally {
    closeSync(file);
  }
}

async function folderState(context: Context, path: string, where: string, seenAt: string): Promise<Snapshot> {
  const loaded = await context.config(statSync(path).isDirectory() ? path : resolve(path, '..'));
  const { config, file, root } = loaded;
  const target = targetAt(path, {
    root,
    found: file !== null,
    manifest: config.manifest ?? null,
    baseUrl: config.baseUrl ?? null,
  });
  if (target.kind === 'metadata')
    throw new AppregError(
      'registry-unusable',
      `${printable(where)} is a metadata file, not a registry.`,
      'Give the folder or the manifest.',
    );
  const apps: AppFacts[] = [];
  let manifest: DocumentFacts | null = null;
  const { workspace } = target;
  if (isStored(loaded, workspace.root, workspace.manifest))
    return storeSnapshot(context, loaded, workspace.manifest, seenAt);
  const sink = {
    manifest: (facts: DocumentFacts) => void (manifest = facts),
    app: (facts: AppFacts) => void apps.push(facts),
    orphans() {},
  };
  await observeWorkspace(workspace, sink, {
    nameOf: (name) => shownPath(context.cwd, resolve(workspace.root, name)),
  });
  return usable({ snapshot: 1, target: where, seenAt, origins: [], manifest: manifest!, apps, orphans: [] });
}

async function liveState(context: Context, where: string, options: VerifyOptions, seenAt: string): Promise<Snapshot> {
  const { observeRegistry } = await import('../observe/registry/observe.ts');
  const { config } = await context.config();
  const url = registryUrl(where);
  const apps: AppFacts[] = [];
  let manifest: DocumentFacts | null = null;
  const progress = context.terminal.progress(`Asking ${url.host}`);
  try {
    await observeRegistry(
      url.href,
      { ...webOptionsOf(context, config, url, options), skipArtifacts: true },
      { manifest: (facts) => void (manifest = facts), app: (facts) => void apps.push(facts) },
    );
  } finally {
    progress.stop();
  }
  return usable({ snapshot: 1, target: redact(url.href), seenAt, origins: [], manifest: manifest!, apps, orphans: [] });
}

/** An empty state cannot be compared: there would be no findings. */
function usable(state: Snapshot): Snapshot {
  if (manifestAppsIn(state.manifest.content) !== null) return state;
  const name = printable(state.target);
  throw new AppregError(
    'registry-unusable',
    `No usable manifest at ${name}, so nothing can be compared.`,
    /^https?:/.test(state.target)
      ? `See its errors: appreg verify ${name} --skip-artifacts`
      : `See its errors: appreg lint ${name}`,
  );
}
