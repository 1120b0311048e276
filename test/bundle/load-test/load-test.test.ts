import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { bundle, type BundleOptions } from '../../../src/bundle/bundle.ts';
import { type Loaded, loadTest } from '../../../src/bundle/load-test/load-test.ts';
import { folder } from '../../support/folders.ts';

/** Every supported version of Node satisfies it. */
const TARGET = 'node20';

/** Builds main.ts of a folder with these files, and loads the result. */
async function load(files: Record<string, unknown>, options: Partial<BundleOptions> = {}): Promise<Loaded> {
  const cwd = folder({ 'package.json': { type: 'module' }, ...files });
  const { entry = 'main.ts', ui } = options;
  const request = { target: TARGET, ...options, cwd, entry: join(cwd, entry) };
  if (ui !== undefined) request.ui = join(cwd, ui);
  return loadTest(await bundle(request), request);
}

const loaded = (exports: string[]): object => ({ exports, uiExports: null, warnings: [] });
const notLoaded = (...warnings: string[]): object => ({
  exports: null,
  uiExports: null,
  warnings: warnings.map((one) => expect.stringContaining(one)),
});

test('lists what app.js and ui.js export', async () => {
  const files = { 'main.ts': 'export const app = 1; export default 2;', 'ui.ts': 'export const view = 1;' };
  expect(await load(files, { ui: 'ui.ts' })).toEqual({
    exports: ['app', 'default'],
    uiExports: ['view'],
    warnings: [],
  });
});

test.each(['document.title = "x"; export const view = 1;', 'throw new Error("x")', 'export const x = window.y'])(
  'judges no code that only runs in a page: %s',
  async (ui) => {
    const files = { 'main.ts': 'export const app = 1;', 'ui.ts': ui };
    expect(await load(files, { ui: 'ui.ts' })).toEqual(loaded(['app']));
  },
);

test.each([
  [
    'import { readFileSync } from "node:fs"; export const app = readFileSync(new URL("./a.txt", import.meta.url), "utf8");',
    ['a.txt'],
  ],
  ['import { readFileSync } from "node:fs"; export const app = readFileSync(__dirname + "/a.txt");', ['a.txt']],
  ['export const app = await import("./" + "b" + ".mjs");', ['b.mjs']],
])('loads files of the archive: %s', async (main, include) => {
  const files = { 'main.ts': main, 'a.txt': 'a', 'b.mjs': 'export {}' };
  expect(await load(files, { include })).toEqual(loaded(['app']));
});

const PACKAGE = { 'node_modules/reader/package.json': { name: 'reader', version: '1.2.3', main: 'lib/index.js' } };
const IMPORTING = { 'main.ts': 'import * as reader from "reader"; export const app = reader;' };

