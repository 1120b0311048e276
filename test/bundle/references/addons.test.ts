import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundle, type BundleOptions } from '../../../src/bundle/bundle.ts';
import { tree } from '../tree.ts';

/** Files of a package `dep`, and of the packages that find its addon. */
function packages(files: Record<string, string>): Record<string, string> {
  const finders = ['bindings', 'node-gyp-build', '@mapbox/node-pre-gyp'].flatMap((name) => [
    [`node_modules/${name}/package.json`, `{ "name": "${name}", "version": "1.0.0" }`],
    [`node_modules/${name}/LICENSE`, 'MIT'],
    [`node_modules/${name}/index.js`, 'module.exports = (path) => require(path);'],
  ]);
  return {
    'src/main.js': `import dep from 'dep'; export const run = dep;`,
    'node_modules/dep/package.json': '{ "name": "dep", "version": "1.0.0", "main": "index.js" }',
    'node_modules/dep/LICENSE': 'MIT',
    ...Object.fromEntries(finders),
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`node_modules/dep/${path}`, text])),
  };
}

async function warningsOf(files: Record<string, string>, options: Partial<BundleOptions> = {}): Promise<string[]> {
  const cwd = tree(packages(files));
  return (await bundle({ cwd, entry: join(cwd, 'src/main.js'), ...options })).warnings;
}

const GYP_BUILD = `module.exports = require('node-gyp-build')(__dirname);`;
const BINDINGS = `module.exports = require('bindings')('dep.node');`;
const HERE = `${process.platform}-${process.arch}`;

test.each<
  [title: string, files: Record<string, string>, place: string, advice: string, include: BundleOptions['include']]
>([
  [
    'prebuilt addons',
    { 'index.js': GYP_BUILD, 'prebuilds/linux-x64/dep.node': 'x', 'prebuilds/darwin-arm64/dep.node': 'x' },
    'index.js:1 (package dep): require("node-gyp-build") ',
    'it then runs on darwin-arm64, linux-x64',
    [{ from: 'node_modules/dep/prebuilds', to: 'prebuilds' }],
  ],
  [
    'a compiled addon of node-gyp-build',
    { 'index.js': GYP_BUILD, 'build/Release/dep.node': 'x' },
    'index.js:1 (package dep): require("node-gyp-build") ',
    `it then runs on ${HERE}`,
    [{ from: 'node_modules/dep/build/Release/dep.node', to: 'build/Release/dep.node' }],
  ],
  [
    'a compiled addon of bindings',
    { 'index.js': `module.exports = require('./lib/a.js');`, 'lib/a.js': BINDINGS, 'build/Release/dep.node': 'x' },
    'lib/a.js:1 (package dep): require("bindings") ',
    `it then runs on ${HERE}`,
    [
      { from: 'node_modules/dep/build/Release/dep.node', to: 'build/Release/dep.node' },
      { from: 'node_modules/dep/package.json', to: 'node_modules/dep/package.json' },
    ],
  ],
])('an addon that can be included: %s', async (_, files, place, advice, include) => {
  const warnings = await warningsOf(files);
  expect(warnings).toEqual([expect.stringContaining(`node_modules/dep/${place}looks for a native addon (.node)`)]);
  expect(warnings[0]).toContain(advice);
  const [, setting = ''] = /"include": (\[.*?\]) to "bundle"/.exec(warnings[0]!) ?? [];
  expect(JSON.parse(setting)).toEqual(include);
  expect(await warningsOf(files, { include: include! })).toEqual([]);
  expect(await warningsOf(files, { minify: true })).toEqual([expect.stringContaining(advice)]);
});

