import { describe, expect, test } from 'vitest';
import { answer, byMethod, CORS, GOOD_JSON, json } from '../support/fault-host.ts';
import { faults, gzipped, ORIGIN } from '../support/live-registry.ts';
import { by, type Case, check, openStage, patiently } from '../support/live-stage.ts';

/** How long copies are held, and whether a host tells a changed file from an unchanged one. */

const stage = openStage();
const LAST_WEEK = new Date(Date.now() - 604_800_000).toUTCString();
const YEAR = 31_536_000;

describe('lifetimes', () => {
  test.each<Case>([
    [
      'Expires in a year, alone',
      (s) => s.serveManifest({ 'Cache-Control': undefined, Expires: new Date(Date.now() + YEAR * 1000).toUTCString() }),
      ['warning cache-lifetime-long long (manifest)'],
    ],
    [
      'one second more than an hour',
      (s) => s.serveMetadata({ 'Cache-Control': 'max-age=3601' }),
      ['warning cache-lifetime-long long (metadata)'],
    ],
    [
      'a number beyond all numbers',
      (s) => s.serveManifest({ 'Cache-Control': 'max-age=99999999999999' }),
      ['warning cache-lifetime-long long (manifest)'],
    ],
    [
      'a day for CDNs',
      (s) => s.serveManifest({ 'Cache-Control': 'max-age=60', 'CDN-Cache-Control': 'max-age=86400' }),
      ['warning cache-lifetime-long long (manifest)'],
    ],
    [
      'an Age beyond the lifetime',
      (s) => s.serveManifest({ 'Cache-Control': 'max-age=300', Age: '301' }),
      ['warning cache-lifetime-long stale-copy (manifest)'],
    ],
    [
      'a copy of two hours, without a lifetime',
      (s) => s.serveManifest({ 'Cache-Control': undefined, Age: '7200' }),
      ['warning cache-lifetime-long stale-copy (manifest)'],
    ],
    [
      'a long lifetime and an old copy: told once',
      (s) => s.serveManifest({ 'Cache-Control': 'max-age=86400', Age: '90000' }),
      ['warning cache-lifetime-long long (manifest)'],
    ],
    ...['max-age=-1', 'max-age=1.5', 'public; max-age=300', 'max-age: 300', 'max-age', 'max-age=5m'].map(
      (value): Case => [
        `Cache-Control: ${value}`,
        (s) => s.serveManifest({ 'Cache-Control': value }),
        ['warning cache-lifetime-missing malformed (manifest)'],
      ],
    ),
  ])('%s', async (_, breakIt, expected, options) => void (await check(stage, breakIt, expected, options)));

  test.each([
    ['max-age=60, stale-while-revalidate=86400', 'cache-lifetime-long', 'stale-while-revalidate'],
    ['public', 'cache-lifetime-missing', 'no-lifetime'],
    ['maxage=300', 'cache-lifetime-missing', 'no-lifetime'],
  ])('a note for %s', async (value, rule, cause) => {
    stage.serveManifest({ 'Cache-Control': value });
    const { report } = await patiently(stage.live.url);
    expect(faults(report)).toEqual([]);
    expect(report.findings.filter((f) => f.rule === rule)).toMatchObject([{ severity: 'note', cause }]);
  });
});

