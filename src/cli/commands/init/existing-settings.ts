import { message } from '../../../core/text/message.ts';
import { basename } from 'node:path';
import { AppregError } from '../../../core/errors/error.ts';
import { printable } from '../../../core/text/text.ts';
import { asBase } from '../../../observe/workspace/places.ts';
import { flagOf, type OptionValues } from '../../define/command.ts';
import type { Config } from '../../config/config.ts';
import { configFileIn } from '../../config/config.ts';
import type { Context } from '../../config/context.ts';
import { initCommand } from '../../define/init.ts';

type Options = OptionValues<typeof initCommand.options>;

/** The configuration that a folder has already. `init` uses it as it is, and creates only what is missing. */
export interface ExistingSettings {
  /** Its file name. */
  file: string;
  /** The options that would result in the same settings. */
  options: Pick<Options, (typeof NAMES)[number]>;
  store: Config['store'];
  /** True if versions get an attestation that is signed with an OIDC token. */
  attest: boolean;
}

const NAMES = [
  'baseUrl',
  'manifest',
  'serviceOrigin',
  'store',
  'bucket',
  'prefix',
  'region',
  'endpoint',
  'remote',
  'branch',
] as const satisfies readonly (keyof Options)[];

/**
 * The settings of the configuration in a folder; null if it has none.
 * @param options as given; one that differs from the configuration is an error
 * @throws AppregError `config-invalid`, `config-unreadable`, `base-url-missing` (exit 2), or `already-exists` (exit 1)
 */
export async function existingSettings(
  context: Context,
  root: string,
  options: Options,
): Promise<ExistingSettings | null> {
  const path = configFileIn(root);
  if (path === null) return null;
  const { config } = await context.config(root);
  const file = basename(path);
  if (config.baseUrl === undefined)
    throw new AppregError(
      'base-url-missing',
      message`${path} has no baseUrl, so the URLs in the documents are unknown.`,
      message`Add "baseUrl": "https://…/", the URL that the files will be served at.`,
    );
  const { type, ...fields } = config.store ?? { type: 'directory' };
  const settings: ExistingSettings['options'] = {
    baseUrl: asBase(config.baseUrl),
    manifest: config.manifest ?? 'registry.json',
    serviceOrigin: config.serviceOrigins ?? [],
    ...fields,
    store: type,
  };
  refuseOther(file, settings, options);
  return { file, options: settings, store: config.store, attest: config.evidence?.attest === true };
}

/** Throws AppregError for an option whose value is not the configured one. */
function refuseOther(file: string, settings: ExistingSettings['options'], options: Options): void {
  for (const name of NAMES) {
    const given = options[name];
    if (given === undefined) continue;
    const configured = settings[name];
    const value = name === 'baseUrl' && typeof given === 'string' ? asBase(given) : given;
    if (JSON.stringify(value) === JSON.stringify(configured)) continue;
    const flag = flagOf(initCommand.options[name]);
    throw new AppregError(
      'already-exists',
      message`${file} already exists with ${describe(configured)}, but ${flag} is ${describe(given)}.`,
      message`Omit ${flag} to use the configuration as it is, change ${file}, or choose another folder.`,
      { effect: 'none' },
    );
  }
}

function describe(value: string | readonly string[] | undefined): string {
  if (value === undefined || value.length === 0) return 'no value';
  return (typeof value === 'string' ? [value] : value).map((text) => `“${printable(text)}”`).join(', ');
}
