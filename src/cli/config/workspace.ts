import { message } from '../../core/text/message.ts';
import { AppregError } from '../../core/errors.ts';
import { asBase, localPath } from '../../observe/workspace/places.ts';
import type { RegistryLocation } from '../../publish/registry-location.ts';
import type { Config } from './config.ts';
import type { Context } from '../context.ts';
import { readLock } from '../lock.ts';
import { type OpenStore, openStore } from './open-store.ts';

/** A workspace that commands write to. */
export interface OpenWorkspace {
  /** Absolute. */
  root: string;
  config: Config;
  /** The configuration file, absolute. */
  file: string;
  place: RegistryLocation;
}

/**
 * The workspace of the current folder, and its store.
 * @param opened its store, if it is open already
 * @throws AppregError (exit 2) if the configuration is missing, or does not set the registry's URL
 */
export async function openWorkspace(context: Context, opened: OpenStore | null = null): Promise<OpenWorkspace> {
  const { config, file, root } = await context.config();
  if (file === null) throw workspaceMissing(context.cwd);
  if (config.baseUrl === undefined) {
    throw new AppregError(
      'base-url-missing',
      message`${file} has no baseUrl, so the URLs in the documents are unknown.`,
      message`Add "baseUrl": "https://…/", the URL that the files will be served at.`,
    );
  }
  const base = asBase(config.baseUrl);
  const ledger = readLock(root);
  const place: RegistryLocation = {
    store: opened ?? (await openStore(context, config.store, root)),
    manifest: config.manifest ?? 'registry.json',
    base,
    pathOf: (url) => localPath(url, base),
    firstSeen: (app, version) => ledger?.get(app)?.get(version)?.artifactChecksum ?? null,
  };
  return { root, config, file, place };
}

/** @returns the error for a folder without a configuration: exit 2 */
export function workspaceMissing(folder: string): AppregError {
  return new AppregError(
    'workspace-missing',
    message`${folder} is not a registry workspace: it has no configuration file.`,
    message`Create one with appreg init, or give its configuration with --config <file>.`,
  );
}
