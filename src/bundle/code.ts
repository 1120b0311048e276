import { message, type SafeText } from '../core/text/message.ts';
import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, extname, join, resolve, sep } from 'node:path';
import type { Metafile } from 'esbuild';
import { AppregError } from '../core/errors/error.ts';
import type { FileToPack } from './archive.ts';
import type { BundleOptions } from './options.ts';
import { placeOf } from '../core/release/build-settings.ts';
import { checkSettings, loadersOf } from './check-settings.ts';
import { buildError, issue, headline, type Places } from './build-error.ts';
import { type Exported, exportedBy, exportWarning } from './exported.ts';
import { build } from './esbuild.ts';
import { readable } from './files.ts';
import type { BundlerOptions, Built } from './native.ts';
import { packagePath, withPackagePaths, type Trace } from './package-paths.ts';
import { shownPath } from './shown-path.ts';
import { type Reference, referencesOf } from './references/references.ts';

const SOURCES = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs'];
/** The service provides the SDK; native modules cannot be embedded in a text file. */
export const EXTERNAL = ['@slflows/sdk', '@slflows/sdk/*', '*.node'];
const UI_TARGET = 'es2020';
const AS_DATA_URL = [
  '.png',
  '.jpg',
  '.jpeg',
  '.gif',
  '.webp',
  '.avif',
  '.bmp',
  '.ico',
  '.svg',
  '.woff',
  '.woff2',
  '.ttf',
  '.otf',
  '.eot',
];
/** Bundled CommonJS code loads Node's built-in modules through `require`, which an ES module does not have. */
const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);";

/** app.js, and ui.js if there is a UI entry, with the unbundled files that they load at run time. */
export interface Code {
  files: FileToPack[];
  warnings: string[];
  /** The files and packages that each output file asks for when it runs. */
  references: { output: string; root: string; found: Reference[] }[];
  /** Files that the compiler read. */
  traces: Trace[];
  /** The names that app.js exports; null if they are only known when it is loaded. */
  exports: readonly string[] | null;
}

/**
 * Builds the entry points. Throws AppregError `build-failed` (exit 1) with file, line, column and frame of each error.
 */
export async function buildCode(options: BundleOptions): Promise<Code> {
  checkSettings(options);
  const app = source(options.entry, 'entry point');
  const ui = options.ui === undefined ? null : source(options.ui, 'UI entry point');
  // Both builds run concurrently, and the errors of both are reported.
  const [appBuilt, uiBuilt] = await Promise.all([
    buildPortable(appSettings(app, options), placeOf(options.places, 'target')),
    ui === null ? null : buildPortable(uiSettings(ui, options), UI_TARGET),
  ]);

  const places = { root: dirname(app), cwd: options.cwd ?? dirname(app) };
  const uiPlaces = { ...places, root: dirname(ui ?? app) };
  const issues = [
    ...appBuilt.errors.map((error) => issue(error, places)),
    ...(uiBuilt?.errors ?? []).map((error) => issue(error, uiPlaces)),
  ];
  if (issues.length > 0) {
    const { missingPackages } = await import('./missing-packages.ts');
    const { nativePackages } = await import('./native-packages.ts');
    const advice = [missingPackages, nativePackages].flatMap((adviceAbout) => [
      ...adviceAbout(appBuilt.errors, places),
      ...adviceAbout(uiBuilt?.errors ?? [], uiPlaces),
    ]);
    throw buildError(issues, [...new Set(advice)]);
  }

  const files = [{ path: 'app.js', bytes: appCode(appBuilt) }, ...assetsOf([appBuilt, uiBuilt], [app, ui])];
  const exported = exportsOf(appBuilt);
  const exportFault = exportWarning(exported, 'app.js', shownPath(app, places.cwd));
  const warnings: string[] = warningsOf(appBuilt, places);
  if (exportFault !== null) warnings.push(exportFault);
  warnings.push(...(await decoratorWarnings([appBuilt, uiBuilt], [places, uiPlaces])));
  if (output(appBuilt, '.css') !== null)
    warnings.push('the CSS that app.js imports is omitted: app.js does not run in a page');
  if (uiBuilt) {
    files.push({ path: 'ui.js', bytes: uiCode(uiBuilt) });
    warnings.push(...warningsOf(uiBuilt, uiPlaces));
  }
  const traces = [traceOf(appBuilt, 'app', places.root), ...(uiBuilt ? [traceOf(uiBuilt, 'ui', uiPlaces.root)] : [])];
  const references = [
    { output: 'app.js', root: places.root, found: await referencesIn(appBuilt, places.root, options) },
  ];
  if (uiBuilt)
    references.push({
      output: 'ui.js',
      root: uiPlaces.root,
      found: await referencesIn(uiBuilt, uiPlaces.root, options),
    });
  return { files, warnings, references, traces, exports: exported.names };
}

function exportsOf(built: Built): Exported {
  return exportedBy(built.metafile ?? { inputs: {}, outputs: {} }, output(built, '.js')?.toString() ?? '');
}

