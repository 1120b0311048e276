import { printable } from '../core/text.ts';
import { openDirectory } from '../store/directory.ts';
import type { Store } from '../store/store.ts';
import type { Config } from './config.ts';
import type { Context } from './context.ts';

/**
 * The store that the configuration names (default: the workspace's folder). The others are loaded only where they are used.
 * @param root the workspace, absolute
 */
export async function openStore(context: Context, config: Config['store'], root: string): Promise<Store> {
  if (config?.type === 'git') {
    const { openGit } = await import('../store/git.ts');
    return openGit({ remote: config.remote ?? 'origin', branch: config.branch ?? 'gh-pages', root });
  }
  if (config?.type === 's3') {
    const { openS3 } = await import('../store/s3.ts');
    const { bucket, prefix = '', region = null, endpoint = null, unconditional = false } = config;
    if (unconditional)
      context.terminal.log(
        'The store is used without conditional writes: whoever publishes at the same time may be overwritten.',
      );
    const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
    return openS3({ bucket, prefix: folder.replace(/^\/+/, ''), region, endpoint, unconditional, env: context.env });
  }
  return openDirectory(root, { notice: (text) => context.terminal.log(printable(text)) });
}
