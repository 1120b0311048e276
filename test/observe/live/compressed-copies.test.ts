import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { answer, byMethod, CORS, type FaultRequest, GOOD_JSON, json } from '../../support/fault-host.ts';
import { byRequest, checkCases, liveFixture, verifyPatiently } from '../../support/live-fixture.ts';
import { faults, ORIGIN, SVG } from '../../support/live-registry.ts';

/** The copies that a host sends to clients that accept compression. */

const fixture = liveFixture();

const OLD = JSON.stringify({ versions: [] });

const VARY = { Vary: 'Accept-Encoding, Origin' };

function accepts({ headers }: FaultRequest, coding: string): boolean {
  return (headers['accept-encoding'] ?? '').split(', ').includes(coding);
}

/** A metadata file with a copy for clients that accept a coding; `label` is its Content-Encoding, '' for none. */
function withCopy(
  body: () => Uint8Array,
  coding = 'gzip',
  label = coding,
  more: Record<string, string> = {},
): () => void {
  return () =>
    fixture.live.serve(
      'a.json',
      byRequest((request) =>
        accepts(request, coding)
          ? byMethod({
              GET: answer({
                headers: { ...GOOD_JSON, ...VARY, ...(label === '' ? {} : { 'Content-Encoding': label }), ...more },
                body: body(),
              }),
            })
          : json(fixture.metadata(), VARY),
      ),
    );
}

const gzippedMetadata = (): Buffer => gzipSync(fixture.metadata());

const unreadable = (cause: string): string[] => [`error compressed-copy-unreadable ${cause} (metadata)`];

const date = (year: number): Record<string, string> => ({
  'Last-Modified': `Mon, 01 Jan ${year} 00:00:00 GMT`,
});

