import * as tar from '../../support/tar-builder.ts';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { deflateSync, gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { readArchiveFile } from '../../../src/observe/archive/read-archive.ts';
import { listArchive } from '../../support/archives.ts';
import { entry, header, tgz, tgzOpen, APP, codes, fault } from './archive-fixture.ts';
import { noise } from '../../support/random.ts';

/** Reading .tar.gz archives. */

const GOOD = tgz(APP, entry('ui.js', 'x'.repeat(700)));

function flip(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at < 0 ? copy.length + at : at]! ^= 0x55;
  return copy;
}

describe('a valid archive', () => {
  test('is listed entry by entry', async () => {
    const facts = await listArchive(
      tgz(entry('lib/', '', { type: '5', mode: 0o755 }), entry('lib/app.js', 'hello', { mode: 0o755 })),
    );
    expect(facts).toEqual({
      kind: 'gzip',
      fault: null,
      entries: [
        { path: 'lib/', type: 'directory', size: 0, mode: 0o755, link: null },
        { path: 'lib/app.js', type: 'file', size: 5, mode: 0o755, link: null },
      ],
      entryCount: 2,
      unpackedBytes: 512 * 3 + 1024,
      stopped: null,
      trailing: null,
      gzipMembers: 1,
      oddities: [],
    });
  });

  test.each([1, 2, 3, 7, 100, 511, 512, 513, 1000])(
    'has the same facts if it is read in pieces of %d bytes',
    async (size) => {
      expect(await listArchive(GOOD, { size })).toEqual(await listArchive(GOOD));
    },
  );

  const long = `${'deep/'.repeat(40)}file.js`;
  test.each<{ name: string; parts: Uint8Array[]; paths: string[] }>([
    { name: 'an empty file', parts: [entry('empty', '')], paths: ['empty'] },
    {
      name: 'data that fills its blocks exactly',
      parts: [entry('a', 'x'.repeat(1024)), entry('b', 'y')],
      paths: ['a', 'b'],
    },
    {
      name: 'the ustar prefix',
      parts: [entry('b.js', '1', { prefix: 'a/long/prefix' })],
      paths: ['a/long/prefix/b.js'],
    },
    { name: 'a name of 100 bytes without NUL', parts: [entry('n'.repeat(100), '1')], paths: ['n'.repeat(100)] },
    { name: 'a PAX path', parts: [tar.pax({ path: long, mtime: '1700000000.5' }), entry('short', '1')], paths: [long] },
    {
      name: 'PAX times and owners',
      parts: [tar.pax({ atime: '1', ctime: '2', uid: '99999999', uname: 'me' }), APP],
      paths: ['app.js'],
    },
    { name: 'a PAX size that the header confirms', parts: [tar.pax({ size: '5' }), entry('a', 'hello')], paths: ['a'] },
    {
      name: 'a global comment, as git archive writes it',
      parts: [tar.pax({ comment: 'c0ffee' }, 'g'), APP],
      paths: ['app.js'],
    },
    { name: 'a GNU long name', parts: [tar.gnuLong(long), entry('short', '1', { magic: tar.GNU })], paths: [long] },
    {
      name: 'the old format without magic',
      parts: [entry('old.js', '1', { magic: tar.V7, type: '\0' })],
      paths: ['old.js'],
    },
    {
      name: "GNU's times where ustar has the prefix",
      parts: [entry('gnu.js', '1', { magic: tar.GNU, prefix: '14371573046' })],
      paths: ['gnu.js'],
    },
    {
      name: 'a size in base-256',
      parts: [entry('a', 'hello', { size: tar.base256(5n) }), APP],
      paths: ['a', 'app.js'],
    },
    { name: 'names in UTF-8', parts: [entry('größe/日本.js', '1')], paths: ['größe/日本.js'] },
    {
      name: 'a PAX header with zeros behind its records',
      parts: [tar.rawPax(Buffer.concat([tar.paxRecord('mtime', '1'), Buffer.alloc(9)])), APP],
      paths: ['app.js'],
    },
  ])('may contain $name', async ({ parts, paths }) => {
    const facts = await listArchive(tgz(...parts));
    expect(facts.entries.map((e) => e.path)).toEqual(paths);
    expect([facts.fault, facts.oddities, facts.trailing, facts.stopped]).toEqual([null, [], null, null]);
  });

  test('may end with zeros up to the end of the record', async () => {
    const facts = await listArchive(tgzOpen(APP, tar.endMark(18)));
    expect([facts.fault, facts.oddities, facts.trailing]).toEqual([null, [], null]);
  });

  test('may have optional fields in the gzip header', async () => {
    const body = GOOD.subarray(10);
    const head = Buffer.from([0x1f, 0x8b, 8, 2 | 4 | 8 | 16, 1, 2, 3, 4, 0, 3]);
    const fields = Buffer.from('\u0003\0abcevil\u001b[2J.tar\0comment\0##', 'latin1');
    for (const size of [1, 13, 65536]) {
      expect(await listArchive(Buffer.concat([head, fields, body]), { size })).toEqual(await listArchive(GOOD));
    }
  });

  test('may mark directories by a trailing slash', async () => {
    const facts = await listArchive(
      tgz(entry('old/', '', { type: '\0', magic: tar.V7 }), entry('new/', '', { type: '0' })),
    );
    expect(facts.entries.map((e) => e.type)).toEqual(['directory', 'directory']);
  });
});

