import type { PublishOptions } from '../../publish/publish-version.ts';
import { describesApp } from '../../release/find-apps.ts';
import { hasLock, workspaceBeside } from '../../workspace/lock.ts';
import type { Context } from '../config/context.ts';
import type { OpenWorkspace } from '../config/workspace.ts';

interface ReadBackOptions {
  artifactUrl?: string | undefined;
  readBack?: boolean | undefined;
  readBackTimeout?: number | undefined;
}

/** Settings for fetching a stored artifact from its public URL; undefined if it is not fetched. */
export function readBackOf(
  context: Context,
  { config }: OpenWorkspace,
  { artifactUrl, readBack = true, readBackTimeout }: ReadBackOptions,
): PublishOptions['readBack'] {
  if (!readBack || artifactUrl !== undefined) return undefined;
  return async (entry) => {
    const download = await import('./download.ts');
    const seconds = readBackTimeout ?? download.READ_BACK_SECONDS[config.store?.type ?? 'directory'];
    await download.readBack(context, entry, seconds);
  };
}

/**
 * The lock files that record a version. Where apps are released, that of the store has every version, and is created,
 * since `release` compares with it. Elsewhere it is not read, which would be one request more to a bucket. In a store that
 * is the workspace itself, the lock file of the workspace is that file.
 */
export async function recordingIn(
  { root, config, place: { store } }: OpenWorkspace,
  key: string,
): Promise<Required<Pick<PublishOptions, 'recordsInStore' | 'workspace'>>> {
  const workspace = await workspaceBeside(store, root);
  const isInStore = workspace === null && hasLock(root);
  return { recordsInStore: isInStore || describesApp(root, config.release, key), workspace };
}
