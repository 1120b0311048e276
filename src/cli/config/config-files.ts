import { extname } from 'node:path';

/** The names of configuration files. */

/** How a configuration is written. Code is executed; the others are only parsed. */
export type ConfigForm = 'json' | 'yaml' | 'code' | 'package';

/** In order of precedence. No .ts: Node cannot load it in all supported versions. */
export const CONFIG_FILES: ReadonlyMap<string, ConfigForm> = new Map([
  ['appreg.config.json', 'json'],
  ['appreg.config.yaml', 'yaml'],
  ['appreg.config.yml', 'yaml'],
  ['appreg.config.js', 'code'],
  ['appreg.config.mjs', 'code'],
  ['appreg.config.cjs', 'code'],
  ['.appregrc', 'yaml'],
  ['.appregrc.json', 'json'],
  ['.appregrc.yaml', 'yaml'],
  ['.appregrc.yml', 'yaml'],
  ['.appregrc.js', 'code'],
  ['.appregrc.mjs', 'code'],
  ['.appregrc.cjs', 'code'],
  ['package.json', 'package'],
]);

const UNSUPPORTED_ENDINGS = ['toml', 'ts', 'mts', 'cts', 'json5', 'jsonc', 'ini', 'xml'];

/** Files that other tools would read, and this one does not: they are reported, since ignoring one may hide findings. */
export const UNSUPPORTED_FILES: readonly string[] = [
  ...['appreg.config', '.appregrc'].flatMap((stem) => UNSUPPORTED_ENDINGS.map((ending) => `${stem}.${ending}`)),
  ...[...CONFIG_FILES.keys()].filter((name) => name.startsWith('.appregrc')).map((name) => `.config/${name.slice(1)}`),
  ...[...CONFIG_FILES.keys()].filter((name) => name.startsWith('appreg.')).map((name) => `.config/${name}`),
];

/** The form of a file named with --config; null if its ending is not supported. */
export function formOf(name: string): ConfigForm | null {
  const known = CONFIG_FILES.get(name);
  if (known !== undefined) return known;
  const ending = extname(name);
  return ending === '' ? 'yaml' : (CONFIG_FILES.get(`appreg.config${ending}`) ?? null);
}
