import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { AppregError } from '../../core/errors.ts';
import { printable } from '../../core/text/text.ts';
import { validateConfig } from '../../core/generated/validators.js';
import type { FoundConfig } from './config-search.ts';

/** The configuration as interface.md has it (schemas/config.schema.json). */
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
  rules?: Record<string, 'off' | 'note' | 'warning' | 'error'>;
  verify?: { concurrency?: number; timeout?: number; origins?: string[] };
}

export interface LoadedConfig {
  config: Config;
  /** The file it was read from, absolute; null when there is none. */
  file: string | null;
  /** The workspace: the folder of the config file, or the folder that was searched from. */
  root: string;
}

// No .ts: the loader cannot read it on every Node that we run on.
const PLACES = [
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
 * Finds and checks the configuration: `file` when the user named one, otherwise the nearest from `from` upwards.
 * `${NAME}` in any string is the environment variable NAME; one that is not set is told by whoever reads that value, so
 * that a key for publishing stops no other command. Throws Trouble for a file that cannot be used.
 */
export async function loadConfig(from: string, file: string | null, env: NodeJS.ProcessEnv): Promise<LoadedConfig> {
  const found = await find(from, file);
  if (!found || found.isEmpty)
    return { config: {}, file: found?.filepath ?? null, root: found ? dirname(found.filepath) : from };
  const unset: Unset[] = [];
  const config = fillIn(found.config, env, '', unset) as Config;
  const faults = validateConfig(config) ? [] : (validateConfig.errors ?? []);
  // What is not known yet is neither right nor wrong.
  const problems = faults.filter((fault) => !unset.some(({ pointer }) => pointer === fault.instancePath));
  if (problems.length > 0)
    throw new AppregError(
      'config-invalid',
      `${found.filepath} is not a valid configuration: ${printable([...new Set(problems.map(problemInWords))].join('; '))}`,
      'See schemas/config.schema.json for what may stand in it.',
    );
  for (const one of unset) tellWhenRead(one, found.filepath);
  return { config, file: found.filepath, root: dirname(found.filepath) };
}

function problemInWords(error: { instancePath: string; message?: string; params: Record<string, unknown> }): string {
  const { instancePath: path, params } = error;
  if (typeof params['additionalProperty'] === 'string') return `${path}/${params['additionalProperty']} is no setting`;
  if (Array.isArray(params['allowedValues'])) return `${path} must be one of ${params['allowedValues'].join(', ')}`;
  return `${path || '/'} ${error.message}`;
}

/**
 * The configuration as it lies there, unchecked and without values from the environment; null when there is none that
 * can be read. For completion at Tab, which must not run what a folder holds: one that is code counts as empty.
 */
export async function configAtRest(
  from: string,
  file: string | null,
): Promise<{ config: Record<string, unknown>; root: string } | null> {
  const found = await find(from, file, false).catch(() => null);
  return found ? { config: { ...(found.config as object) }, root: dirname(found.filepath) } : null;
}

async function find(from: string, file: string | null, run = true): Promise<FoundConfig | null> {
  const found = nearestJson(from, file);
  if (found !== undefined) return found;
  const { searchConfig } = await import('./config-search.ts');
  return searchConfig(PLACES, from, file, run);
}

/** What `searchConfig` would find where no configuration is, or one in JSON; undefined where it has to be asked. */
function nearestJson(from: string, file: string | null): FoundConfig | null | undefined {
  if (file !== null) return file.endsWith('.json') ? jsonIn(resolve(from, file)) : undefined;
  for (let folder = from; ; folder = dirname(folder)) {
    for (const place of PLACES) {
      const path = join(folder, place);
      if (isMissing(path)) continue;
      const found = place.endsWith('.json') ? jsonIn(path) : undefined;
      if (found !== null) return found;
    }
    if (folder === dirname(folder)) return null;
  }
}

function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

/** Null for a package.json that says nothing of it; undefined for whatever is not as usual. */
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

/** A value that asks for a variable which is not set. */
interface Unset {
  owner: object;
  key: string;
  /** JSON Pointer. */
  pointer: string;
  variable: string;
}

/** Secrets never stand in the file: `${NAME}` is filled in from the environment; where that is not set, it stays. */
function fillIn(value: unknown, env: NodeJS.ProcessEnv, pointer: string, unset: Unset[]): unknown {
  if (typeof value === 'string') return value.replace(VARIABLE, (asked, name: string) => env[name] ?? asked);
  if (typeof value !== 'object' || value === null) return value;
  const below = (key: string): string => `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const items = Object.entries(value).map(([key, item]) => [key, fillIn(item, env, below(key), unset)] as const);
  const filled: object = Array.isArray(value) ? items.map(([, item]) => item) : Object.fromEntries(items);
  for (const [key, item] of Object.entries(value)) {
    const asked = typeof item === 'string' ? [...item.matchAll(VARIABLE)].map((match) => match[1]!) : [];
    const variable = asked.find((name) => env[name] === undefined);
    if (variable !== undefined) unset.push({ owner: filled, key, pointer: below(key), variable });
  }
  return filled;
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

function tellWhenRead({ owner, key, pointer, variable }: Unset, file: string): void {
  Object.defineProperty(owner, key, {
    enumerable: true,
    get() {
      throw new AppregError(
        'config-environment',
        `${file} asks for the environment variable ${variable} (in ${printable(pointer)}), which is not set.`,
        `Set it: export ${variable}=…`,
      );
    },
  });
}
