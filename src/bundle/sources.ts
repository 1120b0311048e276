import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep, posix } from 'node:path';
import type { Provenance } from '../core/registry/lock-file.ts';
import { VERSION } from '../core/tool-version.ts';
import { readRegularFile } from '../platform/regular-file.ts';
import type { FileToPack } from './archive.ts';
import type { BundleOptions } from './options.ts';

/** The digest over everything that the bundler read, which does not depend on where the repository is. */

/** What the compiler read for one output file. */
export interface Trace {
  output: 'app' | 'ui';
  /** Absolute: the base of the paths. */
  folder: string;
  /** The files that were read, as in esbuild's metafile, each with those that it imports. */
  inputs: ReadonlyMap<string, readonly string[]>;
  /** The files of which bytes are in the output. */
  bundled: ReadonlySet<string>;
  /** Of esbuild. */
  version: string;
}

/** For an archive without compiled code. */
const NO_COMPILER = 'none';

/**
 * What an archive was built from.
 * @param traces of its compiled files
 * @param packed the files that are in it as they are
 * @param notices the license notices of packages, which are not sources; null for none
 */
export function provenanceOf(
  traces: readonly Trace[],
  packed: readonly FileToPack[],
  notices: FileToPack | null,
  { external = [], target, minify = false, sourcemap = false }: BundleOptions,
): Provenance {
  const lines = [
    ...traces.flatMap(linesOf),
    ...packed.map(({ path, bytes }) => line('file', path, bytes)),
    `settings ${JSON.stringify({ external, target: target ?? null, minify, sourcemap })}`,
  ];
  // By code unit: locale-dependent order differs between machines.
  const text = lines.toSorted().join('\n');
  const esbuild = traces[0]?.version ?? NO_COMPILER;
  return {
    sources: `sha256:${sha256(text)}`,
    toolchain: { appreg: VERSION, esbuild },
    ...(notices !== null && { notices: `sha256:${sha256(notices.bytes)}` }),
  };
}

/** The files that the compiler read, with the settings that apply to them; absolute. */
export function filesRead(traces: readonly Trace[]): string[] {
  const files = traces.flatMap((trace) => [
    ...inputsOf(trace).flatMap((input) => namesOf(resolve(trace.folder, input))),
    ...settingsOf(trace),
  ]);
  return [...new Set(files)];
}

function inputsOf({ inputs }: Trace): string[] {
  return [...inputs.keys()].filter((input) => !isVirtual(input));
}

function settingsOf(trace: Trace): string[] {
  const own = inputsOf(trace).filter((input) => !input.includes('node_modules/'));
  return compilerSettings(new Set(own.map((input) => dirname(resolve(trace.folder, input)))));
}

function linesOf(trace: Trace): string[] {
  const { output, folder } = trace;
  return [
    ...inputsOf(trace).map((input) => line(output, packagePath(input, folder), contentOf(resolve(folder, input)))),
    ...settingsOf(trace).map((file) => line(output, pathFrom(folder, file), contentOf(file))),
  ];
}

/** Code of the compiler itself, such as `<runtime>`, and data URLs. */
export function isVirtual(input: string): boolean {
  return input.startsWith('<') || input.startsWith('data:');
}

/** The tsconfig.json files that apply to the folders, with those that they extend by a relative path. */
function compilerSettings(folders: Iterable<string>): string[] {
  const found = new Set<string>();
  const searched = new Set<string>();
  for (const folder of folders) {
    for (let at = folder; !searched.has(at); at = dirname(at)) {
      searched.add(at);
      if (existsSync(join(at, 'tsconfig.json'))) {
        addExtended(join(at, 'tsconfig.json'), found);
        break;
      }
    }
  }
  return [...found];
}

function addExtended(file: string, found: Set<string>): void {
  const content = found.has(file) ? null : contentOf(file);
  if (content === null) return;
  found.add(file);
  const [, extended = ''] = /"extends"\s*:\s*("[^"]*"|\[[^\]]*\])/.exec(content.toString()) ?? [];
  for (const [, path = ''] of extended.matchAll(/"(\.[^"]*)"/g)) {
    const base = resolve(dirname(file), path);
    addExtended(existsSync(base) && base.endsWith('.json') ? base : `${base}.json`, found);
  }
}

function pathFrom(folder: string, file: string): string {
  return relative(folder, file).split(sep).join('/');
}

/** Null for a file that the compiler replaces by an empty one. In a package archive, the content of the archive. */
function contentOf(path: string): Buffer | null {
  for (const name of namesOf(path)) {
    // Otherwise the name has a suffix such as ?url, or it is not a file.
    const read = readRegularFile(name);
    if ('bytes' in read) return read.bytes;
  }
  return null;
}

