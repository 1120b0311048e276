import { describe, expect, test } from 'vitest';
import { built } from '../tree.ts';

type Files = Record<string, string>;

/** The warnings about an app with the code, and with files beside it. */
async function warningsOf(
  code: string,
  files: Files = {},
  options: Parameters<typeof built>[1] = {},
): Promise<string[]> {
  return (await built({ 'main.ts': `${code}\nexport const app = 1;`, ...files }, options)).warnings;
}

const FS = `import { readFileSync } from 'node:fs';\n`;
const REQUIRE = `import { createRequire } from 'node:module';\nconst load = createRequire(import.meta.url);\n`;

describe('what an archive does not contain is named with its place', () => {
  test.each<[string, string, Files, string[]]>([
    [
      'new URL() with import.meta.url',
      `${FS}export const text = readFileSync(new URL('./x.txt', import.meta.url));`,
      { 'x.txt': '' },
      ['main.ts:2: ', 'needs x.txt beside app.js', '"include": ["x.txt"]', '--include x.txt'],
    ],
    [
      'new URL() without ./',
      `${FS}export const text = readFileSync(new URL('data/x.txt', import.meta.url));`,
      { 'data/x.txt': '' },
      ['main.ts:2: ', '"include": ["data/x.txt"]'],
    ],
    [
      'a file that exists nowhere',
      `${FS}export const text = readFileSync(new URL('./gone.txt', import.meta.url));`,
      {},
      [
        'main.ts:2: ',
        'needs gone.txt beside app.js, and the archive does not contain it: put the file at gone.txt, and add "include": ["gone.txt"]',
        'or correct the path',
      ],
    ],
    [
      'a path from __dirname',
      `import { join } from 'node:path';\n${FS}export const text = readFileSync(join(__dirname, 'data', 'x.txt'));`,
      { 'data/x.txt': '' },
      ['main.ts:3: ', '"include": ["data/x.txt"]'],
    ],
    [
      'a sum with __dirname',
      `${FS}export const text = readFileSync(__dirname + '/x.txt');`,
      { 'x.txt': '' },
      ['main.ts:2: ', '"include": ["x.txt"]'],
    ],
    [
      'a template with import.meta.dirname',
      `${FS}export const text = readFileSync(\`\${import.meta.dirname}/x.txt\`);`,
      { 'x.txt': '' },
      ['main.ts:2: ', '"include": ["x.txt"]'],
    ],
    [
      'a folder from __filename',
      `import path from 'node:path';\nexport const folder = path.resolve(path.dirname(__filename), 'data');`,
      { 'data/x.txt': '' },
      ['main.ts:2: ', '"include": ["data/**"]'],
    ],
    [
      'a path through variables',
      `import { dirname, join } from 'node:path'; import { fileURLToPath } from 'node:url';\n${FS}const here = dirname(fileURLToPath(import.meta.url));\nexport const text = readFileSync(join(here, 'x.txt'));`,
      { 'x.txt': '' },
      ['main.ts:4: ', '"include": ["x.txt"]'],
    ],
    [
      'a path that is computed',
      `import { join } from 'node:path';\nexport const file = (name: string) => join(__dirname, name);`,
      {},
      ['main.ts:2: ', 'computes the path of a file beside app.js'],
    ],
    [
      'a path outside of the archive',
      `import { join } from 'node:path';\nexport const file = join(__dirname, '../x.txt');`,
      {},
      ['main.ts:2: ', 'needs ../x.txt', 'outside of the folder where the app is installed'],
    ],
    [
      'import.meta.resolve()',
      `export const file = import.meta.resolve('./x.txt');`,
      { 'x.txt': '' },
      ['main.ts:1: ', '"include": ["x.txt"]'],
    ],
    [
      'import.meta.resolve() of a package',
      `export const file = import.meta.resolve('dep');`,
      {},
      ['main.ts:1: ', 'loads dep,'],
    ],
    [
      'createRequire()',
      `${REQUIRE}export const data = load('./x.json');`,
      { 'x.json': '{}' },
      ['main.ts:3: ', '"include": ["x.json"]'],
    ],
    ['createRequire() of a package', `${REQUIRE}export const data = load('dep');`, {}, ['main.ts:3: ', 'loads dep,']],
    [
      'resolve() of createRequire()',
      `${REQUIRE}export const data = load.resolve('dep/x');`,
      {},
      ['main.ts:3: ', 'loads dep/x,'],
    ],
    [
      'require.resolve() of CommonJS',
      `import read from './read.cjs'; export const run = read;`,
      { 'read.cjs': `module.exports = () => require.resolve('dep/worker');` },
      ['read.cjs:1: ', 'loads dep/worker,'],
    ],
    [
      'a module whose name is computed',
      `import load from './load.cjs'; export const run = load;`,
      { 'load.cjs': `\nmodule.exports = (name) => require(name);` },
      ['load.cjs:2: require(name) loads a module whose name is only known at run time'],
    ],
    [
      'an import whose name is computed',
      `export const run = async (name: string) => import(name);`,
      {},
      ['main.ts:1: import(name) loads a module whose name'],
    ],
    [
      'a worker',
      `import { Worker } from 'node:worker_threads';\nexport const start = () => new Worker(new URL('./w.js', import.meta.url));`,
      { 'w.ts': 'export {};' },
      [
        'main.ts:2: ',
        'needs w.js beside app.js',
        'w.ts is code; build it to one file (npx esbuild w.ts ',
        ' --format=esm --outfile=w.js), and add',
      ],
    ],
    [
      'a process',
      `import { fork } from 'node:child_process';\nexport const start = () => fork('./child.js');`,
      { 'child.js': '' },
      ['main.ts:2: ', 'needs child.js', '"include": ["child.js"]'],
    ],
    [
      'a process that imports a package',
      `import { fork } from 'node:child_process';\nexport const start = () => fork('./child.js');`,
      { 'child.js': 'require("dep");' },
      ['main.ts:2: ', 'needs child.js', 'is code', '--format=cjs --outfile=child.js'],
    ],
    [
      'a source that the code names',
      `import { Worker } from 'node:worker_threads';\nexport const start = () => new Worker(new URL('./w.ts', import.meta.url));`,
      { 'w.ts': 'export {};' },
      ['main.ts:2: ', 'needs w.ts', 'build it to one file as w.js, refer to that name (', '"include": ["w.js"]'],
    ],
    [
      'a module without its suffix',
      `${REQUIRE}export const data = load('./x');`,
      { 'x.json': '{}' },
      ['main.ts:3: ', '"include": ["x.json"]'],
    ],
    [
      'a native addon',
      `import addon from './x.node';\nexport const run = () => addon;`,
      { 'x.node': '' },
      ['main.ts:1: ', 'needs x.node', '"include": ["x.node"]'],
    ],
    [
      'wasm beside the code',
      `export const locate = (find: (name: string) => string) => find('x.wasm');`,
      { 'x.wasm': '' },
      ['main.ts:1: ', '"include": ["x.wasm"]'],
    ],
  ])('%s', async (_, code, files, expected) => {
    const warnings = await warningsOf(code, files);
    expect(warnings).toHaveLength(1);
    for (const text of expected) expect(warnings[0]).toContain(text);
  });

  test('minified code has the same warnings', async () => {
    const code = `${FS}${REQUIRE}export const run = () => [load('dep'), readFileSync(__dirname + '/x.txt')];`;
    const warnings = await warningsOf(code, { 'x.txt': '' }, { minify: true });
    expect(warnings).toEqual([
      expect.stringMatching(/^main\.ts:4: .* loads dep,/),
      expect.stringMatching(/^main\.ts:4: .* needs x\.txt beside app\.js/),
    ]);
  });

  test('a package is named with its file', async () => {
    const warnings = await warningsOf(`import read from 'dep'; export const run = read;`, {
      'node_modules/dep/package.json': '{ "name": "dep", "version": "1.0.0", "license": "MIT" }',
      'node_modules/dep/LICENSE': 'MIT',
      'node_modules/dep/index.js': `const { readFileSync } = require('fs');\nmodule.exports = () => readFileSync(__dirname + '/data.bin');`,
      'node_modules/dep/data.bin': '',
    });
    expect(warnings).toEqual([expect.stringContaining('node_modules/dep/index.js:2 (package dep): ')]);
    expect(warnings[0]).toContain('"include": [{ "from": "node_modules/dep/data.bin", "to": "data.bin" }]');
  });

  test('modules by the imports of a package.json are named once, with what makes them work', async () => {
    const files = {
      'node_modules/dep/package.json':
        '{ "name": "dep", "version": "1.0.0", "license": "MIT", "type": "module", "main": "lib/index.js", "imports": { "#fonts/*": "./lib/fonts/*.cjs" } }',
      'node_modules/dep/LICENSE': 'MIT',
      'node_modules/dep/lib/index.js': `${REQUIRE}export const a = () => load('#fonts/a');\nexport const b = () => load('#fonts/b');`,
      'node_modules/dep/lib/fonts/a.cjs': '',
      'node_modules/dep/lib/fonts/b.cjs': '',
    };
    const code = `import { a, b } from 'dep'; export const run = [a, b];`;
    const warnings = await warningsOf(code, files);
    expect(warnings).toEqual([expect.stringContaining('loads #fonts/b, a name in the package.json of its package')]);
    expect(warnings[0]).toContain(
      '"include": [{ "from": "node_modules/dep/package.json", "to": "package.json" }, { "from": "node_modules/dep/lib/fonts", "to": "lib/fonts" }]',
    );
    const include = [
      { from: 'node_modules/dep/package.json', to: 'package.json' },
      { from: 'node_modules/dep/lib/fonts', to: 'lib/fonts' },
    ];
    expect(await warningsOf(code, files, { include })).toEqual([]);
  });

  test('an import that --external leaves is named', async () => {
    const warnings = await warningsOf(`import pg from 'pg';\nexport const run = pg;`, {}, { external: ['pg'] });
    expect(warnings).toEqual([expect.stringMatching(/^main\.ts:1: .* loads pg, which app\.js does not contain/)]);
  });
});

