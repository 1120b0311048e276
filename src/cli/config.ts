import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { cosmiconfig, type CosmiconfigResult, type Loader } from 'cosmiconfig';
import { faultInText } from '../core/json-fault.ts';
import { lineStarts, positionOf } from '../core/json-text.ts';
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
    | { type: 's3'; bucket: string; prefix?: string; region?: string; endpoint?: string; unconditional?: boolean };
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
    const problems = (validateConfig.errors ?? []).map(problemInWords);
    throw new Trouble(
      'config-invalid',
      `${found.filepath} is not a valid configuration: ${printable([...new Set(problems)].join('; '))}`,
      'See schemas/config.schema.json for what may stand in it.',
    );
  }
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
  const found = await find(from, file, { '.js': notRun, '.mjs': notRun, '.cjs': notRun }).catch(() => null);
  return found ? { config: { ...found.config }, root: dirname(found.filepath) } : null;
}

function notRun(): object {
  return {};
}

async function find(
  from: string,
  file: string | null,
  loaders: Record<string, Loader> = {},
): Promise<CosmiconfigResult> {
  const explorer = cosmiconfig('appreg', { searchPlaces: PLACES, searchStrategy: 'none', loaders });
  try {
    if (file !== null) return await explorer.load(resolve(from, file));
    // Up to the root: neither stopping at a package.json on the way, nor looking into the user's own folders.
    for (let folder = from; ; folder = dirname(folder)) {
      const found = await explorer.search(folder);
      if (found || folder === dirname(folder)) return found;
    }
  } catch (error) {
    throw unreadable(error, file === null ? null : resolve(from, file));
  }
}

/** In words of our own: what parsers say differs from one Node to the next, and comes with a drawing. */
function unreadable(error: unknown, named: string | null): Trouble {
  if (named !== null && !existsSync(named))
    return new Trouble(
      'config-missing',
      `There is no configuration ${printable(named)}.`,
      'Check the path behind --config.',
      { cause: error },
    );
  const { message = String(error), filepath = named } = error as { message?: string; filepath?: string };
  const fault = filepath !== null && message.startsWith('JSON Error') ? jsonFault(filepath) : null;
  const lines = message.split('\n').filter((line) => line.trim() !== '');
  return new Trouble(
    'config-unreadable',
    `The configuration cannot be read: ${printable(fault ?? lines.slice(0, 2).join(' ').replace(/\s+/g, ' '))}`,
    'Mend the file, or name another one with --config <file>.',
    { cause: error },
  );
}

/** `file:line:column: what is wrong there`; null for what this program's own reader has nothing against. */
function jsonFault(path: string): string | null {
  const text = readFileSync(path, 'utf8');
  const fault = faultInText(text);
  if (fault === null) return null;
  const { line, column } = positionOf(lineStarts(text), fault.offset);
  return `${path}:${line}:${column}: ${fault.message}`;
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
