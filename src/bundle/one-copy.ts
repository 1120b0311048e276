import { basename, join, resolve } from 'node:path';
import type { Metafile, Plugin } from 'esbuild';
import { documentContent, member, parseDocument } from '../core/json/json.ts';
import { readRegularFile } from '../platform/regular-file.ts';
import type { BundlerOptions, Built } from './native.ts';
import { isVirtual, packageModule } from './package-paths.ts';

/**
 * One copy of each version of a package. npm installs a version beside each package that needs it if another version is at
 * the top, and pnpm and Yarn install it once: code with all of npm's copies would have other bytes, and other instances.
 */

/** A file of a package, among those that the compiler read. */
interface PackageFile {
  /** Of the package, absolute. */
  folder: string;
  file: string;
  /** As in the metafile. */
  imports: Metafile['inputs'][string]['imports'];
}

/** Folders of packages, each with that of the copy that takes its place. */
export type Copies = ReadonlyMap<string, string>;

/**
 * The copies of packages in the code that are the same in what they contain and import.
 * @param metafile of the build
 * @param folder absolute: the base of its paths
 */
export function copiesIn({ inputs }: Metafile, folder: string): Copies {
  const files = Object.entries(inputs).flatMap(([input, { imports }]): PackageFile[] => {
    const found = isVirtual(input) ? null : packageModule(input, folder);
    return found === null ? [] : [{ ...found, imports }];
  });
  let groups = groupsOf(new Set(files.map((one) => one.folder)));
  // Packages are the same if what they import is: those that differ make others differ.
  for (let before = -1; groups.length > 0 && groups.length !== before;) {
    before = groups.length;
    const copies = copiesOf(groups);
    groups = groups.filter((group) => areAlike(group, files, copies, folder));
  }
  return copiesOf(groups);
}

/** Several folders with the same version of a package, that nearest to the top first. */
function groupsOf(folders: ReadonlySet<string>): string[][] {
  const byName = grouped([...folders], (folder) => /node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)$/.exec(folder)?.[1]);
  const several = byName.filter((group) => group.length > 1).flat();
  return grouped(several, versionIn)
    .filter((group) => group.length > 1)
    .map((group) => group.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1)));
}

function grouped(all: readonly string[], keyOf: (one: string) => string | undefined): string[][] {
  const groups = new Map<string, string[]>();
  for (const one of all) {
    const key = keyOf(one);
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups.values()];
}

function versionIn(folder: string): string | undefined {
  const read = readRegularFile(join(folder, 'package.json'));
  const { value } = 'bytes' in read ? parseDocument(documentContent(read.bytes)) : { value: undefined };
  const [name, version] = [member(value, 'name'), member(value, 'version')];
  return typeof name === 'string' && typeof version === 'string' ? `${name}@${version}` : undefined;
}

function copiesOf(groups: readonly string[][]): Copies {
  return new Map(groups.flatMap(([first = '', ...others]) => others.map((one) => [one, first])));
}

/** True if each file that is in the code of a copy is the same in the first one, and imports the same from it. */
function areAlike(group: readonly string[], files: readonly PackageFile[], copies: Copies, base: string): boolean {
  const [first = ''] = group;
  const known = new Map<string, string>();
  return files
    .filter(({ folder }) => group.includes(folder))
    .every(({ folder, file, imports }) => {
      if (folder !== first && !haveSameBytes(join(folder, file), join(first, file))) return false;
      const imported = imports.map(({ path, original, external }) => [
        original,
        external === true ? path : movedPath(resolve(base, path), copies),
      ]);
      const text = JSON.stringify(imported);
      const other = known.get(file);
      known.set(file, text);
      return other === undefined || other === text;
    });
}

function haveSameBytes(a: string, b: string): boolean {
  const [first, second] = [readRegularFile(a), readRegularFile(b)];
  return 'bytes' in first && 'bytes' in second && first.bytes.equals(second.bytes);
}

/** The path of the same file in the copy that takes the place of its package. */
function movedPath(path: string, copies: Copies): string {
  for (const [folder, first] of copies)
    if (path.startsWith(folder) && /^[\\/](?!node_modules[\\/])/.test(path.slice(folder.length)))
      return first + path.slice(folder.length);
  return path;
}

/** Resolves what the code imports from a copy of a package to the one that takes its place. */
function resolvingTo(copies: Copies): Plugin {
  const RESOLVED = Symbol('resolved');
  const names = [...copies.keys()].map((folder) => folder.slice(folder.lastIndexOf('node_modules') + 13));
  const words = names.map((name) => name.replaceAll('\\', '/').replaceAll(/[^\w@/-]/g, String.raw`\$&`));
  const filter = new RegExp(`^(?:${[...new Set(words)].join('|')})(?:/|$)`);
  return {
    name: 'one-copy',
    setup(build) {
      build.onResolve({ filter }, async ({ path, pluginData, ...importer }) => {
        if (pluginData === RESOLVED) return undefined;
        const { errors, ...found } = await build.resolve(path, { ...importer, pluginData: RESOLVED });
        const moved = movedPath(found.path, copies);
        // The compiler resolves it again, and reports errors.
        if (errors.length > 0 || found.external || moved === found.path) return undefined;
        return { path: moved, namespace: found.namespace, sideEffects: found.sideEffects, suffix: found.suffix };
      });
    },
  };
}

/** The name of an output file that is not used. */
const UNUSED = /^unused-\d+\./;

/**
 * The options of a build in which one copy takes the place of the others. A file that a plugin resolves has no `type` of its
 * package.json, unless the compiler has read it before: so each of them is an entry point, too, whose output is not used.
 */
export function withOneCopy(options: BundlerOptions, copies: Copies, { inputs }: Metafile): BundlerOptions {
  const imported = Object.values(inputs).flatMap(({ imports }) =>
    imports
      .filter(({ external, original = '.' }) => external !== true && !original.startsWith('.'))
      .map(({ path }) => resolve(options.absWorkingDir, path)),
  );
  const taken = [...copies.values()];
  const entries = new Set(
    imported.map((path) => movedPath(path, copies)).filter((path) => taken.some((folder) => path.startsWith(folder))),
  );
  const unused = [...entries].map((path, index) => ({ in: path, out: `unused-${index}` }));
  return { ...options, entryPoints: [...options.entryPoints, ...unused], plugins: [resolvingTo(copies)] };
}

/** The result without the output files that are not used. */
export function withoutUnused(built: Built): Built {
  const files = built.files.filter(({ path }) => !UNUSED.test(basename(path)));
  if (built.metafile === null) return { ...built, files };
  const outputs = Object.entries(built.metafile.outputs).filter(([path]) => !UNUSED.test(basename(path)));
  return { ...built, files, metafile: { ...built.metafile, outputs: Object.fromEntries(outputs) } };
}
