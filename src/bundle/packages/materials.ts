import { basename, dirname } from 'node:path';
import { compareVersions } from '../../core/registry/version-order.ts';
import { compareText } from '../../core/text/order.ts';
import { documentContent, type JsonValue, member, parseDocument } from '../../core/json/json.ts';
import { safeExcerpt } from '../../core/text/text.ts';
import { packageFolder, type Trace, isVirtual } from '../package-paths.ts';
import { openPackage, type PackageFiles } from './package-files.ts';
import { declaredLicense } from './package-license.ts';

/** A package of which code is in an artifact. */
export interface BundledPackage {
  name: string;
  /** Null if its package.json has none. */
  version: string | null;
  /** The license in its package.json: an SPDX expression, or other words; null for none. */
  license: string | null;
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
  const { folders, imports } = findPackages(traces);
  const byFolder = new Map([...folders].map((folder) => [folder, readPackage(folder)]));
  const installed = [...byFolder.values()].toSorted(inOrder);
  const packages = new Map<string, BundledPackage>();
  for (const { name, version, license } of installed) {
    const id = idOf({ name, version });
    if (!packages.has(id)) packages.set(id, { name, version, license });
  }
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

/** @param folder as `packageFolder` returns it */
function readPackage(folder: string): InstalledPackage {
  const files = openPackage(folder);
  const read = files.read('package.json');
  const manifest = 'bytes' in read ? parseDocument(documentContent(read.bytes)).value : undefined;
  return {
    name: textOf(member(manifest, 'name')) ?? nameInPath(folder),
    version: textOf(member(manifest, 'version')),
    license: declaredLicense(manifest),
    files,
  };
}

function textOf(value: JsonValue | undefined): string | null {
  return typeof value === 'string' && value.trim() !== '' ? safeExcerpt(value.trim()) : null;
}

/** The name under which a package is installed, which may be an alias. */
function nameInPath(folder: string): string {
  const scope = basename(dirname(folder));
  return scope.startsWith('@') ? `${scope}/${basename(folder)}` : basename(folder);
}

/** The packages of which code is in the output, by their folders, and which of them each imports. */
interface FoundPackages {
  /** Absolute. */
  folders: ReadonlySet<string>;
  /** The folders of the packages that a package imports, by its folder; those of the app itself by null. */
  imports: ReadonlyMap<string | null, ReadonlySet<string>>;
}

/**
 * Finds the packages by the metafile: a file below `node_modules/<name>` belongs to the package `<name>`, also if a
 * folder inside it has a package.json of its own. Code outside of node_modules is the app's own, with the packages of
 * its workspace.
 */
function findPackages(traces: readonly Trace[]): FoundPackages {
  const folders = new Set<string>();
  for (const { folder, bundled } of traces) {
    for (const input of bundled) {
      const found = isVirtual(input) ? null : packageFolder(input, folder);
      if (found !== null) folders.add(found);
    }
  }
  const imports = new Map<string | null, Set<string>>();
  for (const trace of traces) {
    for (const input of trace.bundled) {
      const from = isVirtual(input) ? null : packageFolder(input, trace.folder);
      const known = imports.get(from) ?? new Set<string>();
      imports.set(from, known);
      for (const to of importedBy(input, trace, folders)) if (to !== from) known.add(to);
    }
  }
  return { folders, imports };
}

/** The bundled packages that a file imports. Modules without bytes in the output, which only re-export, are followed. */
function importedBy(input: string, { folder, inputs, bundled }: Trace, folders: ReadonlySet<string>): Set<string> {
  const found = new Set<string>();
  const queue = new Set(inputs.get(input));
  for (const path of queue) {
    const owner = packageFolder(path, folder);
    if (owner !== null && folders.has(owner)) found.add(owner);
    else if (!bundled.has(path)) for (const next of inputs.get(path) ?? []) queue.add(next);
  }
  return found;
}
