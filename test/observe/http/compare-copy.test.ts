import { createHash } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { ComparedBody } from '../../../src/core/facts/facts.ts';
import { contentCodings } from '../../../src/core/http/headers.ts';
import { readCopy } from '../../../src/observe/http/compare-copy.ts';

/** How clients that accept compression read a copy, as observed with Chromium and with fetch in Node. */

const TEXT = JSON.stringify({ apps: {}, numbers: Array.from({ length: 300 }, (_, i) => (i * 7919) % 1000) });
const DOCUMENT = Buffer.from(TEXT);
const GZIP = gzipSync(DOCUMENT);
const BROTLI = brotliCompressSync(DOCUMENT);

function read(coding: string | null, body: Uint8Array, limit = 1e6): ComparedBody | undefined {
  const sha256 = createHash('sha256').update(DOCUMENT).digest('hex');
  const applied = contentCodings(coding === null ? [] : [['content-encoding', coding]]);
  const reader = readCopy(applied, { sha256, bytes: DOCUMENT.length, text: () => TEXT, isImage: false }, limit);
  const half = Math.floor(body.length / 2);
  void reader.write(body.subarray(0, half));
  void reader.write(body.subarray(half));
  return reader.end();
}

describe('a copy for clients that accept compression', () => {
  test.each<{ name: string; coding: string | null; body: Uint8Array; fault: ComparedBody['fault']; same: boolean }>([
    { name: 'gzip', coding: 'gzip', body: GZIP, fault: null, same: true },
    { name: 'br', coding: 'br', body: BROTLI, fault: null, same: true },
    { name: 'x-gzip in upper case', coding: 'X-GZIP', body: GZIP, fault: null, same: true },
    { name: 'deflate with a zlib frame', coding: 'deflate', body: deflateSync(DOCUMENT), fault: null, same: true },
    { name: 'deflate without one', coding: 'deflate', body: deflateRawSync(DOCUMENT), fault: null, same: true },
    { name: 'two codings, both named', coding: 'gzip, br', body: brotliCompressSync(GZIP), fault: null, same: true },
    { name: 'a coding unknown to browsers', coding: 'aws-chunked', body: DOCUMENT, fault: null, same: true },
    {
      name: 'the same JSON value, written otherwise',
      coding: 'gzip',
      body: gzipSync(JSON.stringify(JSON.parse(TEXT), null, 2)),
      fault: null,
      same: true,
    },
    { name: 'without the trailer', coding: 'gzip', body: GZIP.subarray(0, -8), fault: null, same: true },
    {
      name: 'gzip with reserved flags',
      coding: 'gzip',
      body: Buffer.concat([GZIP.subarray(0, 3), Buffer.of(0x20), GZIP.subarray(4)]),
      fault: 'broken',
      same: false,
    },
    { name: 'plain, labelled gzip', coding: 'gzip', body: DOCUMENT, fault: 'broken', same: false },
    { name: 'plain, labelled br', coding: 'br', body: DOCUMENT, fault: 'broken', same: false },
    { name: 'br, labelled gzip', coding: 'gzip', body: BROTLI, fault: 'broken', same: false },
    { name: 'gzip, labelled br', coding: 'br', body: GZIP, fault: 'broken', same: false },
    { name: 'gzip, labelled deflate', coding: 'deflate', body: GZIP, fault: 'broken', same: false },
    { name: 'zlib, labelled gzip', coding: 'gzip', body: deflateSync(DOCUMENT), fault: 'broken', same: false },
    { name: 'half of gzip', coding: 'gzip', body: GZIP.subarray(0, GZIP.length / 2), fault: 'truncated', same: false },
    { name: 'half of br', coding: 'br', body: BROTLI.subarray(0, BROTLI.length / 2), fault: 'truncated', same: false },
    {
      name: 'a wrong checksum',
      coding: 'gzip',
      body: Buffer.concat([GZIP.subarray(0, -8), Buffer.alloc(4), GZIP.subarray(-4)]),
      fault: 'end',
      same: true,
    },
    {
      name: 'bytes after the end',
      coding: 'gzip',
      body: Buffer.concat([GZIP, Buffer.from('garbage')]),
      fault: 'end',
      same: true,
    },
    {
      name: 'two members',
      coding: 'gzip',
      body: Buffer.concat([gzipSync(DOCUMENT.subarray(0, 50)), gzipSync(DOCUMENT.subarray(50))]),
      fault: 'members',
      same: false,
    },
    { name: 'compressed twice, labelled once', coding: 'gzip', body: gzipSync(GZIP), fault: null, same: false },
    { name: 'an older one', coding: 'gzip', body: gzipSync('{"apps":{}}'), fault: null, same: false },
    { name: 'nothing', coding: 'gzip', body: Buffer.alloc(0), fault: null, same: false },
    { name: 'another one, plain', coding: null, body: Buffer.from('{"apps":{}}'), fault: null, same: false },
  ])('is compared with the document: $name', ({ coding, body, fault, same }) => {
    expect(read(coding, body)).toMatchObject({ fault, same });
  });

  test('is not recorded if it is equal and has no content coding', () => {
    expect(read(null, DOCUMENT)).toBeUndefined();
    expect(read(null, Buffer.from(`${TEXT}\n`))).toBeUndefined();
  });

  test('is not compared above the limit, and unpacked at most to the limit', () => {
    expect(read(null, Buffer.alloc(2001), 2000)).toBeUndefined();
    expect(read('gzip', gzipSync(Buffer.alloc(1e6)), 20_000)).toMatchObject({ decoded: null });
  });

  test.each([
    { coding: 'gzip', body: DOCUMENT, kind: 'json' },
    { coding: 'gzip', body: BROTLI, kind: 'brotli' },
    { coding: 'br', body: GZIP, kind: 'gzip' },
    { coding: 'br', body: BROTLI, kind: 'brotli' },
  ])('labelled $coding has bytes of another kind', ({ coding, body, kind }) =>
    expect(read(coding, body)?.kind).toBe(kind),
  );

  test.each<{ name: string; coding: string | null; body: Uint8Array; missingCoding: string | undefined }>([
    { name: 'gzip', coding: null, body: GZIP, missingCoding: 'gzip' },
    { name: 'gzip of an older one', coding: null, body: gzipSync('{"apps":{}}'), missingCoding: 'gzip' },
    { name: 'half of gzip', coding: null, body: GZIP.subarray(0, GZIP.length / 2), missingCoding: 'gzip' },
    { name: 'br', coding: null, body: BROTLI, missingCoding: 'br' },
    {
      name: 'br of an older one',
      coding: null,
      body: brotliCompressSync('{"apps":{}, "name": "older"}'),
      missingCoding: 'br',
    },
    { name: 'deflate with a zlib frame', coding: null, body: deflateSync(DOCUMENT), missingCoding: 'deflate' },
    {
      name: 'deflate with a small window',
      coding: null,
      body: deflateSync(DOCUMENT, { windowBits: 9 }),
      missingCoding: 'deflate',
    },
    { name: 'deflate without a frame', coding: null, body: deflateRawSync(DOCUMENT), missingCoding: 'deflate' },
    { name: 'zstd', coding: null, body: Buffer.from('28b52ffd20027b7d', 'hex'), missingCoding: 'zstd' },
    {
      name: 'gzip labelled with a coding unknown to browsers',
      coding: 'aws-chunked',
      body: GZIP,
      missingCoding: 'gzip',
    },
    { name: 'another document', coding: null, body: Buffer.from('{"apps":{}}'), missingCoding: undefined },
    { name: 'labelled', coding: 'gzip', body: gzipSync('{"apps":{}}'), missingCoding: undefined },
    { name: 'random bytes', coding: null, body: createHash('sha512').update('x').digest(), missingCoding: undefined },
    { name: 'an image', coding: null, body: Buffer.from('89504e470d0a1a0a0000000d', 'hex'), missingCoding: undefined },
  ])('without a label is recognized: $name', ({ coding, body, missingCoding }) => {
    expect(read(coding, body)).toMatchObject({ same: false });
    expect(read(coding, body)?.missingCoding).toBe(missingCoding);
  });

  test('of an archive has a missing label only if the archive itself was compressed again', () => {
    const archive = gzipSync('an archive');
    const sha256 = createHash('sha256').update(archive).digest('hex');
    const codingOf = (body: Buffer): string | undefined => {
      const reader = readCopy([], { sha256, bytes: archive.length, text: null, isImage: false }, 1e6);
      void reader.write(body);
      return reader.end()?.missingCoding;
    };
    expect(codingOf(gzipSync('another archive'))).toBeUndefined();
    expect(codingOf(gzipSync(archive))).toBe('gzip');
    expect(codingOf(brotliCompressSync(archive))).toBe('br');
  });
});
