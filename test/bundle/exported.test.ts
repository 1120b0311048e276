import { expect, test } from 'vitest';
import { built } from './tree.ts';

test.each<[entry: string, files: Record<string, string>, warning: string]>([
  ['main.ts', { 'main.ts': '' }, 'app.js is empty: main.ts exports nothing, and runs no code; export the app from it'],
  ['main.ts', { 'main.ts': 'export interface App { name: string }' }, 'app.js is empty: '],
  ['main.ts', { 'main.ts': 'const app = () => 1;' }, 'app.js is empty: '],
  ['main.ts', { 'main.ts': 'console.log(1);' }, 'app.js exports nothing; export the app from main.ts'],
  ['main.ts', { 'main.ts': 'import "./a.ts";', 'a.ts': 'console.log(1);' }, 'app.js exports nothing; '],
  [
    'main.cjs',
    { 'main.cjs': 'exports.app = 1;' },
    'app.js exports only default, since main.cjs is a CommonJS module; ',
  ],
  ['main.js', { 'main.js': 'module.exports = { app: 1 };' }, 'since main.js is a CommonJS module; '],
  ['main.ts', { 'main.ts': 'const app = 1; export = app;' }, 'since main.ts is a CommonJS module; '],
])('%s with %j: %s', async (entry, files, warning) => {
  expect((await built(files, {}, entry)).warnings).toEqual([expect.stringContaining(warning)]);
  expect((await built(files, { minify: true }, entry)).warnings).toEqual([expect.stringContaining(warning)]);
});

test.each([
  'export const app = 1;',
  'export default 1;',
  'export * from "./a.ts";',
  'export * from "@slflows/sdk/v1";',
  'import app = require("./b.cjs"); export { app };',
])('no warning: %s', async (main) => {
  const files = { 'main.ts': main, 'a.ts': 'export const app = 1;', 'b.cjs': 'exports.app = 1;' };
  expect((await built(files)).warnings).toEqual([]);
  expect((await built(files, { minify: true })).warnings).toEqual([]);
});
