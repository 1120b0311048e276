import { createHash } from 'node:crypto';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { ComparedBody } from '../../../src/core/facts/facts.ts';
import { createCopyReader } from '../../../src/observe/registry/copy.ts';

/** How clients that accept compression read a copy, as observed with Chromium and with fetch in Node. */

const TEXT = JSON.stringify({ apps: {}, numbers: Array.from({ length: 300 }, (_, i) => (i * 7919) % 1000) });
const DOCUMENT = Buffer.from(TEXT);
const GZIP = gzipSync(DOCUMENT);
const BROTLI = brotliCompressSync(DOCUMENT);

function read(coding: string | null, body: Uint8Array, limit = 1e6): ComparedBody | undefined {
  const sha256 = createHash('sha256').update(DOCUMENT).digest('hex');
  const reader = createCopyReader({ sha256, bytes: DOCUMENT.length, text: () => TEXT, isImage: false }, limit);
  const headers: [string, string][] = coding === null ? [] : [['content-encoding', coding]];
  const { write } = reader.body({ url: 'https://a.test/', status: 200, headers, address: null, tls: null });
  const half = Math.floor(body.length / 2);
  void write(body.subarray(0, half));
  void write(body.subarray(half));
  return reader.end();
}

describe('a copy for clients that accept compression', () => {
  test.each<[string, string | null, Uint8Array, ComparedBody['fault'], boolean]>([
    ['gzip', 'gzip', GZIP, null, true],
    ['br', 'br', BROTLI, null, true],
    ['x-gzip in upper case', 'X-GZIP', GZIP, null, true],
    ['deflate with a zlib frame', 'deflate', deflateSync(DOCUMENT), null, true],
    ['deflate without one', 'deflate', deflateRawSync(DOCUMENT), null, true],
    ['two codings, both named', 'gzip, br', brotliCompressSync(GZIP), null, true],
    ['a coding unknown to browsers', 'aws-chunked', DOCUMENT, null, true],
    ['the same JSON value, written otherwise', 'gzip', gzipSync(JSON.stringify(JSON.parse(TEXT), null, 2)), null, true],
    ['without the trailer', 'gzip', GZIP.subarray(0, -8), null, true],
    ['plain, labelled gzip', 'gzip', DOCUMENT, 'broken', false],
    ['plain, labelled br', 'br', DOCUMENT, 'broken', false],
    ['br, labelled gzip', 'gzip', BROTLI, 'broken', false],
    ['gzip, labelled br', 'br', GZIP, 'broken', false],
    ['gzip, labelled deflate', 'deflate', GZIP, 'broken', false],
    ['zlib, labelled gzip', 'gzip', deflateSync(DOCUMENT), 'broken', false],
    ['half of gzip', 'gzip', GZIP.subarray(0, GZIP.length / 2), 'truncated', false],
    ['half of br', 'br', BROTLI.subarray(0, BROTLI.length / 2), 'truncated', false],
    [
      'a wrong checksum',
      'gzip',
      Buffer.concat([GZIP.subarray(0, -8), Buffer.alloc(4), GZIP.subarray(-4)]),
      'end',
      true,
    ],
    ['bytes after the end', 'gzip', Buffer.concat([GZIP, Buffer.from('garbage')]), 'end', true],
    [
      'two members',
      'gzip',
      Buffer.concat([gzipSync(DOCUMENT.subarray(0, 50)), gzipSync(DOCUMENT.subarray(50))]),
      'members',
      false,
    ],
    ['compressed twice, labelled once', 'gzip', gzipSync(GZIP), null, false],
    ['an older one', 'gzip', gzipSync('{"apps":{}}'), null, false],
    ['nothing', 'gzip', Buffer.alloc(0), null, false],
    ['another one, plain', null, Buffer.from('{"apps":{}}'), null, false],
  ])('is compared with the document: %s', (_, coding, body, fault, same) => {
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
    ['gzip', DOCUMENT, 'json'],
    ['gzip', BROTLI, 'brotli'],
    ['br', GZIP, 'gzip'],
    ['br', BROTLI, 'brotli'],
  ])('labelled %s has bytes of another kind', (coding, body, kind) => expect(read(coding, body)?.kind).toBe(kind));

  test.each<[string, string | null, Uint8Array, string | undefined]>([
    ['gzip', null, GZIP, 'gzip'],
    ['gzip of an older one', null, gzipSync('{"apps":{}}'), 'gzip'],
    ['half of gzip', null, GZIP.subarray(0, GZIP.length / 2), 'gzip'],
    ['br', null, BROTLI, 'br'],
    ['br of an older one', null, brotliCompressSync('{"apps":{}, "name": "older"}'), 'br'],
    ['deflate with a zlib frame', null, deflateSync(DOCUMENT), 'deflate'],
    ['deflate with a small window', null, deflateSync(DOCUMENT, { windowBits: 9 }), 'deflate'],
    ['deflate without a frame', null, deflateRawSync(DOCUMENT), 'deflate'],
    ['zstd', null, Buffer.from('28b52ffd20027b7d', 'hex'), 'zstd'],
    ['gzip labelled with a coding unknown to browsers', 'aws-chunked', GZIP, 'gzip'],
    ['another document', null, Buffer.from('{"apps":{}}'), undefined],
    ['labelled', 'gzip', gzipSync('{"apps":{}}'), undefined],
    ['random bytes', null, createHash('sha512').update('x').digest(), undefined],
    ['an image', null, Buffer.from('89504e470d0a1a0a0000000d', 'hex'), undefined],
  ])('without a label is recognized: %s', (_, coding, body, unlabelled) => {
    expect(read(coding, body)).toMatchObject({ same: false });
    expect(read(coding, body)?.unlabelled).toBe(unlabelled);
  });

  test('of an archive has a missing label only if the archive itself was compressed again', () => {
    const archive = gzipSync('an archive');
    const sha256 = createHash('sha256').update(archive).digest('hex');
    const codingOf = (body: Buffer): string | undefined => {
      const reader = createCopyReader({ sha256, bytes: archive.length, text: null, isImage: false }, 1e6);
      void reader.body({ url: 'https://a.test/', status: 200, headers: [], address: null, tls: null }).write(body);
      return reader.end()?.unlabelled;
    };
    expect(codingOf(gzipSync('another archive'))).toBeUndefined();
    expect(codingOf(gzipSync(archive))).toBe('gzip');
    expect(codingOf(brotliCompressSync(archive))).toBe('br');
  });
});
