// Builds dist/: the command line as CommonJS files, one per command, loaded on demand (an ES module entry costs
// a fifth of Node's own start-up); the library as ES modules with declarations.
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { compileSchemas } from './compile-schemas.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const commands = join(root, 'src/cli/commands');

/** Modules that are loaded on demand: the name of the output file of each. A command's is the command's name. */
const LOADED_ON_DEMAND = new Map([
  // The detectors of secrets are larger than a command.
  [join(root, 'src/observe/content/find-secrets.ts'), 'find-secrets'],
  ...[
    'check/checks',
    'check/severities',
    'completion/complete',
    'io/colors',
    'config/config',
    'config/config-code',
    'config/config-errors',
    'config/config-search',
    'config/config-yaml',
    'process/failure',
    'io/spinner',
  ].map((name) => [join(root, `src/cli/${name}.ts`), basename(name)]),
  ...readdirSync(commands, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => [join(commands, name, 'run.ts'), name]),
]);

/** Large packages that are rarely needed: one file each, shared by all commands and loaded on demand. */
const PACKAGES = {
  undici: 'undici',
  'undici/lib/dispatcher/client.js': 'undici-client',
  tinyglobby: 'tinyglobby',
  '@clack/prompts': 'prompts',
};

/** Turns a lazy import of a module or package above into a call of `require` for its file. */
const SEPARATE_FILES = {
  name: 'separate-files',
  setup(build) {
    build.onResolve({ filter: /\.ts$/ }, ({ kind, path, resolveDir }) => {
      // Any other lazy import stays in the bundle, and runs on demand.
      const name = kind === 'dynamic-import' ? LOADED_ON_DEMAND.get(join(resolveDir, path)) : undefined;
      return name === undefined ? undefined : { path: `./${name}.cjs`, external: true };
    });
    build.onResolve({ filter: /^[@\w]/ }, ({ path }) =>
      path in PACKAGES ? { path: `./${PACKAGES[path]}.cjs`, external: true } : undefined,
    );
  },
};

/** Commander's suggestions for unknown names, which io/missing-arguments.ts makes itself. */
const NO_SUGGESTIONS = {
  name: 'no-suggestions',
  setup(build) {
    build.onLoad({ filter: /[/\\]commander[/\\]lib[/\\]suggestSimilar\.js$/ }, () => ({ contents: '' }));
  },
};

/** Commander loads this for commands that are separate programs, which do not exist here: 2 ms at each start. */
const NO_PROCESSES = {
  name: 'no-processes',
  setup(build) {
    build.onResolve({ filter: /^node:child_process$/ }, ({ path, importer }) =>
      importer.includes('/commander/') ? { path, namespace: 'none' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'none' }, () => ({ contents: '' }));
  },
};

/**
 * A rule of secretlint that is turned off (content/preset-rules.ts) loads a library for cryptography: half a megabyte.
 */
const NO_FORGE = {
  name: 'no-forge',
  setup(build) {
    build.onResolve({ filter: /^\.\/index-[\w-]+\.js$/ }, ({ path, importer, kind }) =>
      kind === 'dynamic-import' && importer.includes('/secretlint-rule-preset-recommend/')
        ? { path, namespace: 'none' }
        : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'none' }, () => ({ contents: '' }));
  },
};

/** The loaders of cosmiconfig are never used, and contain another parser of YAML. */
const NO_LOADERS = {
  name: 'no-loaders',
  setup(build) {
    build.onResolve({ filter: /^\.\/loaders$/ }, ({ path, importer }) =>
      importer.includes('/cosmiconfig/') ? { path, namespace: 'none' } : undefined,
    );
    build.onLoad({ filter: /./, namespace: 'none' }, () => ({ contents: '' }));
  },
};

/**
 * `out` is emptied first. Declarations (`types`) always go to dist.
 * @param options.failpoints true for tests that interrupt writes (src/store/failpoint.ts)
 */
