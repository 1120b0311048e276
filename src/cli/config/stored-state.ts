import { message } from '../../core/text/message.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { AppregError } from '../../core/errors/error.ts';
import { isStored } from '../../observe/workspace/places.ts';
import type { Config, LoadedConfig } from './config.ts';
import type { Context } from './context.ts';
import { shownPath } from '../io/shown-path.ts';

/** Where the registry of a workspace is. */

/**
 * The folder of a command that is given no path: the current one; or that of the configuration that --config names, if
 * the current folder is not below it and has no registry.
 */
export async function defaultFolder({ cwd, options, config }: Context): Promise<string> {
  if (options.config === undefined) return '.';
  const { root } = await config();
  const { isInside, manifestIn } = await import('../../observe/workspace/target.ts');
  return isInside(cwd, root) || manifestIn(cwd) !== null ? '.' : shownPath(cwd, root);
}

/** A workspace whose registry is in a store other than a folder: only its configuration is local. */

const STORE_NAMES = { git: 'a git branch', s3: 'an S3 bucket' };

export function remoteStore({ store }: Config): string | null {
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