/** A warning about decorators whose types the compiler drops. */
async function decoratorWarnings(builds: readonly (Built | null)[], places: readonly Places[]): Promise<SafeText[]> {
  const sources = builds.flatMap((built, index) => ownTypeScript(built, places[index]?.root ?? ''));
  if (sources.length === 0) return [];
  const { droppedMetadata } = await import('./decorator-metadata.ts');
  const dropped = droppedMetadata(sources);
  if (dropped === null) return [];
  const { settings, source, line } = dropped;
  const cwd = places[0]?.cwd ?? '';
  return [
    message`${shownPath(source, cwd)}:${line}: esbuild does not support emitDecoratorMetadata, which ${shownPath(settings, cwd)} sets: at run time, decorators get no types; give the types to the decorators, or compile the code with tsc first`,
  ];
}

/** The TypeScript files of which code is in the output, other than those of packages; absolute. */
function ownTypeScript(built: Built | null, folder: string): string[] {
  return Object.values(built?.metafile?.outputs ?? {}).flatMap(({ inputs }) =>
    Object.entries(inputs)
      .filter(([path, { bytesInOutput }]) => bytesInOutput > 0 && /^(?!.*node_modules\/).*\.[cm]?tsx?$/.test(path))
      .map(([path]) => resolve(folder, path)),
  );
}

async function referencesIn(built: Built, folder: string, { external = [] }: BundleOptions): Promise<Reference[]> {
  const code = output(built, '.js');
  if (code === null || built.metafile === null) return [];
  return referencesOf({ code: code.toString(), metafile: built.metafile, folder, leftOut: external });
}

/** The file, with symbolic links resolved, so that paths in the output do not depend on the location of the sources. */
function source(path: string, what: string): string {
  if (!existsSync(path)) {
    throw new AppregError(
      'entry-point-missing',
      message`The ${what} ${path} does not exist.`,
      message`Check the path; it is relative to the current folder, or to --cwd.`,
    );
  }
  if (!statSync(path).isFile() || !SOURCES.includes(extname(path).toLowerCase())) {
    throw new AppregError(
      'entry-point-unsupported',
      message`The ${what} ${path} is not a supported source file.`,
      message`Use a file that ends in ${SOURCES.join(', ')}.`,
    );
  }
  try {
    accessSync(path, constants.R_OK);
  } catch (error) {
    throw readable(error);
  }
  return inTrueCase(realpathSync(path));
}

/**
 * A path with the case of the file system: Windows and macOS open `MAIN.TS` for `main.ts`. Mapped drives keep their
 * letter.
 */
function inTrueCase(path: string): string {
  const native = realpathSync.native(path);
  return native.toLowerCase() === path.toLowerCase() ? native : path;
}

/** A source map (ECMA-426) whose sources do not depend on where packages are installed. */
function mapWithPackagePaths(contents: Uint8Array): Uint8Array {
  const map: { sources: string[] } = JSON.parse(bufferOf(contents).toString());
  return Buffer.from(JSON.stringify({ ...map, sources: map.sources.map(packagePath) }));
}

function traceOf({ metafile, version }: Built, output: Trace['output'], folder: string): Trace {
  const inputs = Object.entries(metafile?.inputs ?? {}).map(
    ([input, { imports }]) => [input, imports.filter((one) => !one.external).map(({ path }) => path)] as const,
  );
  // The CSS of app.js is omitted.
  const outputs = Object.entries(metafile?.outputs ?? {}).filter(([path]) => output === 'ui' || !path.endsWith('.css'));
  const bundled = outputs.flatMap(([, one]) =>
    Object.entries(one.inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : [])),
  );
  return {
    output,
    folder,
    version,
    inputs: new Map(inputs),
    external: externalOf(metafile),
    bundled: new Set(bundled),
  };
}

function externalOf(metafile: Built['metafile']): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [input, { imports }] of Object.entries(metafile?.inputs ?? {}))
    for (const { path, external = false } of imports)
      if (external && !isBuiltin(path)) found.set(path, [...(found.get(path) ?? []), input]);
  return found;
}

/** Builds code whose bytes do not depend on where packages are installed, and how often. */
async function buildPortable(settings: BundlerOptions, targetPlace: string): Promise<Built> {
  const built = await buildWithOneCopy(settings, targetPlace);
  const minify = settings.minify === true;
  const folder = settings.absWorkingDir;
  const files = built.files.map(({ path, contents }) => {
    if (isAsset(path, folder)) return { path, contents };
    if (path.endsWith('.map')) return { path, contents: mapWithPackagePaths(contents) };
    return { path, contents: minify ? contents : withPackagePaths(bufferOf(contents), folder) };
  });
  return { ...built, files };
}

