import { message } from '../../core/text/message.ts';
import { dirname } from 'node:path';
import { AppregError } from '../../core/errors/error.ts';
import { ownValue } from '../../core/values/record.ts';
import { pointerStep, pointerTo } from '../../core/json/pointer.ts';
import { buildSettingsIn, pointersOf } from '../../core/release/build-settings.ts';
import { MAX_DEPTH } from '../../core/json/positions.ts';
import { type ShapeError, violationsOf } from '../../core/json/violations.ts';
import { grouped, printable } from '../../core/text/text.ts';
import type { WorkspaceSettings } from '../../observe/workspace/target.ts';
import { configIn, findConfig, namedConfig } from './find.ts';
import { configError, type ConfigText, positionsIn, readConfig, unreadableConfig } from './read.ts';
import type { RuleSettings } from './rules.ts';
import type { Config } from './type.ts';

export type { Config } from './type.ts';

export interface LoadedConfig {
  config: Config;
  /** The file it was read from, absolute; null if there is none. */
  file: string | null;
  /** The workspace: the folder of the config file, or the folder where the search started. */
  root: string;
  /** The names of other configurations in that folder, which have no effect. */
  unused?: readonly string[];
  /** Where the options of builds are, as `file:line:column`, by their JSON Pointers. */
  positions: () => Promise<ReadonlyMap<string, string>>;
  /**
   * `rules` and `exceptions`, checked and parsed once.
   * @throws AppregError if they are invalid, which does not affect commands that judge nothing
   */
  rules: () => Promise<RuleSettings>;
}

export interface ConfigRequest {
  /** The folder where the search starts, absolute. */
  from: string;
  /** The file of --config, absolute; null to search for one. */
  file: string | null;
  env: NodeJS.ProcessEnv;
}

/** The settings that decide which workspace a path belongs to. */
export function workspaceSettings({ config, file, root }: LoadedConfig): WorkspaceSettings {
  return { root, found: file !== null, manifest: config.manifest ?? null, baseUrl: config.baseUrl ?? null };
}

/**
 * Finds and validates the configuration: `file` if given, otherwise the nearest from `from` upwards. `${NAME}` in any
 * string is the environment variable NAME; an unset one is reported when that value is read, so that a missing
 * publishing key does not affect other commands. Throws AppregError for an invalid file.
 */
export async function loadConfig({ from, file: named, env }: ConfigRequest): Promise<LoadedConfig> {
  const found = named === null ? findConfig(from) : namedConfig(named);
  if (found === null) return settingsOf({}, null, from);
  const { path, form, unused } = found;
  const { value: raw, text } = await readConfig(found);
  const fault = boundsFault(raw);
  if (fault !== null) throw unreadableConfig(`${printable(path)} ${fault}.`);
  const unset: UnsetVariable[] = [];
  const config = substituteVariables(raw, env, '', unset);
  const errors = await errorsIn(config, unset);
  if (errors.length > 0 || !isConfig(config)) throw await invalidConfig({ path, form, text }, errors, raw);
  for (const one of unset) throwWhenRead(one, path);
  return { ...settingsOf(config, { path, form, text }, dirname(path)), unused };
}

/** @param source the file of the settings; null if they are from no file */
export function settingsOf(config: Config, source: ConfigText | null, root: string): LoadedConfig {
  let checked: Promise<RuleSettings> | undefined;
  const check = async (): Promise<RuleSettings> =>
    config.rules === undefined && config.exceptions === undefined
      ? { levels: {}, exceptions: null }
      : (await import('./rules.ts')).ruleSettings(config, source);
  const positions = (): Promise<ReadonlyMap<string, string>> => buildPositions(config, source);
  return { config, file: source?.path ?? null, root, positions, rules: () => (checked ??= check()) };
}

async function buildPositions(
  { bundle = {}, release = [] }: Config,
  source: ConfigText | null,
): Promise<Map<string, string>> {
  const settings = [bundle, ...release].map(buildSettingsIn);
  const pointers = settings.flatMap((one, index) => {
    const object = index === 0 ? '/bundle' : pointerTo('release', index - 1);
    return pointersOf(one).map((pointer) => object + pointer);
  });
  if (source === null || pointers.length === 0) return new Map();
  const { path, form, text } = source;
  const found = await positionsIn(
    form,
    text,
    pointers.map((pointer) => ({ pointer, isAboutName: false })),
  );
  return new Map(
    pointers.map((pointer, index) => {
      const position = found[index];
      return [pointer, position ? `${path}:${position.line}:${position.column}` : path];
    }),
  );
}