describe('code without a fault has no warning', () => {
  test.each<[string, string, Files?]>([
    ['a comment', `// new URL('./x.txt', import.meta.url), __dirname + '/x.txt'`],
    ['a string', `export const help = "new URL('./x.txt', import.meta.url)";`],
    ['a log line', 'console.log(`loaded from ${import.meta.url}`); console.log(import.meta.url, __dirname);'],
    ['a shadowed name', `export const join = (__dirname: string) => __dirname + '/x.txt';`],
    [
      'the main module',
      `import { fileURLToPath } from 'node:url';\nexport const isMain = process.argv[1] === fileURLToPath(import.meta.url);`,
    ],
    ['a module of Node', `${REQUIRE}export const os = load('node:os'); export const fs = load('fs');`],
    ['an absolute URL', `export const url = new URL('https://example.com/x.txt');`],
    [
      'a worker of text',
      `import { Worker } from 'node:worker_threads'; export const run = () => new Worker('1', { eval: true });`,
    ],
    ['code that is not used', `const unused = () => new URL('./x.txt', import.meta.url);`],
    ['wasm at another place', `export const url = 'x.wasm';`],
    ['the SDK', `import { app as sdk } from '@slflows/sdk/v1'; export const run = sdk;`],
    ['an optional module', `export const load = (name: string) => { try { return require(name); } catch {} };`],
    [
      'a module that is found when it is built',
      `export const load = async () => import('./' + 'x.ts');`,
      { 'x.ts': 'export {}' },
    ],
    ['an optional addon', `let addon; try { addon = require('./x.node'); } catch {} export const run = addon;`],
    ['an optional package', `let dep; try { dep = require('dep'); } catch {} export const run = dep;`],
    [
      'an optional file',
      `${FS}export const read = () => { try { return readFileSync(__dirname + '/x.txt'); } catch { return ''; } };`,
    ],
  ])('%s', async (_, code, files = {}) => {
    expect(await warningsOf(code, files)).toEqual([]);
  });

  test('a file or a folder that is included', async () => {
    const code = `${FS}export const run = () => [readFileSync(__dirname + '/x.txt'), new URL('./data/', import.meta.url)];`;
    const files = { 'x.txt': '', 'data/y.txt': '' };
    expect(await warningsOf(code, files, { include: ['x.txt', 'data/**'] })).toEqual([]);
  });
});
