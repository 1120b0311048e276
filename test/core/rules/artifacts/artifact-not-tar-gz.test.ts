import { deflateSync, gzipSync } from 'node:zlib';
import { artifactNotTarGz } from '../../../../src/core/rules/artifacts/artifact-not-tar-gz.ts';
import { artifactFactsOf } from '../../../support/archives.ts';
import { ruleTable } from '../../../support/rule-table.ts';
import * as tar from '../../../support/tar-builder.ts';
import { noise } from '../../../support/random.ts';

const APP = tar.entry('app.js', 'export {};\n');
const GOOD = tar.tgz(APP);
const NOISE = tar.tgz(tar.entry('noise', noise(3000)));
const plain = Buffer.concat([APP, tar.endMark()]);
const text = (content: string) => artifactFactsOf(Buffer.from(content));
const broken = Buffer.from(NOISE);
broken[broken.length - 6]! ^= 1;
const error = (cause: string, message = 'The artifact') => [{ cause, message }];
const warning = (cause: string) => [{ cause, severity: 'warning' as const }];

const COMPRESSED = {
  bzip2: '425a6839',
  '7z': '377abcaf271c',
  rar: '526172211a07',
  lz4: '04224d18',
  lzip: '4c5a4950',
  compress: '1f9d90',
};

ruleTable(artifactNotTarGz, {
  clean: [
    ['one file', await artifactFactsOf(GOOD)],
    [
      'a folder as GNU tar packs it',
      await artifactFactsOf(tar.tgz(tar.entry('./', '', { type: '5' }), tar.entry('./app.js', '1'))),
    ],
    ['zeros that fill up the last record', await artifactFactsOf(tar.tgzOpen(APP, tar.endMark(16)))],
    ['git archive', await artifactFactsOf(tar.tgz(tar.pax({ comment: 'c0ffee' }, 'g'), APP))],
    ['unsafe entries, which another rule reports', await artifactFactsOf(tar.tgz(tar.entry('../x', '1')))],
    [
      'bytes behind the end, which another rule reports',
      await artifactFactsOf(Buffer.concat([GOOD, Buffer.from('x')])),
    ],
    ['two archives joined, which another rule reports', await artifactFactsOf(Buffer.concat([GOOD, GOOD]))],
    ['stopped at a limit, which another rule reports', await artifactFactsOf(GOOD, { limits: { unpackedBytes: 10 } })],
    ['cut by our own limit', await artifactFactsOf(NOISE, { limit: 1000 })],
    [
      'broken behind what readers take differently',
      await artifactFactsOf(tar.tgz(tar.pax({ size: '90' }), tar.entry('a', 'x'.repeat(600)), APP)),
    ],
    [
      'broken behind a folder with data',
      await artifactFactsOf(tar.tgz(APP, tar.entry('d/', 'x'.repeat(512), { type: '5' }), APP)),
    ],
    ['a link as the only entry', await artifactFactsOf(tar.tgz(tar.header({ path: 'a', type: '2', link: 'b' })))],
  ],
  faulty: [
    [
      'an empty file',
      await text(''),
      [{ cause: 'empty-file', message: 'is empty', evidence: { kind: 'empty', bytes: 0 } }],
    ],
    ['an HTML page', await text('<!doctype html><title>Sign in</title>'), error('html-page', 'HTML page')],
    [
      'a Git LFS pointer',
      await text('version https://git-lfs.github.com/spec/v1\noid sha256:0'),
      error('git-lfs-pointer'),
    ],
    ['JSON', await text('{"message":"Not Found"}'), error('json')],
    ["a store's XML error", await text('<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'), error('xml')],
    ['text', await text('Not Found'), error('text')],
    ['a plain tar', await artifactFactsOf(plain), error('plain-tar', 'not gzip-compressed')],
    ['a zip', await text('PK\u0003\u0004'), error('zip', 'is zip data')],
    ['xz', await artifactFactsOf(Buffer.from('fd377a585a000004', 'hex')), error('xz')],
    ['zstd', await artifactFactsOf(Buffer.from('28b52ffd0458', 'hex')), error('zstd')],
    ...(await Promise.all(
      Object.entries(COMPRESSED).map(
        async ([kind, head]) => [kind, await artifactFactsOf(Buffer.from(head, 'hex')), error(kind)] as const,
      ),
    )),
    ['zlib', await artifactFactsOf(deflateSync(plain)), error('zlib')],
    [
      'gzip read as text',
      await artifactFactsOf(Buffer.from(GOOD.toString('utf8'))),
      error('gzip-as-text', 'processed as text'),
    ],
    ['Base64', await text(GOOD.toString('base64')), error('gzip-as-base64')],
    ['an image', await artifactFactsOf(Buffer.from('89504e470d0a1a0a', 'hex')), error('not-gzip', 'looks like: png')],
    ['unknown bytes', await artifactFactsOf(Buffer.from([1, 2, 3])), error('not-gzip')],
    ['broken gzip', await artifactFactsOf(broken), error('gzip-broken')],
    ['half of a gzip', await artifactFactsOf(NOISE.subarray(0, 1500)), error('gzip-truncated', 'ends too early')],
    ['text inside', await artifactFactsOf(gzipSync('hello')), error('no-tar-inside')],
    ['compressed twice', await artifactFactsOf(gzipSync(GOOD)), error('compressed-twice')],
    ['half of a tar', await artifactFactsOf(gzipSync(plain.subarray(0, 520))), error('tar-truncated')],
    [
      'a broken header',
      await artifactFactsOf(tar.tgz(APP, tar.header({ path: 'b', checksumError: 1 }))),
      error('tar-broken'),
    ],
    [
      'a negative size',
      await artifactFactsOf(tar.tgz(APP, tar.header({ path: 'b', size: tar.base256(-1n) }))),
      error('tar-broken'),
    ],
    ['gzip of nothing', await artifactFactsOf(gzipSync('')), error('no-files')],
    ['only an end mark', await artifactFactsOf(tar.tgz()), error('no-files', 'no files')],
    ['only folders', await artifactFactsOf(tar.tgz(tar.entry('lib/', '', { type: '5' }))), error('no-files')],
    ['no end mark', await artifactFactsOf(tar.tgzOpen(APP)), warning('no-end-marker')],
    [
      'several members',
      await artifactFactsOf(Buffer.concat([gzipSync(plain.subarray(0, 700)), gzipSync(plain.subarray(700))])),
      warning('several-members'),
    ],
  ],
});
