import { expect, test } from 'vitest';
import { built } from './tree.ts';

const ON = '{ "compilerOptions": { "experimentalDecorators": true, "emitDecoratorMetadata": true } }';
const OFF = ON.replace('"emitDecoratorMetadata": true', '"emitDecoratorMetadata": false');
const CLASS =
  'const own = (...all: unknown[]): void => void all;\n@own\nexport class App { constructor(readonly x: Date) {} }\n';

const WARNING = 'main.ts:2: esbuild does not support emitDecoratorMetadata, which tsconfig.json sets: ';

test.each<[title: string, files: Record<string, string>, warning: string]>([
  ['a class', { 'main.ts': CLASS, 'tsconfig.json': ON }, WARNING],
  [
    'a setting that is extended',
    { 'main.ts': CLASS, 'tsconfig.json': '{ "extends": "./base" }', 'base.json': ON },
    'which base.json sets',
  ],
  [
    'a setting of a package',
    {
      'main.ts': CLASS,
      'tsconfig.json': '{ "extends": "@acme/tsconfig/nest.json" }',
      'node_modules/@acme/tsconfig/nest.json': ON,
    },
    'which node_modules/@acme/tsconfig/nest.json sets',
  ],
  [
    'the last of several',
    { 'main.ts': CLASS, 'tsconfig.json': '{ "extends": ["./a.json", "./b.json"] }', 'a.json': OFF, 'b.json': ON },
    'which b.json sets',
  ],
  [
    'a parameter of a class without a decorator',
    { 'main.ts': CLASS.replace('@own\n', '\n').replace('(readonly', '(@own readonly'), 'tsconfig.json': ON },
    'main.ts:3: ',
  ],
  [
    'a file with a tsconfig.json of its own',
    { 'main.ts': 'export { App } from "./lib/app.ts";', 'lib/app.ts': CLASS, 'lib/tsconfig.json': ON },
    'lib/app.ts:2: esbuild does not support emitDecoratorMetadata, which lib/tsconfig.json sets: ',
  ],
])('types of decorators that are dropped: %s', async (_, files, warning) => {
  const expected = [expect.stringContaining(warning)];
  expect((await built(files)).warnings).toEqual(expected);
  expect((await built(files, { minify: true })).warnings).toEqual(expected);
});

test.each<[title: string, files: Record<string, string>]>([
  ['no setting', { 'main.ts': CLASS, 'tsconfig.json': '{ "compilerOptions": { "experimentalDecorators": true } }' }],
  ['a comment', { 'main.ts': CLASS, 'tsconfig.json': ON.replace('"emit', '// "emit').replace('true } }', '\n } }') }],
  ['an override', { 'main.ts': CLASS, 'tsconfig.json': OFF.replace('{', '{ "extends": "./a.json", '), 'a.json': ON }],
  ['no decorators', { 'main.ts': 'export const app = "a@b.c"; // @own\n/**\n * @own\n */', 'tsconfig.json': ON }],
  [
    'code that is not used',
    {
      'main.ts': 'import "./a.ts"; export const app = 1;',
      'a.ts': 'class A { @own x = 1 }'.replace('@own', ''),
      'tsconfig.json': ON,
    },
  ],
  [
    'code of a package',
    {
      'main.ts': 'export { App } from "dep";',
      'tsconfig.json': ON,
      'node_modules/dep/package.json': '{ "name": "dep", "version": "1.0.0", "main": "index.ts" }',
      'node_modules/dep/index.ts': CLASS,
      'node_modules/dep/LICENSE': 'MIT',
    },
  ],
])('no warning: %s', async (_, files) => {
  expect((await built(files)).warnings).toEqual([]);
});
