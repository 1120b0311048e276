import { message } from '../core/text/message.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DocumentContent, Snapshot } from '../core/facts/facts.ts';
import { AppregError } from '../core/errors.ts';
import { contentOf } from '../observe/workspace/document-content.ts';
import { snapshotOfTree } from '../observe/workspace/tree-snapshot.ts';
import { manifestMissing } from '../publish/registry-location.ts';
import { readAll } from '../store/read-all.ts';
import type { Store } from '../store/store.ts';
import type { Config, LoadedConfig } from './config/config.ts';
import type { Context } from './context.ts';
import { openStore } from './config/open-store.ts';

/** A workspace whose registry is in a store other than a folder: only its configuration is local. */

const STORE_NAMES = { git: 'a git branch', s3: 'an S3 bucket' };

function remoteStore({ store }: Config): string | null {
  return store === undefined || store.type === 'directory' ? null : STORE_NAMES[store.type];
}

/** True if the folder has no manifest because it is in the store. @param manifest its name */
export function isStored({ config, root }: LoadedConfig, folder: string, manifest: string): boolean {
  return remoteStore(config) !== null && folder === root && !existsSync(join(folder, manifest));
}

/** For commands that need local files. @throws AppregError (exit 2) if they are in the store */
export function refuseStored(loaded: LoadedConfig, folder: string, manifest: string): void {
  if (!isStored(loaded, folder, manifest)) return;
  const { baseUrl } = loaded.config;
  const url =
    baseUrl === undefined ? '<registry-url>' : `${baseUrl.replace(/\/*$/, '/')}${encodeURIComponent(manifest)}`;
  throw new AppregError(
    'registry-in-store',
    message`This workspace stores its registry in ${String(remoteStore(loaded.config))}, so ${manifest} does not exist in ${folder}.`,
    message`Check the live registry: appreg verify ${url}${existsSync(join(folder, 'apps')) ? '; or check the folders of the apps: appreg assemble --check' : ''}`,
  );
}

/** The documents in the store, as a state of the registry; artifacts are not fetched. */
export async function storeSnapshot(
  context: Context,
  { config, root }: LoadedConfig,
  manifest: string,
  seenAt: string,
): Promise<Snapshot> {
  return snapshotOfStore(context, await openStore(context, config.store, root), config, manifest, seenAt);
}

/**
 * The documents in an open store, as a state of the registry; artifacts are not fetched.
 * @throws AppregError `manifest-missing` (exit 2)
 */
export async function snapshotOfStore(
  context: Context,
  store: Store,
  config: Config,
  manifest: string,
  seenAt: string,
): Promise<Snapshot> {
  const progress = context.terminal.progress(message`Reading ${store.name}`);
  try {
    const known = new Map<string, DocumentContent | null>();
    // Documents are discovered from those already read: two rounds, rarely a third.
    for (let wanted = [manifest]; ;) {
      const found = await readAll(store, wanted);
      for (const path of wanted) {
        const stored = found.get(path);
        known.set(path, stored ? contentOf(stored.bytes) : null);
      }
      if (known.get(manifest) === null) throw manifestMissing(store, manifest);
      const missing = new Set<string>();
      const fetch = (paths: readonly string[]): void => {
        for (const path of paths) if (!known.has(path)) missing.add(path);
      };
      const tree = { source: store.name, fetch, read: (path: string) => known.get(path) ?? null };
      const state = snapshotOfTree(tree, manifest, config.baseUrl ?? null, seenAt);
      if (missing.size === 0) return state;
      wanted = [...missing];
    }
  } finally {
    progress.stop();
  }
}
