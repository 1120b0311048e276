import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { message, safe, type SafeText } from '../../core/text/message.ts';
import type { Bundle } from '../bundle.ts';
import type { BundleOptions } from '../options.ts';
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
  const line = (text.split('\n')[0] ?? '')
    .replaceAll(`file://${folder}/`, '')
    .replaceAll(folder + sep, '')
    .replaceAll(dirname(folder) + sep, '../');
  return name === '' ? message`${line}` : message`${name}: ${line}`;
}

/** The access that was denied: `to read ../data.json, which is outside of the archive,`. */
export function deniedText({ errors, denied }: LoadedFile, folder: string): SafeText {
  const error = errors?.find(({ permission }) => permission !== undefined);
  const { permission = '', resource = '' } = error ?? {};
  if (permission === 'FileSystemRead')
    return message`to read ${shownPath(resource, folder)}, which is outside of the archive,`;
  if (permission === 'FileSystemWrite') return message`to write ${shownPath(resource, folder)}`;
  return denied === null ? message`what it may not` : message`${denied}`;
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
  const folder = dirname(options.entry);
  if (existsSync(join(folder, path)))
    return message`Add it with --include ${path}, or bundle.include in the configuration.`;
  const source = origin === null ? undefined : built.modules.get(origin.path);
  const original = source === undefined ? null : join(dirname(source), path);
  if (original === null || !existsSync(original))
    return message`Put the file beside the entry point at that path, and add it with --include ${path}, or correct the path.`;
  return message`Copy ${relative(options.cwd ?? folder, original)
    .split(sep)
    .join(
      '/',
    )} to ${path} beside the entry point, and add it with --include ${path}, or bundle.include in the configuration.`;
}
