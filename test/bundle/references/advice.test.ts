import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { bundle, type Bundle, type BundleOptions } from '../../../src/bundle/bundle.ts';
import { loadTest } from '../../../src/bundle/load-test/load-test.ts';
import { tree } from '../tree.ts';
import { result, settingIn } from './follow.ts';

/** An app is built, its warning or refusal is followed, and it then runs unpacked, alone, in a process of its own. */

const run = promisify(execFile);
const FS = `import { readFileSync } from 'node:fs';\n`;
const WASM = Buffer.from('0061736d01000000', 'hex');
const WORKER = `import { Worker } from 'node:worker_threads';
const run = (name) => new Promise((done, failed) => new Worker(name).on('message', done).on('error', failed));\n`;
const REPLY = `import { parentPort } from 'node:worker_threads';\nparentPort.postMessage('ok');`;

/** The command in a text, with the esbuild of this repository. */
async function build(text: string, cwd: string): Promise<void> {
  const [, words] = /\(npx esbuild ([^)]*)\)/.exec(text) ?? [];
  if (words === undefined) return;
  const program = createRequire(import.meta.url).resolve('esbuild/bin/esbuild');
  await run(process.execPath, [program, ...words.split(' ')], { cwd });
}

async function refusalOf(built: Bundle, options: BundleOptions): Promise<string | null> {
  return loadTest(built, options).then(
    () => null,
    ({ hint }: { hint: string }) => hint,
  );
}

const PACKAGE = {
  'node_modules/dep/package.json': '{ "name": "dep", "version": "1.0.0", "license": "MIT", "main": "lib/index.js" }',
  'node_modules/dep/LICENSE': 'MIT',
};