export async function build({ types = true, out = join(root, 'dist'), failpoints = false } = {}) {
  compileSchemas(root);
  rmSync(out, { recursive: true, force: true });
  const common = {
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    absWorkingDir: root,
    metafile: true,
    logLevel: 'warning',
    external: ['esbuild', 'typescript'],
    legalComments: 'none',
    define: { FAILPOINTS: String(failpoints) },
  };
  const builds = [...(await buildCommands(out, common)), ...(await buildLibraries(out, common))];
  // The assets of the service's pages are next to the code that reads them.
  cpSync(join(root, 'src/service/pages/assets'), join(out, 'cli/assets'), { recursive: true });
  // The program of a process (src/cli/config/config-code.ts).
  cpSync(join(root, 'src/cli/config/evaluate-config.mjs'), join(out, 'cli/evaluate-config.mjs'));
  writeFileSync(join(out, 'THIRD-PARTY-LICENSES.txt'), licences(builds));
  writeFileSync(join(out, 'cli/package.json'), '{ "type": "commonjs" }\n');
  if (types) declarations();
}

/** The command line: the entry, the commands, and what they load on demand. */
async function buildCommands(out, common) {
  const entries = {
    main: join(root, 'src/cli/main.ts'),
    // The programs of worker threads (observe/workspace/prefetch.ts, observe/digest/digest-worker-pool.ts).
    'prefetch-worker': join(root, 'src/observe/workspace/prefetch-worker.ts'),
    'digest-worker': join(root, 'src/observe/digest/digest-worker.ts'),
    ...Object.fromEntries([...LOADED_ON_DEMAND].map(([file, name]) => [name, file])),
  };
  const cli = {
    ...common,
    outdir: join(out, 'cli'),
    entryNames: '[name]',
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    plugins: [SEPARATE_FILES, NO_PROCESSES, NO_SUGGESTIONS, NO_FORGE, NO_LOADERS],
    define: { ...common.define, 'import.meta.url': '__importMetaUrl' },
    banner: { js: "const __importMetaUrl = require('node:url').pathToFileURL(__filename).href;" },
    minifySyntax: true,
    minifyWhitespace: true,
  };
  const packages = Object.fromEntries(Object.entries(PACKAGES).map(([path, name]) => [name, path]));
  return [
    await esbuild.build({ ...cli, entryPoints: entries, supported: { 'dynamic-import': false } }),
    await esbuild.build({ ...cli, plugins: [], entryPoints: packages }),
  ];
}

/** The libraries: the core for any runtime, and the rest for Node. */
async function buildLibraries(out, common) {
  return [
    await esbuild.build({
      ...common,
      platform: 'neutral',
      mainFields: ['module', 'main'],
      entryPoints: libraryFiles(),
      outdir: join(out, 'core'),
      format: 'esm',
      // A program that imports one function bundles the files that this function needs, and no rule.
      splitting: true,
      chunkNames: 'shared-[hash]',
    }),
    await esbuild.build({
      ...common,
      entryPoints: { node: join(root, 'src/node.ts') },
      outdir: out,
      format: 'esm',
      // The detectors of secrets are loaded on demand.
      splitting: true,
      chunkNames: 'node-[hash]',
      plugins: [NO_FORGE],
      // Removes the calls of functions that are empty in this build.
      minifySyntax: true,
      banner: {
        js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
      },
    }),
  ];
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

/** The licence of every package whose code is in dist. */
function licences(builds) {
  const packages = new Set();
  for (const { metafile } of builds) {
    for (const input of Object.keys(metafile.inputs)) {
      const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
      if (found) packages.add(found[1]);
    }
  }
  return [...packages]
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
      const file = readdirSync(join(root, folder)).find((f) => /^licen[sc]e/i.test(f));
      return `${name} ${version} (${license})\n\n${file ? readFileSync(join(root, folder, file), 'utf8').trim() : ''}\n`;
    })
    .join(`\n${'-'.repeat(80)}\n\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build({ types: !process.argv.includes('--no-types') });
