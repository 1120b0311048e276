import { message } from '../core/text/message.ts';
import { AppregError } from '../core/errors/error.ts';
import { asBase, localPath } from '../observe/workspace/places.ts';
import type { RegistryLocation } from '../publish/registry-location.ts';
import { refuseOtherBaseInStore } from './base-url.ts';
import { readLock } from './lock.ts';

/** The workspace of a registry that is written to. */
interface WritableWorkspace {
  /** Absolute. */
  root: string;
  /** The configuration file, absolute; null if the configuration is not in a file. */
  file: string | null;
  config: { baseUrl?: string; manifest?: string };
}

/**
 * Where the files of a registry are in its store and on the web. The lock file of the workspace says which versions
 * were published before.
 * @throws AppregError (exit 2) if the configuration does not set the registry's URL
 */
export async function registryLocation(
  { root, file, config }: WritableWorkspace,
  openStore: () => Promise<RegistryLocation['store']>,
): Promise<RegistryLocation> {
  if (config.baseUrl === undefined) {
    throw new AppregError(
      'base-url-missing',
      message`${file ?? 'The configuration'} has no baseUrl, so the URLs in the documents are unknown.`,
      message`Add "baseUrl": "https://…/", the URL that the files will be served at.`,
    );
  }
  const base = asBase(config.baseUrl);
  const ledger = readLock(root);
  const store = await openStore();
  const pathOf = (url: string): string | null => localPath(url, base);
  return {
    store,
    manifest: config.manifest ?? 'registry.json',
    base,
    pathOf,
    checkBase: (apps) => refuseOtherBaseInStore({ store, base, pathOf }, apps),
    firstSeen: (app, version) => ledger?.versions.get(app)?.get(version)?.artifactChecksum ?? null,
  };
}