test.each<[title: string, files: Record<string, string | Uint8Array>, entry?: string]>([
  [
    'new URL() with import.meta.url',
    {
      'main.js': `${FS}export const run = async () => { await WebAssembly.compile(readFileSync(new URL('./x.wasm', import.meta.url))); return 'ok'; };`,
      'x.wasm': WASM,
    },
  ],
  [
    'a file of another folder',
    {
      'src/app/main.js': `${FS}export { run } from '../lib/read.js';`,
      'src/lib/read.js': `${FS}export const run = () => readFileSync(new URL('./x.txt', import.meta.url), 'utf8');`,
      'src/lib/x.txt': 'ok',
    },
    'src/app/main.js',
  ],
  [
    '__dirname',
    {
      'main.js': `${FS}import { join } from 'node:path';\nexport const run = () => readFileSync(join(__dirname, 'data', 'x y.txt'), 'utf8');`,
      'data/x y.txt': 'ok',
    },
  ],
  [
    '__dirname of a package, while it is loaded',
    {
      'src/main.js': `import dep from 'dep'; export const run = () => dep;`,
      ...PACKAGE,
      'node_modules/dep/lib/index.js': `module.exports = require('fs').readFileSync(__dirname + '/x.txt', 'utf8');`,
      'node_modules/dep/lib/x.txt': 'ok',
    },
    'src/main.js',
  ],
  [
    'a folder of a package',
    {
      'src/main.js': `import dep from 'dep'; export const run = () => dep('x');`,
      ...PACKAGE,
      'node_modules/dep/lib/index.js': `const { join } = require('path');\nconst folder = join(__dirname, 'data');\nmodule.exports = (name) => require('fs').readFileSync(folder + '/' + name + '.txt', 'utf8');`,
      'node_modules/dep/lib/data/x.txt': 'ok',
    },
    'src/main.js',
  ],
  [
    'import.meta.dirname',
    { 'main.js': `${FS}export const run = () => readFileSync(import.meta.dirname + '/x.txt', 'utf8');`, 'x.txt': 'ok' },
  ],
  [
    'import.meta.resolve()',
    {
      'main.js': `${FS}export const run = () => readFileSync(new URL(import.meta.resolve('./x.txt')), 'utf8');`,
      'x.txt': 'ok',
    },
  ],
  [
    'createRequire()',
    {
      'main.js': `import { createRequire } from 'node:module';\nconst load = createRequire(import.meta.url);\nexport const run = () => load('./x.json').x;`,
      'x.json': '{ "x": "ok" }',
    },
  ],
  [
    'createRequire() without a suffix',
    {
      'main.js': `import { createRequire } from 'node:module';\nconst load = createRequire(import.meta.url);\nexport const run = () => load('./x');`,
      'x.js': `module.exports = require('path').basename('/ok');`,
    },
  ],
  [
    'a module that cannot be bundled, while it is loaded',
    {
      'main.js': `const name = './x' + '.json';\nconst x = require(name);\nexport const run = () => x.x;`,
      'x.json': '{ "x": "ok" }',
    },
  ],
  [
    'a worker',
    {
      'main.js': `${WORKER}const worker = () => run(new URL('./w.mjs', import.meta.url));\nexport { worker as run };`,
      'w.mjs': REPLY,
    },
  ],
  [
    'a worker of TypeScript that imports another file',
    {
      'main.js': `${WORKER}const worker = () => run(new URL('./w.js', import.meta.url));\nexport { worker as run };`,
      'w.ts': `import { reply } from './reply.ts';\nimport { parentPort } from 'node:worker_threads';\nparentPort!.postMessage(reply);`,
      'reply.ts': `export const reply: string = 'ok';`,
    },
  ],
  [
    'a worker of a package that imports another package',
    {
      'src/main.js': `import dep from 'dep'; export const run = dep;`,
      ...PACKAGE,
      'node_modules/dep/lib/index.js': `const { Worker } = require('worker_threads'); const { join } = require('path');\nmodule.exports = () => new Promise((done, failed) => new Worker(join(__dirname, 'worker.js')).on('message', done).on('error', failed));`,
      'node_modules/dep/lib/worker.js': `require('worker_threads').parentPort.postMessage(require('reply'));`,
      'node_modules/reply/index.js': `module.exports = 'ok';`,
    },
    'src/main.js',
  ],
])('advice that is followed makes the app work: %s', async (_, files, entry = 'main.js') => {
  const cwd = tree(files);
  const options = { cwd, entry: join(cwd, entry) };
  const built = await bundle(options);
  const refusal = await refusalOf(built, options);
  expect(built.warnings.length + (refusal === null ? 0 : 1)).toBeGreaterThan(0);
  const texts = [...built.warnings, ...(refusal === null ? [] : [refusal])];
  for (const text of texts) await build(text, cwd);
  const settings = texts.map(settingIn);
  for (const include of settings) {
    const followed = { ...options, include };
    const corrected = await bundle(followed);
    expect(corrected.warnings).toEqual([]);
    expect(await loadTest(corrected, followed)).toMatchObject({ exports: ['run'], warnings: [] });
    expect(await result(corrected)).toBe('ok');
  }
});

test('a package in the store of pnpm is named as it is installed', async () => {
  const store = 'node_modules/.pnpm/dep@1.0.0/node_modules/dep';
  const cwd = tree({
    'src/main.js': `import dep from 'dep'; export const run = () => dep;`,
    [`${store}/package.json`]: PACKAGE['node_modules/dep/package.json'],
    [`${store}/lib/index.js`]: `module.exports = () => require('fs').readFileSync(__dirname + '/x.txt', 'utf8');`,
    [`${store}/lib/x.txt`]: 'ok',
    [`${store}/LICENSE`]: 'MIT',
  });
  const link = join(cwd, 'node_modules/dep');
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(join(cwd, store), link);
  const { warnings } = await bundle({ cwd, entry: join(cwd, 'src/main.js') });
  expect(warnings.map(settingIn)).toEqual([[{ from: 'node_modules/dep/lib/x.txt', to: 'x.txt' }]]);
});
