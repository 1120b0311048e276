import { createHash } from 'node:crypto';
import { brotliCompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { describe, test } from 'vitest';
import { answer, byMethod, CORS, inTurn } from '../support/fault-host.ts';
import { archive, checksum, gzipped } from '../support/live-registry.ts';
import { by, type Case, check, openStage, type Stage } from '../support/live-stage.ts';
import { entry, tgz } from '../support/tar-builder.ts';

/** Artifacts whose digest is not the listed one, and why; and checksums that are none. */

const stage = openStage();
const all = (cases: Case[]): void =>
  test.each<Case>(cases)('%s', async (_, breakIt, expected, options) => {
    await check(stage, breakIt, expected, options);
  });
const mismatch = (cause: string, severity = 'error'): string[] => [
  `${severity} artifact-checksum-mismatch ${cause} (artifact 2.0.0)`,
];
const malformed = (cause: string): string[] => [`error checksum-malformed ${cause} (metadata 2.0.0)`];
const digest = (algorithm: string, bytes: Uint8Array, as: 'hex' | 'base64' = 'hex'): string =>
  createHash(algorithm).update(bytes).digest(as);
const list = (s: Stage, value: string): void => {
  s.live.versions[0]!.artifactChecksum = value;
  s.live.list();
};

// Incompressible enough to be of some size, and the same in every run.
const NOISE = Array.from({ length: 6000 }, (_, i) => digest('md5', Buffer.from(String(i)))).join('\n');
const BIG = tgz(entry('app.js', NOISE));
/** A larger artifact is listed, and these bytes are served. */
const instead =
  (bytes: Uint8Array | string, headers?: Record<string, string>) =>
  (s: Stage): void => {
    list(s, checksum(BIG));
    s.serveArtifact(bytes, headers);
  };
/** The bytes are served, and listed as they are. */
const asListed =
  (bytes: Uint8Array, headers?: Record<string, string>) =>
  (s: Stage): void => {
    list(s, checksum(bytes));
    s.serveArtifact(bytes, headers);
  };
const latin1 = BIG.toString('latin1');

describe('conversions', () => {
  all([
    [
      'LF became CR LF',
      instead(Buffer.from(latin1.replaceAll('\n', '\r\n'), 'latin1')),
      mismatch('line-ends-converted'),
    ],
    ['CR LF became LF', instead(Buffer.from(latin1.replaceAll('\r\n', '\n'), 'latin1')), mismatch('other-bytes')],
    ['bytes that are no UTF-8 were replaced', instead(BIG.toString('utf8')), mismatch('text-conversion')],
    ['taken for Latin-1, written as UTF-8', instead(Buffer.from(latin1, 'utf8')), mismatch('text-conversion')],
    [
      'taken for Windows-1252, written as UTF-8',
      instead(Buffer.from(new TextDecoder('windows-1252').decode(BIG), 'utf8')),
      mismatch('text-conversion'),
    ],
    [
      'question marks for all that is not ASCII',
      instead(BIG.map((byte) => (byte > 127 ? 63 : byte))),
      mismatch('text-conversion'),
    ],
    ['seven bits of each byte', instead(BIG.map((byte) => byte & 127)), mismatch('text-conversion')],
    ['base64', instead(BIG.toString('base64')), mismatch('base64')],
    ['base64 in lines', instead(BIG.toString('base64').replace(/.{76}/g, '$&\n')), mismatch('base64')],
    ['base64 as a JSON text', instead(JSON.stringify(BIG.toString('base64'))), mismatch('base64')],
    ['a byte order mark in front', instead(Buffer.concat([Buffer.from('\ufeff'), BIG])), mismatch('bytes-before')],
  ]);
});

describe('parts, and more than the whole', () => {
  all([
    ['64 KiB of it', instead(BIG.subarray(0, 65_536)), mismatch('truncated')],
    ['all but the last byte', instead(BIG.subarray(0, -1)), mismatch('truncated')],
    ['without its beginning', instead(BIG.subarray(100)), mismatch('other-bytes')],
    ['twice', instead(Buffer.concat([BIG, BIG])), mismatch('other-bytes')],
    ['a line feed behind it', instead(Buffer.concat([BIG, Buffer.from('\n')])), mismatch('bytes-added')],
    [
      'the form that it was uploaded with',
      instead(Buffer.concat([Buffer.from('--x\r\nContent-Type: a/b\r\n\r\n'), BIG, Buffer.from('\r\n--x--\r\n')])),
      mismatch('bytes-before'),
    ],
    [
      'a part that nobody asked for',
      (s) =>
        s.live.serve(
          '2.tar.gz',
          byMethod({
            GET: answer({
              status: 206,
              headers: { ...CORS, 'Content-Range': 'bytes 0-9/100' },
              body: s.live.artifact.subarray(0, 10),
            }),
          }),
        ),
      ['error unreachable partial-unasked (artifact 2.0.0)'],
    ],
  ]);
});

describe('compression', () => {
  all([
    ['the tar inside is served', instead(gunzipSync(BIG)), mismatch('unpacked')],
    ['compressed once more', instead(gzipSync(BIG)), mismatch('compressed-twice')],
    ['unpacked and packed again, silently', instead(gzipSync(gunzipSync(BIG), { level: 1 })), mismatch('other-bytes')],
    [
      'unpacked and packed again, with a label',
      instead(gzipSync(gunzipSync(BIG), { level: 1 }), { 'Content-Encoding': 'gzip' }),
      mismatch('re-encoded'),
    ],
    [
      'compressed once more, with a label',
      instead(brotliCompressSync(BIG), { 'Content-Encoding': 'br' }),
      mismatch('decoded-bytes-match'),
    ],
    [
      'the tar inside was hashed, and the file has a label',
      (s) => {
        list(s, checksum(gunzipSync(s.live.artifact)));
        s.serveArtifact(s.live.artifact, { 'Content-Encoding': 'gzip' });
      },
      mismatch('inner-tar-listed'),
    ],
    [
      'the tar inside was hashed, and is served',
      asListed(gunzipSync(BIG)),
      ['error artifact-not-tar-gz plain-tar (artifact 2.0.0)'],
    ],
    [
      'compressed for all but those who decline it',
      (s) =>
        s.live.serve(
          '2.tar.gz',
          by(({ headers }) =>
            headers['accept-encoding'] === 'identity'
              ? gzipped(s.live.artifact, { Vary: 'Accept-Encoding' })
              : gzipped(gzipSync(s.live.artifact), { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' }),
          ),
        ),
      [],
    ],
    [
      'a label that does not hold',
      asListed(BIG, { 'Content-Encoding': 'br' }),
      ['warning content-encoded labelled (artifact 2.0.0)'],
    ],
    [
      'a label that nobody knows',
      asListed(BIG, { 'Content-Encoding': 'aws-chunked' }),
      ['warning content-encoded unknown-coding (artifact 2.0.0)'],
    ],
  ]);
});

describe('other files', () => {
  all([
    [
      'nothing was hashed, and nothing is served',
      asListed(Buffer.alloc(0)),
      [
        'warning checksum-placeholder empty-file (metadata 2.0.0)',
        'error artifact-not-tar-gz empty-file (artifact 2.0.0)',
      ],
    ],
    [
      'a page was hashed, and is served',
      asListed(Buffer.from('<!doctype html><title>x</title>'), { 'Content-Type': 'text/html' }),
      ['error artifact-not-tar-gz html-page (artifact 2.0.0)'],
    ],
    [
      'half a file was hashed, and is served',
      asListed(BIG.subarray(0, 4096)),
      ['error artifact-not-tar-gz gzip-truncated (artifact 2.0.0)'],
    ],
    ['a message with status 200', instead('Not Found', { 'Content-Type': 'text/plain' }), mismatch('text')],
    ['null', instead('null', { 'Content-Type': 'application/json' }), mismatch('text')],
    [
      'two artifacts, each in the other’s place',
      (s) => {
        s.serveArtifact(s.live.older);
        s.live.serve('1.tar.gz', gzipped(s.live.artifact));
      },
      [
        ...mismatch('other-versions-artifact'),
        'error artifact-checksum-mismatch other-versions-artifact (artifact 1.0.0)',
      ],
    ],
    [
      'bundled anew for each download',
      (s) => {
        let n = 0;
        s.live.serve('2.tar.gz', (request, socket) => gzipped(archive(`// ${n++}`))(request, socket));
      },
      mismatch('unstable-bytes'),
    ],
    [
      'an older copy in one of the caches',
      (s) =>
        s.live.serve(
          '2.tar.gz',
          byMethod({ GET: inTurn(gzipped(archive('old'), { Age: '50' }), gzipped(s.live.artifact)) }),
        ),
      mismatch('intermittent', 'warning'),
    ],
    [
      'another algorithm of the same length',
      (s) => list(s, `sha256:${digest('sha3-256', s.live.artifact)}`),
      mismatch('other-bytes'),
    ],
    ['the digest of the file name', (s) => list(s, checksum(Buffer.from('2.tar.gz'))), mismatch('other-bytes')],
  ]);
});

describe('checksums that are none: one error each', () => {
  all([
    ['a placeholder', (s) => list(s, 'sha256:unknown'), malformed('placeholder')],
    ['SRI', (s) => list(s, `sha256-${digest('sha256', s.live.artifact, 'base64')}`), malformed('sri-base64')],
    ['base64', (s) => list(s, `sha256:${digest('sha256', s.live.artifact, 'base64')}`), malformed('sri-base64')],
    ['base64 alone', (s) => list(s, digest('sha256', s.live.artifact, 'base64')), malformed('sri-base64')],
    ['SHA-512', (s) => list(s, `sha512:${digest('sha512', s.live.artifact)}`), malformed('sha512')],
    ['SHA-512 by another name', (s) => list(s, `sha256:${digest('sha512', s.live.artifact)}`), malformed('sha512')],
    ['SHA-1 by another name', (s) => list(s, `sha256:${digest('sha1', s.live.artifact)}`), malformed('sha1')],
    [
      'a placeholder, and a page in the artifact’s place: two',
      (s) => {
        list(s, 'sha256:unknown');
        s.serveArtifact('<!doctype html><title>x</title>', { 'Content-Type': 'text/html' });
      },
      [...malformed('placeholder'), 'error artifact-not-tar-gz html-page (artifact 2.0.0)'],
    ],
  ]);
});
