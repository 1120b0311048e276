import { createHash } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { answer, byMethod, CORS, inTurn } from '../../support/fault-host.ts';
import { checkCases, liveFixture, verifyPatiently } from '../../support/live-fixture.ts';
import { archive, checksum, faults, gzipped } from '../../support/live-registry.ts';

/** Artifacts whose digest differs from the listed one, and the cause. */

const fixture = liveFixture();

/** Lists this checksum for version 2.0.0. */
function list(value: string): void {
  fixture.live.versions[0]!.artifactChecksum = value;
  fixture.live.list();
}

const mismatch = (cause: string, severity = 'error'): string[] => [
  `${severity} artifact-checksum-mismatch ${cause} (artifact 2.0.0)`,
];

const hexDigest = (algorithm: string, bytes: Uint8Array): string => createHash(algorithm).update(bytes).digest('hex');

const PAGE = '<!doctype html><html><head><title>Sign in</title></head><body>…</body></html>';
const htmlPage = byMethod({ GET: answer({ headers: { 'Content-Type': 'text/html', ...CORS }, body: PAGE }) });

describe('checksums', () => {
  checkCases(fixture, [
    {
      name: 'one bit',
      serve: () => fixture.serveArtifact(Buffer.from(fixture.live.artifact).fill(0x41, 5, 6)),
      expect: mismatch('other-bytes'),
    },
    {
      name: 'another archive',
      serve: () => fixture.serveArtifact(archive('export const version = 3;')),
      expect: mismatch('other-bytes'),
    },
    {
      name: 'swapped with another version',
      serve: () => fixture.serveArtifact(fixture.live.older),
      expect: mismatch('other-versions-artifact'),
    },
    {
      name: 'compressed once more by the CDN',
      serve: () => {
        fixture.serveArtifact(gzipSync(fixture.live.artifact), { 'Content-Encoding': 'gzip' });
      },
      expect: mismatch('decoded-bytes-match'),
    },
    {
      name: 'unpacked and repacked',
      serve: () =>
        fixture.serveArtifact(gzipSync(gunzipSync(fixture.live.artifact), { level: 1 }), {
          'Content-Encoding': 'gzip',
        }),
      expect: mismatch('re-encoded'),
    },
    {
      name: 'the same bytes, labelled as encoded',
      serve: () => fixture.serveArtifact(fixture.live.artifact, { 'Content-Encoding': 'gzip' }),
      expect: ['warning content-encoded encoded (artifact 2.0.0)'],
    },
    {
      name: 'the tar inside was hashed',
      serve: () => list(checksum(gunzipSync(fixture.live.artifact))),
      expect: mismatch('inner-tar-listed'),
    },
    {
      name: 'nothing was hashed',
      serve: () => list(checksum(Buffer.alloc(0))),
      expect: ['error checksum-placeholder empty-file (metadata 2.0.0)'],
    },
    { name: 'an empty file', serve: () => fixture.serveArtifact(''), expect: mismatch('empty-file') },
    { name: 'a page', serve: () => fixture.live.serve('2.tar.gz', htmlPage), expect: mismatch('html-page') },
    {
      name: 'an LFS pointer',
      serve: () =>
        fixture.serveArtifact('version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 12345\n', {
          'Content-Type': 'text/plain',
        }),
      expect: mismatch('git-lfs-pointer'),
    },
    {
      name: 'an XML error with status 200',
      serve: () => fixture.serveArtifact('<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>'),
      expect: mismatch('xml-error'),
    },
    {
      name: 'converted as text',
      serve: () => fixture.serveArtifact(Buffer.from(fixture.live.artifact.toString('utf8'))),
      expect: mismatch('gzip-as-text'),
    },
    {
      name: 'wrong at first, then right',
      serve: () =>
        fixture.live.serve(
          '2.tar.gz',
          byMethod({ GET: inTurn(gzipped(fixture.live.older), gzipped(fixture.live.artifact)) }),
        ),
      expect: mismatch('intermittent', 'warning'),
    },
    {
      name: 'other bytes each time',
      serve: () => {
        let n = 0;
        fixture.live.serve('2.tar.gz', (request, socket) => gzipped(archive(`// ${n++}`))(request, socket));
      },
      expect: mismatch('unstable-bytes'),
    },
    {
      name: 'cut short, without a length',
      serve: () =>
        fixture.live.serve(
          '2.tar.gz',
          byMethod({
            GET: answer({
              headers: { 'Content-Type': 'application/gzip', ...CORS },
              body: fixture.live.artifact.subarray(0, 60),
              length: null,
            }),
          }),
        ),
      expect: mismatch('truncated'),
    },
    {
      name: 'upper case, and right',
      serve: () =>
        list(fixture.live.versions[0]!.artifactChecksum.replace(/[0-9a-f]{64}$/, (digits) => digits.toUpperCase())),
      expect: ['error checksum-malformed uppercase (metadata 2.0.0)'],
    },
    {
      name: 'upper case, and wrong',
      serve: () => {
        list(`sha256:${'ABCDEF0123456789'.repeat(3)}FEDCBA9876543210`);
      },
      expect: ['error checksum-malformed uppercase (metadata 2.0.0)', ...mismatch('other-bytes')],
    },
    {
      name: 'nothing was hashed, and in upper case',
      serve: () => {
        list(`sha256:${checksum(Buffer.alloc(0)).slice(7).toUpperCase()}`);
      },
      expect: ['error checksum-malformed placeholder (metadata 2.0.0)'],
    },
    {
      name: 'zeros, and a page is served',
      serve: () => {
        list(`sha256:${'0'.repeat(64)}`);
        fixture.live.serve('2.tar.gz', htmlPage);
      },
      expect: ['error checksum-placeholder zeros (metadata 2.0.0)', ...mismatch('html-page')],
    },
  ]);

  test('the artifacts of a host that changes all of them have one explanation, and no digest is offered', async () => {
    const stored = [fixture.live.artifact, fixture.live.older, archive('// 3')];
    fixture.live.versions = stored.map((bytes, i) => ({
      version: `${i + 1}.0.0`,
      artifactUrl: `${fixture.host.origin}/stored-${i}.tar.gz`,
      artifactChecksum: checksum(bytes),
    }));
    for (const [i, bytes] of stored.entries())
      fixture.host.on(`/stored-${i}.tar.gz`, gzipped(gzipSync(gunzipSync(bytes), { level: 1 })));
    fixture.live.list();
    const { report } = await verifyPatiently(fixture.live.url);
    const found = report.findings.filter((f) => f.rule === 'artifact-checksum-mismatch');
    expect(found.map(({ cause }) => cause)).toEqual(['other-bytes', 'other-bytes', 'other-bytes']);
    expect(new Set(found.map(({ message, advice }) => `${message} ${advice}`)).size).toBe(1);
    expect(found[0]?.message).toContain('all 3 artifacts');
    expect(found[0]?.advice).not.toMatch(/[0-9a-f]{64}/);
  });

  test.each(['sha1', 'md5'])(
    'a %s digest is recognized, and the advice contains the value to list',
    async (algorithm) => {
      list(`${algorithm}:${hexDigest(algorithm, fixture.live.artifact)}`);
      const { report } = await verifyPatiently(fixture.live.url);
      expect(faults(report)).toEqual([`error checksum-malformed ${algorithm} (metadata 2.0.0)`]);
      expect(report.findings.filter((f) => f.version === '2.0.0')).toMatchObject([
        { rule: 'checksum-malformed', advice: expect.stringContaining(checksum(fixture.live.artifact)) },
      ]);
    },
  );

  test('the evidence contains both digests, the size and the media type', async () => {
    fixture.serveArtifact(archive('other'), { Age: '12', Via: 'cache-7' });
    const { report } = await verifyPatiently(fixture.live.url);
    const { evidence } = report.findings.find((f) => f.rule === 'artifact-checksum-mismatch')!;
    expect(evidence).toMatchObject({
      listed: checksum(fixture.live.artifact),
      found: checksum(archive('other')),
      again: checksum(archive('other')),
      bytes: archive('other').length,
      contentType: 'application/gzip',
      age: '12',
      via: 'cache-7',
    });
    expect(fixture.host.requestsFor('/2.tar.gz', 'GET').filter((r) => r.headers['origin'] === undefined)).toHaveLength(
      2,
    );
  });
});
