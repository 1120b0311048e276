import { describe, expect, test } from 'vitest';
import { regionsIn } from '../../../src/observe/content/regions.ts';
import { PLANTED, PRIVATE_KEY, randomText } from '../../support/planted.ts';
import { type Files, scan } from './scan-support.ts';

const kindsIn = async (files: Files): Promise<string[]> => (await scan(files)).secrets.map(({ kind }) => kind);

describe('secrets', () => {
  test.each(PLANTED)('$kind in $entry', async ({ kind, entry, text, line, value }) => {
    const { secrets, secretCount } = await scan({ 'readme.txt': 'An app.\n', [entry]: text });
    expect(secrets).toEqual([{ kind, entry, line, fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) }]);
    expect(secretCount).toBe(1);
    expect(JSON.stringify(secrets)).not.toContain(value);
  });

  const [first] = PLANTED;
  if (first === undefined) throw new Error('There is no planted secret.');
  const { text } = first;

  test('the fingerprint depends on the value and its kind, not on its place', async () => {
    const [[one], [other], [third]] = await Promise.all([
      scan({ 'app.js': text }).then(({ secrets }) => secrets),
      scan({ 'lib/x.js': `\n\n${text}` }).then(({ secrets }) => secrets),
      scan({ 'app.js': `const a = 'ghp_${randomText(36, 'abcdefgh01234', 5)}'` }).then(({ secrets }) => secrets),
    ]);
    expect(other?.fingerprint).toBe(one?.fingerprint);
    expect(other?.line).toBe(4);
    expect(third?.fingerprint).not.toBe(one?.fingerprint);
  });

  test('the same value in several places is one secret', async () => {
    const { secrets, secretCount } = await scan({ 'app.js': text, 'ui.js': `${text}${text}` });
    expect(secrets.map(({ entry }) => entry)).toEqual(['app.js']);
    expect(secretCount).toBe(1);
  });

  const many = Array.from({ length: 23 }, (_, i) => `"ghp_${randomText(36, 'abcdefghijkLMNOP0123', i + 1)}"`);

  test('each of many is listed, so that each can be allowed', async () => {
    const { secrets, secretCount } = await scan({ 'app.js': many.join('\n') });
    expect([new Set(secrets.map(({ fingerprint }) => fingerprint)).size, secretCount]).toEqual([23, 23]);
  });

  test('more than are to be listed are counted', async () => {
    const { secrets, secretCount } = await scan({ 'app.js': many.join('\n') }, { maxListed: 20 });
    expect([secrets.length, secretCount]).toEqual([20, 23]);
  });

  test.each([
    ['inline, in base64', 'application/json;base64,'],
    ['with a charset', 'application/json;charset=utf-8;base64,'],
  ])('in a source map: %s', async (_, type) => {
    const source = `${'// é comment\n'.repeat(40_000)}${text}`;
    const map = JSON.stringify({ version: 3, sources: ['a.ts'], sourcesContent: [source], mappings: '' });
    const code = `let a;\n//# sourceMappingURL=data:${type}${Buffer.from(map).toString('base64')}\nlet b;\n`;
    for (const size of [1000, 64 * 1024])
      expect((await scan({ 'app.js': code }, { size })).secrets).toMatchObject([
        { kind: 'github-token', entry: 'app.js', line: 2 },
      ]);
  });

  test('a private key in a source map', async () => {
    const map = JSON.stringify({ sourcesContent: [`const key = ${JSON.stringify(PRIVATE_KEY)}`] });
    const code = `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}`;
    expect(await kindsIn({ 'app.js': code })).toEqual(['private-key']);
  });

  test('in UTF-16, as PowerShell writes a file', async () => {
    const bytes = Buffer.from('\ufeffAPI_TOKEN=9b1f4c77d2e05a68\r\n', 'utf16le');
    expect(await kindsIn({ '.env': bytes })).toEqual(['env-file']);
  });

  test('a private key after the first lines of others', async () => {
    expect(await kindsIn({ 'app.js': `${'-----BEGIN PRIVATE KEY-----\n'.repeat(3)}${PRIVATE_KEY}` })).toEqual([
      'private-key',
    ]);
  });

  test('in a large settings file, wherever its parts end', async () => {
    const lines = Array.from({ length: 4000 }, (_, i) => `KEY_${i}=${randomText(16, 'abcdefghijkLMNOP0123', i)}`);
    const { secrets, secretCount } = await scan({ '.env': lines.join('\n') }, { maxListed: 10 });
    expect([secretCount, secrets[9]?.line]).toEqual([4000, 10]);
  });

  test('a comment does not turn the scan off', async () => {
    expect(await kindsIn({ 'app.js': `/* secretlint-disable */\n${text}` })).toEqual(['github-token']);
  });
});

/** Text without secrets in it, of any length. */
const filler = (length: number): string =>
  'export function value(a, b) { return a.name + b["key"]; } // naïve\n'
    .repeat(Math.ceil(length / 60))
    .slice(0, length);