describe('validators', () => {
  test.each<Case>([
    [
      'another ETag each time',
      (s) => {
        let n = 0;
        s.live.serve('registry.json', (request, socket) =>
          json(s.manifest(), { ETag: `"${n++}"`, 'Last-Modified': LAST_WEEK })(request, socket),
        );
      },
      ['warning etag-unstable (manifest)'],
    ],
    [
      'another weak ETag each time',
      (s) => {
        let n = 0;
        s.live.serve('a.json', (request, socket) => json(s.metadata(), { ETag: `W/"${n++}"` })(request, socket));
      },
      ['warning etag-unstable (metadata)'],
    ],
    [
      'not modified, whatever tag is named',
      (s) =>
        s.live.serve(
          'registry.json',
          by(({ headers }) =>
            headers['if-none-match'] ? answer({ status: 304, headers: CORS }) : json(s.manifest(), { ETag: '"a"' }),
          ),
        ),
      ['error not-modified-incorrect etag (manifest)'],
    ],
    [
      'not modified, whatever date is named',
      (s) =>
        s.live.serve(
          'a.json',
          by(({ headers }) =>
            headers['if-modified-since']
              ? answer({ status: 304, headers: CORS })
              : json(s.metadata(), { 'Last-Modified': LAST_WEEK }),
          ),
        ),
      ['error not-modified-incorrect date (metadata)'],
    ],
    [
      'not modified, for both files of one host: told once',
      (s) => {
        for (const [path, body] of [
          ['registry.json', s.manifest()],
          ['a.json', s.metadata()],
        ] as const)
          s.live.serve(
            path,
            by(({ headers }) => (headers['if-none-match'] ? answer({ status: 304 }) : json(body, { ETag: '"a"' }))),
          );
      },
      ['error not-modified-incorrect etag (manifest)'],
    ],
    [
      'conditions answered as they should be',
      (s) =>
        s.live.serve(
          'registry.json',
          by(({ headers }) =>
            headers['if-none-match'] === '"a"'
              ? answer({ status: 304, headers: { ...CORS, ETag: '"a"' } })
              : json(s.manifest(), { ETag: '"a"' }),
          ),
        ),
      [],
    ],
    [
      'dates answered as they should be',
      (s) =>
        s.live.serve(
          'registry.json',
          by(({ headers }) =>
            headers['if-modified-since'] === LAST_WEEK
              ? answer({ status: 304, headers: CORS })
              : json(s.manifest(), { 'Last-Modified': LAST_WEEK }),
          ),
        ),
      [],
    ],
    [
      'a condition refused',
      (s) =>
        s.live.serve(
          'registry.json',
          by(({ headers }) =>
            headers['if-none-match'] ? answer({ status: 412 }) : json(s.manifest(), { ETag: '"a"' }),
          ),
        ),
      ['warning conditional-request-rejected status-412 (manifest)'],
    ],
    [
      'another ETag for those who name an origin',
      (s) =>
        s.live.serve(
          'registry.json',
          by(({ headers }) => json(s.manifest(), { ETag: headers['origin'] ? '"a-cors"' : '"a"', Vary: 'Origin' })),
        ),
      [],
    ],
  ])('%s', async (_, breakIt, expected, options) => void (await check(stage, breakIt, expected, options)));

  test('a date alone is a note', async () => {
    stage.serveManifest({ 'Last-Modified': LAST_WEEK });
    const { report } = await patiently(stage.live.url);
    expect(faults(report)).toEqual([]);
    expect(report.findings.filter((f) => f.rule === 'last-modified-only')).toMatchObject([{ severity: 'note' }]);
  });

  test('a registry of many apps is asked with conditions twice per kind of file, and says so in the facts', async () => {
    const { host, live } = stage;
    const apps: Record<string, unknown> = {};
    for (let i = 0; i < 20; i += 1) {
      apps[`app-${i}`] = {
        name: `App ${i}`,
        description: 'Does a thing.',
        blockStyle: { iconUrl: `${host.origin}/a.svg`, color: '#336699' },
        appMetadataUrl: host.on(
          `/${i}.json`,
          i === 0 ? answer({ status: 404 }) : json(stage.metadata(), { ETag: '"m"' }),
        ),
      };
    }
    live.serve('registry.json', json({ apps }, { ETag: '"r"' }));
    const seen = await patiently(live.url);
    const conditional = host.requests.filter((request) => request.headers['if-none-match'] !== undefined);
    const [asClient, asBrowser] = [true, false].map((isClient) =>
      conditional.filter(({ headers }) => (headers['sec-fetch-mode'] === undefined) === isClient),
    );
    expect(asClient!.map(({ path }) => path).sort()).toEqual([
      '/1.json',
      '/1.json',
      '/registry.json',
      '/registry.json',
    ]);
    // Which metadata file is the first that browsers are shown depends on the network.
    expect(asBrowser!.map(({ path }) => path.replace(/\d/, 'N')).sort()).toEqual(['/N.json', '/registry.json']);
    expect(seen.apps.filter((app) => 'conditional' in app.metadata.web).map((app) => app.key)).toEqual(['app-1']);
  });

  test('a large file is not taken again to see that a made-up tag is refused', async () => {
    const { host, live } = stage;
    const body = `${stage.manifest()}${' '.repeat(2 << 20)}`;
    live.serve('registry.json', byMethod({ GET: answer({ headers: { ...GOOD_JSON, ETag: '"a"' }, body }) }));
    let bytes = 0;
    await patiently(live.url, { onProgress: (progress) => (bytes = progress.bytes) });
    expect(host.asked('/registry.json').filter((r) => r.headers['if-none-match'])).toHaveLength(3);
    expect(bytes).toBeLessThan(1.5 * body.length);
  });

  test('whoever is allowed in with credentials, a stranger is asked for, beside the service', async () => {
    const { live } = stage;
    live.serve(
      'a.json',
      by(({ headers, method }) => {
        const echo = {
          'Access-Control-Allow-Origin': headers['origin'] ?? '*',
          'Access-Control-Allow-Credentials': 'true',
        };
        return method === 'OPTIONS'
          ? answer({ status: 204, headers: { ...echo, 'Access-Control-Allow-Headers': 'x-appreg-probe' } })
          : json(stage.metadata(), { ...echo, Vary: 'Origin' });
      }),
    );
    live.serve('2.tar.gz', gzipped(live.artifact));
    const { report } = await patiently(live.url, { origins: [ORIGIN] });
    expect(faults(report)).toEqual(['warning cors-wildcard echo-with-credentials (metadata)']);
  });
});