test.each<[title: string, files: Record<string, string>]>([
  [
    'the path of the package leads out of the archive',
    {
      'index.js': `module.exports = require('./lib/a.js');`,
      'lib/a.js': `module.exports = require('node-gyp-build')(require('path').join(__dirname, '..'));`,
      'prebuilds/linux-x64/dep.node': 'x',
    },
  ],
  ['none is compiled', { 'index.js': BINDINGS }],
  [
    'the place is in package.json',
    {
      'index.js': `module.exports = require('@mapbox/node-pre-gyp')(__dirname + '/package.json');`,
      'build/Release/dep.node': 'x',
    },
  ],
])('an addon that no archive can have: %s', async (_, files) => {
  expect(await warningsOf(files)).toContainEqual(
    expect.stringContaining('it is found only where the package is installed and compiled; prefer a version'),
  );
});

test.each<[title: string, files: Record<string, string>]>([
  ['of a finder', { 'index.js': `try { module.exports = require('bindings')('dep.node'); } catch {}` }],
  ['of a file', { 'index.js': `try { module.exports = require('./build/Release/dep.node'); } catch {}` }],
  [
    'with a computed name',
    { 'index.js': 'const name = `./dep-${process.arch}.node`; try { module.exports = require(name); } catch {}' },
  ],
  [
    'with a name that a template computes',
    { 'index.js': 'try { module.exports = require(`./dep-${process.arch}.node`); } catch {}', 'dep-x64.node': '' },
  ],
  [
    'of a module that is optional itself',
    {
      'index.js': `let addon; try { addon = require('./addon.js'); } catch {}\nmodule.exports = addon;`,
      'addon.js': `module.exports = require('../build/Release/dep.node');`,
    },
  ],
  [
    'of a package that is optional itself, loaded by several files',
    {
      'index.js': `try { require('./a.js')(); } catch {}\nmodule.exports = require('./b.js');`,
      'a.js': `const find = require('./find.js'); module.exports = () => find;`,
      'b.js': `let find; try { find = require('./find.js'); } catch {}\nmodule.exports = find;`,
      'find.js': BINDINGS,
    },
  ],
])('an optional addon is no warning: %s', async (_, files) => {
  expect(await warningsOf(files)).toEqual([]);
});

test('each addon that a template may name is a file that can be included', async () => {
  const files = {
    'index.js': 'module.exports = (name) => name && require(`./build/dep-${process.arch}.node`);',
    'build/dep-arm64.node': '',
    'build/dep-x64.node': '',
  };
  expect(await warningsOf(files)).toEqual(
    ['arm64', 'x64'].map((arch) =>
      expect.stringContaining(
        `add "include": [{ "from": "node_modules/dep/build/dep-${arch}.node", "to": "build/dep-${arch}.node" }]`,
      ),
    ),
  );
  const include = [{ from: 'node_modules/dep/build', to: 'build' }];
  expect(await warningsOf(files, { include })).toEqual([]);
});

test('a package that is an addon is an error with the settings that make it work', async () => {
  const files = {
    'index.js': `let addon; const errors = [];\ntry { addon = require('@dep/here'); } catch (error) { errors.push(error); }\nif (!addon) throw errors[0];\nmodule.exports = addon;`,
    '../@dep/here/package.json': '{ "name": "@dep/here", "main": "here.node" }',
    '../@dep/here/here.node': '',
  };
  const refused: unknown = await warningsOf(files).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: 'build-failed',
    hint: 'The package “@dep/here” is a native addon (.node), which cannot be in app.js: declare it with --external @dep/here, and add "include": [{ "from": "node_modules/@dep/here", "to": "node_modules/@dep/here" }] to "bundle" (or --include node_modules/@dep/here:node_modules/@dep/here); the archive then runs only on the platform of that package.',
  });
  const include = [{ from: 'node_modules/@dep/here', to: 'node_modules/@dep/here' }];
  expect(await warningsOf(files, { external: ['@dep/here'], include })).toEqual([]);
});

test('a module that is optional in one place is needed in another one', async () => {
  const warnings = await warningsOf({
    'index.js': `try { require('./addon.js'); } catch {}\nmodule.exports = require('./b.js');`,
    'b.js': `module.exports = require('./addon.js');`,
    'addon.js': `module.exports = require('./dep.node');`,
  });
  expect(warnings).toEqual([expect.stringContaining('needs dep.node beside app.js')]);
});