test.each<[title: string, files: Record<string, unknown>, error: string[], options?: Partial<BundleOptions>]>([
  [
    'a file beside the module that reads it',
    {
      ...PACKAGE,
      ...IMPORTING,
      'node_modules/reader/lib/index.js':
        '\nexports.text = require("fs").readFileSync(__dirname + "/data/words.txt", "utf8");\n',
      'node_modules/reader/lib/data/words.txt': 'words',
    },
    [
      'does not contain the file data/words.txt',
      'node_modules/reader/lib/index.js:2 (reader@1.2.3)',
      '"include": [{ "from": "node_modules/reader/lib/data/words.txt", "to": "data/words.txt" }]',
    ],
  ],
  [
    'a file of minified code',
    {
      'lib/a.ts':
        '\n\nimport { readFileSync } from "node:fs"; export const text = readFileSync(new URL("a.txt", import.meta.url));',
      'main.ts': 'export { text } from "./lib/a.ts";',
    },
    ['file a.txt, which lib/a.ts:3 needs'],
    { minify: true },
  ],
  [
    'a file beside the entry point that is not included',
    {
      'main.ts':
        'import { readFileSync } from "node:fs";\nexport const app = readFileSync(import.meta.dirname + "/x.txt");',
      'x.txt': '',
    },
    ['file x.txt, which main.ts:2 needs', '--include x.txt'],
  ],
  [
    'a file that the cause of an error names',
    {
      'main.ts':
        'import { readFileSync } from "node:fs";\nlet text; try { text = readFileSync(import.meta.dirname + "/x.txt"); } catch (cause) { throw new Error("no data", { cause }); }\nexport { text };',
    },
    ['file x.txt'],
  ],
  [
    'a module that is external by its path',
    { 'main.ts': 'import config from "./config.js"; export const app = config;', 'config.js': 'export default 1;' },
    ['file config.js, which main.ts needs', '--include config.js'],
    { external: ['./config.js'] },
  ],
  [
    'a computed module of a CommonJS package',
    {
      ...PACKAGE,
      ...IMPORTING,
      'node_modules/reader/lib/index.js': 'const name = "./codecs/utf8";\nexports.codec = require(name);\n',
      'node_modules/reader/lib/codecs/utf8.js': '',
    },
    ['file codecs/utf8', 'reader@1.2.3'],
  ],
  [
    'a package with a computed name',
    {
      ...PACKAGE,
      ...IMPORTING,
      'node_modules/reader/lib/index.js': 'const name = "pg-" + "native";\nexports.x = require(name);\n',
    },
    ['package “pg-native”, which ', 'node_modules/reader/lib/index.js:2 (reader@1.2.3)'],
  ],
  [
    'a package with a computed name that is imported',
    { 'main.ts': 'const name = "left" + "pad";\nexport const app = await import(name);' },
    ['package “leftpad”', 'main.ts:2'],
  ],
  [
    'a CommonJS module in place of an ES module',
    { 'main.ts': 'export { app } from "./rest.cjs";', 'rest.cjs': 'module.exports = { ["a" + "pp"]: 1 };' },
    ['rest.cjs'],
    { external: ['./rest.cjs'], include: ['rest.cjs'] },
  ],
  [
    'a file that ui.js imports',
    { 'main.ts': 'export const app = 1;', 'ui.ts': 'import "./theme.js";' },
    ['ui.js cannot be loaded', 'file theme.js'],
    { ui: 'ui.ts', external: ['./theme.js'] },
  ],
])('refuses what can never be loaded: %s', async (_, files, error, options) => {
  const refused: unknown = await load(files, options).catch((thrown: unknown) => thrown);
  expect(refused).toMatchObject({ code: 'load-failed', exit: 1, effect: 'none' });
  const { message, hint } = refused as { message: string; hint: string };
  for (const text of error) expect(`${message}\n${hint}`).toContain(text);
  expect(hint).toContain('--no-load-test');
});

test.each([
  [
    'import { readFileSync } from "node:fs"; export const app = readFileSync(import.meta.dirname + "/x");',
    'the file x',
  ],
  ['const name = "left" + "pad"; export const app = await import(name);', 'the package “leftpad”'],
])('refuses what is missing for every version of Node, also for a later target: %s', async (main, missing) => {
  await expect(load({ 'main.ts': main }, { target: 'node99' })).rejects.toMatchObject({
    code: 'load-failed',
    message: expect.stringContaining(missing),
  });
});

test('refuses no module of the wrong kind if the code is for a later version of Node', async () => {
  const files = { 'main.ts': 'export { app } from "./rest.cjs";', 'rest.cjs': 'module.exports = { ["a" + "pp"]: 1 };' };
  const options = { external: ['./rest.cjs'], include: ['rest.cjs'], target: 'node99' };
  expect(await load(files, options)).toEqual(notLoaded('not refused, since the code is compiled for node99'));
});

