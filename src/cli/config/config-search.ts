import { basename, dirname, extname } from 'node:path';
import { cosmiconfig, type Loader } from 'cosmiconfig';
import { metaSearchPlaces } from 'cosmiconfig/dist/defaults.js';
import { CONFIG_FILES, type ConfigFile } from './find-config.ts';
import { decodedText, emptyConfig, jsonValue } from './read-data.ts';

/** Reads configurations in any form. Loaded lazily, since most are in JSON, which needs no more than a parser. */

// cosmiconfig would search the current folder for settings of its own, and execute .config/config.js.
metaSearchPlaces.length = 0;

/** Executes a configuration. */
export type ExecuteConfig = (path: string, text: string) => Promise<unknown>;

/** What a loader returns, so that cosmiconfig interprets neither null nor “$import” in a value. */
interface Loaded {
  value: unknown;
}

/**
 * The value of a configuration: of the file itself if --config names it, otherwise of the first in its folder.
 * @throws AppregError if the file has no settings
 */
export async function searchConfig({ path, named }: ConfigFile, execute: ExecuteConfig): Promise<unknown> {
  const explorer = cosmiconfig(NAME, {
    searchPlaces: [...CONFIG_FILES.keys()],
    loaders: loadersWith(execute),
    // Its other strategies stop at a package.json, or also search the home folder. `findConfig` knows our limits.
    searchStrategy: 'none',
    ignoreEmptySearchPlaces: false,
    cache: false,
  });
  const found = named ? await explorer.load(path) : await explorer.search(dirname(path));
  if (found === null) throw emptyConfig(path, `has no field “${NAME}”`);
  if (found.isEmpty === true) throw emptyConfig(found.filepath, 'is empty');
  const loaded: Loaded = found.config;
  return loaded.value;
}

const NAME = 'appreg';

function loadersWith(execute: ExecuteConfig): Record<string, Loader> {
  const json = loader(jsonValue);
  const yaml = loader(async (path, text) => (await import('./config-yaml.ts')).yamlValue(path, text));
  const code = loader(execute);
  return { '.json': json, '.yaml': yaml, '.yml': yaml, noExt: yaml, '.js': code, '.mjs': code, '.cjs': code };
}

function loader(valueOf: (path: string, text: string) => Promise<unknown>): Loader {
  return async (path, content): Promise<Loaded | Record<string, Loaded>> => {
    const value = await valueOf(path, decodedText(path, content));
    const name = basename(path);
    if (name === 'package.json') return hasField(value) ? { [NAME]: { value: value[NAME] } } : {};
    // cosmiconfig takes the field of any file that is called “package”.
    return basename(name, extname(name)) === 'package' ? { [NAME]: { value } } : { value };
  };
}

function hasField(value: unknown): value is Record<typeof NAME, unknown> {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, NAME);
}
