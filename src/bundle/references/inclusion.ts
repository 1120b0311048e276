import { existsSync, realpathSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, extname, join, posix, relative, resolve, sep } from 'node:path';
import { message, safe, type SafeText } from '../../core/text/message.ts';
import { shellWord } from '../../core/text/text.ts';
import type { PlacedFile } from '../../core/release/build-settings.ts';
import { readRegularFile } from '../../platform/regular-file.ts';
import { foldersUpFrom } from '../files.ts';
import { shownPath } from '../shown-path.ts';

/** The setting that adds what code reads to an archive, at the path where the code looks for it. */

/** The folders that paths are relative to, absolute. */
export interface Folders {
  /** Of the entry point. */
  root: string;
  /** The base of paths in messages. */
  cwd: string;
}

const CODE = /\.[cm]?[jt]sx?$/;
const TYPESCRIPT = /\.([cm]?)tsx?$/;
/** The ends that Node adds to the name of a module. */
export const SUFFIXES = ['', '.js', '.json', '.node', '.cjs', '.mjs', '/index.js'];
const IMPORTED = /(?:\bfrom|\bimport|\bimport\s*\(|\brequire\s*\()\s*["'`]([^"'`\n]+)["'`]/g;
const ES_MODULE = /^\s*(?:import\b(?!\s*\()|export\b)/m;

/** The file or folder that a path of a source file means where it is now, absolute; null if there is none. */
export function besideSource(source: string, target: string): string | null {
  const path = resolve(dirname(source), target);
  const names = [path, path.replace(/\.([cm]?)js$/, '.$1ts'), ...SUFFIXES.map((suffix) => path + suffix)];
  return names.find((name) => existsSync(name)) ?? null;
}

/**
 * The correction, as words that follow a comma: `add "include": […] to "bundle" (or --include …)`.
 * @param target the path in the archive
 * @param file what is to be there, absolute; null if it does not exist
 */
export function inclusionOf(target: string, file: string | null, folders: Folders): SafeText {
  if (target.startsWith('..'))
    return message`it is outside of the folder where the app is installed; give the path in another way, or use a package that can be bundled`;
  if (file === null)
    return message`put the file at ${shownPath(join(folders.root, target), folders.cwd)}, and ${safe(addition(target))}; or correct the path`;
  if (CODE.test(file) && !isComplete(file)) return builtCode(target, file, folders);
  const to = posix.normalize(target + suffixBetween(file, target)).replace(/\/$/, '');
  const own = relative(folders.root, file).split(sep).join('/');
  if (own === to) return addition(statSync(file).isDirectory() ? `${to}/**` : to);
  return addition({ from: sourceOf(file, folders.root), to });
}

/** The setting and the option. */
export function addition(...items: readonly (string | PlacedFile)[]): SafeText {
  const settings = items.map((one) =>
    typeof one === 'string'
      ? JSON.stringify(one)
      : `{ "from": ${JSON.stringify(one.from)}, "to": ${JSON.stringify(one.to)} }`,
  );
  const options = items.map((one) => `--include ${shellWord(typeof one === 'string' ? one : `${one.from}:${one.to}`)}`);
  return message`add "include": [${settings.join(', ')}] to "bundle" (or ${options.join(' ')})`;
}

/** Code has to be one file that imports nothing that the archive lacks. */
function builtCode(target: string, file: string, { root, cwd }: Folders): SafeText {
  const to = target.replace(TYPESCRIPT, '.$1js');
  const format = to.endsWith('.cjs') || !(to.endsWith('.mjs') || ES_MODULE.test(textOf(file))) ? 'cjs' : 'esm';
  const words = [shownPath(file, cwd), '--bundle', '--platform=node', `--format=${format}`];
  const command = ['npx', 'esbuild', ...words, `--outfile=${shownPath(join(root, to), cwd)}`].map(shellWord).join(' ');
  const renamed = to === target ? '' : message` as ${basename(to)}, refer to that name`;
  return message`${shownPath(file, cwd)} is code; build it to one file${safe(renamed)} (${command}), and ${safe(addition(to))}`;
}

/** True for JavaScript that imports only modules of Node. */
function isComplete(file: string): boolean {
  if (TYPESCRIPT.test(file) || file.endsWith('x')) return false;
  return [...textOf(file).matchAll(IMPORTED)].every(([, name = '']) => isBuiltin(name));
}

function textOf(file: string): string {
  const read = readRegularFile(file);
  return 'bytes' in read ? read.bytes.toString() : '';
}

/** The part of a name that Node appends to that of a module. */
function suffixBetween(file: string, target: string): string {
  const name = basename(target);
  if (extname(name) !== '') return '';
  return SUFFIXES.find((suffix) => suffix !== '' && file.split(sep).join('/').endsWith(`/${name}${suffix}`)) ?? '';
}

/** A path for `from`: of a package as it is installed, not as it is stored. */
export function sourceOf(file: string, root: string): string {
  const path = file.split(sep).join('/');
  const last = path.lastIndexOf('/node_modules/');
  if (last !== -1) {
    const name = path.slice(last + 1);
    const folders = foldersUpFrom(root);
    const found = folders.find((at) => existsSync(join(at, name)));
    if (found !== undefined && realpathSync(join(found, name)) === realpathSync(file)) return name;
    const store = folders.find((at) => path.startsWith(`${at.split(sep).join('/')}/node_modules/`));
    if (store !== undefined) return relative(store, file).split(sep).join('/');
  }
  return relative(root, file).split(sep).join('/');
}
