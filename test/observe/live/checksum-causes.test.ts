import { createHash } from 'node:crypto';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { describe } from 'vitest';
import { answer, byMethod, CORS, inTurn } from '../../support/fault-host.ts';
import { archive, checksum, gzipped } from '../../support/live-registry.ts';
import { byRequest, checkCases, liveFixture } from '../../support/live-fixture.ts';
import { entry, tgz } from '../../support/tar-builder.ts';

/** Artifacts whose digest differs from the listed one, and the cause; malformed checksums. */

const fixture = liveFixture();
const mismatch = (cause: string, severity = 'error'): string[] => [
  `${severity} artifact-checksum-mismatch ${cause} (artifact 2.0.0)`,
];
const malformed = (cause: string): string[] => [`error checksum-malformed ${cause} (metadata 2.0.0)`];
const digest = (algorithm: string, bytes: Uint8Array, as: 'hex' | 'base64' = 'hex'): string =>
  createHash(algorithm).update(bytes).digest(as);
const list = (value: string): void => {
  fixture.live.versions[0]!.artifactChecksum = value;
  fixture.live.list();
};

// Incompressible enough to be of some size, and the same in every run.
const NOISE = Array.from({ length: 6000 }, (_, i) => digest('md5', Buffer.from(String(i)))).join('\n');
const BIG = tgz(entry('app.js', NOISE));
/** A larger artifact is listed, and these bytes are served. */
const servedInstead = (bytes: Uint8Array | string, headers?: Record<string, string>) => (): void => {
  list(checksum(BIG));
  fixture.serveArtifact(bytes, headers);
};
/** The bytes are served, and listed as they are. */
const asListed = (bytes: Uint8Array, headers?: Record<string, string>) => (): void => {
  list(checksum(bytes));
  fixture.serveArtifact(bytes, headers);
};
const latin1 = BIG.toString('latin1');

describe('conversions', () => {
  checkCases(fixture, [
    {
      name: 'LF became CR LF',
      serve: servedInstead(Buffer.from(latin1.replaceAll('\n', '\r\n'), 'latin1')),
      expect: mismatch('line-ends-converted'),
    },
    {
      name: 'CR LF became LF',
      serve: servedInstead(Buffer.from(latin1.replaceAll('\r\n', '\n'), 'latin1')),
      expect: mismatch('other-bytes'),
    },
    {
      name: 'bytes that are not UTF-8 were replaced',
      serve: servedInstead(BIG.toString('utf8')),
      expect: mismatch('gzip-as-text'),
    },
    {
      name: 'decoded as Latin-1, written as UTF-8',
      serve: servedInstead(Buffer.from(latin1, 'utf8')),
      expect: mismatch('gzip-as-text'),
    },
    {
      name: 'decoded as Windows-1252, written as UTF-8',
      serve: servedInstead(Buffer.from(new TextDecoder('windows-1252').decode(BIG), 'utf8')),
      expect: mismatch('gzip-as-text'),
    },
    {
      name: 'question marks for all that is not ASCII',
      serve: servedInstead(BIG.map((byte) => (byte > 127 ? 63 : byte))),
      expect: mismatch('gzip-as-text'),
    },
    {
      name: 'seven bits of each byte',
      serve: servedInstead(BIG.map((byte) => byte & 127)),
      expect: mismatch('gzip-as-text'),
    },
    { name: 'base64', serve: servedInstead(BIG.toString('base64')), expect: mismatch('gzip-as-base64') },
    {
      name: 'base64 in lines',
      serve: servedInstead(BIG.toString('base64').replace(/.{76}/g, '$&\n')),
      expect: mismatch('gzip-as-base64'),
    },
    {
      name: 'base64 as a JSON text',
      serve: servedInstead(JSON.stringify(BIG.toString('base64'))),
      expect: mismatch('gzip-as-base64'),
    },
    {
      name: 'a byte order mark in front',
      serve: servedInstead(Buffer.concat([Buffer.from('\ufeff'), BIG])),
      expect: mismatch('bytes-before'),
    },
  ]);
});

