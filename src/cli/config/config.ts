import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { AppregError } from '../../core/errors.ts';
import { printable } from '../../core/text/text.ts';
import { type ShapeError, validateConfig } from '../../core/generated/validators.js';
import type { WorkspaceSettings } from '../../observe/workspace/target.ts';
import type { ReleaseEntry } from '../../release/find-apps.ts';
import type { FoundConfig } from './config-search.ts';

/** The configuration, as schemas/config.schema.json defines it. */
export interface Config {
  $schema?: string;
  manifest?: string;
  baseUrl?: string;
  serviceOrigins?: string[];
  store?:
    | { type: 'directory' }
    | { type: 'git'; remote?: string; branch?: string }
    | { type: 's3'; bucket: string; prefix?: string; region?: string; endpoint?: string; unconditional?: boolean };
  bundle?: { external?: string[]; target?: string; include?: string[] };
  artifact?: { entry?: string };
  release?: ReleaseEntry[];
  rules?: Record<string, 'off' | 'note' | 'warning' | 'error'>;
  exceptions?: ConfiguredException[];
  verify?: { concurrency?: number; timeout?: number; origins?: string[] };
}

/** An exception as written; `exceptionsOf` checks what the schema cannot. */
export interface ConfiguredException {
  rule: string;
  app?: string;
  version?: string;
  url?: string;
  reason: string;
  until?: string;
  issue?: string;
}

export interface LoadedConfig {
  config: Config;
  /** The file it was read from, absolute; null if there is none. */
  file: string | null;
  /** The workspace: the folder of the config file, or the folder where the search started. */
  root: string;
}

/** The settings that decide which workspace a path belongs to. */
export function workspaceSettings({ config, file, root }: LoadedConfig): WorkspaceSettings {
  return { root, found: file !== null, manifest: config.manifest ?? null, baseUrl: config.baseUrl ?? null };
}

// No .ts: the loader does not support it on all supported Node versions.
const FILE_NAMES = [
  'appreg.config.json',
  'appreg.config.yaml',
  'appreg.config.yml',
  'appreg.config.js',
  'appreg.config.mjs',
  'appreg.config.cjs',
  '.appregrc',
  '.appregrc.json',
  '.appregrc.yaml',
  '.appregrc.yml',
  '.appregrc.js',
  '.appregrc.mjs',
  '.appregrc.cjs',
  'package.json',
];

/**
 * Finds and validates the configuration: `file` if given, otherwise the nearest from `from` upwards. `${NAME}` in any
 * string is the environment variable NAME; an unset one is reported when that value is read, so that a missing
 * publishing key does not affect other commands. Throws AppregError for an invalid file.
 */
export async function loadConfig(from: string, file: string | null, env: NodeJS.ProcessEnv): Promise<LoadedConfig> {
  const found = await find(from, file, { executesCode: true });
  if (!found || found.isEmpty)
    return { config: {}, file: found?.filepath ?? null, root: found ? dirname(found.filepath) : from };
  const unset: UnsetVariable[] = [];
  const config = substituteVariables(found.config, env, '', unset);
  const problems = violationsIn(config, unset);
  if (problems.length > 0 || !isConfig(config))
    throw new AppregError(
      'config-invalid',
      `${found.filepath} is not a valid configuration: ${printable([...new Set(problems.map(describeViolation))].join('; '))}`,
      'schemas/config.schema.json describes all settings.',
    );
  for (const one of unset) throwWhenRead(one, found.filepath);
  return { config, file: found.filepath, root: dirname(found.filepath) };
}

/** What is wrong with a configuration. Values of unset variables are not known yet, so they cannot be validated. */
function violationsIn(config: unknown, unset: readonly UnsetVariable[]): ShapeError[] {
  if (validateConfig(config)) return [];
  const violations = validateConfig.errors ?? [];
  return violations.filter((violation) => !unset.some(({ pointer }) => pointer === violation.instancePath));
}

