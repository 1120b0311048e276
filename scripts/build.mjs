// Builds dist/: the command line as CommonJS files, loaded on demand (an ES module entry costs a fifth of Node's own
// start-up); the library as ES modules with declarations.
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { compileSchemas } from './compile-schemas.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The folder of esbuild's API, below that of the build. */
const ESBUILD = 'esbuild';

/** Imports the copy of esbuild's API. @param path of its folder, from the files that are written */
const copiedEsbuild = (path) => ({
  name: 'esbuild',
  resolveId: (id) => (id === 'esbuild' ? { id: `${path}/lib/main.js`, external: true } : null),
});

/** Files of the command line that every command needs; what fewer than this number of entries share stays with them. */
const SHARED_BY = 16;
const GROUPS = [
  { name: 'start', test: /src\/cli\/main|src\/platform\/compile-cache/, priority: 4 },
  // The parser and all definitions: help.
  { name: 'program', test: /src\/cli\/program\/program\.ts/, priority: 3 },
  { name: 'run', test: /src\/cli\/process\/run/, priority: 2 },
  // Used by commands that judge nothing: no rule but those about content.
  { name: 'content', test: /src\/cli\/(config\/config|check\/settings)\.ts|src\/publish\/check-content/, priority: 1 },
  {
    name: 'common',
    test: /node_modules|src\/(platform|store|observe|core\/(text|json|url|registry|errors|values|findings))\//,
    minShareCount: SHARED_BY,
    priority: 1,
  },
  { name: 'judging', minShareCount: SHARED_BY },
];

