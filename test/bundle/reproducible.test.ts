import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { APP, buildBundler, checksum, otherCopy, type Where } from './reproducible-fixture.ts';
import { tree } from './tree.ts';

/** The bytes of an artifact depend on the sources alone; test/platforms has other versions of Node. */

beforeAll(buildBundler);

describe.each([
  ['built', {}],
  ['minified, with maps', { minify: true, sourcemap: true }],
])('a bundle that is %s', (_, options) => {
  test('has the same bytes in any folder, time zone, language and file order, and with any user mask', () => {
    const first = tree(APP);
    const expected = checksum(first, options);
    expect(JSON.parse(expected)[0]).toMatch(/^sha256:[0-9a-f]{64}$/);

    const second = otherCopy();
    symlinkSync(second, join(second, '../../link'));
    const elsewhere: [string, string, Where][] = [
      ['again', first, {}],
      ['another folder', second, {}],
      ['inside it', second, { cwd: join(second, 'src') }],
      ['through a link', join(second, '../../link'), { cwd: '/' }],
      ['another user mask', first, { env: { MASK: '63' } }],
      ['another language', first, { env: { LANG: 'tr_TR.UTF-8', LC_ALL: 'tr_TR.UTF-8', LANGUAGE: 'tr' } }],
      ['another zone', first, { env: { TZ: 'Asia/Kathmandu' } }],
      ['another setting', first, { env: { NODE_ENV: 'production', SOURCE_DATE_EPOCH: '1', FORCE_COLOR: '1' } }],
      ['fewer threads', first, { env: { UV_THREADPOOL_SIZE: '1', GOMAXPROCS: '1', GOGC: '10' } }],
    ];
    const got = elsewhere.map(([name, folder, where]) => [name, checksum(folder, options, where)]);
    expect(got).toEqual(elsewhere.map(([name]) => [name, expected]));
  }, 60_000);
});

test('a packed folder has the same bytes for any order, dates and modes of its files', () => {
  const first = tree(APP);
  const second = otherCopy();
  const plain = { ui: undefined, include: undefined };
  const expected = checksum(first, { ...plain, entry: first });
  expect(checksum(second, { ...plain, entry: second }, { env: { MASK: '63' } })).toBe(expected);
});

/** Another zlib in place of that of Node, as in the packages of distributions; CommonJS, loaded first. */
const OTHER_ZLIB: Record<string, string> = {
  'zlib with another level': `const { deflateRaw } = zlib;
    zlib.deflateRaw = (bytes, options, done) => deflateRaw(bytes, { ...options, level: 6 }, done);`,
  'zlib with more memory': `const { deflateRaw } = zlib;
    zlib.deflateRaw = (bytes, options, done) => deflateRaw(bytes, { ...options, memLevel: 9 }, done);`,
  fflate: `const { deflateSync } = require('fflate');
    zlib.deflateRaw = (bytes, { level, dictionary }, done) =>
      process.nextTick(done, null, Buffer.from(deflateSync(bytes, { level, dictionary })));`,
};

test.each(Object.entries(OTHER_ZLIB))('a bundle has the same bytes on a Node with %s', (_, code) => {
  const numbers = Array.from({ length: 30_000 }, (_item, index) => (index * 48_271) % 65_537);
  const app = tree({ ...APP, 'src/numbers.json': JSON.stringify(numbers) });
  const preload = join(tree({ 'zlib.cjs': `const zlib = require('node:zlib');\n${code}` }), 'zlib.cjs');
  const env = { NODE_OPTIONS: `--require ${preload}`, NODE_PATH: join(import.meta.dirname, '../../node_modules') };
  const options = { include: ['*.json'] };
  expect(checksum(app, options, { env })).toBe(checksum(app, options));
});

test('a bundle of other sources has other bytes', () => {
  const first = checksum(tree(APP), {});
  expect(checksum(tree({ ...APP, 'src/data.json': '{"name":"World"}' }), {})).not.toBe(first);
});

// One app, pinned: a change here changes the checksum of every artifact that is built again. The digest of the
// archive may differ with another zlib (another processor, a later Node); that of the tar may not.
test.each([
  [
    'with license notices',
    {},
    '59931af6bff5046fe3539eeccc123643a2240e42d6af35e43bc967ef32812ad1',
    'sha256:83dd6b87a6a9c98304dacac85291426265544392ab391a4c300fa9589851df69',
  ],
  [
    'without',
    { notices: false },
    '6d520d66acf3536d160d909c11cbb506fb6c5d97aa35bb44942db704694a1d53',
    'sha256:872609788d4da0e8d26359bb14d4a20fcd3718511b235b6a2c94757acfc6ec9c',
  ],
])('the checksum of an example app does not change %s', (_, options, tarSha256, archiveChecksum) => {
  const [archive, tar] = JSON.parse(checksum(tree(APP), options)) as [string, string];
  expect(tar).toBe(tarSha256);
  expect(archive).toBe(archiveChecksum);
});
