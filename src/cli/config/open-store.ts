import { message } from '../../core/text/message.ts';
import { openDirectory } from '../../store/directory/directory.ts';
import { journaled } from '../../store/journal.ts';
import type { Store } from '../../store/store.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';

/** A store, which may have a cache that can be cleared. */
export type OpenStore = Store & { forget?(): void };

/**
 * The store that the configuration names (default: the workspace's folder). The others are loaded only if used.
 * @param root the workspace, absolute
 */
export async function openStore(context: Context, config: Config['store'], root: string): Promise<OpenStore> {
  const store = await storeFor(context, config, root);
  return context.journal ? { ...store, ...journaled(store, context.journal) } : store;
}

async function storeFor(context: Context, config: Config['store'], root: string): Promise<OpenStore> {
  if (config?.type === 'git') {
    const { openGit } = await import('../../store/git/git.ts');
    return openGit({ remote: config.remote ?? 'origin', branch: config.branch ?? 'gh-pages', root });
  }
  if (config?.type === 's3') {
    const { openBucket } = await import('./open-bucket.ts');
    return openBucket(context, config);
  }
  return openDirectory(root, { notice: (text) => context.terminal.log(message`${text}`) });
}