test.each([
  ['import { block } from "@slflows/sdk/v1"; export const app = block({ x: 1 }).with("y");', []],
  ['import { Base } from "@slflows/sdk/v1"; class Own extends Base { x = 1 } export const app = new Own();', []],
  ['import * as sdk from "@slflows/sdk/v1"; export const app = sdk.define(`${sdk.name}`, ...sdk.list());', []],
  ['import sdk, { "define" as own } from "vendor"; export const app = [sdk.x(), own()];', ['vendor']],
  ['const sdk = require("vendor/deep"); export const app = new sdk.Client();', ['vendor']],
  ['export const app = await (await import("@slflows/sdk/" + "v2")).default();', []],
  ['export { z as app } from "vendor";', ['vendor']],
])('has stand-ins for packages that are external: %s', async (main, external) => {
  expect(await load({ 'main.ts': main }, { external })).toEqual(loaded(['app']));
  expect(await load({ 'main.ts': main }, { external, minify: true })).toEqual(loaded(['app']));
});

test('refuses nothing after a stand-in was called', async () => {
  const main =
    'import { path } from "vendor"; import { readFileSync } from "node:fs"; export const app = readFileSync(import.meta.dirname + "/" + path("x"));';
  expect(await load({ 'main.ts': main }, { external: ['vendor'] })).toMatchObject({ exports: null });
});

test.each([
  [
    'import { readFileSync } from "node:fs"; export const app = readFileSync("/proc/1/environ");',
    'to read /proc/1/environ, which is outside of the archive, in main.ts:1',
  ],
  [
    'import { readFileSync } from "node:fs"; const name = "x.txt"; export const app = readFileSync(new URL(["..", name].join("/"), import.meta.url));',
    '../x.txt',
  ],
  ['import { execSync } from "node:child_process"; export const app = execSync("id");', 'to start a process'],
  [
    'import { Worker } from "node:worker_threads"; export const app = new Worker("1", { eval: true });',
    'to start a worker',
  ],
  ['import { writeFileSync } from "node:fs"; export const app = writeFileSync(import.meta.dirname + "/y", "");', 'y'],
])('does not judge what it denies: %s', async (main, warning) => {
  expect(await load({ 'main.ts': main })).toEqual(notLoaded(warning));
});

test('refuses nothing after something was denied', async () => {
  const main =
    'import { existsSync, readFileSync } from "node:fs"; let app; try { app = existsSync("/etc/passwd"); } catch {} export const data = readFileSync([import.meta.dirname, "x"].join("/"));';
  expect(await load({ 'main.ts': main })).toEqual(notLoaded('since it was denied before to read /etc/passwd'));
});

test.each([
  ['export const app = 1; throw new Error("No API_KEY is set");', 'Error: No API_KEY is set in main.ts:1'],
  ['export const app = process.env.API_KEY.length;', 'TypeError'],
  ['export const app = 1; setTimeout(() => { throw new Error("later") });', 'Error: later'],
  ['export const app = 1; Promise.reject(new Error("later"));', 'Error: later'],
  ['throw null; export const app = 1;', 'null'],
  ['process.exit(3); export const app = 1;', 'exit code 3'],
  ['await new Promise(() => {}); export const app = 1;', 'ends the process'],
  ['import { readFileSync } from "node:fs"; export const app = readFileSync("settings.json");', 'settings.json'],
  ['process.kill(process.pid, "SIGTERM"); for (;;); export const app = 1;', 'SIGTERM'],
])('warns about all else: %s', async (main, warning) => {
  expect(await load({ 'main.ts': main })).toEqual(notLoaded(warning));
});

test.each([
  'setInterval(() => {}, 1000); export const app = 1;',
  'import { createServer } from "node:net"; createServer().listen(0, "127.0.0.1"); export const app = 1;',
  'process.on("uncaughtException", () => {}); setTimeout(() => { throw new Error("caught") }); export const app = 1;',
  'process.on("exit", () => { throw new Error("never called") }); export const app = 1;',
  'try { require("bufferutil") } catch {} export const app = 1;',
])('accepts what works: %s', async (main) => {
  expect(await load({ 'main.ts': main })).toEqual(loaded(['app']));
});

