// Builds dist/: the command line as CommonJS files, loaded on demand (an ES module entry costs a fifth of Node's own
// start-up); the library as ES modules with declarations.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { compileSchemas } from './compile-schemas.mjs';
import { sharedFiles } from './shared-files.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const commands = join(root, 'src/cli/commands');

/** The command line, in the order in which it is loaded; what a command loads later; the programs of worker threads. */
const PROGRAMS = {
  main: 'src/cli/main.ts',
  'compile-cache': 'src/platform/compile-cache.ts',
  program: 'src/cli/program.ts',
  run: 'src/cli/process/run.ts',
  config: 'src/cli/config/config.ts',
  'bundle-finish': 'src/cli/commands/bundle/finish.ts',
  'digest-worker': 'src/observe/digest/digest-worker.ts',
};

/** Replaced by the digest of the build, which has the same length. */
const NO_DIGEST = '(digest of this build..)';

/** Modules of packages that are left out. */
const OMITTED = [
  // Suggestions for unknown names, which io/missing-arguments.ts makes itself.
  { module: /\/suggestSimilar$/, importer: /\/commander\// },
  // For commands that are separate programs, which do not exist here: 2 ms at each start.
  { module: /^node:child_process$/, importer: /\/commander\// },
  // Loaders of configurations, which are never used, and contain another parser of YAML.
  { module: /^\.\/loaders$/, importer: /\/cosmiconfig\// },
  // A rule that is turned off (content/preset-rules.ts) loads a library for cryptography: half a megabyte.
  { module: /^\.\/index-[\w-]+\.js$/, importer: /\/secretlint-rule-preset-recommend\//, kind: 'dynamic-import' },
];

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
    external: ['esbuild', 'typescript'],
    plugins: [OMIT],
    transform: { target: 'node20.19', define: { FAILPOINTS: String(failpoints), BUILD_DIGEST: `'${NO_DIGEST}'` } },
    // Removes the calls of a function that is empty in this build.
    treeshake: { manualPureFunctions: failpoints ? [] : ['failpoint'] },
    checks: { ineffectiveDynamicImport: false },
  };
  const modules = [...(await buildCommands(out, common)), ...(await buildLibraries(out, common))];
  for (const name of readdirSync(join(out, 'cli')).filter((file) => file.endsWith('.cjs'))) {
    const file = join(out, 'cli', name);
    writeFileSync(file, inAscii(exportValues(readFileSync(file, 'utf8'))));
  }
  writeDigest(join(out, 'cli'));
  // The assets of pages are next to the code that reads them.
  for (const folder of ['html', 'service/pages', 'site'])
    cpSync(join(root, `src/${folder}/assets`), join(out, 'cli/assets'), { recursive: true });
  // The program of a process (src/cli/config/config-code.ts).
  cpSync(join(root, 'src/cli/config/evaluate-config.mjs'), join(out, 'cli/evaluate-config.mjs'));
  writeFileSync(join(out, 'THIRD-PARTY-LICENSES.txt'), licences(modules));
  writeFileSync(join(out, 'cli/package.json'), '{ "type": "commonjs" }\n');
  if (types) declarations();
}

/**
 * Exports functions and classes as values instead of getters, which take 4 % of the time of a lint of 20,000 apps. They
 * are never assigned again, and both forms are defined at the end of a file.
 */
function exportValues(code) {
  const getter = /Object\.defineProperty\(exports,("[^"]+"),\{enumerable:!0,get:function\(\)\{return ([\w$]+)\}\}\)/g;
  const namesIn = (pattern) => new Set([...code.matchAll(pattern)].map(([, one]) => one));
  const declared = namesIn(/\b(?:function\*? ?|class )([\w$]+)[({ ]/g);
  const assigned = namesIn(/(?<![.\w$])([\w$]+)=(?![=>])/g);
  return code.replace(getter, (all, key, value) =>
    declared.has(value) && !assigned.has(value) ? `exports[${key}]=${value}` : all,
  );
}

/**
 * Escapes the other characters, which `charset` leaves in tagged templates: V8 keeps a file with one character outside of
 * Latin-1 in twice the memory. All tags use the text with escapes replaced, except String.raw.
 */
function inAscii(code) {
  if (/String\.raw`[^`]*[^\0-\x7f]|\\[^\0-\x7f]/.test(code))
    throw new Error('A character outside of ASCII in String.raw, or after a backslash, cannot be escaped.');
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Writes the digest of all files of the command line in place of `NO_DIGEST` (src/platform/code-file.ts). */
function writeDigest(folder) {
  const digest = createHash('sha256');
  for (const name of readdirSync(folder).toSorted()) digest.update(name).update(readFileSync(join(folder, name)));
  const text = digest.digest('hex').slice(0, NO_DIGEST.length);
  const user = join(folder, 'code-file.cjs');
  writeFileSync(user, readFileSync(user, 'utf8').replace(NO_DIGEST, text));
}

/** The command line: the programs, the commands, and what they load on demand. @returns the ids of all modules */
async function buildCommands(out, common) {
  const names = readdirSync(commands, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const runs = Object.fromEntries(names.map(({ name }) => [name, `src/cli/commands/${name}/run.ts`]));
  const groupOf = moduleGroups({ ...PROGRAMS, ...runs });
  return write(
    { ...common, input: { ...PROGRAMS, ...runs } },
    {
      dir: join(out, 'cli'),
      format: 'cjs',
      // As `require`, which also finds packages by NODE_PATH.
      dynamicImportInCjs: false,
      entryFileNames: '[name].cjs',
      chunkFileNames: '[name].cjs',
      charset: 'ascii',
      minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
      codeSplitting: {
        includeDependenciesRecursively: false,
        groups: [{ debugName: 'commands', name: groupOf }],
      },
    },
  );
}

/**
 * Says which file a module belongs to.
 * @param entries the source files that programs and commands begin with, by name
 * @returns the name of the file, or null for a module that one entry alone uses, or only what is loaded on demand
 */
function moduleGroups(entries) {
  let files = null;
  return (id, context) => {
    files ??= sharedFiles(
      Object.entries(entries).map(([name, file]) => [join(root, file), name]),
      ['main', 'compile-cache', 'program', 'run', 'config'],
      (module) => context.getModuleInfo(module),
    );
    const number = files.get(id);
    return number === undefined ? null : `shared-${number}`;
  };
}

/** The libraries: the core for any runtime, and the rest for Node. @returns the ids of all modules */
async function buildLibraries(out, common) {
  return [
    ...(await write(
      { ...common, platform: 'neutral', resolve: { mainFields: ['module', 'main'] }, input: libraryFiles() },
      {
        // A program that imports one function bundles the files that this function needs, and no rule.
        dir: join(out, 'core'),
        format: 'esm',
        chunkFileNames: 'shared-[name].js',
        minify: false,
      },
    )),
    ...(await write(
      { ...common, input: { node: 'src/node.ts' } },
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