describe('the copy for clients that accept compression', () => {
  checkCases(fixture, [
    { name: 'gzip', serve: withCopy(gzippedMetadata), expect: [] },
    { name: 'br', serve: withCopy(() => brotliCompressSync(fixture.metadata()), 'br'), expect: [] },
    {
      name: 'the same JSON with other white space',
      serve: withCopy(() => gzipSync(JSON.stringify(JSON.parse(fixture.metadata()), null, 2))),
      expect: [],
    },
    {
      name: 'without the trailer, which all clients read',
      serve: withCopy(() => gzippedMetadata().subarray(0, -8)),
      expect: [],
    },
    {
      name: 'plain, labelled gzip',
      serve: withCopy(() => Buffer.from(fixture.metadata())),
      expect: unreadable('wrong-coding'),
    },
    {
      name: 'br, labelled gzip',
      serve: withCopy(() => brotliCompressSync(fixture.metadata()), 'br', 'gzip'),
      expect: unreadable('wrong-coding'),
    },
    { name: 'gzip, labelled br', serve: withCopy(gzippedMetadata, 'br'), expect: unreadable('wrong-coding') },
    {
      name: 'broken',
      serve: withCopy(() =>
        Buffer.concat([gzippedMetadata().subarray(0, 20), Buffer.alloc(9, 255), gzippedMetadata().subarray(29)]),
      ),
      expect: unreadable('broken'),
    },
    {
      name: 'gzip without a label',
      serve: withCopy(gzippedMetadata, 'gzip', ''),
      expect: unreadable('missing-coding'),
    },
    {
      name: 'gzip of an older one without a label',
      serve: withCopy(() => gzipSync(OLD), 'gzip', ''),
      expect: unreadable('missing-coding'),
    },
    {
      name: 'br without a label',
      serve: withCopy(() => brotliCompressSync(fixture.metadata()), 'br', ''),
      expect: unreadable('missing-coding'),
    },
    {
      name: 'deflate without a label',
      serve: withCopy(() => deflateSync(fixture.metadata()), 'deflate', ''),
      expect: unreadable('missing-coding'),
    },
    { name: 'cut off', serve: withCopy(() => gzippedMetadata().subarray(0, 60)), expect: unreadable('truncated') },
    {
      name: 'br, cut off',
      serve: withCopy(() => brotliCompressSync(fixture.metadata()).subarray(0, 60), 'br'),
      expect: unreadable('truncated'),
    },
    {
      name: 'with bytes after the end',
      serve: withCopy(() => Buffer.concat([gzippedMetadata(), Buffer.from('x')])),
      expect: unreadable('bad-end'),
    },
    {
      name: 'compressed twice',
      serve: withCopy(() => gzipSync(gzippedMetadata())),
      expect: unreadable('compressed-twice'),
    },
    {
      name: 'several members',
      serve: withCopy(() => Buffer.concat([gzipSync('{'), gzipSync(fixture.metadata().slice(1))])),
      expect: unreadable('several-members'),
    },
    { name: 'older', serve: withCopy(() => gzipSync(OLD)), expect: ['error compressed-copy-differs other (metadata)'] },
    {
      name: 'older, with its date',
      serve: () => {
        fixture.live.serve(
          'a.json',
          byRequest((request) =>
            accepts(request, 'br')
              ? json(OLD, { ...VARY, ...date(2024) })
              : json(fixture.metadata(), { ...VARY, ...date(2025) }),
          ),
        );
      },
      expect: ['error compressed-copy-differs older (metadata)'],
    },
    {
      name: 'refused with a status',
      serve: () =>
        fixture.live.serve(
          'a.json',
          byRequest((request) =>
            accepts(request, 'gzip') ? answer({ status: 406, headers: CORS }) : json(fixture.metadata()),
          ),
        ),
      expect: unreadable('status-406'),
    },
    {
      name: 'without CORS headers',
      serve: () =>
        fixture.live.serve(
          'a.json',
          byRequest((request) =>
            accepts(request, 'gzip')
              ? byMethod({
                  GET: answer({
                    headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip', ...VARY },
                    body: gzippedMetadata(),
                  }),
                })
              : json(fixture.metadata(), VARY),
          ),
        ),
      expect: ['error cors-missing absent (metadata)'],
      options: { origins: [ORIGIN] },
    },
    {
      name: 'gzip older, and br correct',
      serve: () =>
        fixture.live.serve(
          'a.json',
          byRequest((request) => {
            const coding = accepts(request, 'br') ? 'br' : accepts(request, 'gzip') ? 'gzip' : null;
            if (coding === null) return json(fixture.metadata(), VARY);
            const body = coding === 'br' ? brotliCompressSync(fixture.metadata()) : gzipSync(OLD);
            return byMethod({ GET: answer({ headers: { ...GOOD_JSON, ...VARY, 'Content-Encoding': coding }, body }) });
          }),
        ),
      expect: ['error compressed-copy-differs other (metadata)'],
    },
    {
      name: 'of the manifest, older',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byRequest((request) => json(accepts(request, 'gzip') ? '{"apps":{}}' : fixture.manifest(), VARY)),
        ),
      expect: ['error compressed-copy-differs other (manifest)'],
    },
    {
      name: 'of the icon, broken',
      serve: () =>
        fixture.live.serve(
          'a.svg',
          byRequest((request) =>
            byMethod({
              GET: answer({
                headers: {
                  'Content-Type': 'image/svg+xml',
                  ...CORS,
                  ...(accepts(request, 'gzip') ? { 'Content-Encoding': 'gzip' } : {}),
                },
                body: SVG,
              }),
            }),
          ),
        ),
      expect: ['error compressed-copy-unreadable wrong-coding (icon)'],
    },
    {
      name: 'of the icon, without a label',
      serve: () =>
        fixture.live.serve(
          'a.svg',
          byRequest((request) =>
            byMethod({
              GET: answer({
                headers: { 'Content-Type': 'image/svg+xml', ...CORS },
                body: accepts(request, 'gzip') ? gzipSync(SVG) : SVG,
              }),
            }),
          ),
        ),
      expect: ['error compressed-copy-unreadable missing-coding (icon)'],
    },
  ]);

  // docs/pipelines/long-runs.md promises no more.
  test('at most eleven further requests find the header that a difference depends on', async () => {
    const { host } = fixture;
    const requestsWith = async (accepted: string): Promise<number> => {
      fixture.live.serve(
        'a.json',
        byRequest((request) =>
          accepts(request, 'br')
            ? answer({
                headers: { ...GOOD_JSON, ...VARY, 'Content-Encoding': 'br' },
                body: brotliCompressSync(fixture.metadata()),
              })
            : json(request.headers['accept-encoding'] === accepted ? OLD : fixture.metadata(), VARY),
        ),
      );
      const before = host.requests.length;
      await verifyPatiently(fixture.live.url);
      return host.requests.slice(before).filter(({ path }) => path === '/a.json').length;
    };
    const usual = await requestsWith('none');
    expect((await requestsWith('gzip')) - usual).toBe(11);
  });

  test('the finding describes both contents', async () => {
    withCopy(() => gzipSync(OLD))();
    const { report } = await verifyPatiently(fixture.live.url);
    const [found] = report.findings.filter(({ rule }) => rule === 'compressed-copy-differs');
    expect(found?.message).toMatch(
      /\d+ bytes, SHA-256 [0-9a-f]{12}…, from 127\.0\.0\.1 and 15 bytes, SHA-256 [0-9a-f]{12}…/,
    );
    expect(found?.evidence).toMatchObject({ contentEncoding: 'gzip', otherBytes: OLD.length });
  });

  test.each<{ name: string; headers: Record<string, string>; causes: string[] }>([
    { name: 'Vary is missing', headers: { Vary: 'Origin' }, causes: ['vary'] },
    { name: 'the same strong ETag', headers: { ETag: '"a"' }, causes: ['etag'] },
    { name: 'a weak one', headers: { ETag: 'W/"a"' }, causes: [] },
    {
      name: 'Vary is missing, for a private response',
      headers: { Vary: 'Origin', 'Cache-Control': 'private, max-age=300' },
      causes: [],
    },
  ])('the copy needs headers that distinguish it: $name', async ({ headers, causes }) => {
    fixture.live.serve(
      'a.json',
      byRequest((request) =>
        accepts(request, 'gzip')
          ? byMethod({
              GET: answer({
                headers: { ...GOOD_JSON, ...VARY, ...headers, 'Content-Encoding': 'gzip' },
                body: gzippedMetadata(),
              }),
            })
          : json(fixture.metadata(), { ...VARY, ...headers }),
      ),
    );
    const { report } = await verifyPatiently(fixture.live.url);
    const found = report.findings.filter(({ rule }) => rule === 'compressed-copy-not-varied');
    expect(found.map(({ cause, severity }) => [cause, severity])).toEqual(causes.map((cause) => [cause, 'note']));
    expect(faults(report)).toEqual([]);
  });
});
