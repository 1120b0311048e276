import { message } from '../../core/text/message.ts';
import { AppregError } from '../../core/errors/error.ts';
import type { RegistryLocation } from '../../publish/registry-location.ts';
import { registryLocation } from '../../workspace/location.ts';
import type { LoadedConfig } from './config.ts';
import type { Context } from './context.ts';
import { openStore } from './open-store.ts';

/** A workspace that commands write to. */
export interface OpenWorkspace extends Pick<LoadedConfig, 'config' | 'root' | 'rules'> {
  /** The configuration file, absolute. */
  file: string;
  place: RegistryLocation;
}

/**
 * The workspace of the current folder, and its store.
 * @throws AppregError (exit 2) if the configuration is missing, or does not set the registry's URL
 */
export async function openWorkspace(context: Context): Promise<OpenWorkspace> {
  const { config, file, root, rules } = await context.config();
  if (file === null) throw workspaceMissing(context.cwd);
  const place = await registryLocation({ config, file, root }, () => openStore(context, config.store, root));
  return { root, config, rules, file, place };
}

/** @returns the error for a folder without a configuration: exit 2 */
export function workspaceMissing(folder: string): AppregError {
  return new AppregError(
    'workspace-missing',
    message`${folder} is not a registry workspace: it has no configuration file.`,
    message`Create one with appreg init, or give its configuration with --config <file>.`,
  );
}