/** Modules of packages that are left out. */
const OMITTED = [
  // Suggestions for unknown names, which program/missing-arguments.ts makes itself.
  { module: /\/suggestSimilar$/, importer: /\/commander\// },
  // For commands that are separate programs, which do not exist here: 2 ms at each start.
  { module: /^node:child_process$/, importer: /\/commander\// },
  // Loaders of configurations, which are never used, and contain another parser of YAML.
  { module: /^\.\/loaders$/, importer: /\/cosmiconfig\// },
  // A rule that is turned off (observe/content/detectors.ts) loads a library for cryptography: half a megabyte.
  { module: /^\.\/index-[\w-]+\.js$/, importer: /\/secretlint-rule-preset-recommend\//, kind: 'dynamic-import' },
  // Of undici, its clients and agents are used, and no fetch, WebSocket, mock, cache or interceptor: half of it.
  { module: /^\.\/lib\/(mock|interceptor|cache|web)\/(?!cache\/)/, importer: /\/undici\/index\.js$/ },
  { module: /^\.\/cache$/, importer: /\/undici\/lib\/web\/cache\/cachestorage\.js$/ },
  // For bodies that are forms.
  { module: /\/web\/fetch\/body\.js$/, importer: /\/undici\/lib\/dispatcher\// },
];

/** Modules of these packages only define values, which their package.json does not say. */
const SIDE_EFFECTS = [{ test: /\/node_modules\/@peculiar\/(asn1-[\w-]+|utils)\//, sideEffects: false }];

const OMIT = {
  name: 'omit',
  resolveId(path, importer = '', { kind }) {
    const from = importer.replaceAll('\\', '/');
    const isOmitted = OMITTED.some(
      (one) => one.module.test(path) && one.importer.test(from) && (one.kind ?? kind) === kind,
    );
    return isOmitted ? '\0omitted' : null;
  },
  load: (id) => (id === '\0omitted' ? 'export {};' : null),
};

/**
 * `out` is emptied first. Declarations (`types`) always go to dist.
 * @param options.failpoints true for tests that interrupt writes (src/store/failpoint.ts)
 */
export async function build({ types = true, out = join(root, 'dist'), failpoints = false } = {}) {
  compileSchemas(root);
  rmSync(out, { recursive: true, force: true });
  const common = {
    cwd: root,
    platform: 'node',
    // ES modules where a package has both, so that only what is used of it is loaded.
    resolve: { mainFields: ['module', 'main'] },
    external: ['typescript'],
    transform: { target: 'node20.19', define: { FAILPOINTS: String(failpoints) } },
    // Removes the calls of a function that is empty in this build.
    treeshake: { manualPureFunctions: failpoints ? [] : ['failpoint'], moduleSideEffects: SIDE_EFFECTS },
    checks: { ineffectiveDynamicImport: false },
  };
  const modules = [...(await buildCommands(out, common)), ...(await buildLibraries(out, common))];
  // The assets of pages are next to the code that reads them.
  for (const folder of ['html', 'service/ui', 'site'])
    cpSync(join(root, `src/${folder}/assets`), join(out, 'cli/assets'), { recursive: true });
  copyEsbuild(join(out, ESBUILD));
  writeFileSync(join(out, 'THIRD-PARTY-LICENSES.txt'), licences([...modules, join(root, 'node_modules/esbuild/')]));
  writeFileSync(join(out, 'cli/package.json'), '{ "type": "commonjs" }\n');
  if (types) declarations();
}

/**
 * Copies esbuild's API, which starts the program of one of the packages `@esbuild/*`. The package esbuild has a script
 * that runs when it is installed, which package managers warn of or refuse; its API does not need that script.
 */
function copyEsbuild(folder) {
  const from = join(root, 'node_modules/esbuild');
  const { name, version, license } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  // It refuses to run under another name, or in another folder than lib.
  for (const path of ['lib/main.js', 'LICENSE.md']) cpSync(join(from, path), join(folder, path));
  writeFileSync(
    join(folder, 'package.json'),
    `${JSON.stringify({ name, version, license, type: 'commonjs' }, null, 2)}\n`,
  );
}

/** The command line. Commands are what main.ts imports on demand. @returns the ids of all modules */
function buildCommands(out, common) {
  return write(
    {
      ...common,
      input: { main: 'src/cli/main.ts', 'digest-worker': 'src/observe/archive/digest-worker.ts' },
      plugins: [OMIT, copiedEsbuild(`../${ESBUILD}`)],
    },
    {
      dir: join(out, 'cli'),
      format: 'cjs',
      // As `require`, which also finds packages by NODE_PATH.
      dynamicImportInCjs: false,
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name].cjs',
      charset: 'ascii',
      minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
      codeSplitting: { groups: GROUPS },
    },
  );
}

/** The libraries: the core for any runtime, and the rest for Node. @returns the ids of all modules */
async function buildLibraries(out, common) {
  return [
    ...(await write(
      {
        ...common,
        platform: 'neutral',
        plugins: [OMIT],
        input: libraryFiles(),
      },
      {
        // A program that imports one function bundles the files that this function needs, and no rule.
        dir: join(out, 'core'),
        format: 'esm',
        chunkFileNames: 'shared-[name].js',
        minify: false,
      },
    )),
    ...(await write(
      { ...common, input: { node: 'src/node.ts' }, plugins: [OMIT, copiedEsbuild(`./${ESBUILD}`)] },
      {
        dir: out,
        format: 'esm',
        // The detectors of secrets are loaded on demand.
        chunkFileNames: 'node-[name].js',
        minify: false,
      },
    )),
  ];
}

/** @returns the ids of all modules that were written */
async function write(input, output) {
  const bundle = await rolldown({ ...input, preserveEntrySignatures: 'allow-extension' });
  const written = await bundle.write({ ...output, comments: { legal: false } });
  await bundle.close();
  return written.output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}

/** The core library's index, and each file that it exports from, which becomes a separate file. */
function libraryFiles() {
  const index = join(root, 'src/core/index.ts');
  const exported = [...readFileSync(index, 'utf8').matchAll(/from '\.\/([^']+)\.ts'/g)].map(([, name]) => name);
  return Object.fromEntries(['index', ...exported].map((name) => [name, join(root, `src/core/${name}.ts`)]));
}

function declarations() {
  execFileSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'scripts/tsconfig.types.json')],
    { stdio: 'inherit', cwd: root },
  );
  keepReachable(join(root, 'dist'), ['core/index.d.ts', 'node.d.ts']);
}

/**
 * Deletes the declarations that no exported one refers to.
 * @throws if one imports a package, which would not be installed with this one
 */
function keepReachable(dist, entries) {
  const reached = new Set(entries.map((entry) => join(dist, entry)));
  for (const file of reached) {
    const text = readFileSync(file, 'utf8').replace(/\/\*[^]*?\*\//g, '');
    for (const [, target] of text.matchAll(/(?:from|import|import\()\s*['"]([^'"]+)['"]/g)) {
      if (target.startsWith('.')) reached.add(join(dirname(file), target.replace(/\.[jt]s$/, '.d.ts')));
      else if (!target.startsWith('node:')) throw new Error(`${file} imports ${target}, which users do not have`);
    }
  }
  for (const name of readdirSync(dist, { recursive: true }))
    if (name.endsWith('.d.ts') && !reached.has(join(dist, name))) rmSync(join(dist, name));
}

/** The licence of every package whose code is in dist. @param modules their ids */
function licences(modules) {
  const packages = new Set();
  for (const id of modules) {
    const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll('\\', '/'));
    if (found) packages.add(found[1]);
  }
  const found = [...packages].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((f) => /^licen[sc]e/i.test(f));
    return { name, version, license, text: file ? readFileSync(join(folder, file), 'utf8').trim() : '' };
  });
  // The text of this licence is the same for every package.
  const apache = found.find(({ license, text }) => license === 'Apache-2.0' && text !== '')?.text ?? '';
  return found
    .map(({ name, version, license, text }) => {
      return `${name} ${version} (${license})\n\n${text || (license === 'Apache-2.0' ? apache : '')}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build({ types: !process.argv.includes('--no-types') });