describe('parts and additions', () => {
  checkCases(fixture, [
    { name: '64 KiB of it', serve: servedInstead(BIG.subarray(0, 65_536)), expect: mismatch('truncated') },
    { name: 'all but the last byte', serve: servedInstead(BIG.subarray(0, -1)), expect: mismatch('truncated') },
    { name: 'without its beginning', serve: servedInstead(BIG.subarray(100)), expect: mismatch('other-bytes') },
    {
      name: 'twice',
      serve: servedInstead(Buffer.concat([BIG, BIG])),
      expect: mismatch('joined'),
    },
    {
      name: 'three times',
      serve: servedInstead(Buffer.concat([BIG, BIG, BIG])),
      expect: mismatch('joined'),
    },
    {
      name: 'after another archive',
      serve: servedInstead(Buffer.concat([tgz(entry('app.js', 'x')), BIG])),
      expect: mismatch('joined'),
    },
    {
      name: 'twice in one tar archive, with one compression',
      serve: servedInstead(gzipSync(Buffer.concat([gunzipSync(BIG), gunzipSync(BIG)]))),
      expect: [...mismatch('other-bytes'), 'error artifact-trailing-data entries-after-end (artifact 2.0.0)'],
    },
    {
      name: 'twice, and listed as it is',
      serve: asListed(Buffer.concat([BIG, BIG])),
      expect: ['error artifact-trailing-data entries-after-end (artifact 2.0.0)'],
    },
    {
      name: 'a line feed after it',
      serve: servedInstead(Buffer.concat([BIG, Buffer.from('\n')])),
      expect: mismatch('bytes-added'),
    },
    {
      name: 'the form that it was uploaded with',
      serve: servedInstead(
        Buffer.concat([Buffer.from('--x\r\nContent-Type: a/b\r\n\r\n'), BIG, Buffer.from('\r\n--x--\r\n')]),
      ),
      expect: mismatch('bytes-before'),
    },
    {
      name: 'a part that was not requested',
      serve: () =>
        fixture.live.serve(
          '2.tar.gz',
          byMethod({
            GET: answer({
              status: 206,
              headers: { ...CORS, 'Content-Range': 'bytes 0-9/100' },
              body: fixture.live.artifact.subarray(0, 10),
            }),
          }),
        ),
      expect: ['error unreachable unsolicited-partial (artifact 2.0.0)'],
    },
  ]);
});

