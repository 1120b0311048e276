import { message } from '../../core/text/message.ts';
import { AppregError } from '../../core/errors.ts';
import { proxiesIn } from '../../observe/http/proxy.ts';
import { remembering, type RememberingStore } from '../../store/remember.ts';
import { openS3 } from '../../store/s3/s3.ts';
import type { StoreProxyFor } from '../../store/s3/web.ts';
import type { Config } from './config.ts';
import type { Context } from '../context.ts';
import { storeMemory } from './store-memory.ts';

/** The store in a bucket that the configuration names. */
export function openBucket(context: Context, config: Extract<Config['store'], { type: 's3' }>): RememberingStore {
  const { bucket, prefix = '', region = null, endpoint = null, unconditional = false } = config;
  if (unconditional)
    context.terminal.log(
      message`The store is used without conditional writes: concurrent publishers may overwrite each other.`,
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
        message`${facts.variable} is set to ${unusable}, which cannot be used for the store.`,
        message`Set ${facts.variable} to http://host:port, or exclude the store: NO_PROXY=${url.hostname}`,
        { effect: 'none' },
      );
    return { uri: `${secure ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`, authorization };
  };
}