/** True for an object; `violationsIn` validates its members. */
function isConfig(value: unknown): value is Config {
  return typeof value === 'object' && value !== null;
}

function describeViolation({ instancePath: path, message, params }: ShapeError): string {
  if (typeof params['additionalProperty'] === 'string')
    return `${path}/${params['additionalProperty']} is not a known setting`;
  if (Array.isArray(params['allowedValues'])) return `${path} must be one of ${params['allowedValues'].join(', ')}`;
  return `${path || '/'} ${message}`;
}

/**
 * The raw configuration, unvalidated and without environment variables; null if none can be read. For shell completion,
 * which must not execute files of a folder: a configuration that is code counts as empty.
 */
export async function rawConfig(
  from: string,
  file: string | null,
): Promise<{ config: Record<string, unknown>; root: string } | null> {
  const found = await find(from, file, { executesCode: false }).catch(() => null);
  return found ? { config: Object.assign({}, found.config), root: dirname(found.filepath) } : null;
}

async function find(
  from: string,
  file: string | null,
  { executesCode }: { executesCode: boolean },
): Promise<FoundConfig | null> {
  const found = nearestJson(from, file);
  if (found !== undefined) return found;
  const { searchConfig } = await import('./config-search.ts');
  return searchConfig(FILE_NAMES, from, file, { executesCode });
}

/** The configuration file in a folder itself, absolute: the one that `loadConfig` would use; null if it has none. */
export function configFileIn(folder: string): string | null {
  const paths = FILE_NAMES.map((name) => join(folder, name)).filter((path) => !isFileMissing(path));
  return paths.find((path) => basename(path) !== 'package.json' || jsonIn(path) !== null) ?? null;
}

/** The result of `searchConfig` if the configuration is missing or in JSON; undefined if `searchConfig` is needed. */
function nearestJson(from: string, file: string | null): FoundConfig | null | undefined {
  if (file !== null) return file.endsWith('.json') ? jsonIn(resolve(from, file)) : undefined;
  for (let folder = from; ; folder = dirname(folder)) {
    for (const place of FILE_NAMES) {
      const path = join(folder, place);
      if (isFileMissing(path)) continue;
      const found = place.endsWith('.json') ? jsonIn(path) : undefined;
      if (found !== null) return found;
    }
    if (folder === dirname(folder)) return null;
  }
}

function isFileMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** Null for a package.json without a configuration; undefined for any special case. */
function jsonIn(path: string): FoundConfig | null | undefined {
  try {
    const config: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof config !== 'object' || config === null || Object.hasOwn(config, '$import')) return undefined;
    if (basename(path) !== 'package.json') return { config, filepath: path };
    return Object.hasOwn(config, 'appreg') ? undefined : null;
  } catch {
    return undefined;
  }
}

/** A value that refers to an unset variable. */
interface UnsetVariable {
  owner: object;
  key: string;
  /** JSON Pointer. */
  pointer: string;
  variable: string;
}

/** Secrets are not stored in the file: `${NAME}` is replaced from the environment, and kept if not set. */
function substituteVariables(value: unknown, env: NodeJS.ProcessEnv, pointer: string, unset: UnsetVariable[]): unknown {
  if (typeof value === 'string') return value.replace(VARIABLE, (reference, name: string) => env[name] ?? reference);
  if (typeof value !== 'object' || value === null) return value;
  const below = (key: string): string => `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const items = Object.entries(value).map(
    ([key, item]) => [key, substituteVariables(item, env, below(key), unset)] as const,
  );
  const filled: object = Array.isArray(value) ? items.map(([, item]) => item) : Object.fromEntries(items);
  for (const [key, item] of Object.entries(value)) {
    const names = typeof item === 'string' ? [...item.matchAll(VARIABLE)].map(([, name = '']) => name) : [];
    const variable = names.find((name) => env[name] === undefined);
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
        `${file} requires the environment variable ${variable} (in ${printable(pointer)}), which is not set.`,
        `Set it: export ${variable}=…`,
      );
    },
  });
}