/** The possible names of an input on disk: it may be in a package archive, or have a suffix such as ?url. */
function namesOf(path: string): string[] {
  const file = path.replace(/(\.zip)[\\/].*$/, '$1');
  return [file, file.replace(/[?#].*$/, '')];
}

function line(kind: string, path: string, content: Uint8Array | null): string {
  return `${kind} ${JSON.stringify(path)} ${content === null ? 'empty' : sha256(content)}`;
}

function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}

// Normalizes the paths that esbuild writes into the code: a comment above each module, and the names of CommonJS
// modules. For a package they depend on where the package manager installs it: nested folders, the stores of pnpm and
// Bun, or the archives of Yarn's Plug'n'Play in the user's home folder. All are rewritten to npm's flat layout:
// `node_modules/<package>/<file>` in the installation folder.

/** A JavaScript or CSS comment line with a path below node_modules. */
const COMMENT = /^(\/\/ |\/\* )(\S.*?node_modules\/.*?)( \*\/)?$/gm;
/** The name of a CommonJS module, or of a lazily initialized one. */
const NAME = /^( {2}")([^"\n]*node_modules\/[^"\n]*)("(?:\(|: function))/gm;
/** A Plug'n'Play package, in an archive or unplugged. */
const PLUG_AND_PLAY = /\.zip\/node_modules\/|\/unplugged\/[^/]+\/node_modules\//;

/**
 * @param code from esbuild, not minified
 * @param folder absolute, the base of its paths
 */
export function withPackagePaths(code: Buffer, folder: string): Buffer {
  if (!code.includes('node_modules/')) return code;
  const known = new Map<string, string>();
  const rewritten = (all: string, before: string, path: string, after = ''): string => {
    let written = known.get(path);
    if (written === undefined) known.set(path, (written = isModule(path, folder) ? packagePath(path, folder) : path));
    return written === path ? all : `${before}${written}${after}`;
  };
  // In Latin-1 every byte is one character, so all other bytes are preserved.
  const text = code.toString('latin1');
  return Buffer.from(text.replace(COMMENT, rewritten).replace(NAME, rewritten), 'latin1');
}

/**
 * The normalized path of a module.
 * @param path relative to `folder`, with forward slashes
 * @param folder absolute
 */
export function packagePath(path: string, folder: string): string {
  const disabled = /^\(disabled\):/.exec(path)?.[0] ?? '';
  const real = withoutVirtual(path.slice(disabled.length));
  const [first, last] = [real.indexOf('node_modules/'), real.lastIndexOf('node_modules/')];
  if (first === -1) return disabled + real;
  const before = PLUG_AND_PLAY.test(real) ? installation(folder) : real.slice(0, first);
  return disabled + before + real.slice(last);
}

/**
 * The folder of the package that a module belongs to, absolute; it may be in a .zip file of Plug'n'Play. Null for a
 * module outside of node_modules, and for one that the package replaces by an empty module.
 * @param path relative to `folder`, with forward slashes
 * @param folder absolute
 */
export function packageFolder(path: string, folder: string): string | null {
  const [found] = /^(?!\(disabled\):).*\bnode_modules\/(?:@[^/]+\/)?[^/]+/.exec(withoutVirtual(path)) ?? [];
  return found === undefined ? null : resolve(folder, found);
}

/** Resolves Yarn's virtual paths: `<folder>/__virtual__/<id>/<n>/<rest>` is `<rest>`, n folders above `<folder>`. */
function withoutVirtual(path: string): string {
  const [, folder, levels, rest] = /^(.*?)(?:__virtual__|\$\$virtual)\/[^/]+\/(\d+)\/(.*)$/.exec(path) ?? [];
  if (folder === undefined || rest === undefined) return path;
  return posix.join(folder, '../'.repeat(Number(levels)), rest);
}

/**
 * The relative path from a folder to its ancestor with the Plug'n'Play installation, with a trailing slash; '' for
 * itself.
 */
function installation(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (['.pnp.cjs', '.pnp.js', '.pnp.data.json'].some((name) => existsSync(join(at, name)))) {
      const way = relative(folder, at).replaceAll(sep, '/');
      return way === '' ? '' : `${way}/`;
    }
    if (dirname(at) === at) return '';
  }
}

/** False for text in the code that only resembles a path written by esbuild. */
function isModule(path: string, folder: string): boolean {
  if (/\.zip\/|(__|\$\$)virtual/.test(path)) return true;
  const name = path.replace(/^\(disabled\):/, '').replace(/[?#].*$/, '');
  return existsSync(resolve(folder, Buffer.from(name, 'latin1').toString('utf8')));
}
