import { printable } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors.ts';
import { proxiesIn } from '../../observe/http/proxy.ts';
import { openDirectory } from '../../store/directory/directory.ts';
import { journaled } from '../../store/journal.ts';
import type { StoreProxyFor } from '../../store/s3/web.ts';
import type { Store } from '../../store/store.ts';
import type { Config } from './config.ts';
import type { Context } from '../context.ts';
import { storeMemory } from './store-memory.ts';

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
    const [{ openS3 }, { remembering }] = await Promise.all([
      import('../../store/s3/s3.ts'),
      import('../../store/remember.ts'),
    ]);
    const { bucket, prefix = '', region = null, endpoint = null, unconditional = false } = config;
    if (unconditional)
      context.terminal.log(
        'The store is used without conditional writes: concurrent publishers may overwrite each other.',
      );
    const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
    const memory = storeMemory(context.env);
    const s3 = openS3({
      bucket,
      prefix: folder.replace(/^\/+/, ''),
      region,
      endpoint,
      unconditional,
      env: context.env,
      proxyFor: proxies(context.env),
      ...(memory && { memory }),
      onProbe: (path) => {
        if (context.journal && !context.journal.auxiliary.includes(path)) context.journal.auxiliary.push(path);
      },
    });
    return remembering(s3);
  }
  return openDirectory(root, { notice: (text) => context.terminal.log(printable(text)) });
}

/** The proxy settings, read as in all commands. */
function proxies(env: NodeJS.ProcessEnv): StoreProxyFor {
  const proxyFor = proxiesIn(env);
  return (url) => {
    const proxy = proxyFor(url);
    if (proxy === null) return null;
    const { facts, secure, host, port, authorization, unusable } = proxy;
    if (unusable !== null)
      throw new AppregError(
        'proxy-unsupported',
        `${facts.variable} is set to ${printable(unusable)}, which cannot be used for the store.`,
        `Set ${facts.variable} to http://host:port, or exclude the store: NO_PROXY=${printable(url.hostname)}`,
        { effect: 'none' },
      );
    return { uri: `${secure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`, authorization };
  };
}
