import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createDigester } from '../../../src/observe/digest/digest.ts';

const BYTES = Buffer.from(Array.from({ length: 2000 }, (_, i) => (i * 7) % 256));
const hash = (name: string, bytes: Uint8Array) => createHash(name).update(bytes).digest('hex');

test('digests do not depend on the size of the chunks', () => {
  for (const size of [1, 100, 511, 512, 513, 2000]) {
    const digester = createDigester(Infinity, { weak: true });
    for (let at = 0; at < BYTES.length; at += size) digester.write(BYTES.subarray(at, at + size));
    expect(digester.full).toBe(false);
    expect(digester.end()).toEqual({
      bytes: 2000,
      sha256: hash('sha256', BYTES),
      sha1: hash('sha1', BYTES),
      md5: hash('md5', BYTES),
      head: BYTES.subarray(0, 512).toString('base64'),
      cut: false,
      decoded: null,
    });
  }
});

test('weak digests are computed only on request', () => {
  const digester = createDigester(Infinity);
  digester.write(BYTES);
  expect(digester.end()).toMatchObject({ sha1: '', md5: '' });
});

test('the digest of no bytes is that of an empty file', () => {
  const content = createDigester(10).end();
  expect(content).toMatchObject({ bytes: 0, head: '', cut: false, sha256: hash('sha256', Buffer.alloc(0)) });
});

test.each([
  { limit: 2000, bytes: 2000, cut: false },
  { limit: 1999, bytes: 1999, cut: true },
  { limit: 100, bytes: 100, cut: true },
  { limit: 0, bytes: 0, cut: true },
])('with a limit of $limit bytes, $bytes bytes are digested and cut is $cut', ({ limit, bytes, cut }) => {
  const digester = createDigester(limit);
  for (let at = 0; at < BYTES.length; at += 64) digester.write(BYTES.subarray(at, at + 64));
  expect(digester.full).toBe(cut);
  expect(digester.end()).toMatchObject({
    bytes,
    cut,
    sha256: hash('sha256', BYTES.subarray(0, bytes)),
    head: BYTES.subarray(0, Math.min(bytes, 512)).toString('base64'),
  });
});

test('line feeds are counted across chunks on request', () => {
  const digester = createDigester(100, { lines: true });
  for (const part of ['a\r', '\nb', '', '\n', '\r\n\n']) digester.write(Buffer.from(part));
  expect(digester.end().lineFeeds).toEqual({ all: 4, afterCr: 2 });
  expect(createDigester(1).end()).not.toHaveProperty('lineFeeds');
});