describe('types and targets of links', () => {
  test.each([
    { type: '1', name: 'link', link: 'target' },
    { type: '2', name: 'symlink', link: 'target' },
    { type: '3', name: 'character-device', link: null },
    { type: '4', name: 'block-device', link: null },
    { type: '5', name: 'directory', link: null },
    { type: '6', name: 'fifo', link: null },
    { type: '7', name: 'contiguous', link: null },
  ] as const)('are recorded: type $type is $name', async ({ type, name, link }) => {
    const facts = await listArchive(tgz(header({ path: 'x', type, ...(link ? { link } : {}) }), APP));
    expect(facts.entries).toMatchObject([{ path: 'x', type: name, link }, { path: 'app.js' }]);
    expect(codes(facts)).toEqual([]);
  });

  test('are recorded for long targets in PAX and GNU headers', async () => {
    const target = 't/'.repeat(80);
    const facts = await listArchive(
      tgz(
        tar.pax({ linkpath: target }),
        header({ path: 'a', type: '2', link: 'x' }),
        tar.gnuLong(target, 'K'),
        header({ path: 'b', type: '1' }),
      ),
    );
    expect(facts.entries.map((e) => e.link)).toEqual([target, target]);
  });
});

describe('the gzip layer', () => {
  const sound = tgz(entry('noise', noise(5000)));

  test.each<{ name: string; bytes: Uint8Array; expected: string }>([
    { name: 'cut in the body', bytes: sound.subarray(0, 1000), expected: 'gzip truncated' },
    { name: 'cut before the trailer', bytes: sound.subarray(0, -8), expected: 'gzip truncated' },
    { name: 'cut in the trailer', bytes: sound.subarray(0, -3), expected: 'gzip truncated' },
    { name: 'cut in the header', bytes: sound.subarray(0, 5), expected: 'gzip truncated' },
    { name: 'just the magic number', bytes: sound.subarray(0, 2), expected: 'gzip truncated' },
    { name: 'a wrong CRC', bytes: flip(sound, -5), expected: 'gzip crc' },
    { name: 'a wrong length', bytes: flip(sound, -1), expected: 'gzip length' },
    { name: 'a broken body', bytes: flip(sound, 20), expected: 'gzip ' },
    { name: 'reserved flags', bytes: flip(Buffer.from(sound).fill(0xb5, 3, 4), 4), expected: 'gzip header' },
    {
      name: 'another method',
      bytes: Buffer.concat([Buffer.from([0x1f, 0x8b, 7]), sound.subarray(3)]),
      expected: 'gzip header',
    },
  ])('has a fault: $name', async ({ bytes, expected }) => {
    const facts = await listArchive(bytes);
    expect(facts.kind).toBe('gzip');
    expect(fault(facts)).toContain(expected);
    expect(await listArchive(bytes, { size: 3 })).toEqual({
      ...facts,
      entries: expect.anything(),
      entryCount: expect.anything(),
      unpackedBytes: expect.anything(),
      oddities: expect.anything(),
    });
  });

  test.each<{ name: string; garbage: Uint8Array; code: string; bytes: number }>([
    { name: 'text', garbage: Buffer.from('garbage'), code: 'bytes-after-gzip', bytes: 7 },
    { name: 'a first byte of gzip', garbage: Buffer.from([0x1f]), code: 'bytes-after-gzip', bytes: 1 },
    { name: 'something like gzip', garbage: Buffer.from([0x1f, 0x8b, 1, 0, 0]), code: 'bytes-after-gzip', bytes: 5 },
    { name: 'zeros', garbage: Buffer.alloc(1000), code: 'zeros-after-gzip', bytes: 1000 },
    {
      name: 'zeros, then text',
      garbage: Buffer.concat([Buffer.alloc(1000), Buffer.from('x')]),
      code: 'bytes-after-gzip',
      bytes: 1001,
    },
  ])('may be followed by $name, which is recorded as trailing', async ({ garbage, code, bytes }) => {
    for (const size of [1, 1000, 65536]) {
      const facts = await listArchive(Buffer.concat([GOOD, garbage]), { size });
      expect([facts.fault, facts.trailing, codes(facts)]).toEqual([null, { layer: 'gzip', bytes }, [code]]);
      expect(facts.entryCount).toBe(2);
    }
  });

  test('may consist of several members', async () => {
    const whole = Buffer.concat([APP, entry('b', 'y'.repeat(3000)), tar.endMark()]);
    const members = [0, 600, 601, 2000].map((from, i, all) => gzipSync(whole.subarray(from, all[i + 1])));
    for (const size of [1, 30, 65536]) {
      const facts = await listArchive(Buffer.concat(members), { size });
      expect([facts.fault, facts.gzipMembers, codes(facts), facts.entryCount]).toEqual([
        null,
        4,
        ['several-members'],
        2,
      ]);
    }
  });

  test('may contain two archives, of which the first is listed', async () => {
    const facts = await listArchive(Buffer.concat([GOOD, tgz(entry('hidden', '1'))]));
    expect(codes(facts)).toEqual(['entries-after-end', 'several-members']);
    expect(facts.entries.map((e) => e.path)).toEqual(['app.js', 'ui.js']);
  });

  // A portion for zlib ends within a trailer or a header, and the next portion overwrites it.
  test.each([4, 0, -5])('may have a member boundary %d bytes after the end of a portion', async (around) => {
    const whole = Buffer.concat([entry('app.js', noise(900_000)), tar.endMark()]);
    const [first, second] = [whole.subarray(0, 200_000), whole.subarray(200_000)];
    const packed = gzipSync(first, { level: 0 });
    const name = Buffer.alloc(256 * 1024 + around - packed.length, 'n');
    name[name.length - 1] = 0;
    const flags = Buffer.from([8]);
    const named = Buffer.concat([packed.subarray(0, 3), flags, packed.subarray(4, 10), name, packed.subarray(10)]);
    const facts = await listArchive(Buffer.concat([named, gzipSync(second, { level: 0 })]), { size: 16_384 });
    expect([facts.fault, facts.gzipMembers, facts.entryCount]).toEqual([null, 2, 1]);
  });

  test('has a fault in an incomplete second member', async () => {
    const facts = await listArchive(Buffer.concat([GOOD, sound.subarray(0, 1000)]));
    expect([fault(facts), facts.gzipMembers]).toEqual(['gzip truncated', 2]);
  });

  test('has the fault that caused the invalid tar data', async () => {
    const plain = Buffer.concat([APP, entry('b', 'y'.repeat(100)), tar.endMark()]);
    const stored = gzipSync(plain, { level: 0 });
    expect(fault(await listArchive(flip(stored, 10 + 5 + 1024)))).toBe('gzip crc');
  });

  test.each<[string, Uint8Array]>([
    ['empty', Buffer.alloc(0)],
    ['tar', Buffer.concat([APP, tar.endMark()])],
    ['zip', Buffer.from('PK\u0003\u0004rest')],
    ['xz', Buffer.from('fd377a585a000004', 'hex')],
    ['zstd', Buffer.from('28b52ffd0458', 'hex')],
    ['bzip2', Buffer.from('BZh91AY&SY')],
    ['7z', Buffer.from('377abcaf271c0004', 'hex')],
    ['zlib', deflateSync(noise(100))],
    ['html', Buffer.from('\n<!DOCTYPE html><title>Sign in</title>')],
    ['html', Buffer.from('<html lang="en">')],
    ['xml', Buffer.from('<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>')],
    ['json', Buffer.from('{"message":"Not Found"}')],
    ['git-lfs-pointer', Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n')],
    ['gzip-as-text', Buffer.from('1fefbfbd0800', 'hex')],
    ['gzip-as-base64', Buffer.from(GOOD.toString('base64'))],
    ['text', Buffer.from('Not Found')],
    ['unknown', Buffer.from([1, 2, 3, 4])],
    ['unknown', Buffer.from([0x1f])],
  ])('is missing in another format: %s', async (kind, bytes) => {
    for (const size of [1, 65536]) {
      const facts = await listArchive(bytes, { size });
      expect([facts.kind, facts.fault, facts.gzipMembers, facts.entries]).toEqual([kind, null, 0, []]);
    }
  });
});

describe('limits', () => {
  test('stop reading at the maximum of unpacked bytes', async () => {
    const bytes = tgz(entry('a', noise(300_000)));
    expect(await listArchive(bytes, { limits: { unpackedBytes: 200_000 } })).toMatchObject({
      stopped: 'unpacked-bytes',
      fault: null,
    });
    expect(await listArchive(bytes, { limits: { unpackedBytes: 302_000 } })).toMatchObject({
      stopped: null,
      fault: null,
    });
  });

  test('stop reading at the compression ratio', async () => {
    const bomb = gzipSync(
      Buffer.concat([header({ path: 'zeros', size: 60_000_000 }), Buffer.alloc(60_000_128), tar.endMark()]),
    );
    const facts = await listArchive(bomb);
    expect(facts).toMatchObject({ stopped: 'ratio', fault: null });
    expect(facts.unpackedBytes).toBeLessThan(30_000_000);
  });

  test('allow highly compressed data at the start if the whole file is larger', async () => {
    const bytes = tgz(entry('zeros', Buffer.alloc(20_000_000)), entry('noise', noise(500_000)));
    expect(await listArchive(bytes, { packedBytes: bytes.length })).toMatchObject({
      stopped: null,
      fault: null,
      entryCount: 2,
    });
  });

  test('ignore the ratio below 10 MiB', async () => {
    expect(await listArchive(tgz(entry('zeros', Buffer.alloc(9_000_000))))).toMatchObject({
      stopped: null,
      fault: null,
    });
  });

  test('allow exactly the maximum of entries', async () => {
    const files = Array.from({ length: 101 }, (_, i) => header({ path: `f${i}` }));
    expect(await listArchive(tgz(...files.slice(1)), { limits: { entries: 100 } })).toMatchObject({
      stopped: null,
      entryCount: 100,
    });
    const facts = await listArchive(tgz(...files), { limits: { entries: 100 } });
    expect([facts.stopped, facts.entryCount, facts.entries.length]).toEqual(['entries', 101, 100]);
  });

  test('stop reading at 10,000 entries by default', async () => {
    const one = header({ path: 'same' });
    const many = gzipSync(Buffer.concat(Array.from({ length: 100_000 }, () => one)));
    expect(await listArchive(many, { packedBytes: 1e9 })).toMatchObject({ stopped: 'entries', entryCount: 10_001 });
  });

  test('stop reading at the maximum size of extended headers', async () => {
    const big = tgz(tar.pax({ comment: 'x'.repeat(10_000_000) }), APP);
    expect(await listArchive(big)).toMatchObject({ stopped: 'header-bytes', entries: [] });
    const many = tgz(...Array.from({ length: 60 }, () => Buffer.concat([tar.pax({ comment: 'x'.repeat(1000) }), APP])));
    expect(await listArchive(many, { limits: { headerBytesInAll: 50_000 } })).toMatchObject({
      stopped: 'header-bytes',
      entryCount: 49,
    });
  });

  test('stop unpacking soon after they are reached', async () => {
    const bytes = tgz(entry('a', noise(300_000)));
    const facts = await listArchive(bytes, { limits: { unpackedBytes: 70_000 }, size: 1000 });
    expect(facts.unpackedBytes).toBeLessThan(70_000 + 65_536);
  });
});

describe('a local file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'archive-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('is digested and listed in one pass', async () => {
    const bytes = tgz(entry('noise', noise(300_000)), APP);
    writeFileSync(join(folder, 'a.tar.gz'), bytes);
    const { content, archive } = await readArchiveFile(join(folder, 'a.tar.gz'), { weak: true });
    expect(content).toMatchObject({
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      cut: false,
    });
    expect(content.md5).toBe(createHash('md5').update(bytes).digest('hex'));
    expect(archive).toEqual(await listArchive(bytes));
  });

  test('is truncated at a limit', async () => {
    const { content } = await readArchiveFile(join(folder, 'a.tar.gz'), { bytes: 100_000 });
    expect(content).toMatchObject({ bytes: 100_000, cut: true });
  });

  test('is rejected with the system error if it cannot be read', async () => {
    await expect(readArchiveFile(join(folder, 'absent'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
