import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { cosmiconfig, defaultLoaders } from 'cosmiconfig';
import { syntaxErrorInText } from '../../core/json/syntax-error.ts';
import { lineStarts, positionOf } from '../../core/json/positions.ts';
import { AppregError } from '../../core/errors.ts';
import { printable } from '../../core/text/text.ts';

/**
 * Configurations in any supported form: YAML, code, a field of package.json. Loaded lazily, since it is slower than
 * reading JSON.
 */

export interface FoundConfig {
  /** As read. */
  config: unknown;
  /** Absolute. */
  filepath: string;
  /** The file is empty. */
  isEmpty?: boolean;
}

/**
 * The configuration `file`, or the nearest one from the folder `from` upwards; null if there is none.
 * @param fileNames in order of precedence
 * @param options.executesCode false: a file with code counts as empty
 * @throws AppregError if a file cannot be read
 */
export async function searchConfig(
  fileNames: string[],
  from: string,
  file: string | null,
  { executesCode }: { executesCode: boolean },
): Promise<FoundConfig | null> {
  const code = executesCode ? {} : { '.js': notRun, '.mjs': notRun, '.cjs': notRun };
  const loaders = { ...code, '.yaml': yaml, '.yml': yaml, noExt: yaml };
  const explorer = cosmiconfig('appreg', { searchPlaces: fileNames, searchStrategy: 'none', loaders });
  try {
    if (file !== null) return await explorer.load(resolve(from, file));
    // Up to the root: neither stopping at a package.json, nor searching the user's config folders.
    for (let folder = from; ; folder = dirname(folder)) {
      const found = await explorer.search(folder);
      if (found || folder === dirname(folder)) return found;
    }
  } catch (error) {
    throw unreadable(error, file === null ? null : resolve(from, file));
  }
}

const UNQUOTED_DATE = /^(\s*(?:- +)?until: +)(\d{4}-\d\d-\d\d)(?=\s*(?:#.*)?$)/gm;

/** YAML would make a date of text without quotes, and another day of one that does not exist. */
function yaml(path: string, text: string): unknown {
  return defaultLoaders['.yaml'](path, text.replace(UNQUOTED_DATE, '$1"$2"'));
}

function notRun(): object {
  return {};
}

/** An error message of our own: parser messages differ between Node versions and contain code frames. */
function unreadable(error: unknown, named: string | null): AppregError {
  if (named !== null && !existsSync(named))
    return new AppregError(
      'config-missing',
      `The configuration file ${printable(named)} does not exist.`,
      'Check the path after --config.',
      { cause: error },
    );
  const message = error instanceof Error ? error.message : String(error);
  const hasPath = error instanceof Error && 'filepath' in error && typeof error.filepath === 'string';
  const filepath = hasPath ? error.filepath : named;
  const fault = typeof filepath === 'string' && message.startsWith('JSON Error') ? jsonError(filepath) : null;
  const lines = message.split('\n').filter((line) => line.trim() !== '');
  return new AppregError(
    'config-unreadable',
    `The configuration cannot be read: ${printable(fault ?? lines.slice(0, 2).join(' ').replace(/\s+/g, ' '))}`,
    'Fix the file, or use another one: --config <file>.',
    { cause: error },
  );
}

/** `file:line:column: message`; null if our own parser accepts the file. */
function jsonError(path: string): string | null {
  const text = readFileSync(path, 'utf8');
  const fault = syntaxErrorInText(text);
  if (fault === null) return null;
  const { line, column } = positionOf(lineStarts(text), fault.offset);
  return `${path}:${line}:${column}: ${fault.message}`;
}
