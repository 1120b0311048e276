import * as tar from '../../support/tar-builder.ts';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { ArchiveFacts } from '../../../src/core/facts/facts.ts';
import { listArchive } from '../../support/archives.ts';
import { entry, header, tgz, tgzOpen, APP, codes, fault } from './archive-fixture.ts';
import { noise } from '../../support/random.ts';

/** Broken archives, and those that readers treat differently. */

describe('differences between readers', () => {
  const real = 'x'.repeat(600);
  test.each<{ name: string; parts: Uint8Array[]; code: string }>([
    {
      name: 'a PAX size above the real one',
      parts: [tar.pax({ size: '2048' }), entry('a', real), APP, entry('last', '1')],
      code: 'pax-size-differs',
    },
    { name: 'a PAX size below it', parts: [tar.pax({ size: '0' }), entry('a', 'y'), APP], code: 'pax-size-differs' },
    {
      name: 'a PAX size that is not a number',
      parts: [tar.pax({ size: 'ten' }), entry('a', 'y'), APP],
      code: 'pax-size-differs',
    },
    { name: 'a global path', parts: [tar.pax({ path: 'evil' }, 'g'), APP], code: 'path-for-all' },
    { name: 'a global link target', parts: [tar.pax({ linkpath: 'evil' }, 'g'), APP], code: 'path-for-all' },
    { name: 'a global size', parts: [tar.pax({ size: '0' }, 'g'), APP], code: 'pax-size-for-all' },
    { name: 'NUL in a PAX path', parts: [tar.pax({ path: 'a\0b.txt' }), APP], code: 'path-with-nul' },
    { name: 'NUL in a GNU long name', parts: [tar.gnuLong('a\0b.txt'), APP], code: 'path-with-nul' },
    { name: 'an empty PAX path', parts: [tar.pax({ path: '' }), APP], code: 'path-empty' },
    {
      name: 'a PAX path twice',
      parts: [tar.rawPax(Buffer.concat([tar.paxRecord('path', 'a'), tar.paxRecord('path', 'b')])), APP],
      code: 'path-differs',
    },
    {
      name: 'PAX and GNU names that differ',
      parts: [tar.gnuLong('a'), tar.pax({ path: 'b' }), APP],
      code: 'path-differs',
    },
    {
      name: 'PAX and GNU links that differ',
      parts: [tar.gnuLong('a', 'K'), tar.pax({ linkpath: 'b' }), header({ path: 'l', type: '2' })],
      code: 'path-differs',
    },
    {
      name: 'a PAX record with a wrong length',
      parts: [tar.rawPax('12 path=evil.txt\n'), APP],
      code: 'pax-record-broken',
    },
    { name: 'a PAX record of length 0', parts: [tar.rawPax('0 path=evil.txt\n'), APP], code: 'pax-record-broken' },
    { name: 'a PAX record without length', parts: [tar.rawPax('path=evil.txt\n'), APP], code: 'pax-record-broken' },
    {
      name: 'a PAX record beyond the header',
      parts: [tar.rawPax('99 path=evil.txt\n'), APP],
      code: 'pax-record-broken',
    },
    { name: 'a PAX record without "="', parts: [tar.rawPax('8 path\n\n'), APP], code: 'pax-record-broken' },
    { name: 'a PAX record without a key', parts: [tar.rawPax('5 =x\n'), APP], code: 'pax-record-broken' },
    { name: 'a negative length', parts: [tar.rawPax('-1 path=evil.txt\n'), APP], code: 'pax-record-broken' },
    {
      name: 'a record hidden in a value',
      parts: [tar.pax({ comment: 'x\n14 path=../x\n' }), APP],
      code: 'pax-record-broken',
    },
    { name: 'a PAX link target on a file', parts: [tar.pax({ linkpath: '/etc/passwd' }), APP], code: 'link-on-file' },
    { name: 'two PAX headers', parts: [tar.pax({ path: 'a' }), tar.pax({ path: 'b' }), APP], code: 'extension-twice' },
    { name: 'two long names', parts: [tar.gnuLong('a'), tar.gnuLong('b'), APP], code: 'extension-twice' },
    { name: 'a PAX header with nothing behind it', parts: [APP, tar.pax({ path: 'a' })], code: 'extension-unused' },
    {
      name: 'a directory with data',
      parts: [header({ path: 'd/', type: '5', size: 512 }), APP],
      code: 'data-without-file',
    },
    {
      name: 'a file with data whose name ends in a slash',
      parts: [header({ path: 'd/', size: 512 }), APP],
      code: 'data-without-file',
    },
    {
      name: 'a link with data',
      parts: [header({ path: 'l', type: '2', link: 'app.js', size: 512 }), APP],
      code: 'data-without-file',
    },
    { name: 'a GNU sparse file', parts: [header({ path: 's', type: 'S' }), APP], code: 'sparse-file' },
    { name: 'a PAX sparse file', parts: [tar.pax({ 'GNU.sparse.major': '1' }), APP], code: 'sparse-file' },
    { name: 'an unknown type', parts: [entry('z', '1', { type: 'Z' }), APP], code: 'unknown-type' },
    { name: "GNU's volume label", parts: [header({ path: 'label', type: 'V' }), APP], code: 'unknown-type' },
    {
      name: 'a prefix in the old format',
      parts: [entry('a', '1', { magic: tar.V7, prefix: '../..' })],
      code: 'prefix-without-ustar',
    },
    {
      name: 'a prefix in the GNU format',
      parts: [entry('a', '1', { magic: tar.GNU, prefix: '../..' })],
      code: 'prefix-without-ustar',
    },
    { name: 'a name that is not UTF-8', parts: [entry(Buffer.from([0x66, 0xfc, 0x72]), '1')], code: 'name-not-utf8' },
    {
      name: 'a path that no file system takes',
      parts: [tar.pax({ path: 'x/'.repeat(3000) }), APP],
      code: 'path-too-long',
    },
    { name: 'a mode that is not a number', parts: [entry('a', '1', { mode: 'rwxr-xr' })], code: 'number-unreadable' },
  ])('are recorded for $name', async ({ parts, code }) => {
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
  test.each<{ name: string; bytes: Buffer; oddities: string[]; trailing: ArchiveFacts['trailing'] }>([
    { name: 'no end mark', bytes: tgzOpen(APP), oddities: ['no-end-marker'], trailing: null },
    { name: 'half an end mark', bytes: tgzOpen(APP, Buffer.alloc(512)), oddities: ['no-end-marker'], trailing: null },
    {
      name: 'a piece of an end mark',
      bytes: tgzOpen(APP, Buffer.alloc(100)),
      oddities: ['no-end-marker'],
      trailing: null,
    },
    {
      name: 'text behind it',
      bytes: tgzOpen(APP, tar.endMark(), Buffer.from('surprise')),
      oddities: ['bytes-after-end'],
      trailing: { layer: 'tar', bytes: 8 },
    },
    {
      name: 'text behind its padding',
      bytes: tgzOpen(APP, tar.endMark(3), Buffer.alloc(512, 'x')),
      oddities: ['bytes-after-end'],
      trailing: { layer: 'tar', bytes: 512 },
    },
    {
      name: 'an entry behind it',
      bytes: tgzOpen(APP, tar.endMark(), entry('hidden', '1')),
      oddities: ['entries-after-end'],
      trailing: { layer: 'tar', bytes: 1024 },
    },
    {
      name: 'an entry behind text',
      bytes: tgzOpen(APP, tar.endMark(), Buffer.alloc(512, 'x'), entry('hidden', '1')),
      oddities: ['entries-after-end'],
      trailing: { layer: 'tar', bytes: 1536 },
    },
    {
      name: 'an entry behind a single zero block',
      bytes: tgzOpen(APP, Buffer.alloc(512), entry('hidden', '1'), tar.endMark()),
      oddities: ['entries-after-end'],
      trailing: { layer: 'tar', bytes: 2048 },
    },
  ])('is checked: $name', async ({ bytes, oddities, trailing }) => {
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
  test.each<{ name: string; parts: Uint8Array[]; expected: string }>([
    { name: 'nothing inside', parts: [], expected: 'tar empty' },
    { name: 'text inside', parts: [Buffer.from('just text')], expected: 'tar no-tar' },
    { name: 'much text inside', parts: [Buffer.alloc(5000, 'text ')], expected: 'tar no-tar' },
    { name: 'gzip inside', parts: [gzipSync(noise(2000))], expected: 'tar gzip-inside' },
    {
      name: 'a wrong header checksum at the start',
      parts: [header({ path: 'a', checksumError: 1 }), APP],
      expected: 'tar no-tar',
    },
    {
      name: 'a wrong header checksum later',
      parts: [APP, header({ path: 'a', checksumError: 1 })],
      expected: 'tar header-checksum',
    },
    { name: 'garbage instead of a header', parts: [APP, Buffer.alloc(512, 'x')], expected: 'tar header-checksum' },
    { name: 'data cut short', parts: [cutBody], expected: 'tar truncated' },
    { name: 'a header cut short', parts: [APP, header({ path: 'b' }).subarray(0, 300)], expected: 'tar truncated' },
    {
      name: 'a PAX header and nothing more',
      parts: [APP, tar.pax({ path: 'x' }).subarray(0, 1024)],
      expected: 'tar truncated',
    },
    {
      name: 'a PAX header cut short',
      parts: [APP, tar.pax({ path: 'x' }).subarray(0, 600)],
      expected: 'tar truncated',
    },
    {
      name: 'a negative size',
      parts: [entry('a', '', { size: tar.base256(-1n) }), APP],
      expected: 'tar size-negative',
    },
    {
      name: 'a size beyond all bounds',
      parts: [entry('a', '', { size: tar.base256(2n ** 80n) }), APP],
      expected: 'tar size-too-large',
    },
    {
      name: 'a size that is not a number',
      parts: [entry('a', '', { size: Buffer.from('12345z67890\0') }), APP],
      expected: 'tar size-unreadable',
    },
    { name: 'a huge size', parts: [entry('a', 'x', { size: 8 ** 11 - 1 })], expected: 'tar truncated' },
  ])('has a fault: $name', async ({ parts, expected }) => {
    const facts = await listArchive(tgzOpen(...parts));
    expect(fault(facts)).toBe(expected);
    expect(facts.stopped).toBeNull();
    expect(await listArchive(tgzOpen(...parts), { size: 5 })).toEqual(facts);
  });
});