describe('compression', () => {
  checkCases(fixture, [
    { name: 'the tar inside is served', serve: servedInstead(gunzipSync(BIG)), expect: mismatch('unpacked') },
    { name: 'compressed once more', serve: servedInstead(gzipSync(BIG)), expect: mismatch('compressed-twice') },
    {
      name: 'unpacked and packed again, silently',
      serve: servedInstead(gzipSync(gunzipSync(BIG), { level: 1 })),
      expect: mismatch('other-bytes'),
    },
    {
      name: 'unpacked and packed again, with a label',
      serve: servedInstead(gzipSync(gunzipSync(BIG), { level: 1 }), { 'Content-Encoding': 'gzip' }),
      expect: mismatch('re-encoded'),
    },
    {
      name: 'compressed once more, with a label',
      serve: servedInstead(brotliCompressSync(BIG), { 'Content-Encoding': 'br' }),
      expect: mismatch('decoded-bytes-match'),
    },
    {
      name: 'the tar inside was hashed, and the file has a label',
      serve: () => {
        list(checksum(gunzipSync(fixture.live.artifact)));
        fixture.serveArtifact(fixture.live.artifact, { 'Content-Encoding': 'gzip' });
      },
      expect: mismatch('inner-tar-listed'),
    },
    {
      name: 'the tar inside was hashed, and is served',
      serve: asListed(gunzipSync(BIG)),
      expect: ['error artifact-not-tar-gz plain-tar (artifact 2.0.0)'],
    },
    {
      name: 'compressed unless the client declines it',
      serve: () =>
        fixture.live.serve(
          '2.tar.gz',
          byRequest(({ headers }) =>
            headers['accept-encoding'] === 'identity'
              ? gzipped(fixture.live.artifact, { Vary: 'Accept-Encoding' })
              : gzipped(gzipSync(fixture.live.artifact), { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' }),
          ),
        ),
      expect: [],
    },
    {
      name: 'a wrong content coding',
      serve: asListed(BIG, { 'Content-Encoding': 'br' }),
      expect: ['warning content-encoded encoded (artifact 2.0.0)'],
    },
    {
      name: 'an unknown content coding',
      serve: asListed(BIG, { 'Content-Encoding': 'aws-chunked' }),
      expect: ['warning content-encoded unknown-coding (artifact 2.0.0)'],
    },
  ]);
});

describe('other files', () => {
  checkCases(fixture, [
    {
      name: 'nothing was hashed, and nothing is served',
      serve: asListed(Buffer.alloc(0)),
      expect: ['error artifact-not-tar-gz empty-file (artifact 2.0.0)'],
    },
    {
      name: 'a page was hashed, and is served',
      serve: asListed(Buffer.from('<!doctype html><title>x</title>'), { 'Content-Type': 'text/html' }),
      expect: ['error artifact-not-tar-gz html-page (artifact 2.0.0)'],
    },
    {
      name: 'half a file was hashed, and is served',
      serve: asListed(BIG.subarray(0, 4096)),
      expect: ['error artifact-not-tar-gz gzip-truncated (artifact 2.0.0)'],
    },
    {
      name: 'a message with status 200',
      serve: servedInstead('Not Found', { 'Content-Type': 'text/plain' }),
      expect: mismatch('text'),
    },
    { name: 'null', serve: servedInstead('null', { 'Content-Type': 'application/json' }), expect: mismatch('text') },
    {
      name: 'two artifacts, each in the other’s place',
      serve: () => {
        fixture.serveArtifact(fixture.live.older);
        fixture.live.serve('1.tar.gz', gzipped(fixture.live.artifact));
      },
      expect: [
        ...mismatch('other-versions-artifact'),
        'error artifact-checksum-mismatch other-versions-artifact (artifact 1.0.0)',
      ],
    },
    {
      name: 'bundled again for each download',
      serve: () => {
        let n = 0;
        fixture.live.serve('2.tar.gz', (request, socket) => gzipped(archive(`// ${n++}`))(request, socket));
      },
      expect: mismatch('unstable-bytes'),
    },
    {
      name: 'an older copy in one of the caches',
      serve: () =>
        fixture.live.serve(
          '2.tar.gz',
          byMethod({ GET: inTurn(gzipped(archive('old'), { Age: '50' }), gzipped(fixture.live.artifact)) }),
        ),
      expect: mismatch('intermittent', 'warning'),
    },
    {
      name: 'another algorithm of the same length',
      serve: () => list(`sha256:${digest('sha3-256', fixture.live.artifact)}`),
      expect: mismatch('other-bytes'),
    },
    {
      name: 'the digest of the file name',
      serve: () => list(checksum(Buffer.from('2.tar.gz'))),
      expect: mismatch('other-bytes'),
    },
  ]);
});

describe('malformed checksums are one error each', () => {
  checkCases(fixture, [
    { name: 'a placeholder', serve: () => list('sha256:unknown'), expect: malformed('placeholder') },
    {
      name: 'SRI',
      serve: () => list(`sha256-${digest('sha256', fixture.live.artifact, 'base64')}`),
      expect: malformed('sri-base64'),
    },
    {
      name: 'base64',
      serve: () => list(`sha256:${digest('sha256', fixture.live.artifact, 'base64')}`),
      expect: malformed('sri-base64'),
    },
    {
      name: 'base64 without a prefix',
      serve: () => list(digest('sha256', fixture.live.artifact, 'base64')),
      expect: malformed('sri-base64'),
    },
    {
      name: 'SHA-512',
      serve: () => list(`sha512:${digest('sha512', fixture.live.artifact)}`),
      expect: malformed('sha512'),
    },
    {
      name: 'SHA-512 by another name',
      serve: () => list(`sha256:${digest('sha512', fixture.live.artifact)}`),
      expect: malformed('sha512'),
    },
    {
      name: 'SHA-1 by another name',
      serve: () => list(`sha256:${digest('sha1', fixture.live.artifact)}`),
      expect: malformed('sha1'),
    },
    {
      name: 'a placeholder, and a page in the artifact’s place: two',
      serve: () => {
        list('sha256:unknown');
        fixture.serveArtifact('<!doctype html><title>x</title>', { 'Content-Type': 'text/html' });
      },
      expect: [...malformed('placeholder'), 'error artifact-not-tar-gz html-page (artifact 2.0.0)'],
    },
  ]);
});
