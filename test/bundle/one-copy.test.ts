import { expect, test } from 'vitest';
import { built, unpacked } from './tree.ts';

/** Two packages that need c@1, beside c@2 at the top. */
function installed(copies: { a: Record<string, string>; b: Record<string, string> }): Record<string, string> {
  const files: Record<string, string> = {
    'main.js': `import a from 'a'; import b from 'b'; import c from 'c'; export const app = [a, b, c];`,
    'node_modules/c/index.js': `module.exports = 'two';`,
    'node_modules/c/package.json': '{ "name": "c", "version": "2.0.0" }',
  };
  for (const owner of ['a', 'b'] as const) {
    files[`node_modules/${owner}/index.js`] = `module.exports = require('c/lib');`;
    files[`node_modules/${owner}/package.json`] = `{ "name": "${owner}", "version": "1.0.0" }`;
    for (const [path, text] of Object.entries(copies[owner]))
      files[`node_modules/${owner}/node_modules/${path}`] = text;
  }
  return files;
}

const C = {
  'c/package.json': '{ "name": "c", "version": "1.0.0", "exports": { "./lib": "./lib/main.js" } }',
  'c/lib/main.js': `module.exports = { one: require('./part.js') };`,
  'c/lib/part.js': `module.exports = 'part';`,
};

async function copiesOfPart(files: Record<string, string>, minify = false): Promise<number> {
  const { archive } = await built(files, { notices: false, minify }, 'main.js');
  const code = (await unpacked(archive))['app.js'] ?? '';
  return code.split('"part"').length - 1;
}

test.each([false, true])('copies of one version are one in the code (minified: %s)', async (minify) => {
  expect(await copiesOfPart(installed({ a: C, b: C }), minify)).toBe(1);
});

test.each<[title: string, other: Record<string, string>]>([
  ['another version', { ...C, 'c/package.json': C['c/package.json'].replace('1.0.0', '1.0.1') }],
  ['a file that was changed', { ...C, 'c/lib/main.js': `module.exports = { two: require('./part.js') };` }],
  [
    'another dependency',
    { ...C, 'c/lib/part.js': `module.exports = 'part' + require('d');`, 'd/index.js': `module.exports = 1;` },
  ],
])('copies that differ stay: %s', async (_, other) => {
  const first = other['d/index.js'] === undefined ? C : { ...other, 'd/index.js': 'module.exports = 2;' };
  expect(await copiesOfPart(installed({ a: first, b: other }))).toBe(2);
});

test('errors in code with copies are reported', async () => {
  const files = installed({ a: C, b: C });
  await expect(
    built({ ...files, 'main.js': `${files['main.js']} import 'gone';` }, {}, 'main.js'),
  ).rejects.toMatchObject({ code: 'build-failed' });
});
