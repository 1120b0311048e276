import { basename, dirname, join, posix } from 'node:path';
import { compareVersions } from '../../core/registry/version-order.ts';
import { compareText } from '../../core/text/order.ts';
import { documentContent, type JsonValue, member, parseDocument } from '../../core/json/json.ts';
import { safeExcerpt } from '../../core/text/text.ts';
import { isVirtual, packageModule, type Trace } from '../package-paths.ts';
import { folderOf, openPackage, type PackageFiles } from './package-files.ts';
import { declaredLicense } from './package-license.ts';
import { openOrigins, type Origin } from './package-origin.ts';

/** A package of which code is in an artifact. */
export interface BundledPackage {
  name: string;
  /** Null if its package.json has none. */
  version: string | null;
  /** The license in its package.json: an SPDX expression, or other words; null for none. */
  license: string | null;
  /** Absent for a package from a registry. */
  origin?: Origin;
}

/** Packages and files that code is made of. */
export interface Materials {
  /** Each version of a package once; by name, then by version. */
  packages: readonly BundledPackage[];
  /** The packages that a package imports, by `idOf` of it; those of the app itself by ''. In order. */
  imports: ReadonlyMap<string, readonly string[]>;
  /** The version of esbuild. */
  esbuild: string;
}

/** A package with its files. */
export interface InstalledPackage extends BundledPackage {
  files: PackageFiles;
}

/** Identifies a version of a package, such as `zod@4.1.0`. */
export function idOf({ name, version }: Pick<BundledPackage, 'name' | 'version'>): string {
  return version === null ? name : `${name}@${version}`;
}

/**
 * Reads the packages of a build.
 * @returns also the installed copies of each package, of which there may be several
 * @throws AppregError `file-unreadable` for a package that cannot be read
 */
export function readMaterials(traces: readonly Trace[]): { materials: Materials; installed: InstalledPackage[] } {
  const originOf = openOrigins();
  const byFolder = new Map(
    [...modulesByPackage(traces)].flatMap(([folder, files]) => readPackages(folder, files, originOf(folder))),
  );
  const imports = importsOf(traces, byFolder);
  const installed = [...byFolder.values()].toSorted(inOrder);
  const packages = new Map<string, BundledPackage>();
  for (const { files: _, ...one } of installed) if (!packages.has(idOf(one))) packages.set(idOf(one), one);
  const idAt = (folder: string): string[] => {
    const found = byFolder.get(folder);
    return found === undefined ? [] : [idOf(found)];
  };
  const importsById = new Map<string, Set<string>>([['', new Set()]]);
  for (const id of packages.keys()) importsById.set(id, new Set());
  for (const [from, targets] of imports) {
    const id = from === null ? '' : (idAt(from)[0] ?? '');
    for (const target of [...targets].flatMap(idAt)) if (target !== id) importsById.get(id)?.add(target);
  }
  return {
    materials: {
      packages: [...packages.values()],
      imports: new Map([...importsById].map(([id, targets]) => [id, [...targets].toSorted(compareText)])),
      esbuild: traces[0]?.version ?? '',
    },
    installed,
  };
}

/** By name, then by version. */
function inOrder(a: BundledPackage, b: BundledPackage): number {
  return compareText(a.name, b.name) || compareVersions(a.version, b.version) || compareText(a.license, b.license);
}

/** The files of packages that have bytes in the output, by the folders of the packages. */
function modulesByPackage(traces: readonly Trace[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const { folder, bundled } of traces) {
    for (const input of bundled) {
      const module = isVirtual(input) ? null : packageModule(input, folder);
      if (module === null) continue;
      const files = found.get(module.folder) ?? new Set<string>();
      found.set(module.folder, files.add(module.file));
    }
  }
  return found;
}

/**
 * Reads a package, and the packages that it contains: those with a name and a version of their own in a folder above one
 * of the files.
 * @param folder of the package, absolute
 * @param modules its files with bytes in the output
 * @returns each with its folder
 */