async function buildWithOneCopy(settings: BundlerOptions, targetPlace: string): Promise<Built> {
  const built = await build(settings, targetPlace);
  const { metafile } = built;
  // Packages of one folder have no copies: most apps load none of this.
  if (metafile === null || packageFolders(metafile).size < 2) return built;
  const { copiesIn, withOneCopy, withoutUnused } = await import('./one-copy.ts');
  const copies = copiesIn(metafile, settings.absWorkingDir);
  if (copies.size === 0) return built;
  return withoutUnused(await build(withOneCopy(settings, copies, metafile), targetPlace));
}

/** The folders that packages in the code are installed in. */
function packageFolders({ inputs }: Metafile): Set<string> {
  return new Set(Object.keys(inputs).flatMap((input) => /^.*node_modules\//.exec(input)?.[0] ?? []));
}

function commonSettings(entry: string, name: string, options: BundleOptions): BundlerOptions {
  const folder = dirname(entry);
  return {
    entryPoints: [{ in: `./${basename(entry)}`, out: name }],
    absWorkingDir: folder,
    outdir: folder,
    // Nothing is written, so an entry point named app.js is allowed.
    allowOverwrite: true,
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    external: [...EXTERNAL, ...(options.external ?? [])],
    loader: {
      ...Object.fromEntries(AS_DATA_URL.map((suffix) => [suffix, 'dataurl' as const])),
      ...loadersOf(options.loader),
    },
    assetNames: `${ASSETS}/[name]-[hash]`,
    // Without other conditions, esbuild adds `module`.
    ...(options.conditions?.length && { conditions: ['module', ...options.conditions] }),
    minify: options.minify ?? false,
    sourcemap: options.sourcemap ? 'external' : false,
  };
}

function appSettings(entry: string, options: BundleOptions): BundlerOptions {
  return {
    ...commonSettings(entry, 'app', options),
    platform: 'node',
    target: options.target ?? 'node22',
    define: { __dirname: 'import.meta.dirname', __filename: 'import.meta.filename', ...options.define },
  };
}

function uiSettings(entry: string, options: BundleOptions): BundlerOptions {
  return {
    ...commonSettings(entry, 'ui', options),
    platform: 'browser',
    target: UI_TARGET,
    // Never publish a development build of a UI library.
    define: { 'process.env.NODE_ENV': '"production"', ...options.define },
  };
}

function appCode(built: Built): Uint8Array {
  // This text is in esbuild's helper for `require`, which is emitted only if the code needs it.
  return assemble(built, output(built, '.js')?.includes('Dynamic require of "') ? REQUIRE : null);
}

/** CSS is not a separate file in the archive: ui.js injects it into the page before the UI's code runs. */
function uiCode(built: Built): Uint8Array {
  const css = output(built, '.css');
  return assemble(built, css === null || css.length === 0 ? null : styling(css.toString()));
}

function styling(css: string): string {
  const make = `const style = document.createElement("style"); style.textContent = ${JSON.stringify(css)};`;
  return `if (typeof document !== "undefined") { ${make} document.head.append(style); }`;
}

/** The code with a line prepended (after a #! line), and with its source map inlined if there is one. */
function assemble(built: Built, line: string | null): Uint8Array {
  const code = output(built, '.js') ?? Buffer.alloc(0);
  const start = code.subarray(0, 2).toString() === '#!' ? code.indexOf('\n') + 1 : 0;
  const parts = line === null ? [code] : [code.subarray(0, start), Buffer.from(`${line}\n`), code.subarray(start)];
  const map = output(built, '.js.map');
  if (map !== null) {
    const parsed: { mappings: string } = JSON.parse(map.toString());
    // One ';' per line shifts the mappings down with the code.
    if (line !== null) parsed.mappings = `;${parsed.mappings}`;
    const data = Buffer.from(JSON.stringify(parsed)).toString('base64');
    parts.push(Buffer.from(`//# sourceMappingURL=data:application/json;base64,${data}\n`));
  }
  return parts.length === 1 ? code : Buffer.concat(parts);
}

function output(built: Built, suffix: string): Buffer | null {
  const contents = built.files.find((file) => file.path.endsWith(suffix))?.contents;
  return contents === undefined ? null : bufferOf(contents);
}

/** The folder of the archive with the files that `loader` keeps as files. */
const ASSETS = 'assets';

function isAsset(path: string, folder: string): boolean {
  return path.startsWith(join(folder, ASSETS, sep));
}

/** The files that `loader` keeps as files, each once: their names contain a digest of their bytes. */
function assetsOf(builds: readonly (Built | null)[], entries: readonly (string | null)[]): FileToPack[] {
  const found = builds.flatMap((built, index) => {
    const folder = dirname(entries[index] ?? '');
    const assets = (built?.files ?? []).filter(({ path }) => isAsset(path, folder));
    return assets.map(({ path, contents }) => [`${ASSETS}/${basename(path)}`, contents] as const);
  });
  return [...new Map(found)].map(([path, bytes]) => ({ path, bytes }));
}

function bufferOf(contents: Uint8Array): Buffer {
  return Buffer.from(contents.buffer, contents.byteOffset, contents.byteLength);
}

function warningsOf(built: Built, places: Places): string[] {
  return built.warnings.map((warning) => headline(warning, places));
}
