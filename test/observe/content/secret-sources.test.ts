import { expect, test } from 'vitest';
import { PLANTED, PRIVATE_KEY } from '../../support/planted.ts';
import { inlineMap, scan } from './scan-support.ts';

/** The source files of secrets, as the code of a bundle names them. */

const [{ text, value } = { text: '', value: '' }] = PLANTED;
const filler = 'export function value(a, b) { return a.name + b["key"]; }\n'.repeat(12_000);
const sourceIn = async (files: Record<string, string>, size?: number): Promise<(string | undefined)[]> =>
  (await scan(files, { ...(size !== undefined && { size }) })).secrets.map(({ source }) => source);

test.each([
  ['of a package', '// node_modules/acme/index.js', 'node_modules/acme/index.js'],
  ['of a package elsewhere', '// ../../node_modules/.pnpm/acme@1/node_modules/acme/a.js', 'node_modules/acme/a.js'],
  ['of the app', '// src/main.ts', 'src/main.ts'],
  ['with a CRLF', '// src/main.ts\r', 'src/main.ts'],
])('a module %s', async (_, comment, source) => {
  const code = `// other.ts\nlet a;\n\n${comment}\n${filler}${text}\n// later.ts\nlet b;\n`;
  for (const size of [997, 65_536]) expect(await sourceIn({ 'app.js': code }, size)).toEqual([source]);
});

test.each([
  ['without comments', text],
  ['before the first comment', `${text}\n// src/main.ts\nlet a;\n`],
  ['after a comment that is not a path', `// The token of https://example.com/a.js\n${text}`],
])('unknown: code %s', async (_, code) => {
  expect(await sourceIn({ 'app.js': code.replaceAll('// one\n', '') })).toEqual([undefined]);
});

test('a comment with a secret in it is not repeated', async () => {
  const scanned = await scan({ 'app.js': `// ${value}/a.js\n${text.replace(value, `ghp_${'Ab3dE6gH9'.repeat(4)}`)}` });
  expect(JSON.stringify(scanned)).not.toContain(value);
});

test('minified code, by its source map', async () => {
  const sources = ['src/main.ts', '../node_modules/acme/index.js'];
  const map = {
    version: 3,
    sources,
    sourcesContent: [filler, `${filler}${text}\nconst k = ${JSON.stringify(PRIVATE_KEY)};`],
  };
  const code = `let t="${value}",k=${JSON.stringify(PRIVATE_KEY)};\n${inlineMap(map)}\n`;
  for (const size of [997, 65_536])
    expect(await sourceIn({ 'app.js': code }, size)).toEqual([
      'node_modules/acme/index.js',
      'node_modules/acme/index.js',
    ]);
  expect(await sourceIn({ 'app.js': `let t="${value}";`, 'ui.js': inlineMap(map).replace(value, '') })).toEqual([
    undefined,
    'node_modules/acme/index.js',
  ]);
});

test('a secret that only the source map has', async () => {
  const map = { version: 3, sources: ['a.ts', 'b.ts'], sourcesContent: [null, text] };
  expect(await sourceIn({ 'app.js': inlineMap(map) })).toEqual(['b.ts']);
});
