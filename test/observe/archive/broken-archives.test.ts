import * as tar from '../../support/tar-builder.ts';
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { ArchiveFacts } from '../../../src/core/facts/facts.ts';
import { listArchive } from '../../support/archives.ts';
import { entry, header, tgz, tgzOpen, APP, codes, fault } from './archive-fixture.ts';

/** Broken archives, and those that readers treat differently. */

describe('differences between readers', () => {
  const real = 'x'.repeat(600);
  test.each<[string, Uint8Array[], string]>([
    [
      'a PAX size above the real one',
      [tar.pax({ size: '2048' }), entry('a', real), APP, entry('last', '1')],
      'pax-size-differs',
    ],
    ['a PAX size below it', [tar.pax({ size: '0' }), entry('a', 'y'), APP], 'pax-size-differs'],
    ['a PAX size that is not a number', [tar.pax({ size: 'ten' }), entry('a', 'y'), APP], 'pax-size-differs'],
    ['a global path', [tar.pax({ path: 'evil' }, 'g'), APP], 'path-for-all'],
    ['a global link target', [tar.pax({ linkpath: 'evil' }, 'g'), APP], 'path-for-all'],
    ['a global size', [tar.pax({ size: '0' }, 'g'), APP], 'pax-size-for-all'],
    ['NUL in a PAX path', [tar.pax({ path: 'a\0b.txt' }), APP], 'path-with-nul'],
    ['NUL in a GNU long name', [tar.gnuLong('a\0b.txt'), APP], 'path-with-nul'],
    ['an empty PAX path', [tar.pax({ path: '' }), APP], 'path-empty'],
    [
      'a PAX path twice',
      [tar.rawPax(Buffer.concat([tar.paxRecord('path', 'a'), tar.paxRecord('path', 'b')])), APP],
      'path-differs',
    ],
    ['PAX and GNU names that differ', [tar.gnuLong('a'), tar.pax({ path: 'b' }), APP], 'path-differs'],
    [
      'PAX and GNU links that differ',
      [tar.gnuLong('a', 'K'), tar.pax({ linkpath: 'b' }), header({ path: 'l', type: '2' })],
      'path-differs',
    ],
    ['a PAX record with a wrong length', [tar.rawPax('12 path=evil.txt\n'), APP], 'pax-record-broken'],
    ['a PAX record of length 0', [tar.rawPax('0 path=evil.txt\n'), APP], 'pax-record-broken'],
    ['a PAX record without length', [tar.rawPax('path=evil.txt\n'), APP], 'pax-record-broken'],
    ['a PAX record beyond the header', [tar.rawPax('99 path=evil.txt\n'), APP], 'pax-record-broken'],
    ['a PAX record without "="', [tar.rawPax('8 path\n\n'), APP], 'pax-record-broken'],
    ['a PAX record without a key', [tar.rawPax('5 =x\n'), APP], 'pax-record-broken'],
    ['a negative length', [tar.rawPax('-1 path=evil.txt\n'), APP], 'pax-record-broken'],
    ['a record hidden in a value', [tar.pax({ comment: 'x\n14 path=../x\n' }), APP], 'pax-record-broken'],
    ['a PAX link target on a file', [tar.pax({ linkpath: '/etc/passwd' }), APP], 'link-on-file'],
    ['two PAX headers', [tar.pax({ path: 'a' }), tar.pax({ path: 'b' }), APP], 'extension-twice'],
    ['two long names', [tar.gnuLong('a'), tar.gnuLong('b'), APP], 'extension-twice'],
    ['a PAX header with nothing behind it', [APP, tar.pax({ path: 'a' })], 'extension-unused'],
    ['a directory with data', [header({ path: 'd/', type: '5', size: 512 }), APP], 'data-without-file'],
    ['a file with data whose name ends in a slash', [header({ path: 'd/', size: 512 }), APP], 'data-without-file'],
    ['a link with data', [header({ path: 'l', type: '2', link: 'app.js', size: 512 }), APP], 'data-without-file'],
    ['a GNU sparse file', [header({ path: 's', type: 'S' }), APP], 'sparse-file'],
    ['a PAX sparse file', [tar.pax({ 'GNU.sparse.major': '1' }), APP], 'sparse-file'],
    ['an unknown type', [entry('z', '1', { type: 'Z' }), APP], 'unknown-type'],
    ["GNU's volume label", [header({ path: 'label', type: 'V' }), APP], 'unknown-type'],
    ['a prefix in the old format', [entry('a', '1', { magic: tar.V7, prefix: '../..' })], 'prefix-without-ustar'],
    ['a prefix in the GNU format', [entry('a', '1', { magic: tar.GNU, prefix: '../..' })], 'prefix-without-ustar'],
    ['a name that is not UTF-8', [entry(Buffer.from([0x66, 0xfc, 0x72]), '1')], 'name-not-utf8'],
    ['a path that no file system takes', [tar.pax({ path: 'x/'.repeat(3000) }), APP], 'path-too-long'],
    ['a mode that is not a number', [entry('a', '1', { mode: 'rwxr-xr' })], 'number-unreadable'],
  ])('are recorded for %s', async (_, parts, code) => {
    const facts = await listArchive(tgz(...parts));
    expect(codes(facts)).toContain(code);
    expect(facts.oddities.every((oddity) => oddity.message !== '')).toBe(true);
    for (const { path } of facts.entries) expect(path.length).toBeLessThanOrEqual(4096);
  });

  test('do not affect our reader, which uses the PAX size', async () => {
    const facts = await listArchive(tgz(tar.pax({ size: '2048' }), entry('a', real), APP, entry('last', '1')));
    expect(facts.entries.map((e) => [e.path, e.size])).toEqual([
      ['a', 2048],
      ['last', 1],
    ]);
  });

  test('do not affect entries without data, whose size is ignored', async () => {
    const facts = await listArchive(
      tgz(header({ path: 'd/', type: '5', size: 512 }), header({ path: 'l', type: '2', link: 'a', size: 512 }), APP),
    );
    expect(facts.entries.map((e) => e.path)).toEqual(['d/', 'l', 'app.js']);
    expect(facts.fault).toBeNull();
  });

  test('do not affect a PAX size, which applies to the entry and not to an extended header', async () => {
    const facts = await listArchive(
      tgz(tar.pax({ size: '5' }), tar.gnuLong('n'.repeat(700)), entry('a', 'hello'), APP),
    );
    expect(facts.entries.map((e) => [e.path.length, e.size])).toEqual([
      [700, 5],
      [6, 11],
    ]);
  });

  test('are recorded at most ten times per code', async () => {
    const facts = await listArchive(tgz(...Array.from({ length: 50 }, (_, i) => entry(`${i}`, '', { type: 'Z' }))));
    expect(codes(facts)).toHaveLength(10);
  });
});

