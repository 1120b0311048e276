import { describe, expect, test } from 'vitest';
import { answer, byMethod, CORS, GOOD_JSON, json, redirect } from '../../support/fault-host.ts';
import { byOrigin, checkCase, checkCases, liveFixture, verifyPatiently } from '../../support/live-fixture.ts';
import { ORIGIN, SVG } from '../../support/live-registry.ts';

/** CORS headers and preflights. */

const fixture = liveFixture();

const allowing = (origin: string, more: Record<string, string> = {}): Record<string, string> => ({
  ...GOOD_JSON,
  'Access-Control-Allow-Origin': origin,
  ...more,
});
const WITHOUT_CORS: Record<string, string> = { 'Content-Type': 'application/json', 'Cache-Control': 'max-age=300' };

const withOrigin = { origins: [ORIGIN] };

/** Serves the metadata file with exactly these headers. */
function serveMetadata(headers: Record<string, string>): void {
  fixture.live.serve('a.json', byMethod({ GET: answer({ headers, body: fixture.metadata() }) }));
}

describe('CORS', () => {
  checkCases(fixture, [
    {
      name: 'none on the metadata',
      serve: () => serveMetadata(WITHOUT_CORS),
      expect: ['error cors-missing absent (metadata)'],
    },
    {
      name: 'none on the icon',
      serve: () =>
        fixture.live.serve(
          'a.svg',
          byMethod({ GET: answer({ headers: { 'Content-Type': 'image/svg+xml' }, body: SVG }) }),
        ),
      expect: ['error cors-missing absent (icon)'],
    },
    {
      name: 'another origin, requested with ours',
      serve: () => serveMetadata(allowing('https://other.test')),
      expect: ['error cors-origin-refused other-origin (metadata)'],
      options: withOrigin,
    },
    {
      name: 'another origin, requested with none',
      serve: () => serveMetadata(allowing('https://other.test')),
      expect: ['warning cors-origin-refused other-origin (metadata)'],
    },
    {
      name: 'none for unknown origins, by Origin',
      serve: () => serveMetadata({ ...WITHOUT_CORS, Vary: 'Origin' }),
      expect: ['warning cors-origin-refused origins-unknown (metadata)'],
    },
    {
      name: 'none for ours, by Origin',
      serve: () => serveMetadata({ ...WITHOUT_CORS, Vary: 'Origin' }),
      expect: ['error cors-missing absent (metadata)'],
      options: withOrigin,
    },
    {
      name: '403 for other origins',
      serve: () =>
        fixture.host.on(
          '/a.json',
          byOrigin((origin) => (origin ? answer({ status: 403 }) : json(fixture.metadata()))),
        ),
      expect: ['error cors-origin-refused status-403 (metadata)'],
      options: withOrigin,
    },
    {
      name: 'null',
      serve: () => serveMetadata(allowing('null')),
      expect: ['error cors-invalid null (metadata)'],
      options: withOrigin,
    },
    {
      name: 'a trailing slash',
      serve: () => serveMetadata(allowing(`${ORIGIN}/`)),
      expect: ['error cors-invalid trailing-slash (metadata)'],
      options: withOrigin,
    },
    {
      name: 'http for https',
      serve: () => serveMetadata(allowing('http://svc.test')),
      expect: ['error cors-invalid wrong-scheme (metadata)'],
      options: withOrigin,
    },
    {
      name: 'a list',
      serve: () => serveMetadata(allowing(`${ORIGIN}, https://other.test`)),
      expect: ['error cors-invalid list (metadata)'],
      options: withOrigin,
    },
    {
      name: 'two headers',
      serve: () =>
        fixture.host.on(
          '/a.json',
          byMethod({
            GET: answer({
              headers: [...Object.entries(GOOD_JSON), ['Access-Control-Allow-Origin', '*']],
              body: fixture.metadata(),
            }),
          }),
        ),
      expect: ['error cors-invalid two-headers (metadata)'],
    },
    {
      name: 'only with Origin, without Vary',
      serve: () =>
        fixture.host.on(
          '/a.json',
          byOrigin((origin, { method }) =>
            method === 'OPTIONS'
              ? json({})
              : answer({ headers: origin ? allowing('*') : WITHOUT_CORS, body: fixture.metadata() }),
          ),
        ),
      expect: ['warning cors-not-varied only-with-origin (metadata)'],
    },
    {
      name: 'echoed, without Vary',
      serve: () =>
        fixture.host.on(
          '/a.json',
          byOrigin((origin, { method }) =>
            method === 'OPTIONS'
              ? json({})
              : answer({
                  headers: origin ? allowing(origin) : allowing('*'),
                  body: fixture.metadata(),
                }),
          ),
        ),
      expect: ['warning cors-not-varied differs (metadata)'],
      options: withOrigin,
    },
    {
      name: 'every origin, with credentials',
      serve: () =>
        fixture.host.on(
          '/a.json',
          byOrigin((origin, { method }) =>
            method === 'OPTIONS'
              ? answer({ status: 204, headers: { ...allowing(origin!), 'Access-Control-Allow-Headers': '*' } })
              : answer({
                  headers: allowing(origin ?? '*', { Vary: 'Origin', 'Access-Control-Allow-Credentials': 'true' }),
                  body: fixture.metadata(),
                }),
          ),
        ),
      expect: ['warning cors-wildcard echo-with-credentials (metadata)'],
    },
    {
      name: 'preflight 405',
      serve: () =>
        fixture.host.on('/a.json', byMethod({ GET: json(fixture.metadata()), OPTIONS: answer({ status: 405 }) })),
      expect: ['warning cors-preflight-refused status-405 (metadata)'],
    },
    {
      name: 'preflight 405 only after a redirect, where browsers send one as well',
      serve: () => {
        fixture.cdn.on('/a.json', byMethod({ GET: json(fixture.metadata()), OPTIONS: answer({ status: 405 }) }));
        fixture.host.on('/a.json', byMethod({ GET: redirect(`${fixture.cdn.origin}/a.json`, 302, CORS) }));
      },
      expect: ['warning cors-preflight-refused status-405 (metadata)'],
    },
    {
      name: 'preflight without headers',
      serve: () =>
        fixture.host.on(
          '/a.json',
          byMethod({ GET: json(fixture.metadata()), OPTIONS: answer({ status: 200, headers: CORS }) }),
        ),
      expect: ['warning cors-preflight-refused header-refused (metadata)'],
    },
    {
      name: 'preflight with a bad list',
      serve: () =>
        fixture.host.on(
          '/a.json',
          byMethod({
            GET: json(fixture.metadata()),
            OPTIONS: answer({
              status: 200,
              headers: {
                ...CORS,
                'Access-Control-Allow-Headers': '*',
                'Access-Control-Allow-Methods': 'Bad method name',
              },
            }),
          }),
        ),
      expect: ['warning cors-preflight-refused methods-malformed (metadata)'],
    },
    {
      name: 'preflight that covers no Authorization',
      serve: () => fixture.host.on('/a.json', json(fixture.metadata())),
      expect: [
        'warning cors-preflight-refused header-refused (manifest)',
        'warning cors-preflight-refused header-refused (metadata)',
        'warning cors-preflight-refused header-refused (icon)',
        'warning cors-preflight-refused header-refused (artifact 2.0.0)',
      ],
      options: {
        get secrets() {
          return { origin: fixture.host.origin, headers: [['Authorization', 'Bearer abcdef'] as const] };
        },
      },
    },
    {
      name: 'an icon that may not be embedded',
      serve: () =>
        fixture.live.serve(
          'a.svg',
          byMethod({
            GET: answer({
              headers: { 'Content-Type': 'image/svg+xml', ...CORS, 'Cross-Origin-Resource-Policy': 'same-origin' },
              body: SVG,
            }),
          }),
        ),
      expect: ['error icon-embedding-refused same-origin (icon)'],
    },
  ]);

  test('an artifact without CORS headers is a note', async () => {
    fixture.live.serve(
      '2.tar.gz',
      byMethod({ GET: answer({ headers: { 'Content-Type': 'application/gzip' }, body: fixture.live.artifact }) }),
    );
    const { report } = await verifyPatiently(fixture.live.url);
    expect(report.findings.filter((f) => f.rule === 'cors-missing')).toMatchObject([
      { severity: 'note', resource: 'artifact' },
    ]);
  });
});

