import { deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import { describe } from 'vitest';
import { checksum } from '../../support/live-registry.ts';
import { checkCases, liveFixture } from '../../support/live-fixture.ts';
import { base256, endMark, entry, gnuLong, GNU, header, pax, rawPax, tgz, tgzOpen } from '../../support/tar-builder.ts';
import { noise } from '../../support/random.ts';

/** Archives with the listed checksum, downloaded from a host: their entries, and how readers treat them. */

const fixture = liveFixture();
interface ArchiveCase {
  name: string;
  bytes: () => Uint8Array;
  /** Errors and warnings of the artifact. */
  expect: string[];
}
/** Serves each archive with its correct checksum listed. */
function checkArchives(cases: readonly ArchiveCase[]): void {
  checkCases(
    fixture,
    cases.map(({ name, bytes, expect }) => ({
      name,
      serve: () => {
        const archive = bytes();
        fixture.live.versions[0]!.artifactChecksum = checksum(archive);
        fixture.live.list();
        fixture.serveArtifact(archive);
      },
      expect: expect.map((text) => `${text} (artifact 2.0.0)`),
    })),
  );
}
const APP = entry('app.js', 'export {};\n');
const withEntries =
  (...parts: Uint8Array[]) =>
  (): Uint8Array =>
    tgz(APP, ...parts);
const link = (path: string, target: string, type = '2'): Buffer => header({ path, type, link: target });
const GOOD = tgz(APP);
const broken = (at: number): Uint8Array => {
  const b = Buffer.from(tgz(entry('n', noise(3000))));
  b[b.length + at]! ^= 1;
  return b;
};
const unsafe = (cause: string, severity = 'error'): string[] => [`${severity} artifact-unsafe-entry ${cause}`];
const notArchive = (cause: string, severity = 'error'): string[] => [`${severity} artifact-not-tar-gz ${cause}`];
const trailing = (cause: string, severity = 'error'): string[] => [`${severity} artifact-trailing-data ${cause}`];

const noApp = (cause: string): string[] => [`warning artifact-no-app ${cause}`];

describe('the app', () => {
  checkArchives([
    { name: 'no code at all', bytes: () => tgz(entry('readme', '1')), expect: noApp('absent') },
    { name: 'a folder around it', bytes: () => tgz(entry('package/app.js', '1')), expect: noApp('in-folder') },
    { name: 'sources', bytes: () => tgz(entry('app.ts', '1')), expect: noApp('not-built') },
    { name: 'with "./" in front', bytes: () => tgz(entry('./app.js', '1')), expect: [] },
  ]);
});

describe('entries', () => {
  checkArchives([
    { name: 'the folder above', bytes: withEntries(entry('../escape.txt', '1')), expect: unsafe('path-escapes') },
    {
      name: 'the folder above, in the middle',
      bytes: withEntries(entry('a/../../x', '1')),
      expect: unsafe('path-escapes'),
    },
    { name: 'only ".."', bytes: withEntries(entry('..', '1')), expect: unsafe('path-escapes') },
    { name: 'an absolute path', bytes: withEntries(entry('/tmp/abs.txt', '1')), expect: unsafe('absolute-path') },
    { name: 'a drive', bytes: withEntries(entry('C:\\x', '1')), expect: unsafe('absolute-path') },
    {
      name: 'the folder above, for Windows',
      bytes: withEntries(entry('..\\..\\x', '1')),
      expect: unsafe('path-escapes'),
    },
    {
      name: 'a link to an absolute path',
      bytes: withEntries(link('l', '/etc/passwd')),
      expect: unsafe('link-escapes'),
    },
    {
      name: 'a link out of the archive',
      bytes: withEntries(link('l', '../../../etc/passwd')),
      expect: unsafe('link-escapes'),
    },
    { name: 'a link inside', bytes: withEntries(link('l', 'app.js')), expect: unsafe('link-inside', 'warning') },
    {
      name: 'a hard link out of the archive',
      bytes: withEntries(link('l', '../x', '1')),
      expect: unsafe('link-escapes'),
    },
    {
      name: 'a hard link to an absolute path',
      bytes: withEntries(link('l', '/etc/passwd', '1')),
      expect: unsafe('link-escapes'),
    },
    { name: 'a character device', bytes: withEntries(header({ path: 'd', type: '3' })), expect: unsafe('device') },
    { name: 'a block device', bytes: withEntries(header({ path: 'd', type: '4' })), expect: unsafe('device') },
    { name: 'a pipe', bytes: withEntries(header({ path: 'd', type: '6' })), expect: unsafe('device') },
    {
      name: 'a contiguous file',
      bytes: withEntries(entry('c', '1', { type: '7' })),
      expect: unsafe('contiguous', 'warning'),
    },
    {
      name: 'set-user-id',
      bytes: withEntries(entry('su', '1', { mode: 0o4755 })),
      expect: unsafe('special-mode', 'warning'),
    },
    { name: 'a path twice', bytes: withEntries(entry('a', '1'), entry('a', '2')), expect: unsafe('duplicate-path') },
    {
      name: 'a path twice, with the same bytes',
      bytes: withEntries(entry('a', '1'), entry('a', '1')),
      expect: unsafe('duplicate-path'),
    },
    {
      name: 'two paths that differ in case',
      bytes: withEntries(entry('a', '1'), entry('A', '1')),
      expect: unsafe('case-collision'),
    },
    {
      name: 'a file below a file',
      bytes: withEntries(entry('x', '1'), entry('x/y', '1')),
      expect: unsafe('file-as-folder'),
    },
    {
      name: 'the folder above, in a PAX header',
      bytes: withEntries(pax({ path: '../x' }), entry('a', '1')),
      expect: unsafe('path-escapes'),
    },
    {
      name: 'the folder above, in a long name of GNU',
      bytes: withEntries(gnuLong('../x'), entry('a', '1', { magic: GNU })),
      expect: unsafe('path-escapes'),
    },
    {
      name: 'a PAX size that swallows the next header',
      bytes: withEntries(pax({ size: '2048' }), entry('a', 'x'.repeat(600)), APP, APP),
      expect: unsafe('pax-size-differs'),
    },
    {
      name: 'a PAX path for all',
      bytes: withEntries(pax({ path: 'all' }, 'g'), entry('a', '1')),
      expect: unsafe('path-for-all'),
    },
    {
      name: 'a NUL in a PAX path',
      bytes: withEntries(pax({ path: 'a\0b' }), entry('c', '1')),
      expect: unsafe('path-with-nul'),
    },
    {
      name: 'a PAX record of another length',
      bytes: withEntries(rawPax('99 path=x\n'), entry('c', '1')),
      expect: unsafe('pax-record-broken'),
    },
    {
      name: 'a link target on a file',
      bytes: withEntries(pax({ linkpath: '/etc/passwd' }), entry('c', '1')),
      expect: unsafe('link-on-file'),
    },
    { name: 'only the end mark', bytes: () => tgz(), expect: notArchive('no-files') },
    { name: 'no end mark', bytes: () => tgzOpen(APP), expect: notArchive('no-end-marker', 'warning') },
    {
      name: 'data behind the end mark',
      bytes: () => tgzOpen(APP, endMark(), Buffer.from('surprise')),
      expect: trailing('bytes-after-end', 'warning'),
    },
    {
      name: 'an entry behind the end mark',
      bytes: () => tgzOpen(APP, endMark(), entry('hidden', '1')),
      expect: trailing('entries-after-end'),
    },
    {
      name: 'a header with a wrong checksum',
      bytes: withEntries(header({ path: 'b', checksumError: 1 })),
      expect: notArchive('tar-broken'),
    },
    {
      name: 'a negative size',
      bytes: withEntries(header({ path: 'b', size: base256(-1n) })),
      expect: notArchive('tar-broken'),
    },
    { name: 'no name', bytes: withEntries(entry('', '1')), expect: unsafe('empty-name') },
    { name: 'the folder itself', bytes: withEntries(header({ path: './', type: '5' })), expect: [] },
    {
      name: 'a line break in a name',
      bytes: withEntries(entry('a\n::error::x', '1')),
      expect: unsafe('control-characters'),
    },
    {
      name: 'a name that is not UTF-8',
      bytes: withEntries(entry(Buffer.from([0x66, 0xfc]), '1')),
      expect: unsafe('name-not-utf8', 'warning'),
    },
    {
      name: 'three thousand folders',
      bytes: withEntries(pax({ path: `${'a/'.repeat(3000)}x` }), entry('a', '1')),
      expect: unsafe('path-too-long'),
    },
    {
      name: 'a bomb',
      bytes: () =>
        gzipSync(Buffer.concat([header({ path: 'zeros', size: 40_000_000 }), Buffer.alloc(40_000_000), endMark()])),
      expect: ['error artifact-bomb ratio'],
    },
    {
      name: 'too many entries',
      bytes: () => tgz(...Array.from({ length: 10_001 }, (_, i) => header({ path: `f${i}` }))),
      expect: ['error artifact-bomb entries'],
    },
    {
      name: 'a header of 2 MiB',
      bytes: () => tgz(pax({ comment: 'x'.repeat(2 ** 21) }), APP),
      expect: ['error artifact-bomb header-bytes'],
    },
    {
      name: 'a name that turns the line around',
      bytes: withEntries(entry('a\u202esj.exe', '1')),
      expect: unsafe('invisible-characters', 'warning'),
    },
  ]);
});
describe('gzip', () => {
  checkArchives([
    {
      name: 'one archive in two members',
      bytes: () => {
        const plain = gunzipSync(GOOD);
        return Buffer.concat([gzipSync(plain.subarray(0, 700)), gzipSync(plain.subarray(700))]);
      },
      expect: notArchive('several-members', 'warning'),
    },
    { name: 'two archives', bytes: () => Buffer.concat([GOOD, GOOD]), expect: trailing('entries-after-end') },
    {
      name: 'text after it',
      bytes: () => Buffer.concat([GOOD, Buffer.from('garbage')]),
      expect: trailing('bytes-after-gzip'),
    },
    {
      name: 'half a magic number after it',
      bytes: () => Buffer.concat([GOOD, Buffer.from([0x1f])]),
      expect: trailing('bytes-after-gzip'),
    },
    {
      name: 'a broken member after it',
      bytes: () => Buffer.concat([GOOD, Buffer.from([0x1f, 0x8b, 1])]),
      expect: trailing('bytes-after-gzip'),
    },
    {
      name: 'zeros after it',
      bytes: () => Buffer.concat([GOOD, Buffer.alloc(512)]),
      expect: trailing('zeros-after-gzip', 'warning'),
    },
    { name: 'broken off', bytes: () => GOOD.subarray(0, 60), expect: notArchive('gzip-truncated') },
    { name: 'without its trailer', bytes: () => GOOD.subarray(0, -8), expect: notArchive('gzip-truncated') },
    { name: 'a wrong CRC', bytes: () => broken(-8), expect: notArchive('gzip-broken') },
    { name: 'a wrong length', bytes: () => broken(-1), expect: notArchive('gzip-broken') },
    {
      name: 'a file name with control characters in the header',
      bytes: () => {
        const b = Buffer.from(GOOD);
        b[3] = 8;
        return Buffer.concat([b.subarray(0, 10), Buffer.from('\u001b[2Jx\0'), b.subarray(10)]);
      },
      expect: [],
    },
    { name: 'zip', bytes: () => Buffer.from('504b03041400000008000000', 'hex'), expect: notArchive('zip') },
    { name: 'tar without gzip', bytes: () => gunzipSync(GOOD), expect: notArchive('plain-tar') },
    { name: 'zlib', bytes: () => deflateSync(gunzipSync(GOOD)), expect: notArchive('zlib') },
    { name: 'zstd', bytes: () => Buffer.from('28b52ffd0458', 'hex'), expect: notArchive('zstd') },
    { name: 'xz', bytes: () => Buffer.from('fd377a585a000004', 'hex'), expect: notArchive('xz') },
    { name: 'bzip2', bytes: () => Buffer.from('425a68393141592653', 'hex'), expect: notArchive('bzip2') },
    {
      name: 'a Git LFS pointer',
      bytes: () => Buffer.from('version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n'),
      expect: notArchive('git-lfs-pointer'),
    },
    { name: 'text inside', bytes: () => gzipSync('hello'), expect: notArchive('no-tar-inside') },
    { name: 'compressed twice', bytes: () => gzipSync(GOOD), expect: notArchive('compressed-twice') },
    { name: 'only folders', bytes: () => tgz(entry('lib/', '', { type: '5' })), expect: notArchive('no-files') },
    {
      name: 'half a tar inside',
      bytes: () => gzipSync(gunzipSync(GOOD).subarray(0, 520)),
      expect: notArchive('tar-truncated'),
    },
  ]);
});
describe('clean', () => {
  checkArchives([
    {
      name: 'as GNU tar packs a folder',
      bytes: () => tgz(entry('./', '', { type: '5' }), entry('./app.js', '1'), entry('./ui.js', '')),
      expect: [],
    },
    { name: 'zeros that fill up the last record', bytes: () => tgzOpen(APP, endMark(16)), expect: [] },
    { name: 'as git archive packs', bytes: () => tgz(pax({ comment: 'c0ffee' }, 'g'), APP), expect: [] },
    {
      name: 'a long path in a PAX header',
      bytes: withEntries(pax({ path: `${'a'.repeat(120)}/b.js`, mtime: '1.5' }), entry('short', '1')),
      expect: [],
    },
    {
      name: 'a long path of GNU',
      bytes: withEntries(gnuLong(`${'a'.repeat(120)}/b.js`), entry('short', '1', { magic: GNU })),
      expect: [],
    },
    {
      name: 'letters of many scripts',
      bytes: withEntries(entry('größe.js', '1'), entry('日本語.js', '1')),
      expect: [],
    },
    {
      name: 'names with dots',
      bytes: withEntries(entry('..a', '1'), entry('a..b/...', '1'), entry('.env', '1')),
      expect: [],
    },
    {
      name: 'a duplicate folder',
      bytes: withEntries(entry('lib/', '', { type: '5' }), entry('lib/', '', { type: '5' }), entry('lib/a', '1')),
      expect: [],
    },
    { name: 'an executable', bytes: withEntries(entry('run.sh', '1', { mode: 0o755 })), expect: [] },
    {
      name: 'a time in the gzip header',
      bytes: () => {
        const b = Buffer.from(GOOD);
        b.writeUInt32LE(1_700_000_000, 4);
        return b;
      },
      expect: [],
    },
    {
      name: 'the oldest form of tar',
      bytes: withEntries(entry('old', '1', { magic: '\0'.repeat(8), type: '\0' })),
      expect: [],
    },
    { name: '9 MB of zeros', bytes: () => tgz(APP, entry('zeros', Buffer.alloc(9_000_000))), expect: [] },
  ]);
});
