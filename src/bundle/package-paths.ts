import { existsSync } from 'node:fs';
import { posix, resolve } from 'node:path';

/**
 * Normalizes the paths that esbuild writes into the code: a comment above each module, and the names of CommonJS
 * modules. For a package they depend on where the package manager installs it: beside the app or at the top of its
 * workspace, in nested folders, the stores of pnpm and Bun, or the archives of Yarn's Plug'n'Play in the user's home
 * folder. All are rewritten to `node_modules/<package>/<file>`.
 */

/** Files that the compiler read for one output file. */
export interface Trace {
  output: 'app' | 'ui';
  /** Absolute: the base of the paths. */
  folder: string;
  /** The files that were read, as in esbuild's metafile, each with those that it imports. */
  inputs: ReadonlyMap<string, readonly string[]>;
  /** The imports that are not part of the output, other than modules of Node, each with the files that have them. */
  external: ReadonlyMap<string, readonly string[]>;
  /** The files of which bytes are in the output. */
  bundled: ReadonlySet<string>;
  /** Of esbuild. */
  version: string;
}

/** Code of the compiler itself, such as `<runtime>`, and data URLs. */
export function isVirtual(input: string): boolean {
  return input.startsWith('<') || input.startsWith('data:');
}

/** A JavaScript or CSS comment line with a path below node_modules, maybe of the modules that a template may name. */
const COMMENT = /^(\/\/ (?:(?:require|import)\(".*"\) in )?|\/\* )(\S.*?node_modules\/.*?)( \*\/)?$/gm;
/** The name of a CommonJS module, or of a lazily initialized one. */
const NAME = /^( {2}")([^"\n]*node_modules\/[^"\n]*)("(?:\(|: function))/gm;
/** The name of the modules that a template may name: `'require("./dep-*.node") in <path>'() {`. */
const GLOB_NAME = /^( {2}'(?:require|import)\("[^'\n]*"\) in )([^'\n]*node_modules\/[^'\n]*)('(?:\(|: function))/gm;

/**
 * @param code from esbuild, not minified
 * @param folder absolute, the base of its paths
 */
export function withPackagePaths(code: Buffer, folder: string): Buffer {
  if (!code.includes('node_modules/')) return code;
  const known = new Map<string, string>();
  const rewritten = (all: string, before: string, path: string, after = ''): string => {
    let written = known.get(path);
    if (written === undefined) known.set(path, (written = isModule(path, folder) ? packagePath(path) : path));
    return written === path ? all : `${before}${written}${after}`;
  };
  // In Latin-1 every byte is one character, so all other bytes are preserved.
  const text = code.toString('latin1');
  return Buffer.from(text.replace(COMMENT, rewritten).replace(NAME, rewritten).replace(GLOB_NAME, rewritten), 'latin1');
}

/** The normalized path of a module, from its path relative to the entry point's folder, with forward slashes. */
export function packagePath(path: string): string {
  const disabled = /^\(disabled\):/.exec(path)?.[0] ?? '';
  const real = withoutVirtual(path.slice(disabled.length));
  const last = real.lastIndexOf('node_modules/');
  return disabled + (last === -1 ? real : real.slice(last));
}

/** A module in a package. */
interface PackageModule {
  /** The folder of the package, absolute; it may be in a .zip file of Plug'n'Play. */
  folder: string;
  /** The path in the package, with forward slashes. */
  file: string;
}

/** The part of a path up to the folder of a package: below node_modules, or in the store of Yarn's pnpm linker. */
const PACKAGE = /^(?!\(disabled\):).*\bnode_modules\/(?:\.store\/[^/]+\/package|(?:@[^/]+\/)?[^/]+)/;

/**
 * The package that a module belongs to. Null for a module outside of node_modules, and for one that the package replaces
 * by an empty module.
 * @param path relative to `folder`, with forward slashes
 * @param folder absolute
 */
export function packageModule(path: string, folder: string): PackageModule | null {
  const real = withoutVirtual(path);
  const [found] = PACKAGE.exec(real) ?? [];
  return found === undefined ? null : { folder: resolve(folder, found), file: real.slice(found.length + 1) };
}

/** Resolves Yarn's virtual paths: `<folder>/__virtual__/<id>/<n>/<rest>` is `<rest>`, n folders above `<folder>`. */
function withoutVirtual(path: string): string {
  const [, folder, levels, rest] = /^(.*?)(?:__virtual__|\$\$virtual)\/[^/]+\/(\d+)\/(.*)$/.exec(path) ?? [];
  if (folder === undefined || rest === undefined) return path;
  return posix.join(folder, '../'.repeat(Number(levels)), rest);
}

/** False for text in the code that only resembles a path written by esbuild. */
function isModule(path: string, folder: string): boolean {
  if (/\.zip\/|(__|\$\$)virtual/.test(path)) return true;
  const name = path.replace(/^\(disabled\):/, '').replace(/[?#].*$/, '');
  return existsSync(resolve(folder, Buffer.from(name, 'latin1').toString('utf8')));
}
