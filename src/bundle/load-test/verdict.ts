import { isBuiltin } from 'node:module';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { LoadedFile, LoadError } from './run.ts';

/** A reason why code can never be loaded where it is installed. */
export type Fault =
  | { kind: 'file'; /** Relative to the archive, with forward slashes. */ path: string }
  | { kind: 'package'; name: string }
  | { kind: 'module-kind'; message: string };

const DENIED_CODES = ['ERR_ACCESS_DENIED', 'ERR_DLOPEN_DISABLED', 'ERR_WORKER_UNSUPPORTED_OPERATION'];

/** Errors of a module that is used as one of the other kind. */
const OTHER_KIND = [
  /^(require|module|exports|__filename|__dirname) is not defined in ES module scope/,
  /^Cannot use import statement outside a module/,
  /^Unexpected token 'export'/,
  /^The requested module '\.{1,2}\/[^']*' (does not provide an export named|is a CommonJS module)/,
  /^Named export '[^']*' not found\. The requested module '\.{1,2}\//,
];

/** True if the permission model denied what the code needs to be loaded. */
export function isDenied({ errors }: LoadedFile): boolean {
  return errors?.some(({ code = '' }) => DENIED_CODES.includes(code)) ?? false;
}

/** The first fault in the errors of a file; null for errors that depend on the place where it runs. @param folder of the archive */
export function faultOf({ errors }: LoadedFile, folder: string): Fault | null {
  for (const error of errors ?? []) {
    const fault = missingModule(error, folder) ?? missingFile(error, folder) ?? otherKind(error);
    if (fault !== null) return fault;
  }
  return null;
}

function missingFile({ code, path }: LoadError, folder: string): Fault | null {
  return code === 'ENOENT' && path !== undefined ? fileIn(folder, path) : null;
}

function missingModule({ code, message }: LoadError, folder: string): Fault | null {
  if (code === 'ERR_MODULE_NOT_FOUND') {
    const [, what = '', name = ''] = /^Cannot find (module|package) '([^']+)'/.exec(message) ?? [];
    if (name === '') return null;
    // A package that has no such file is there.
    return what === 'module' || isAbsolute(name) ? fileIn(folder, name) : packageOf(name);
  }
  if (code !== 'MODULE_NOT_FOUND') return null;
  const [, name = ''] = /^Cannot find module '([^']+)'/.exec(message) ?? [];
  const [, from] = /\nRequire stack:\n- ([^\n]+)/.exec(message) ?? [];
  if (name === '') return null;
  if (isAbsolute(name)) return fileIn(folder, name);
  if (/^\.{1,2}(\/|$)/.test(name)) return from === undefined ? null : fileIn(folder, resolve(dirname(from), name));
  return packageOf(name);
}

/** Null for a module of another version of Node. */
function packageOf(name: string): Fault | null {
  return isBuiltin(name) || name.startsWith('node:') ? null : { kind: 'package', name };
}

function otherKind({ code, message }: LoadError): Fault | null {
  return code === 'ERR_REQUIRE_ESM' || OTHER_KIND.some((form) => form.test(message))
    ? { kind: 'module-kind', message: message.split('\n')[0] ?? '' }
    : null;
}

/** Null for a path outside of the folder. */
function fileIn(folder: string, path: string): Fault | null {
  const inside = relative(folder, path.startsWith('file:') ? fileURLToPath(path) : path);
  if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) return null;
  return { kind: 'file', path: inside.split(sep).join('/') };
}

/**
 * True if a version of Node runs what is compiled for a target.
 * @param target in esbuild's notation, such as `node22` or `es2022,node20.19`
 * @param version of Node, such as `22.1.0`
 */
export function satisfiesTarget(target: string, version: string): boolean {
  const running = version.split('.').map(Number);
  return target.split(',').every((one) => {
    const [, numbers] = /^\s*node(\d+(?:\.\d+){0,2})\s*$/i.exec(one) ?? [];
    if (numbers === undefined) return true;
    const wanted = numbers.split('.').map(Number);
    const at = wanted.findIndex((number, index) => number !== (running[index] ?? 0));
    return at === -1 || (running[at] ?? 0) > (wanted[at] ?? 0);
  });
}
