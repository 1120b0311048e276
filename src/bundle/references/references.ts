import { isBuiltin } from 'node:module';
import { resolve } from 'node:path';
import type { Metafile } from 'esbuild';
import { readRegularFile } from '../../platform/regular-file.ts';
import { isVirtual } from '../package-paths.ts';
import { lineOf } from './line-of.ts';
import { modulesIn, type CompiledModule } from './modules.ts';
import type { FoundReference, Reference } from './reference.ts';

export type { Reference };

/** Code without these words has no references: most small apps, which then load no parser. */
const WORDS =
  /\bimport\.meta\b|\bcreateRequire\b|\b__require(?:\.resolve\(|\(\s*[^"'\s])|\bimport\(\s*[^"'\s]|\bWorker\b|\bfork\b|\.wasm["'`]|worker[\w.-]*\.[cm]?js["'`]/;
/** Packages of the place where an app runs. */
const PROVIDED = /^@slflows\/sdk(\/|$)/;

const RELATIVE = /^\.\.?\//;

/** The compiled code of one output file. */
export interface Compiled {
  code: string;
  metafile: Metafile;
  /** Absolute: the base of the paths in the metafile. */
  folder: string;
  /** The names that the options leave out of the code. */
  leftOut: readonly string[];
}

/**
 * Files and packages that compiled code asks for when it runs, other than modules of Node. Files that are in the archive
 * are included.
 */
export async function referencesOf({ code, metafile, folder, leftOut }: Compiled): Promise<Reference[]> {
  const external = externalImports(metafile, leftOut);
  const inputs = bundledInputs(metafile);
  const finders = addonFinders(metafile, inputs);
  if (external.size === 0 && finders.size === 0 && !WORDS.test(code)) return [];
  const all = modulesIn(code, inputs);
  const importing = new Set([...external.values()].flat());
  const modules = all.filter((one) => one.input === null || importing.has(one.input) || WORDS.test(one.code));
  const { findReferences, isOnlyTried } = await import('./find-references.ts');
  const isTried = (caller: string, name: string): boolean => parsed(() => isOnlyTried(caller, name)) ?? false;
  const names = new Set(external.keys());
  const parts = [...finders].map(([input, finder]) => {
    const module = all.find((one) => one.input === input) ?? { input, code: '' };
    return { module, found: [addonReference(finder, module.code, isTried)] };
  });
  parts.push(...modules.map((module) => ({ module, found: parsed(() => findReferences(module.code, names)) ?? [] })));
  const addonSources = new Set([...finders.keys()].map((input) => resolve(folder, input)));
  return parts
    .flatMap(({ module, found }) => {
      const isNeeded = found.some(({ isOptional }) => !isOptional);
      const isOptional = isNeeded && isOptionalModule(module, all, isTried);
      const placed = place(module, inputs, folder);
      return found.map((one) => ({
        ...one,
        isOptional: isOptional || one.isOptional,
        // The compiler's notation of `require`.
        code: one.code.replaceAll(/\b__require\b/g, 'require'),
        ...placed(one.code, one.target),
      }));
    })
    .filter(({ kind, source }) => !isOfFinder(kind, source ?? '', addonSources));
}

/** True for what an addon's reference says: a path that is given to the package that finds it, or that this one loads. */
function isOfFinder(kind: Reference['kind'], source: string, addonSources: ReadonlySet<string>): boolean {
  if (kind === 'computed' && addonSources.has(source)) return true;
  const path = source.replaceAll('\\', '/');
  return (kind === 'computed' || kind === 'module') && FINDERS.some((name) => path.includes(`/node_modules/${name}/`));
}

/** Packages that find the native addon of another one by the path of its folder. */
const FINDERS = [
  'bindings',
  'node-gyp-build',
  'node-gyp-build-optional-packages',
  '@mapbox/node-pre-gyp',
  'pkg-prebuilds',
];

/** The files that import such a package, with its name. */
function addonFinders({ inputs }: Metafile, bundled: readonly string[]): Map<string, string> {
  return new Map(
    bundled.flatMap((input) => {
      const found = inputs[input]?.imports.find(({ original = '' }) => FINDERS.includes(original));
      return found?.original === undefined ? [] : [[input, found.original] as const];
    }),
  );
}

type IsTried = (caller: string, name: string) => boolean;

function addonReference(finder: string, code: string, isTried: IsTried): FoundReference {
  const [name] =
    /\brequire_\w+(?=\(\))/.exec(code.slice(code.indexOf(`require_${finder.replaceAll(/\W+/g, '_')}`))) ?? [];
  return {
    code: `require("${finder}")`,
    kind: 'addon',
    target: finder,
    isOptional: name !== undefined && isTried(code, name),
  };
}

/** A module that the code calls: of CommonJS, or one of those that a template may name. */
const CALLED = /^var (require_[\w$]+|glob(?:Require|Import)_[\w$]+)\b/m;

/** True for a called module whose failure the code handles wherever it is loaded, or that only such modules load. */
function isOptionalModule(
  module: CompiledModule,
  all: readonly CompiledModule[],
  isTried: IsTried,
  seen = new Set<CompiledModule>(),
): boolean {
  const [, name] = CALLED.exec(module.code) ?? [];
  if (name === undefined || seen.has(module)) return false;
  seen.add(module);
  const callers = all.filter((one) => one !== module && one.code.includes(`${name}(`));
  return (
    callers.length > 0 && callers.every((one) => isTried(one.code, name) || isOptionalModule(one, all, isTried, seen))
  );
}

/**
 * The imports that esbuild left in the code because of an option, with the files that have them. Others are missing
 * packages that the code does without: those that it needs are errors of the build.
 */
function externalImports({ inputs, outputs }: Metafile, leftOut: readonly string[]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  const all = Object.values(outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
  for (const [input, { imports }] of Object.entries(inputs))
    for (const { path, external = false } of imports)
      if (external && !isBuiltin(path) && !PROVIDED.test(path) && isLeftOut(path, leftOut))
        // Of a template, each file that it may name.
        for (const one of path.includes('*') ? all.filter((other) => matchesAny(other, [path])) : [path])
          found.set(one, [...(found.get(one) ?? []), input]);
  return found;
}

/** As esbuild compares: a name with its subpaths, or a pattern with one `*`. */
function isLeftOut(path: string, names: readonly string[]): boolean {
  return RELATIVE.test(path) || matchesAny(path, names);
}

function matchesAny(path: string, names: readonly string[]): boolean {
  return names.some((name) => {
    const [start = '', end] = name.split('*');
    if (end === undefined) return path === name || path.startsWith(`${name}/`);
    return path.length >= start.length + end.length && path.startsWith(start) && path.endsWith(end);
  });
}

function bundledInputs({ outputs }: Metafile): string[] {
  return Object.entries(outputs)
    .filter(([path]) => !/\.(css|map)$/.test(path))
    .flatMap(([, one]) =>
      Object.entries(one.inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : [])),
    )
    .filter((input) => !isVirtual(input));
}

/** Null for code that the parser does not know yet, which is left to the program that runs it. */
function parsed<Result>(parse: () => Result): Result | null {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Finds the file and the line of code: in minified code, the only file that has it. */
function place(
  { input }: CompiledModule,
  inputs: readonly string[],
  folder: string,
): (code: string, target: string | null) => Pick<Reference, 'source' | 'line'> {
  const texts = new Map<string, string>();
  const read = (path: string): string => {
    const known = texts.get(path);
    if (known !== undefined) return known;
    const file = readRegularFile(path);
    const text = 'bytes' in file ? file.bytes.toString() : '';
    texts.set(path, text);
    return text;
  };
  const taken = new Set<string>();
  return (code, target) => {
    const candidates = (input === null ? inputs : [input]).map((one) => resolve(folder, one));
    for (const source of candidates) {
      const line = lineOf(read(source), code, target, (at) => taken.has(`${source}:${at}`));
      if (line === null) continue;
      taken.add(`${source}:${line}`);
      return { source, line };
    }
    return { source: input === null ? null : resolve(folder, input), line: null };
  };
}
