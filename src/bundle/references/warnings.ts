import { existsSync, statSync } from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';
import { printable } from '../../core/text/text.ts';
import { shownPath } from '../shown-path.ts';
import type { Reference } from './reference.ts';

/** Code that has to be built before it can run elsewhere. */
const CODE = /\.[cm]?[jt]sx?$/;
const MOST_SHOWN = 20;

/** The places and the contents of an archive with references. */
export interface ArchiveContents {
  /** Absolute: the folder of the entry point. */
  root: string;
  /** Absolute: the base of paths in messages. */
  cwd: string;
  /** `app.js` or `ui.js`. */
  output: string;
  /** The paths in the archive. */
  paths: ReadonlySet<string>;
}

/** A warning for each reference to what the archive does not contain. */
export function warningsAbout(references: readonly Reference[], archive: ArchiveContents): string[] {
  const all = references.flatMap((one) => {
    const fault = faultOf(one, archive);
    return fault === null ? [] : [`${placeOf(one, archive)}: ${fault}`];
  });
  const unique = [...new Set(all)];
  if (unique.length <= MOST_SHOWN) return unique;
  return [
    ...unique.slice(0, MOST_SHOWN),
    `${unique.length - MOST_SHOWN} more references of ${archive.output} to files or packages that the archive does not contain`,
  ];
}

function faultOf(one: Reference, archive: ArchiveContents): string | null {
  const { kind, target } = one;
  const code = printable(one.code);
  if (kind === 'package')
    return `${code} loads ${printable(target ?? '')}, which ${archive.output} does not contain: it has to be installed where the app runs; if it is not, remove it from "external", or import it in a way that can be bundled`;
  if (target === null)
    return `${code} computes the path of a file beside ${archive.output}: the files of the package are not in the archive, so check that the app runs without them`;
  if (isIn(archive.paths, target)) return null;
  const file = one.source === null ? null : besideSource(one.source, target);
  if (kind === 'beside' && file === null) return null;
  return `${code} needs ${printable(target)} beside ${archive.output}, and the archive does not contain it${adviceFor(target, file, archive)}`;
}

function isIn(paths: ReadonlySet<string>, target: string): boolean {
  const path = target.replace(/\/$/, '');
  return paths.has(path) || [...paths].some((one) => one.startsWith(`${path}/`));
}

/** The file or folder that the source means where it is now, absolute; null if there is none. */
function besideSource(source: string, target: string): string | null {
  const path = resolve(dirname(source), target);
  const names = [path, path.replace(/\.([cm]?)js$/, '.$1ts')];
  return names.find((name) => existsSync(name)) ?? null;
}

function adviceFor(target: string, file: string | null, archive: ArchiveContents): string {
  if (target.startsWith('..'))
    return ': it is outside of the folder where the app is installed; give the path in another way, or use a package that can be bundled';
  if (file === null) return '';
  const shown = printable(shownPath(file, archive.cwd));
  if (CODE.test(file))
    return `: ${shown} is code; build it to one file ${printable(target)} beside the entry point, and add ${inclusion(target)}`;
  const path = statSync(file).isDirectory() ? `${target.replace(/\/$/, '')}/**` : target;
  const own = shownPath(file, archive.root);
  if (own === posix.normalize(target).replace(/\/$/, '')) return `: add ${inclusion(path)}`;
  return `: copy ${shown} to ${printable(shownPath(join(archive.root, target), archive.cwd))}, and add ${inclusion(path)}`;
}

/** The setting and the option that add a file to the archive. */
function inclusion(path: string): string {
  return `"include": [${JSON.stringify(printable(path))}] to "bundle" (or --include ${printable(path)})`;
}

function placeOf({ source, line }: Reference, { cwd, output }: ArchiveContents): string {
  if (source === null) return output;
  const [, name] = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(source) ?? [];
  const path = `${printable(shownPath(source, cwd))}${line === null ? '' : `:${line}`}`;
  return name === undefined ? path : `${path} (package ${printable(name.replaceAll('\\', '/'))})`;
}
