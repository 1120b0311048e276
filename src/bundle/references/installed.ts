import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { documentContent, isObject, member, parseDocument } from '../../core/json/json.ts';
import type { PlacedFile } from '../../core/release/build-settings.ts';
import { readRegularFile } from '../../platform/regular-file.ts';
import { type Folders, sourceOf } from './inclusion.ts';

/** Packages as they are installed here, and their places in an archive. */

/** A package with more dependencies is better bundled. */
const MOST_PACKAGES = 5;

/**
 * The package of a module, and those that it needs, as items of `include`.
 * @param module a package, or a module of one
 * @param source the file that loads it, absolute
 * @returns null if the package is not installed; empty if it needs many others
 */
export function packageItems(module: string, source: string, folders: Folders): PlacedFile[] | null {
  const folder = installedFolder(packageName(module), source);
  if (folder === null) return null;
  const all = withDependencies(folder);
  return all.length > MOST_PACKAGES ? [] : all.map((one) => placed(one, folders.root));
}

/**
 * The files for a module that code names by the `imports` of its package.json, as items of `include`.
 * @param name such as `#fonts/a`
 * @param source the file that loads it, absolute
 * @returns null if there is no such module
 */
export function importsItems(name: string, source: string, { root }: Folders): PlacedFile[] | null {
  const manifest = nearestManifest(source);
  const file = manifest === null ? null : resolved(name, source);
  if (manifest === null || file === null) return null;
  const owner = dirname(manifest);
  const folder = dirname(file);
  const to = relative(owner, folder).split(sep).join('/');
  if (to === '' || to.startsWith('..')) return null;
  return [
    { from: sourceOf(manifest, root), to: 'package.json' },
    { from: sourceOf(folder, root), to },
  ];
}

function resolved(name: string, source: string): string | null {
  try {
    return createRequire(source).resolve(name);
  } catch {
    return null;
  }
}

function nearestManifest(source: string): string | null {
  for (let at = dirname(source); ; at = dirname(at)) {
    const file = join(at, 'package.json');
    if (existsSync(file)) return file;
    if (at === dirname(at)) return null;
  }
}

/** The package of a module: `@scope/name/lib/x.js` is of `@scope/name`. */
export function packageName(module: string): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(module)?.[0] ?? module;
}

function placed(folder: string, root: string): PlacedFile {
  const from = sourceOf(folder, root);
  return { from, to: from.slice(from.lastIndexOf('node_modules/')) };
}

/** Absolute; null if it is not installed. */
function installedFolder(name: string, from: string): string | null {
  const folders = createRequire(from).resolve.paths(name) ?? [];
  const found = folders.map((folder) => join(folder, name)).find((folder) => existsSync(join(folder, 'package.json')));
  return found === undefined ? null : realpathSync(found);
}

/** A package and those that it needs, as far as they are installed. */
function withDependencies(folder: string, seen = new Set<string>()): string[] {
  if (seen.has(folder) || seen.size > MOST_PACKAGES) return [];
  seen.add(folder);
  const manifest = join(folder, 'package.json');
  const read = readRegularFile(manifest);
  const { value } = 'bytes' in read ? parseDocument(documentContent(read.bytes)) : { value: undefined };
  const names = ['dependencies', 'optionalDependencies'].flatMap((field) => {
    const found = member(value, field);
    return isObject(found) ? Object.keys(found) : [];
  });
  const others = names.flatMap((name) => installedFolder(name, manifest) ?? []);
  return [folder, ...others.flatMap((one) => withDependencies(one, seen))];
}
