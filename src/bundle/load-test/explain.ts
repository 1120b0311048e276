import { realpathSync } from 'node:fs';
import { dirname, relative, resolve, sep } from 'node:path';
import { message, safe, type SafeText } from '../../core/text/message.ts';
import type { Bundle } from '../bundle.ts';
import type { BundleOptions } from '../options.ts';
import { besideSource, type Folders, inclusionOf } from '../references/inclusion.ts';
import { installedOnlyHere } from './optional.ts';
import type { Origin } from './origin.ts';
import type { LoadedFile } from './run.ts';
import type { Fault } from './verdict.ts';

/** The words about code that does not load. */

interface Build {
  built: Bundle;
  options: BundleOptions;
}

/** The first error of a file on one line, with paths relative to the archive. */
export function shownError({ errors }: LoadedFile, folder: string): SafeText {
  const [error] = errors ?? [];
  if (error === undefined) return message`an error`;
  const { name = '', message: text } = error;
  const line = fromArchive(text.split('\n')[0] ?? '', folder);
  return name === '' ? message`${line}` : message`${name}: ${line}`;
}

/** A text with paths relative to the archive. */
export function fromArchive(text: string, folder: string): string {
  return text
    .replaceAll(`file://${folder}/`, '')
    .replaceAll(folder + sep, '')
    .replaceAll(dirname(folder) + sep, '../');
}

/** The access that was denied: `to read ../data.json, which is outside of the archive,`. */
export function deniedText({ errors, denied }: LoadedFile, folder: string): SafeText {
  const error = errors?.find(({ permission }) => permission !== undefined);
  const { permission = '', resource = '' } = error ?? {};
  if (permission === 'FileSystemRead')
    return message`to read ${shownPath(resource, folder)}, which is outside of the archive,`;
  if (permission === 'FileSystemWrite') return message`to write ${shownPath(resource, folder)}`;
  return denied === null ? message`what it may not` : message`${fromArchive(denied, folder)}`;
}

/** A path near the archive is relative to it. */
function shownPath(path: string, folder: string): string {
  return path.startsWith(dirname(dirname(folder)) + sep) ? relative(folder, path).split(sep).join('/') : path;
}

/** The fault as a clause, with what needs it. */
export function faultText(fault: Fault, origin: Origin | null, build: Build): SafeText {
  const by = originText(origin, build);
  const needed = by === '' ? '' : message`, which ${safe(by)} needs`;
  switch (fault.kind) {
    case 'file':
      return message`the archive does not contain the file ${fault.path}${safe(needed)}`;
    case 'package':
      return message`the package “${fault.name}”${safe(needed)}${needed === '' ? '' : ','} is neither in the archive nor declared as external`;
    case 'module-kind':
      return message`${fault.message}${by === '' ? '' : ' in '}${safe(by)}`;
  }
}

/** The place, with its package; '' if it is not known. */
export function originText(origin: Origin | null, build: Build): SafeText | '' {
  if (origin === null) return '';
  const owner = packageOf(origin.path, build.built);
  const place = `${shownSource(origin.path, build)}${origin.line === null ? '' : `:${origin.line}`}`;
  return owner === null ? message`${place}` : message`${place} (${owner})`;
}

/** A file of the app relative to the working folder; one of a package as the code names it. */
function shownSource(path: string, { built, options }: Build): string {
  const folder = built.materials === null ? options.entry : dirname(options.entry);
  if (path.includes('node_modules/') || options.cwd === undefined) return path;
  return relative(options.cwd, resolve(folder, path)).split(sep).join('/');
}

/** The package of a source file, with its version if the code has only one; null for the app's own. */
function packageOf(path: string, { materials }: Bundle): string | null {
  const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
  if (name === undefined) return null;
  const versions = (materials?.packages ?? []).filter((one) => one.name === name).map(({ version }) => version);
  const [version = null] = versions;
  return versions.length === 1 && version !== null ? `${name}@${version}` : name;
}

/** A clause about packages that the one that failed may need; '' for none. */
export function optionalText(origin: Origin | null, { built, options }: Build): SafeText | '' {
  const source = origin === null ? undefined : built.modules.get(origin.path);
  const [owner] = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+[\\/]/.exec(source ?? '') ?? [];
  if (owner === undefined) return '';
  const text = installedOnlyHere(built.missing, owner, foldersOf(options));
  return text === null ? '' : message`; ${safe(text)}`;
}

function foldersOf({ entry, cwd }: BundleOptions): Folders {
  const root = realpathSync(dirname(entry));
  return { root, cwd: cwd ?? root };
}

/** The correction of a fault. */
export function adviceFor(fault: Fault, origin: Origin | null, build: Build): SafeText {
  return message`${safe(correctionOf(fault, origin, build))} The option --no-load-test skips this test.`;
}

function correctionOf(fault: Fault, origin: Origin | null, { built, options }: Build): SafeText {
  switch (fault.kind) {
    case 'package':
      return message`Install the package, and import it by its literal name, so that it is bundled; if the service provides it, declare it with --external ${fault.name}.`;
    case 'module-kind':
      return message`Load the module with import if it has exports of ES modules, and with require if it has module.exports.`;
    case 'file':
      return fileCorrection(fault.path, origin, built, options);
  }
}

/** The file may be beside the source file that needs it. */
function fileCorrection(path: string, origin: Origin | null, built: Bundle, options: BundleOptions): SafeText {
  if (built.materials === null) return message`Put ${path} into the folder, or correct its path.`;
  const known = built.missing.find(({ target }) => target === path)?.source;
  const source = (origin === null ? null : built.modules.get(origin.path)) ?? known ?? options.entry;
  const file = besideSource(source, path) ?? besideSource(options.entry, path);
  return message`To correct it: ${safe(inclusionOf(path, file, foldersOf(options)))}.`;
}