/** The error for a configuration that the schema refuses. @param raw without the values of variables: may be secrets */
async function invalidConfig(source: ConfigText, errors: readonly ShapeError[], raw: unknown): Promise<AppregError> {
  const [{ default: schema }, { settingViolations }] = await Promise.all([
    import('../../../schemas/config.schema.json', { with: { type: 'json' } }),
    import('./rules.ts'),
  ]);
  const violations = violationsOf(errors, raw, { schema, whole: 'The configuration', member: 'setting' });
  return configError(source, [...violations, ...settingViolations(raw)]);
}

const MAX_VALUES = 100_000;

/**
 * Checks a value before anything walks it further; null if it may be a configuration. Aliases in YAML can make a value
 * that contains itself, and one of many values from a short text.
 */
function boundsFault(value: unknown, depth = 0, total = { count: 0 }): string | null {
  if (typeof value !== 'object' || value === null) return null;
  if (depth >= MAX_DEPTH) return `is nested more than ${MAX_DEPTH} levels deep, or contains itself`;
  if ((total.count += 1) > MAX_VALUES) return `has more than ${grouped(MAX_VALUES)} objects and arrays`;
  for (const item of Object.values(value)) {
    const fault = boundsFault(item, depth + 1, total);
    if (fault !== null) return fault;
  }
  return null;
}

/** Errors that the schema finds. Values of unset variables are not known yet, so they cannot be validated. */
async function errorsIn(config: unknown, unset: readonly UnsetVariable[]): Promise<ShapeError[]> {
  const { validateConfig } = await import('../../core/generated/config.js');
  if (validateConfig(config)) return [];
  const errors = validateConfig.errors ?? [];
  return errors.filter((error) => !unset.some(({ pointer }) => pointer === error.instancePath));
}

/** True for an object; `errorsIn` validates its members. */
function isConfig(value: unknown): value is Config {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The raw configuration, unvalidated and without environment variables; null if none can be read. For shell completion.
 * @param file absolute, or null
 */
export async function rawConfig(
  from: string,
  file: string | null,
): Promise<{ config: Record<string, unknown>; root: string } | null> {
  try {
    const found = file === null ? findConfig(from) : namedConfig(file);
    if (found === null) return null;
    const { value } = await readConfig(found);
    return { config: Object.assign({}, value), root: dirname(found.path) };
  } catch {
    // The command itself reports errors.
    return null;
  }
}

/** The configuration file in a folder itself, absolute: the one that `loadConfig` would use; null if it has none. */
export function configFileIn(folder: string): string | null {
  return configIn(folder)?.path ?? null;
}

interface UnsetVariable {
  owner: object;
  key: string;
  /** JSON Pointer. */
  pointer: string;
  variable: string;
}

/** Secrets are not stored in the file: `${NAME}` is replaced from the environment, and kept if not set. */
function substituteVariables(value: unknown, env: NodeJS.ProcessEnv, pointer: string, unset: UnsetVariable[]): unknown {
  if (typeof value === 'string')
    return value.replace(VARIABLE, (reference, name: string) => ownValue(env, name) ?? reference);
  if (typeof value !== 'object' || value === null) return value;
  const below = (key: string): string => pointer + pointerStep(key);
  const items = Object.entries(value).map(
    ([key, item]) => [key, substituteVariables(item, env, below(key), unset)] as const,
  );
  const filled: object = Array.isArray(value) ? items.map(([, item]) => item) : Object.fromEntries(items);
  for (const [key, item] of Object.entries(value)) {
    const names = typeof item === 'string' ? [...item.matchAll(VARIABLE)].map(([, name = '']) => name) : [];
    const variable = names.find((name) => ownValue(env, name) === undefined);
    if (variable !== undefined) unset.push({ owner: filled, key, pointer: below(key), variable });
  }
  return filled;
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

function throwWhenRead({ owner, key, pointer, variable }: UnsetVariable, file: string): void {
  Object.defineProperty(owner, key, {
    enumerable: true,
    get() {
      throw new AppregError(
        'environment-variable-unset',
        message`${file} requires the environment variable ${variable} (in ${pointer}), which is not set.`,
        message`Set it: export ${variable}=…`,
      );
    },
  });
}