function readPackages(
  folder: string,
  modules: ReadonlySet<string>,
  origin: Origin | null,
): [folder: string, InstalledPackage][] {
  const folders = new Set<string>(['']);
  for (const file of modules) for (let at = folderOf(file); at !== ''; at = folderOf(at)) folders.add(at);
  const files = openPackage(folder, folders);
  const outer = manifestOf(files, '');
  const inner = [...folders].filter((at) => at !== '' && isPackage(manifestOf(files, at), outer));
  return ['', ...inner].map((at) => {
    const manifest = manifestOf(files, at);
    const own = {
      name: textOf(member(manifest, 'name')) ?? nameInPath(folder),
      version: textOf(member(manifest, 'version')),
      license: declaredLicense(manifest),
      ...(at === '' && origin !== null && { origin }),
      files: filesBelow(files, at, inner),
    };
    return [join(folder, at), own];
  });
}

function manifestOf(files: PackageFiles, folder: string): JsonValue | undefined {
  const path = posix.join(folder, 'package.json');
  const read = folder === '' || files.names.includes(path) ? files.read(path) : null;
  return read !== null && 'bytes' in read ? parseDocument(documentContent(read.bytes)).value : undefined;
}

/** True for a package in another one. A private one cannot be installed: it is a part of the outer one. */
function isPackage(manifest: JsonValue | undefined, outer: JsonValue | undefined): boolean {
  const name = textOf(member(manifest, 'name'));
  const isOther = name !== null && name !== textOf(member(outer, 'name'));
  return isOther && textOf(member(manifest, 'version')) !== null && member(manifest, 'private') !== true;
}

/** The files of a package in another one, without those of the packages below it. */
function filesBelow(files: PackageFiles, at: string, packages: readonly string[]): PackageFiles {
  const prefix = at === '' ? '' : `${at}/`;
  const below = packages.filter((other) => other !== at && other.startsWith(prefix)).map((other) => `${other}/`);
  const names = files.names.filter((name) => name.startsWith(prefix) && !below.some((one) => name.startsWith(one)));
  return { names: names.map((name) => name.slice(prefix.length)), read: (name) => files.read(prefix + name) };
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? safeExcerpt(value.trim()) : null;
}

/** The name under which a package is installed, which may be an alias. */
function nameInPath(folder: string): string {
  const scope = basename(dirname(folder));
  return scope.startsWith('@') ? `${scope}/${basename(folder)}` : basename(folder);
}

/**
 * The packages that each package imports, by their folders; those of the app itself by null. Code outside of node_modules
 * is the app's own, with the packages of its workspace.
 */
function importsOf(
  traces: readonly Trace[],
  packages: ReadonlyMap<string, unknown>,
): Map<string | null, ReadonlySet<string>> {
  const imports = new Map<string | null, Set<string>>();
  const importedFrom = (from: string | null): Set<string> => {
    const known = imports.get(from) ?? new Set<string>();
    imports.set(from, known);
    return known;
  };
  for (const trace of traces) {
    for (const input of trace.bundled) {
      const from = ownerOf(input, trace.folder, packages);
      for (const to of importedBy(input, trace, packages)) if (to !== from) importedFrom(from).add(to);
      // A package imports those that it contains, also through modules of which nothing is in the output.
      const outer = isVirtual(input) ? null : packageModule(input, trace.folder);
      if (outer !== null && from !== null && outer.folder !== from) importedFrom(outer.folder).add(from);
    }
  }
  return imports;
}

/** The folder of the innermost known package that contains a module; null for none. */
function ownerOf(input: string, folder: string, packages: ReadonlyMap<string, unknown>): string | null {
  const module = isVirtual(input) ? null : packageModule(input, folder);
  if (module === null) return null;
  for (let at = folderOf(module.file); ; at = folderOf(at)) {
    const path = join(module.folder, at);
    if (packages.has(path)) return path;
    if (at === '') return null;
  }
}

/** The bundled packages that a file imports. Modules without bytes in the output, which only re-export, are followed. */
function importedBy(
  input: string,
  { folder, inputs, bundled }: Trace,
  packages: ReadonlyMap<string, unknown>,
): Set<string> {
  const found = new Set<string>();
  const queue = new Set(inputs.get(input));
  for (const path of queue) {
    const owner = ownerOf(path, folder, packages);
    if (owner !== null) found.add(owner);
    else if (!bundled.has(path)) for (const next of inputs.get(path) ?? []) queue.add(next);
  }
  return found;
}
