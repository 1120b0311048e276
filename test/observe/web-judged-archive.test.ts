import { randomBytes } from 'node:crypto';
import { deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import { describe, test } from 'vitest';
import { checksum } from '../support/live-registry.ts';
import { type Case, check, openStage } from '../support/live-stage.ts';
import { base256, endMark, entry, gnuLong, GNU, header, pax, rawPax, tgz, tgzOpen } from '../support/tar-builder.ts';

/** Archives with the listed checksum, as they come over the network: what is in them, and what readers make of it. */

const stage = openStage();
type Row = [name: string, bytes: () => Uint8Array, expected: string[]];
const all = (rows: Row[]): void =>
  test.each<Case>(
    rows.map(([name, bytes, expected]): Case => [
      name,
      (s) => {
        const made = bytes();
        s.live.versions[0]!.artifactChecksum = checksum(made);
        s.live.list();
        s.serveArtifact(made);
      },
      expected.map((text) => `${text} (artifact 2.0.0)`),
    ]),
  )('%s', async (_, breakIt, expected) => void (await check(stage, breakIt, expected)));
const APP = entry('app.js', 'export {};\n');
const of =
  (...parts: Uint8Array[]) =>
  (): Uint8Array =>
    tgz(APP, ...parts);
const link = (path: string, target: string, type = '2'): Buffer => header({ path, type, link: target });
const GOOD = tgz(APP);
const broken = (at: number): Uint8Array => {
  const b = Buffer.from(tgz(entry('n', randomBytes(3000))));
  b[b.length + at]! ^= 1;
  return b;
};
const unsafe = (cause: string, severity = 'error'): string[] => [`${severity} artifact-unsafe-entry ${cause}`];
const notArchive = (cause: string, severity = 'error'): string[] => [`${severity} artifact-not-tar-gz ${cause}`];
const trailing = (cause: string, severity = 'error'): string[] => [`${severity} artifact-trailing-data ${cause}`];

const noApp = (cause: string): string[] => [`warning artifact-no-app ${cause}`];

describe('the app', () => {
  all([
    ['no code at all', () => tgz(entry('readme', '1')), noApp('absent')],
    ['a folder around it', () => tgz(entry('package/app.js', '1')), noApp('in-folder')],
    ['sources', () => tgz(entry('app.ts', '1')), noApp('not-built')],
    ['with "./" in front', () => tgz(entry('./app.js', '1')), []],
  ]);
});

describe('entries', () => {
  all([
    ['the folder above', of(entry('../escape.txt', '1')), unsafe('path-escapes')],
    ['the folder above, in the middle', of(entry('a/../../x', '1')), unsafe('path-escapes')],
    ['".." alone', of(entry('..', '1')), unsafe('path-escapes')],
    ['an absolute path', of(entry('/tmp/abs.txt', '1')), unsafe('absolute-path')],
    ['a drive', of(entry('C:\\x', '1')), unsafe('absolute-path')],
    ['the folder above, for Windows', of(entry('..\\..\\x', '1')), unsafe('path-escapes')],
    ['a link to an absolute path', of(link('l', '/etc/passwd')), unsafe('link-escapes')],
    ['a link out of the archive', of(link('l', '../../../etc/passwd')), unsafe('link-escapes')],
    ['a link inside', of(link('l', 'app.js')), unsafe('link-inside', 'warning')],
    ['a hard link out of the archive', of(link('l', '../x', '1')), unsafe('link-escapes')],
    ['a hard link to an absolute path', of(link('l', '/etc/passwd', '1')), unsafe('link-escapes')],
    ['a character device', of(header({ path: 'd', type: '3' })), unsafe('device')],
    ['a block device', of(header({ path: 'd', type: '4' })), unsafe('device')],
    ['a pipe', of(header({ path: 'd', type: '6' })), unsafe('device')],
    ['a contiguous file', of(entry('c', '1', { type: '7' })), unsafe('contiguous', 'warning')],
    ['set-user-id', of(entry('su', '1', { mode: 0o4755 })), unsafe('special-mode', 'warning')],
    ['a path twice', of(entry('a', '1'), entry('a', '2')), unsafe('duplicate-path')],
    ['a path twice, with the same bytes', of(entry('a', '1'), entry('a', '1')), unsafe('duplicate-path')],
    ['two paths that differ in case', of(entry('a', '1'), entry('A', '1')), unsafe('case-collision')],
    ['a file below a file', of(entry('x', '1'), entry('x/y', '1')), unsafe('file-as-folder')],
    ['the folder above, in a PAX header', of(pax({ path: '../x' }), entry('a', '1')), unsafe('path-escapes')],
    [
      'the folder above, in a long name of GNU',
      of(gnuLong('../x'), entry('a', '1', { magic: GNU })),
      unsafe('path-escapes'),
    ],
    [
      'a PAX size that swallows the next header',
      of(pax({ size: '2048' }), entry('a', 'x'.repeat(600)), APP, APP),
      unsafe('pax-size-differs'),
    ],
    ['a PAX path for all', of(pax({ path: 'all' }, 'g'), entry('a', '1')), unsafe('path-for-all')],
    ['a NUL in a PAX path', of(pax({ path: 'a\0b' }), entry('c', '1')), unsafe('path-with-nul')],
    ['a PAX record of another length', of(rawPax('99 path=x\n'), entry('c', '1')), unsafe('pax-record-broken')],
    ['a link target on a file', of(pax({ linkpath: '/etc/passwd' }), entry('c', '1')), unsafe('link-on-file')],
    ['the end mark alone', () => tgz(), notArchive('no-files')],
    ['no end mark', () => tgzOpen(APP), notArchive('no-end-mark', 'warning')],
    [
      'data behind the end mark',
      () => tgzOpen(APP, endMark(), Buffer.from('surprise')),
      trailing('bytes-after-end', 'warning'),
    ],
    [
      'an entry behind the end mark',
      () => tgzOpen(APP, endMark(), entry('hidden', '1')),
      trailing('entries-after-end'),
    ],
    ['a header with a wrong checksum', of(header({ path: 'b', checksumError: 1 })), notArchive('tar-broken')],
    ['a negative size', of(header({ path: 'b', size: base256(-1n) })), notArchive('tar-broken')],
    ['no name', of(entry('', '1')), unsafe('empty-name')],
    ['the folder itself', of(header({ path: './', type: '5' })), []],
    ['a line break in a name', of(entry('a\n::error::x', '1')), unsafe('control-characters')],
    ['a name that is not UTF-8', of(entry(Buffer.from([0x66, 0xfc]), '1')), unsafe('name-not-utf8', 'warning')],
    ['three thousand folders', of(pax({ path: `${'a/'.repeat(3000)}x` }), entry('a', '1')), unsafe('path-too-long')],
    [
      'a bomb',
      () => gzipSync(Buffer.concat([header({ path: 'zeros', size: 40_000_000 }), Buffer.alloc(40_000_000), endMark()])),
      ['error artifact-bomb ratio'],
    ],
    [
      'too many entries',
      () => tgz(...Array.from({ length: 10_001 }, (_, i) => header({ path: `f${i}` }))),
      ['error artifact-bomb entries'],
    ],
    ['a header of 2 MiB', () => tgz(pax({ comment: 'x'.repeat(2 ** 21) }), APP), ['error artifact-bomb header-bytes']],
    ['a name that turns the line around', of(entry('a\u202esj.exe', '1')), unsafe('invisible-characters', 'warning')],
  ]);
});
describe('gzip', () => {
  all([
    [
      'one archive in two members',
      () => {
        const plain = gunzipSync(GOOD);
        return Buffer.concat([gzipSync(plain.subarray(0, 700)), gzipSync(plain.subarray(700))]);
      },
      notArchive('several-members', 'warning'),
    ],
    ['two archives', () => Buffer.concat([GOOD, GOOD]), trailing('entries-after-end')],
    ['text behind it', () => Buffer.concat([GOOD, Buffer.from('garbage')]), trailing('bytes-after-gzip')],
    ['half a magic number behind it', () => Buffer.concat([GOOD, Buffer.from([0x1f])]), trailing('bytes-after-gzip')],
    [
      'a broken member behind it',
      () => Buffer.concat([GOOD, Buffer.from([0x1f, 0x8b, 1])]),
      trailing('bytes-after-gzip'),
    ],
    ['zeros behind it', () => Buffer.concat([GOOD, Buffer.alloc(512)]), trailing('zeros-after-gzip', 'warning')],
    ['broken off', () => GOOD.subarray(0, 60), notArchive('gzip-truncated')],
    ['without its trailer', () => GOOD.subarray(0, -8), notArchive('gzip-truncated')],
    ['a wrong CRC', () => broken(-8), notArchive('gzip-broken')],
    ['a wrong length', () => broken(-1), notArchive('gzip-broken')],
    [
      'a file name with control characters in the header',
      () => {
        const b = Buffer.from(GOOD);
        b[3] = 8;
        return Buffer.concat([b.subarray(0, 10), Buffer.from('\u001b[2Jx\0'), b.subarray(10)]);
      },
      [],
    ],
    ['zip', () => Buffer.from('504b03041400000008000000', 'hex'), notArchive('zip')],
    ['tar alone', () => gunzipSync(GOOD), notArchive('plain-tar')],
    ['zlib', () => deflateSync(gunzipSync(GOOD)), notArchive('zlib')],
    ['zstd', () => Buffer.from('28b52ffd0458', 'hex'), notArchive('zstd')],
    ['xz', () => Buffer.from('fd377a585a000004', 'hex'), notArchive('xz')],
    ['bzip2', () => Buffer.from('425a68393141592653', 'hex'), notArchive('bzip2')],
    [
      'a Git LFS pointer',
      () => Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n'),
      notArchive('git-lfs-pointer'),
    ],
    ['text inside', () => gzipSync('hello'), notArchive('no-tar-inside')],
    ['compressed twice', () => gzipSync(GOOD), notArchive('compressed-twice')],
    ['folders alone', () => tgz(entry('lib/', '', { type: '5' })), notArchive('no-files')],
    ['half a tar inside', () => gzipSync(gunzipSync(GOOD).subarray(0, 520)), notArchive('tar-truncated')],
  ]);
});
describe('clean', () => {
  all([
    [
      'as GNU tar packs a folder',
      () => tgz(entry('./', '', { type: '5' }), entry('./app.js', '1'), entry('./ui.js', '')),
      [],
    ],
    ['zeros that fill up the last record', () => tgzOpen(APP, endMark(16)), []],
    ['as git archive packs', () => tgz(pax({ comment: 'c0ffee' }, 'g'), APP), []],
    [
      'a long path in a PAX header',
      of(pax({ path: `${'a'.repeat(120)}/b.js`, mtime: '1.5' }), entry('short', '1')),
      [],
    ],
    ['a long path of GNU', of(gnuLong(`${'a'.repeat(120)}/b.js`), entry('short', '1', { magic: GNU })), []],
    ['letters of many scripts', of(entry('größe.js', '1'), entry('日本語.js', '1')), []],
    ['names with dots', of(entry('..a', '1'), entry('a..b/...', '1'), entry('.env', '1')), []],
    [
      'a folder that stands twice',
      of(entry('lib/', '', { type: '5' }), entry('lib/', '', { type: '5' }), entry('lib/a', '1')),
      [],
    ],
    ['an executable', of(entry('run.sh', '1', { mode: 0o755 })), []],
    [
      'a time in the gzip header',
      () => {
        const b = Buffer.from(GOOD);
        b.writeUInt32LE(1_700_000_000, 4);
        return b;
      },
      [],
    ],
    ['the oldest form of tar', of(entry('old', '1', { magic: '\0'.repeat(8), type: '\0' })), []],
    ['9 MB of zeros', () => tgz(APP, entry('zeros', Buffer.alloc(9_000_000))), []],
  ]);
});