describe('borders', () => {
  const [{ text } = { text: '' }] = PLANTED;
  const key = PLANTED.find(({ entry }) => entry === 'lib/server.pem')?.text ?? '';

  // 256 Ki characters belong to a window; the reader gets pieces of other sizes.
  const offsets = [-40_000, -700, -60, -30, -1, 0, 1, 30, 900].map((offset) => 256 * 1024 + offset);
  test.each(offsets)('a secret at %d is found once, wherever chunks end', async (at) => {
    const file = `${filler(at)}\n${text}\n${filler(30_000)}\n${key}${filler(5000)}`;
    const expected = await scan({ 'app.js': file }, { size: 1e7 });
    expect(expected.secrets.map(({ kind }) => kind)).toEqual(['github-token', 'private-key']);
    const lines = file.slice(0, file.indexOf('ghp_')).split('\n').length;
    expect(expected.secrets[0]?.line).toBe(lines);
    for (const size of [997, 65_537]) expect(await scan({ 'app.js': file }, { size })).toEqual(expected);
  });

  test('every chunk size sees the same', async () => {
    const files = Object.fromEntries(PLANTED.slice(-8).map((one, i) => [`${i}/${one.entry}`, one.text]));
    const expected = await scan(files);
    expect(expected.secretCount).toBe(5);
    for (const size of [1, 7, 300]) expect(await scan(files, { size })).toEqual(expected);
  }, 60_000);

  test('an entry of 60 MB is scanned in little memory', async () => {
    const part = Buffer.from(filler(1_000_000));
    const { ContentScanner } = await import('../../../src/observe/content/scan-content.ts');
    const scanner = new ContentScanner();
    const before = process.memoryUsage().heapUsed;
    let most = 0;
    scanner.open('app.js', part.length * 60 + Buffer.byteLength(text));
    for (let i = 0; i < 60; i += 1) {
      scanner.write(part);
      await scanner.drain();
      most = Math.max(most, process.memoryUsage().heapUsed);
    }
    scanner.write(Buffer.from(text));
    expect((await scanner.end()).secrets).toMatchObject([{ kind: 'github-token' }]);
    expect(most - before).toBeLessThan(60e6);
  }, 60_000);
});

test('regions stay small, so that detectors take linear time', () => {
  const text = 'ghp_0123456789abcdefghijABCDEFGHIJ012345 '.repeat(7000);
  const window = { text, from: 0, to: text.length, line: 1, isFirst: true, isLast: true };
  const secrets = regionsIn(window);
  expect(Math.max(...secrets.map(({ from, to }) => to - from))).toBeLessThan(40_000);
  const searched = secrets.reduce((sum, { from, to }) => sum + to - from, 0);
  expect(searched).toBeLessThan(1.3 * text.length);
});

test.each<[string, Files]>([
  ['a placeholder of npm', { '.npmrc': '//registry.npmjs.org/:_authToken=${NPM_TOKEN}\n' }],
  ['a template of settings', { '.env.example': 'API_TOKEN=9b1f4c77d2e05a68\n' }],
  ['settings without values', { '.env': 'API_TOKEN=\nDB_PASSWORD=""\n# KEY=abc\nSECRET=${SECRET}\nX_KEY=changeme\n' }],
  [
    'settings that are not secret',
    { '.env': 'NODE_ENV=production\nPORT=3000\nDEBUG=true\nLOG_LEVEL=info\nAPI_URL=https://api.flows.net/v1\n' },
  ],
  [
    'keys of the documentation of AWS',
    { 'app.js': 'const a = "AKIAIOSFODNN7EXAMPLE", secretAccessKey = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";' },
  ],
  [
    'a URL of documentation',
    { 'app.js': '// https://user:pass@example.com/ postgres://user:password@localhost/db http://foo:bar@proxy.net/' },
  ],
  [
    'a token that is a template',
    { 'app.js': '`https://${user}:${token}@github.com/x`; "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"' },
  ],
  ['a public key', { 'app.js': PRIVATE_KEY.replaceAll('PRIVATE', 'PUBLIC') }],
  ['a certificate', { 'ca.pem': PRIVATE_KEY.replaceAll('PRIVATE KEY', 'CERTIFICATE') }],
  [
    'the name of a key',
    { 'app.js': 'if (text.includes("-----BEGIN PRIVATE KEY-----")) parse("-----END PRIVATE KEY-----");' },
  ],
  ['an abridged key', { 'app.js': '"-----BEGIN PRIVATE KEY-----\\nMIIEvgIBADANBg...\\n-----END PRIVATE KEY-----"' }],
  [
    'a hash',
    {
      'app.js': `const integrity = "sha512-${randomText(86, 'abcdefABCDEF0123456789+/', 9)}==", h = "${randomText(64, '0123456789abcdef', 8)}";`,
    },
  ],
  ['a key in the tests of a package', { 'node_modules/jws/test/fixtures/key.pem': PRIVATE_KEY }],
  ['a key in the documentation of a package', { 'node_modules/jws/README.md': PRIVATE_KEY }],
  [
    'a file that is not text',
    { 'app.wasm': Buffer.concat([Buffer.from([0, 97, 115, 109]), Buffer.from(PRIVATE_KEY)]) },
  ],
])('no secret: %s', async (_, files) => {
  expect(await scan(files)).toMatchObject({ secrets: [], secretCount: 0 });
});
