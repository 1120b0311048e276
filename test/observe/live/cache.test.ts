import { describe, expect, test } from 'vitest';
import { answer, byMethod, CORS, GOOD_JSON, json } from '../../support/fault-host.ts';
import { faults, gzipped, ORIGIN } from '../../support/live-registry.ts';
import { byRequest, checkCases, type LiveCase, liveFixture, verifyPatiently } from '../../support/live-fixture.ts';

/** Lifetimes in caches, and whether a host distinguishes changed files from unchanged ones. */

const fixture = liveFixture();
const LAST_WEEK = new Date(Date.now() - 604_800_000).toUTCString();
const YEAR = 31_536_000;

describe('cache lifetimes', () => {
  checkCases(fixture, [
    {
      name: 'only Expires, in a year',
      serve: () =>
        fixture.serveManifest({
          'Cache-Control': undefined,
          Expires: new Date(Date.now() + YEAR * 1000).toUTCString(),
        }),
      expect: ['warning cache-lifetime-long long (manifest)'],
    },
    {
      name: 'one second more than an hour',
      serve: () => fixture.serveMetadata({ 'Cache-Control': 'max-age=3601' }),
      expect: ['warning cache-lifetime-long long (metadata)'],
    },
    {
      name: 'a number above 2^31',
      serve: () => fixture.serveManifest({ 'Cache-Control': 'max-age=99999999999999' }),
      expect: ['warning cache-lifetime-long long (manifest)'],
    },
    {
      name: 'a day for CDNs',
      serve: () => fixture.serveManifest({ 'Cache-Control': 'max-age=60', 'CDN-Cache-Control': 'max-age=86400' }),
      expect: ['warning cache-lifetime-long long (manifest)'],
    },
    {
      name: 'an Age beyond the lifetime',
      serve: () => fixture.serveManifest({ 'Cache-Control': 'max-age=300', Age: '330' }),
      expect: ['warning cache-lifetime-long stale-copy (manifest)'],
    },
    {
      name: 'a copy of two hours, without a lifetime',
      serve: () => fixture.serveManifest({ 'Cache-Control': undefined, Age: '7200' }),
      expect: ['warning cache-lifetime-long stale-copy (manifest)'],
    },
    {
      name: 'a long lifetime and an old copy: reported once',
      serve: () => fixture.serveManifest({ 'Cache-Control': 'max-age=86400', Age: '90000' }),
      expect: ['warning cache-lifetime-long long (manifest)'],
    },
    ...['max-age=-1', 'max-age=1.5', 'public; max-age=300', 'max-age: 300', 'max-age', 'max-age=5m'].map(
      (value): LiveCase => ({
        name: `Cache-Control: ${value}`,
        serve: () => fixture.serveManifest({ 'Cache-Control': value }),
        expect: ['warning cache-lifetime-missing malformed (manifest)'],
      }),
    ),
  ]);

  test.each([
    { value: 'max-age=60, stale-while-revalidate=86400', rule: 'cache-lifetime-long', cause: 'stale-while-revalidate' },
    { value: 'public', rule: 'cache-lifetime-missing', cause: 'no-lifetime' },
    { value: 'maxage=300', rule: 'cache-lifetime-missing', cause: 'no-lifetime' },
  ])('$value is a note', async ({ value, rule, cause }) => {
    fixture.serveManifest({ 'Cache-Control': value });
    const { report } = await verifyPatiently(fixture.live.url);
    expect(faults(report)).toEqual([]);
    expect(report.findings.filter((f) => f.rule === rule)).toMatchObject([{ severity: 'note', cause }]);
  });
});

