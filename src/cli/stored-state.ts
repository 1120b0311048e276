import { message } from '../core/text/message.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppregError } from '../core/errors.ts';
import type { StateOptions } from '../workspace/registry-state.ts';
import { isStored } from '../workspace/stored-state.ts';
import type { VerifyOptions } from './check/verify-options.ts';
import { type Config, type LoadedConfig, workspaceSettings } from './config/config.ts';
import { openStore } from './config/open-store.ts';
import type { Context } from './context.ts';

/** A workspace whose registry is in a store other than a folder: only its configuration is local. */

const STORE_NAMES = { git: 'a git branch', s3: 'an S3 bucket' };

function remoteStore({ store }: Config): string | null {
  return store === undefined || store.type === 'directory' ? null : STORE_NAMES[store.type];
}

/** For commands that need local files. @throws AppregError (exit 2) if they are in the store */
export function refuseStored({ config, root }: LoadedConfig, folder: string, manifest: string): void {
  const store = remoteStore(config);
  if (store === null || !isStored(root, folder, manifest)) return;
  const { baseUrl } = config;
  const url =
    baseUrl === undefined ? '<registry-url>' : `${baseUrl.replace(/\/*$/, '/')}${encodeURIComponent(manifest)}`;
  throw new AppregError(
    'registry-in-store',
    message`This workspace stores its registry in ${store}, so ${manifest} does not exist in ${folder}.`,
    message`Check the live registry: appreg verify ${url}${existsSync(join(folder, 'apps')) ? '; or check the folders of the apps: appreg assemble --check' : ''}`,
  );
}

/** How a command resolves the name of a state. @param options how it requests a live registry */
export function stateOptions(context: Context, options: VerifyOptions = {}): StateOptions {
  return {
    cwd: context.cwd,
    listener: context.terminal,
    async workspaceAt(folder) {
      const loaded = await context.config(folder);
      const { config, root } = loaded;
      const isRemote = remoteStore(config) !== null;
      return {
        ...workspaceSettings(loaded),
        openStore: isRemote ? () => openStore(context, config.store, root) : null,
      };
    },
    async webOptions(registry) {
      const { webOptionsOf } = await import('./check/verify-options.ts');
      const { config } = await context.config(context.cwd, { needsWorkspace: false });
      return webOptionsOf(context, config, registry, options);
    },
  };
}