test('no preflights are sent for files on the origin of the service', async () => {
  const refused = byMethod({ GET: json(fixture.manifest()), OPTIONS: answer({ status: 405 }) });
  await checkCase(fixture, {
    serve: () => fixture.live.serve('registry.json', refused),
    expect: [],
    options: { origins: [fixture.host.origin] },
  });
  expect(fixture.host.requestsFor('/registry.json', 'OPTIONS')).toEqual([]);
});

test('missing CORS headers on artifacts are reported once per host', async () => {
  for (const [path, body] of [
    ['1.tar.gz', fixture.live.older],
    ['2.tar.gz', fixture.live.artifact],
  ] as const)
    fixture.live.serve(path, byMethod({ GET: answer({ headers: { 'Content-Type': 'application/gzip' }, body }) }));
  const app = (name: string): unknown => ({
    name,
    description: 'Does a thing.',
    blockStyle: { iconUrl: `${fixture.host.origin}/a.svg`, color: '#336699' },
    appMetadataUrl: `${fixture.host.origin}/${name}.json`,
  });
  fixture.host.on('/b.json', json({ versions: fixture.live.versions.slice(1) }));
  fixture.live.serve('registry.json', json({ apps: { a: app('a'), b: app('b') } }));
  const { report } = await verifyPatiently(fixture.live.url);
  expect(report.findings.filter((f) => f.rule === 'cors-missing')).toMatchObject([{ severity: 'note' }]);
});