test.each([
  [
    'import { path } from "vendor"; import { readFileSync } from "node:fs"; path(); export const app = readFileSync(__dirname + "/x");',
    'needs x beside app.js',
  ],
  [
    'import { readFileSync } from "node:fs"; export const app = readFileSync(new URL("../x.txt", import.meta.url));',
    'needs ../x.txt beside app.js',
  ],
])('leaves a file that the build names to its warning: %s', async (main, warning) => {
  const cwd = folder({ 'main.ts': main });
  const request = { cwd, entry: join(cwd, 'main.ts'), external: ['vendor'] };
  const built = await bundle(request);
  expect(built.warnings).toContainEqual(expect.stringContaining(warning));
  expect(await loadTest(built, request)).toEqual(notLoaded());
});

test('names what is installed here, and missing in the archive, if a package fails that tries to load it', async () => {
  const files = {
    ...PACKAGE,
    ...IMPORTING,
    'node_modules/reader/lib/index.js':
      'import { createRequire } from "node:module"; const load = createRequire(import.meta.url); let native; try { native = load("@reader/linux/x.node"); } catch {}\nif (!native) throw new Error("no addon"); export default native;',
    'node_modules/@reader/linux/package.json': {
      name: '@reader/linux',
      dependencies: { 'reader-lib': '1', other: '1' },
    },
    'node_modules/@reader/linux/x.node': '',
    'node_modules/reader-lib/package.json': {},
  };
  const { warnings } = await load(files);
  expect(warnings).toEqual([
    'app.js throws an error while it is loaded: Error: no addon in node_modules/reader/lib/index.js:2 (reader@1.2.3); it may need @reader/linux/x.node, which is installed here, and not in the archive; add "include": [{ "from": "node_modules/@reader/linux", "to": "node_modules/@reader/linux" }, { "from": "node_modules/reader-lib", "to": "node_modules/reader-lib" }] to "bundle" (or --include node_modules/@reader/linux:node_modules/@reader/linux --include node_modules/reader-lib:node_modules/reader-lib)',
  ]);
  const included = ['@reader/linux', 'reader-lib'].map((name) => `node_modules/${name}`);
  const again = await load(files, { include: included.map((path) => ({ from: path, to: path })) });
  expect(again.warnings).toEqual([
    expect.stringMatching(/: Error: no addon in .*, after the load test denied it to load the addon .*x\.node$/),
  ]);
});

test('gives the code no environment', async () => {
  process.env['APPREG_TEST_SECRET'] = 'secret';
  const main =
    'export const app = 1; if (Object.keys(process.env).length > 0) throw new Error(Object.keys(process.env).join());';
  const result = await load({ 'main.ts': main });
  delete process.env['APPREG_TEST_SECRET'];
  expect(JSON.stringify(result)).not.toContain('APPREG');
});

test('loads a folder that is packed as it is', async () => {
  const files = {
    'app/app.js': 'module.exports = { app: require("./lib/a.js") };',
    'app/lib/a.js': 'module.exports = 1;',
  };
  expect((await load(files, { entry: 'app' })).exports).toEqual(['app', 'default']);
  const missing = {
    'app/app.js': 'export { a as app } from "./lib/a.js";',
    'app/lib/a.js': '\nexport { a } from "./b.js";',
  };
  await expect(load(missing, { entry: 'app' })).rejects.toMatchObject({
    code: 'load-failed',
    message: expect.stringContaining('file lib/b.js'),
  });
});

test('names a folder that exports nothing', async () => {
  expect(await load({ 'app/app.js': 'export {};' }, { entry: 'app' })).toEqual({
    ...loaded([]),
    warnings: ['app.js exports nothing; export the app from it'],
  });
  expect(await load({ 'main.ts': 'console.log(1);' })).toEqual(loaded([]));
});

test('leaves no folder', async () => {
  const temporary = folder();
  vi.stubEnv('TMPDIR', temporary);
  vi.stubEnv('TEMP', temporary);
  await load({ 'main.ts': 'throw 1;' });
  vi.unstubAllEnvs();
  expect(readdirSync(temporary).filter((name) => name.startsWith('appreg-load-'))).toEqual([]);
});