describe('validators', () => {
  checkCases(fixture, [
    {
      name: 'another ETag each time',
      serve: () => {
        let n = 0;
        fixture.live.serve('registry.json', (request, socket) =>
          json(fixture.manifest(), { ETag: `"${n++}"`, 'Last-Modified': LAST_WEEK })(request, socket),
        );
      },
      expect: ['warning etag-unstable (manifest)'],
    },
    {
      name: 'another weak ETag each time',
      serve: () => {
        let n = 0;
        fixture.live.serve('a.json', (request, socket) =>
          json(fixture.metadata(), { ETag: `W/"${n++}"` })(request, socket),
        );
      },
      expect: ['warning etag-unstable (metadata)'],
    },
    {
      name: '304 for any entity tag',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byRequest(({ headers }) =>
            headers['if-none-match']
              ? answer({ status: 304, headers: CORS })
              : json(fixture.manifest(), { ETag: '"a"' }),
          ),
        ),
      expect: ['error not-modified-incorrect etag (manifest)'],
    },
    {
      name: '304 for any date',
      serve: () =>
        fixture.live.serve(
          'a.json',
          byRequest(({ headers }) =>
            headers['if-modified-since']
              ? answer({ status: 304, headers: CORS })
              : json(fixture.metadata(), { 'Last-Modified': LAST_WEEK }),
          ),
        ),
      expect: ['error not-modified-incorrect date (metadata)'],
    },
    {
      name: '304 for both files of one host: reported once',
      serve: () => {
        for (const [path, body] of [
          ['registry.json', fixture.manifest()],
          ['a.json', fixture.metadata()],
        ] as const)
          fixture.live.serve(
            path,
            byRequest(({ headers }) =>
              headers['if-none-match'] ? answer({ status: 304 }) : json(body, { ETag: '"a"' }),
            ),
          );
      },
      expect: ['error not-modified-incorrect etag (manifest)'],
    },
    {
      name: 'correct responses to If-None-Match',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byRequest(({ headers }) =>
            headers['if-none-match'] === '"a"'
              ? answer({ status: 304, headers: { ...CORS, ETag: '"a"' } })
              : json(fixture.manifest(), { ETag: '"a"' }),
          ),
        ),
      expect: [],
    },
    {
      name: 'correct responses to If-Modified-Since',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byRequest(({ headers }) =>
            headers['if-modified-since'] === LAST_WEEK
              ? answer({ status: 304, headers: CORS })
              : json(fixture.manifest(), { 'Last-Modified': LAST_WEEK }),
          ),
        ),
      expect: [],
    },
    {
      name: 'a condition refused',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byRequest(({ headers }) =>
            headers['if-none-match'] ? answer({ status: 412 }) : json(fixture.manifest(), { ETag: '"a"' }),
          ),
        ),
      expect: ['warning conditional-request-rejected status-412 (manifest)'],
    },
    {
      name: 'another ETag for requests with Origin',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byRequest(({ headers }) =>
            json(fixture.manifest(), { ETag: headers['origin'] ? '"a-cors"' : '"a"', Vary: 'Origin' }),
          ),
        ),
      expect: [],
    },
  ]);

  test('a Last-Modified date without an ETag is a note', async () => {
    fixture.serveManifest({ 'Last-Modified': LAST_WEEK });
    const { report } = await verifyPatiently(fixture.live.url);
    expect(faults(report)).toEqual([]);
    expect(report.findings.filter((f) => f.rule === 'last-modified-only')).toMatchObject([{ severity: 'note' }]);
  });

  test('two conditional requests are sent per kind of file, and recorded in the facts', async () => {
    const { host, live } = fixture;
    const apps: Record<string, unknown> = {};
    for (let i = 0; i < 20; i += 1) {
      apps[`app-${i}`] = {
        name: `App ${i}`,
        description: 'Does a thing.',
        blockStyle: { iconUrl: `${host.origin}/a.svg`, color: '#336699' },
        appMetadataUrl: host.on(
          `/${i}.json`,
          i === 0 ? answer({ status: 404 }) : json(fixture.metadata(), { ETag: '"m"' }),
        ),
      };
    }
    live.serve('registry.json', json({ apps }, { ETag: '"r"' }));
    const seen = await verifyPatiently(live.url);
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

  test('the body of a large file is not downloaded for a fabricated entity tag', async () => {
    const { host, live } = fixture;
    const body = `${fixture.manifest()}${' '.repeat(2 << 20)}`;
    live.serve('registry.json', byMethod({ GET: answer({ headers: { ...GOOD_JSON, ETag: '"a"' }, body }) }));
    const { figures } = await verifyPatiently(live.url);
    expect(host.requestsFor('/registry.json').filter((r) => r.headers['if-none-match'])).toHaveLength(3);
    expect(figures.bytes).toBeLessThan(1.5 * body.length);
  });

  test('an additional request from an unknown origin is sent if credentials are allowed', async () => {
    const { live } = fixture;
    live.serve(
      'a.json',
      byRequest(({ headers, method }) => {
        const echo = {
          'Access-Control-Allow-Origin': headers['origin'] ?? '*',
          'Access-Control-Allow-Credentials': 'true',
        };
        return method === 'OPTIONS'
          ? answer({ status: 204, headers: { ...echo, 'Access-Control-Allow-Headers': 'x-appreg-probe' } })
          : json(fixture.metadata(), { ...echo, Vary: 'Origin' });
      }),
    );
    live.serve('2.tar.gz', gzipped(live.artifact));
    const { report } = await verifyPatiently(live.url, { origins: [ORIGIN] });
    expect(faults(report)).toEqual(['warning cors-wildcard echo-with-credentials (metadata)']);
  });
});
