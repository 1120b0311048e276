import { dirname, resolve } from 'node:path';
import { cosmiconfig, type CosmiconfigResult } from 'cosmiconfig';
import { Trouble } from '../core/trouble.ts';
import { printable } from '../core/text.ts';
import { validateConfig } from '../core/generated/validators.js';

/** The configuration as interface.md has it (schemas/config.schema.json). */
export interface Config {
  $schema?: string;
  manifest?: string;
  baseUrl?: string;
  serviceOrigins?: string[];
  store?:
    | { type: 'directory' }
    | { type: 'git'; remote?: string; branch?: string }
    | { type: 's3'; bucket: string; prefix?: string; region?: string; endpoint?: string };
  bundle?: { external?: string[]; target?: string; include?: string[] };
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
 * `${NAME}` in any string is the environment variable NAME. Throws Trouble for a file that cannot be used.
 */
export async function loadConfig(from: string, file: string | null, env: NodeJS.ProcessEnv): Promise<LoadedConfig> {
  const found = await find(from, file);
  if (!found || found.isEmpty)
    return { config: {}, file: found?.filepath ?? null, root: found ? dirname(found.filepath) : from };
  const config = fillIn(found.config, env, found.filepath) as Config;
  if (!validateConfig(config)) {
    const problems = (validateConfig.errors ?? []).map(
      (e) => `${e.instancePath || '/'} ${e.message}${extra(e.params)}`,
    );
    throw new Trouble(
      'config-invalid',
      `${found.filepath} is not a valid configuration: ${printable([...new Set(problems)].join('; '))}`,
      'See schemas/config.schema.json for what may stand in it.',
    );
  }
  return { config, file: found.filepath, root: dirname(found.filepath) };
}

function extra(params: Record<string, unknown>): string {
  if (typeof params['additionalProperty'] === 'string') return ` (${params['additionalProperty']})`;
  if (Array.isArray(params['allowedValues'])) return ` (${params['allowedValues'].join(', ')})`;
  return '';
}

async function find(from: string, file: string | null): Promise<CosmiconfigResult> {
  const explorer = cosmiconfig('appreg', { searchPlaces: PLACES, searchStrategy: 'none' });
  try {
    if (file !== null) return await explorer.load(resolve(from, file));
    // Up to the root: neither stopping at a package.json on the way, nor looking into the user's own folders.
    for (let folder = from; ; folder = dirname(folder)) {
      const found = await explorer.search(folder);
      if (found || folder === dirname(folder)) return found;
    }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new Trouble(
      'config-unreadable',
      `The configuration cannot be read: ${printable(message.replace(/\s+/g, ' ').trim())}`,
      'Mend the file, or name another one with --config <file>.',
      { cause: error },
    );
  }
}

/** Secrets never stand in the file: `${NAME}` is filled in from the environment. */
function fillIn(value: unknown, env: NodeJS.ProcessEnv, file: string): unknown {
  if (typeof value === 'string') {
    return value.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
      const found = env[name];
      if (found === undefined) {
        throw new Trouble(
          'config-environment',
          `${file} asks for the environment variable ${name}, which is not set.`,
          `Set it: export ${name}=…`,
        );
      }
      return found;
    });
  }
  if (Array.isArray(value)) return value.map((item) => fillIn(item, env, file));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fillIn(item, env, file)]));
  }
  return value;
}
