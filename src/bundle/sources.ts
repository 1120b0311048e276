import { createHash } from 'node:crypto';
import { dirname, relative, resolve, sep } from 'node:path';
import type { Provenance } from '../core/registry/lock-file.ts';
import type { BuildSettings } from '../core/release/build-settings.ts';
import { VERSION } from '../core/values/tool-version.ts';
import { readRegularFile } from '../platform/regular-file.ts';
import type { FileToPack } from './archive.ts';
import { settingsFor, withExtended } from './compiler-settings.ts';
import type { BundleOptions } from './options.ts';
import { isVirtual, packagePath, type Trace } from './package-paths.ts';

/** The digest over everything that the bundler read, which does not depend on where the repository is. */

/** For an archive without compiled code. */
const NO_COMPILER = 'none';

/**
 * Records the inputs of an archive.
 * @param traces of its compiled files
 * @param packed the files that are in it as they are
 * @param notices the license notices of packages, which are not sources; null for none
 */
export function provenanceOf(
  traces: readonly Trace[],
  packed: readonly FileToPack[],
  notices: FileToPack | null,
  { external = [], target, minify = false, sourcemap = false, ...others }: BundleOptions,
): Provenance {
  const lines = [
    ...traces.flatMap(linesOf),
    ...packed.map(({ path, bytes }) => line('file', path, bytes)),
    `settings ${JSON.stringify({ external, target: target ?? null, minify, sourcemap, ...laterSettings(others) })}`,
  ];
  // By code unit: locale-dependent order differs between machines.
  const text = lines.toSorted().join('\n');
  const esbuild = traces[0]?.version ?? NO_COMPILER;
  return {
    sources: `sha256:${sha256(text)}`,
    toolchain: { appreg: VERSION, esbuild },
    ...(notices !== null && { notices: `sha256:${sha256(notices.bytes)}` }),
  };
}

/** Settings that earlier versions did not record: absent if they are not given, so that the digest stays the same. */
function laterSettings({ loader = {}, define = {}, conditions = [] }: BuildSettings): BuildSettings {
  return {
    ...(Object.keys(loader).length > 0 && { loader: inOrder(loader) }),
    ...(Object.keys(define).length > 0 && { define: inOrder(define) }),
    ...(conditions.length > 0 && { conditions }),
  };
}

function inOrder<Value>(values: Readonly<Record<string, Value>>): Record<string, Value> {
  return Object.fromEntries(Object.entries(values).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** The files that the compiler read, with the settings that apply to them; absolute. */
export function filesRead(traces: readonly Trace[]): string[] {
  const files = traces.flatMap((trace) => [
    ...inputsOf(trace).flatMap((input) => namesOf(resolve(trace.folder, input))),
    ...settingsOf(trace),
  ]);
  return [...new Set(files)];
}

function inputsOf({ inputs }: Trace): string[] {
  return [...inputs.keys()].filter((input) => !isVirtual(input));
}

/** The tsconfig.json files that apply to the code, with those that they extend by a relative path. */
function settingsOf(trace: Trace): string[] {
  const own = inputsOf(trace).filter((input) => !input.includes('node_modules/'));
  const folders = new Set(own.map((input) => dirname(resolve(trace.folder, input))));
  const files = new Set([...folders].flatMap((folder) => settingsFor(folder) ?? []));
  const all = [...files].flatMap((file) => withExtended(file)).filter(({ isOwn }) => isOwn);
  return [...new Set(all.map(({ path }) => path))];
}

function linesOf(trace: Trace): string[] {
  const { output, folder } = trace;
  return [
    ...inputsOf(trace).map((input) => line(output, packagePath(input), contentOf(resolve(folder, input)))),
    ...settingsOf(trace).map((file) => line(output, pathFrom(folder, file), contentOf(file))),
  ];
}

function pathFrom(folder: string, file: string): string {
  return relative(folder, file).split(sep).join('/');
}

/** Null for a file that the compiler replaces by an empty one. In a package archive, the content of the archive. */
function contentOf(path: string): Buffer | null {
  for (const name of namesOf(path)) {
    // Otherwise the name has a suffix such as ?url, or it is not a file.
    const read = readRegularFile(name);
    if ('bytes' in read) return read.bytes;
  }
  return null;
}

/** The possible names of an input on disk: it may be in a package archive, or have a suffix such as ?url. */
function namesOf(path: string): string[] {
  const file = path.replace(/(\.zip)[\\/].*$/, '$1');
  return [file, file.replace(/[?#].*$/, '')];
}

function line(kind: string, path: string, content: Uint8Array | null): string {
  return `${kind} ${JSON.stringify(path)} ${content === null ? 'empty' : sha256(content)}`;
}

function sha256(content: Uint8Array | string): string {
  return createHash('sha256').update(content).digest('hex');
}
