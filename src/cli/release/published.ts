import { message } from '../../core/text/message.ts';
import { dirname } from 'node:path';
import { type LockFile, LOCK_FILE, lockFileIn } from '../../core/registry/lock-file.ts';
import { AppregError } from '../../core/errors.ts';
import { baselineFromSnapshot } from '../../observe/baseline/baseline.ts';
import { localPathOf } from '../../observe/baseline/local-path.ts';
import { gitTree } from '../../observe/workspace/git.ts';
import { storedLock } from '../../publish/lock-step.ts';
import { type OpenStore, openStore } from '../config/open-store.ts';
import type { LoadedConfig } from '../config/config.ts';
import type { Context } from '../context.ts';
import { isUrl } from '../input-file.ts';
import { readLock } from '../lock.ts';
import { registryState } from '../registry-state.ts';
import { snapshotOfStore } from '../stored-state.ts';
import type { PublishedState } from './evaluate.ts';
import { servedLock } from './served-lock.ts';

/** What is published, with the store that it was read from. */
export interface PublishedStateOfStore extends PublishedState {
  /** Null for a state that --against names. */
  store: OpenStore | null;
}

/**
 * The published versions, with what they were built from: those in the store, or in the state that --against names.
 * Artifacts are not read.
 * @throws AppregError (exit 2) if there is no usable registry
 */
export async function publishedVersions(
  context: Context,
  { config, root }: LoadedConfig,
  against: string | undefined,
): Promise<PublishedStateOfStore> {
  if (against?.trim() === '')
    throw new AppregError(
      'option-invalid',
      message`--against is empty.`,
      message`Give a folder, a file, a URL or a git ref; in a pipeline, check that its variable is set.`,
    );
  const own = readLock(root);
  if (against !== undefined) {
    const state = await registryState(context, against, { documentsOnly: true });
    const lock = (await lockOf(context, root, against)) ?? own;
    return { listed: baselineFromSnapshot(state, state.target), lock, store: null };
  }
  const store = await openStore(context, config.store, root);
  const now = new Date().toISOString();
  const state = await snapshotOfStore(context, store, config, config.manifest ?? 'registry.json', now);
  const lock = (await storedLock(store)) ?? own;
  return { listed: baselineFromSnapshot(state, state.target), lock, store };
}

/** The lock file in the state that --against names; null if it has none. */
async function lockOf(context: Context, root: string, against: string): Promise<LockFile | null> {
  if (isUrl(against)) return servedLock(context, against);
  const local = localPathOf(against, context.cwd);
  if (local !== null) return readLock(local.isFolder ? local.path : dirname(local.path));
  const tree = gitTree(against, root);
  tree.fetch([LOCK_FILE]);
  const content = tree.read(LOCK_FILE);
  return content && lockFileIn(content, `${LOCK_FILE} in ${against}`);
}
