import type { JudgeSettings } from '../publish/check-change.ts';
import type { SecretException } from '../publish/excepted-secrets.ts';
import type { RegistryLocation } from '../publish/registry-location.ts';
import { SILENT } from '../workspace/listener.ts';
import type { StateOptions } from '../workspace/registry-state.ts';
import type { ReleaseEntry } from './find-apps.ts';
import type { BundleOptions } from '../bundle/options.ts';
import { type BuildSettings, mergeSettings, type WrittenSettings, writtenIn } from '../core/release/build-settings.ts';

/** A repository with the sources of apps, and the registry that they are published to. */
export interface Repository extends StateOptions {
  /** The folder of the configuration, absolute. */
  root: string;
  config: RepositoryConfig;
  /** The configuration file, absolute (default: none). Versions depend on it, so it has to be committed as well. */
  file?: string | null;
  /** Where settings of the configuration are, as `file:line:column`, by JSON Pointer (default: unknown). For messages. */
  positions?: ReadonlyMap<string, string>;
  /** Opens the store of the registry; called at most once. */
  openStore(): Promise<RegistryLocation['store']>;
  /** The severities of rules that are not the default. */
  severities?(): Promise<JudgeSettings['severities']>;
  /** For proxies and certificate authorities (default: that of the process). */
  env?: NodeJS.ProcessEnv;
}

/** The settings of a release, as in the configuration. */
export interface RepositoryConfig {
  baseUrl?: string;
  /** Default: registry.json. */
  manifest?: string;
  release?: readonly ReleaseEntry[];
  bundle?: BuildSettings & { loadTest?: boolean } & PackageSettings;
  artifact?: { entry?: string };
  /** Those for one secret also apply to a release. */
  exceptions?: readonly SecretException[];
  /**
   * `sbom`: publish a bill of materials beside each artifact; `attestations.mode`: `require` refuses a new version
   * without an attestation.
   */
  evidence?: { sbom?: boolean; attestations?: { mode?: 'off' | 'report' | 'require' } };
}

type Defaulted = 'cwd' | 'env' | 'file' | 'listener' | 'positions' | 'severities';
/** With all defaults. */
export type OpenRepository = Repository & Required<Pick<Repository, Defaulted>>;

const DEFAULTS = { file: null, listener: SILENT, positions: new Map<string, string>(), severities: async () => ({}) };

export function withDefaults(repository: Repository): OpenRepository {
  return { cwd: process.cwd(), env: process.env, ...DEFAULTS, ...repository };
}

/** The settings of the configuration about the packages in the code that is built. */
export type PackageSettings = Pick<BundleOptions, 'notices' | 'licenses'>;

/**
 * The options of a build from all places where they are written: the configuration, then those that are given.
 * @param positions of the settings in the configuration, by JSON Pointer
 * @param further those that count most come last
 */
export function buildOptions(
  { bundle = {} }: Pick<RepositoryConfig, 'bundle'>,
  positions: ReadonlyMap<string, string>,
  further: readonly WrittenSettings[],
): Pick<BundleOptions, keyof BuildSettings | keyof PackageSettings | 'places'> {
  const { notices, licenses } = bundle;
  const { settings, places } = mergeSettings([writtenIn(bundle, '/bundle', positions), ...further]);
  return { ...settings, places, notices: notices !== false, ...(licenses && { licenses }) };
}

/**
 * True if built code is loaded before it is stored.
 * @param options those of the command line: `--no-load-test`, and `--load-test`
 * @param isStored false for a run that stores nothing: building does not run the code, and loading does
 */
export function wantsLoadTest(
  settings: { loadTest?: boolean } | undefined,
  { loadTest, alsoLoadTest = false }: { loadTest?: boolean; alsoLoadTest?: boolean },
  isStored: boolean,
): boolean {
  if (loadTest === false) return false;
  return alsoLoadTest || (isStored && settings?.loadTest !== false);
}

/** Need for a bill: required (--sbom), published where it can be made (`evidence.sbom`), or not wanted. */
export type BillWish = 'required' | 'if-known' | 'none';

export function wantedBillOf(options: { sbom?: boolean }, { evidence }: { evidence?: { sbom?: boolean } }): BillWish {
  if (options.sbom === true) return 'required';
  return evidence?.sbom === true ? 'if-known' : 'none';
}