describe('the end of the tar archive', () => {
  test.each<[string, Buffer, string[], ArchiveFacts['trailing']]>([
    ['no end mark', tgzOpen(APP), ['no-end-mark'], null],
    ['half an end mark', tgzOpen(APP, Buffer.alloc(512)), ['no-end-mark'], null],
    ['a piece of an end mark', tgzOpen(APP, Buffer.alloc(100)), ['no-end-mark'], null],
    [
      'text behind it',
      tgzOpen(APP, tar.endMark(), Buffer.from('surprise')),
      ['bytes-after-end'],
      { layer: 'tar', bytes: 8 },
    ],
    [
      'text behind its padding',
      tgzOpen(APP, tar.endMark(3), Buffer.alloc(512, 'x')),
      ['bytes-after-end'],
      { layer: 'tar', bytes: 512 },
    ],
    [
      'an entry behind it',
      tgzOpen(APP, tar.endMark(), entry('hidden', '1')),
      ['entries-after-end'],
      { layer: 'tar', bytes: 1024 },
    ],
    [
      'an entry behind text',
      tgzOpen(APP, tar.endMark(), Buffer.alloc(512, 'x'), entry('hidden', '1')),
      ['entries-after-end'],
      { layer: 'tar', bytes: 1536 },
    ],
    [
      'an entry behind a single zero block',
      tgzOpen(APP, Buffer.alloc(512), entry('hidden', '1'), tar.endMark()),
      ['entries-after-end'],
      { layer: 'tar', bytes: 2048 },
    ],
  ])('is checked: %s', async (_, bytes, oddities, trailing) => {
    const facts = await listArchive(bytes);
    expect(facts.fault).toBeNull();
    expect(codes(facts)).toEqual(oddities);
    expect(facts.trailing).toEqual(trailing);
    expect(facts.entries.map((e) => e.path)).toEqual(['app.js']);
  });

  test('may be the only content', async () => {
    expect(await listArchive(tgz())).toMatchObject({ fault: null, entryCount: 0, oddities: [] });
  });
});

describe('an invalid tar archive', () => {
  const cutBody = Buffer.concat([entry('a', 'x'.repeat(2000))]).subarray(0, 1000);
  test.each<[string, Uint8Array[], string]>([
    ['nothing inside', [], 'tar empty'],
    ['text inside', [Buffer.from('just text')], 'tar no-tar'],
    ['much text inside', [Buffer.alloc(5000, 'text ')], 'tar no-tar'],
    ['gzip inside', [gzipSync(randomBytes(2000))], 'tar gzip-inside'],
    ['a wrong header checksum at the start', [header({ path: 'a', checksumError: 1 }), APP], 'tar no-tar'],
    ['a wrong header checksum later', [APP, header({ path: 'a', checksumError: 1 })], 'tar header-checksum'],
    ['garbage instead of a header', [APP, Buffer.alloc(512, 'x')], 'tar header-checksum'],
    ['data cut short', [cutBody], 'tar truncated'],
    ['a header cut short', [APP, header({ path: 'b' }).subarray(0, 300)], 'tar truncated'],
    ['a PAX header and nothing more', [APP, tar.pax({ path: 'x' }).subarray(0, 1024)], 'tar truncated'],
    ['a PAX header cut short', [APP, tar.pax({ path: 'x' }).subarray(0, 600)], 'tar truncated'],
    ['a negative size', [entry('a', '', { size: tar.base256(-1n) }), APP], 'tar size-negative'],
    ['a size beyond all bounds', [entry('a', '', { size: tar.base256(2n ** 80n) }), APP], 'tar size-too-large'],
    [
      'a size that is not a number',
      [entry('a', '', { size: Buffer.from('12345z67890\0') }), APP],
      'tar size-unreadable',
    ],
    ['a huge size', [entry('a', 'x', { size: 8 ** 11 - 1 })], 'tar truncated'],
  ])('has a fault: %s', async (_, parts, expected) => {
    const facts = await listArchive(tgzOpen(...parts));
    expect(fault(facts)).toBe(expected);
    expect(facts.stopped).toBeNull();
    expect(await listArchive(tgzOpen(...parts), { size: 5 })).toEqual(facts);
  });
});
