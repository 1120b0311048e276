import { createHash } from 'node:crypto';
import { brotliCompressSync, deflateSync, gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openHttpClient } from '../../src/observe/http/client.ts';
import { certificates } from '../support/fault-certificates.ts';
import {
  answer,
  type Behaviour,
  byMethod,
  CORS,
  cutShort,
  endless,
  type FaultHost,
  type FaultRequest,
  GOOD_JSON,
  inTurn,
  json,
  openFaultHost,
  raw,
  redirect,
  reset,
  silent,
} from '../support/fault-host.ts';
import {
  archive,
  checksum,
  faults,
  gzipped,
  type Live,
  ORIGIN,
  putRegistry,
  SVG,
  verified,
} from '../support/live-registry.ts';

/** Live situations and their verdicts: each begins with a registry without a fault and breaks one thing. */

let host: FaultHost;
let cdn: FaultHost;
let live: Live;
beforeAll(async () => {
  const tls = certificates().get('good');
  host = await openFaultHost({ tls });
  cdn = await openFaultHost({ tls });
});
afterAll(() => Promise.all([host.close(), cdn.close()]));
beforeEach(() => {
  live = putRegistry(host);
  host.requests.length = 0;
  cdn.requests.length = 0;
});

const cors = (value: string, more: Record<string, string> = {}): Record<string, string> => ({
  ...GOOD_JSON,
  'Access-Control-Allow-Origin': value,
  ...more,
});
const bare: Record<string, string> = { 'Content-Type': 'application/json', 'Cache-Control': 'max-age=300' };
const manifest = (): string =>
  JSON.stringify({
    apps: {
      'app-a': {
        name: 'App A',
        description: 'Does a thing.',
        blockStyle: { iconUrl: `${host.origin}/a.svg`, color: '#336699' },
        appMetadataUrl: `${host.origin}/a.json`,
      },
    },
  });
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const page = '<!doctype html><html><head><title>Sign in</title></head><body>…</body></html>';
const html = (status = 200): Behaviour =>
  answer({ status, headers: { 'Content-Type': 'text/html', ...CORS }, body: page });
/** A host that looks at the Origin. */
const byOrigin =
  (respond: (origin: string | undefined, request: FaultRequest) => Behaviour): Behaviour =>
  (request, socket) =>
    respond(request.headers['origin'], request)(request, socket);
const named = { origins: [ORIGIN] };

const metadata = (headers: Record<string, string>): void =>
  void host.on('/a.json', byMethod({ GET: answer({ headers, body: JSON.stringify({ versions: live.versions }) }) }));
const by = (headers: Record<string, string>): void => live.serve('registry.json', json(manifest(), headers));
const served = (bytes: string | Uint8Array, headers: Record<string, string> = {}): void =>
  live.serve('2.tar.gz', gzipped(bytes, headers));
const mismatch = (cause: string, severity = 'error'): string[] => [
  `${severity} artifact-checksum-mismatch ${cause} (artifact 2.0.0)`,
];
const listed = (value: string): void => {
  live.versions[0]!.artifactChecksum = value;
  live.list();
};
const hex = (algorithm: string, bytes: Uint8Array): string => createHash(algorithm).update(bytes).digest('hex');

/** Four apps whose metadata lies on another host. */
const many = (base: string): void => {
  const apps: Record<string, unknown> = {};
  for (const key of ['one', 'two', 'three', 'four']) {
    apps[key] = {
      name: key,
      description: 'Does a thing.',
      blockStyle: { iconUrl: `${host.origin}/a.svg`, color: '#336699' },
      appMetadataUrl: `${base}/${key}.json`,
    };
    const good = json({ versions: live.versions });
    cdn.on(`/${key}.json`, byMethod({ GET: good, HEAD: good }));
  }
  live.serve('registry.json', json({ apps }));
};

type Case = [name: string, breakIt: () => void, expected: string[], options?: object];

async function check(breakIt: () => void, expected: string[], options: object = {}): Promise<void> {
  breakIt();
  const { report } = await verified(live.url, options);
  expect(faults(report).sort()).toEqual([...expected].sort());
  expect(report.outcome).not.toBe('incomplete');
}

describe('nothing is wrong', () => {
  test.each<Case>([
    ['as it is', () => {}, []],
    ['with the service’s origin', () => {}, [], named],
    [
      'the origin is echoed, with Vary',
      () =>
        live.serve(
          'registry.json',
          byOrigin((origin, { method }) =>
            method === 'OPTIONS'
              ? answer({ status: 204, headers: { ...cors(origin ?? '*'), 'Access-Control-Allow-Headers': '*' } })
              : answer({ headers: { ...cors(origin ?? ORIGIN), Vary: 'Accept-Encoding, origin' }, body: manifest() }),
          ),
        ),
      [],
      named,
    ],
    [
      'one origin always',
      () =>
        live.serve(
          'registry.json',
          byMethod({
            GET: answer({ headers: cors(ORIGIN), body: manifest() }),
            OPTIONS: answer({
              status: 204,
              headers: { ...cors(ORIGIN), 'Access-Control-Allow-Headers': 'X-Appreg-Probe' },
            }),
          }),
        ),
      [],
      named,
    ],
    [
      'a wildcard with white space around it',
      () => live.serve('registry.json', json(manifest(), { 'Access-Control-Allow-Origin': '\t* ' })),
      [],
    ],
    [
      'a redirect on the same host',
      () => {
        host.on('/moved.json', json(manifest()));
        live.serve('registry.json', byMethod({ GET: redirect('/moved.json', 302, CORS) }));
      },
      [],
    ],
    [
      'a redirect to another host, * on both',
      () => {
        cdn.on('/r.json', json(manifest()));
        live.serve('registry.json', byMethod({ GET: redirect(`${cdn.origin}/r.json`, 302, CORS) }));
      },
      [],
      named,
    ],
    [
      'JSON compressed for all',
      () =>
        live.serve(
          'registry.json',
          byMethod({
            GET: answer({ headers: { ...GOOD_JSON, 'Content-Encoding': 'x-gzip' }, body: gzipSync(manifest()) }),
          }),
        ),
      [],
    ],
    [
      'JSON in br',
      () =>
        live.serve(
          'registry.json',
          byMethod({
            GET: answer({ headers: { ...GOOD_JSON, 'Content-Encoding': 'BR' }, body: brotliCompressSync(manifest()) }),
          }),
        ),
      [],
    ],
    [
      'JSON in deflate',
      () =>
        live.serve(
          'registry.json',
          byMethod({
            GET: answer({ headers: { ...GOOD_JSON, 'Content-Encoding': 'deflate' }, body: deflateSync(manifest()) }),
          }),
        ),
      [],
    ],
    [
      'Content-Encoding: identity',
      () => live.serve('2.tar.gz', gzipped(live.artifact, { 'Content-Encoding': 'identity' })),
      [],
    ],
    [
      'artifacts without CORS, behind a redirect, HEAD refused to the signed link',
      () => {
        cdn.on(
          '/asset',
          byMethod({
            GET: answer({ headers: { 'Content-Type': 'application/octet-stream' }, body: live.artifact }),
            HEAD: answer({ status: 403 }),
          }),
        );
        live.serve('2.tar.gz', redirect(`${cdn.origin}/asset?X-Amz-Signature=abc`));
      },
      [],
    ],
    [
      'a vendor type of JSON with a charset',
      () =>
        live.serve(
          'registry.json',
          json(manifest(), { 'Content-Type': 'application/vnd.registry+json; charset=UTF-8' }),
        ),
      [],
    ],
    ['no-store', () => live.serve('registry.json', json(manifest(), { 'Cache-Control': 'no-store' })), []],
    [
      'no-cache beside a long lifetime',
      () => live.serve('registry.json', json(manifest(), { 'Cache-Control': 'no-cache, max-age=31536000' })),
      [],
    ],
    [
      'max-age=0 and an old Age',
      () =>
        live.serve(
          'registry.json',
          json(manifest(), { 'Cache-Control': 'public, max-age=0, must-revalidate', Age: '90000' }),
        ),
      [],
    ],
    [
      'artifacts that are immutable for a year',
      () => live.serve('2.tar.gz', gzipped(live.artifact, { 'Cache-Control': 'public, max-age=31536000, immutable' })),
      [],
    ],
    [
      'an artifact without a length',
      () =>
        live.serve(
          '2.tar.gz',
          byMethod({
            GET: answer({
              headers: { 'Content-Type': 'application/gzip', ...CORS },
              body: live.artifact,
              length: null,
            }),
          }),
        ),
      [],
    ],
    ['ranges answered in full', () => live.serve('2.tar.gz', gzipped(live.artifact, { 'Accept-Ranges': 'none' })), []],
    [
      'a preflight that names the header in upper case, without methods',
      () =>
        live.serve(
          'registry.json',
          byMethod({
            GET: json(manifest()),
            OPTIONS: answer({ headers: { ...CORS, 'Access-Control-Allow-Headers': 'Content-Type, X-APPREG-PROBE' } }),
          }),
        ),
      [],
    ],
    [
      'same-site icons for a service at the same site',
      () =>
        live.serve(
          'a.svg',
          byMethod({
            GET: answer({
              headers: { 'Content-Type': 'image/svg+xml', ...CORS, 'Cross-Origin-Resource-Policy': 'cross-origin' },
              body: SVG,
            }),
          }),
        ),
      [],
    ],
  ])('%s', (_, breakIt, expected, options) => check(breakIt, expected, options));
});

describe('reaching', () => {
  test.each<Case>([
    [
      'manifest 404',
      () => live.serve('registry.json', answer({ status: 404 })),
      ['error unreachable status-404 (manifest)'],
    ],
    ['metadata 404', () => host.on('/a.json', answer({ status: 404 })), ['error unreachable status-404 (metadata)']],
    [
      'icon 403',
      () => live.serve('a.svg', answer({ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' })),
      ['error unreachable status-403 (icon)'],
    ],
    [
      'artifact 410',
      () => live.serve('1.tar.gz', answer({ status: 410 })),
      ['error unreachable status-410 (artifact 1.0.0)'],
    ],
    [
      '500 for ever',
      () => live.serve('registry.json', answer({ status: 500 })),
      ['error unreachable status-500 (manifest)'],
    ],
    ['999', () => live.serve('registry.json', answer({ status: 999 })), ['error unreachable status-999 (manifest)']],
    [
      '304 to a plain question',
      () => live.serve('registry.json', answer({ status: 304 })),
      ['error unreachable status-304 (manifest)'],
    ],
    [
      '206 to a plain question',
      () => live.serve('2.tar.gz', byMethod({ GET: answer({ status: 206, body: 'x' }) })),
      ['error unreachable partial-unasked (artifact 2.0.0)'],
    ],
    [
      '429 for a day',
      () => host.on('/a.json', answer({ status: 429, headers: { 'Retry-After': '86400' } })),
      ['error unreachable rate-limited (metadata)'],
    ],
    [
      '429 for a second',
      () =>
        host.on(
          '/a.json',
          byMethod({
            GET: inTurn(answer({ status: 429, headers: { 'Retry-After': '1' } }), json({ versions: live.versions })),
          }),
        ),
      ['warning rate-limited (metadata)'],
    ],
    [
      'resets, then right',
      () => host.on('/a.json', byMethod({ GET: inTurn(reset(), reset(), json({ versions: live.versions })) })),
      ['warning host-intermittent (metadata)'],
    ],
    ['resets for ever', () => host.on('/a.json', reset()), ['error unreachable reset (metadata)']],
    ['never answers', () => host.on('/a.json', silent()), ['error unreachable no-answer (metadata)']],
    [
      'artifact broken off',
      () => live.serve('2.tar.gz', cutShort(1000, 'abc')),
      ['error unreachable truncated (artifact 2.0.0)'],
    ],
    [
      'artifact cut in a chunk, Connection: close',
      () =>
        live.serve(
          '2.tar.gz',
          raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n9\r\nwo'),
        ),
      ['error unreachable truncated (artifact 2.0.0)'],
    ],
    ['not HTTP', () => host.on('/a.json', raw('SSH-2.0-OpenSSH\r\n\r\n')), ['error unreachable not-http (metadata)']],
    [
      'signed URL that ended',
      () => {
        live.versions[0]!.artifactUrl += '?X-Amz-Date=20200101T000000Z&X-Amz-Expires=60&X-Amz-Signature=abc';
        live.list();
        live.serve(
          '2.tar.gz',
          answer({
            status: 403,
            body: '<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>',
          }),
        );
      },
      ['error unreachable signature-expired (artifact 2.0.0)', 'error url-signed-expiring expired (artifact 2.0.0)'],
    ],
    [
      'HEAD refused',
      () => live.serve('registry.json', byMethod({ GET: json(manifest()), HEAD: answer({ status: 405 }) })),
      ['warning head-refused status-405 (manifest)'],
    ],
    [
      'HEAD with another length',
      () =>
        live.serve(
          'registry.json',
          byMethod({ GET: json(manifest()), HEAD: answer({ headers: GOOD_JSON, length: 7 }) }),
        ),
      ['warning head-refused content-length-differs (manifest)'],
    ],
  ])('%s', (_, breakIt, expected, options) => check(breakIt, expected, options));
});

describe('hosts', () => {
  test.each<[kind: 'expired' | 'wrong-host' | 'leaf-only', cause: string]>([
    ['expired', 'expired'],
    ['wrong-host', 'wrong-host'],
    ['leaf-only', 'incomplete-chain'],
  ])('artifacts on a host whose certificate is %s: one error each', async (kind, cause) => {
    const bad = await openFaultHost({ tls: certificates().get(kind) });
    live.versions[0]!.artifactUrl = `${bad.origin}/2.tar.gz`;
    live.list();
    await check(() => {}, [`error tls-untrusted ${cause} (artifact 2.0.0)`]);
    expect(bad.requests).toEqual([]);
    await bad.close();
  });

  test('a dead host is not tried for each of its many files', async () => {
    const gone = await openFaultHost();
    await gone.close();
    live.versions = Array.from({ length: 40 }, (_, i) => ({
      version: `1.0.${i}`,
      artifactUrl: `https://127.0.0.1:${gone.port}/${i}.tar.gz`,
      artifactChecksum: checksum(archive(String(i))),
    }));
    live.list();
    const { report, apps } = await verified(live.url, { concurrency: 2 });
    expect(faults(report)).toEqual(['error unreachable refused (artifact 1.0.0)']);
    expect(report.findings.find((f) => f.severity === 'error')?.evidence).toMatchObject({ alsoHit: 39 });
    const tries = apps[0]!.artifacts.map((artifact) => ('server' in artifact.web ? artifact.web.server.attempts : 0));
    expect(tries.filter((n) => n > 1).length).toBeLessThan(6);
  });

  describe('one fault of a host over many apps', () => {
    test('its metadata host is not there', async () => {
      const gone = await openFaultHost({ tls: certificates().get('good') });
      await gone.close();
      many(gone.origin);
      const { report } = await verified(live.url);
      expect(faults(report)).toEqual(['error unreachable refused (metadata)']);
      expect(report.apps.map((a) => `${a.visible} ${a.because.join(' ')}`)).toEqual(Array(4).fill('false unreachable'));
      expect(report.findings.find((f) => f.severity === 'error')).toMatchObject({
        app: 'one',
        evidence: { alsoHit: 3, alsoApps: ['two', 'three', 'four'] },
      });
    });

    test('its metadata host has a certificate that ended', async () => {
      const expired = await openFaultHost({ tls: certificates().get('expired') });
      many(expired.origin);
      const { report } = await verified(live.url);
      expect(faults(report)).toEqual(['error tls-untrusted expired (metadata)']);
      expect(report.apps.every((a) => a.visible === false)).toBe(true);
      await expired.close();
    });

    test('its metadata host sends no CORS header', async () => {
      many(cdn.origin);
      for (const key of ['one', 'two', 'three', 'four'])
        cdn.on(
          `/${key}.json`,
          byMethod({ GET: answer({ headers: bare, body: JSON.stringify({ versions: live.versions }) }) }),
        );
      const { report } = await verified(live.url);
      expect(faults(report)).toEqual(['error cors-missing absent (metadata)']);
      expect(report.apps.every((a) => a.visible === true)).toBe(true);
    });
  });

  test('IPv6', async () => {
    const six = await openFaultHost({ host: '::1' });
    six.on('/x', answer({ body: 'ok' }));
    const http = openHttpClient();
    const seen = await http.probe({
      method: 'GET',
      url: `http://[::1]:${six.port}/x`,
      origin: null,
      accept: '*/*',
      total: 1000,
    });
    expect(seen).toMatchObject({ failure: null, hops: [{ status: 200, address: '::1' }] });
    await http.close();
    await six.close();
  });
});

test('a host that the service itself runs at gets no preflights from its pages', async () => {
  const refused = byMethod({ GET: json(manifest()), OPTIONS: answer({ status: 405 }) });
  await check(() => live.serve('registry.json', refused), [], { origins: [host.origin] });
  expect(host.asked('/registry.json', 'OPTIONS')).toEqual([]);
});

describe('redirects', () => {
  test.each<Case>([
    [
      'a circle',
      () => live.serve('registry.json', redirect('/registry.json')),
      ['error redirect-excessive loop (manifest)'],
    ],
    [
      'a circle with a cookie',
      () => live.serve('registry.json', redirect('/registry.json', 302, { 'Set-Cookie': 'a=b' })),
      ['error redirect-excessive loop-cookie (manifest)'],
    ],
    [
      'without Location',
      () => live.serve('registry.json', redirect(null)),
      ['error unreachable redirect-without-location (manifest)'],
    ],
    [
      'the other host allows the exact origin only',
      () => {
        cdn.on('/r.json', byMethod({ GET: json(manifest(), { 'Access-Control-Allow-Origin': ORIGIN }) }));
        live.serve('registry.json', byMethod({ GET: redirect(`${cdn.origin}/r.json`, 302, CORS) }));
      },
      ['error cors-origin-refused redirect-null-origin (manifest)'],
      named,
    ],
    [
      'the redirect itself lacks the header',
      () => {
        cdn.on('/r.json', json(manifest()));
        live.serve('registry.json', byMethod({ GET: redirect(`${cdn.origin}/r.json`) }));
      },
      ['error cors-missing absent-on-redirect (manifest)'],
      named,
    ],
    [
      'an icon that is led to a host without the header',
      () => {
        cdn.on('/i.svg', answer({ headers: { 'Content-Type': 'image/svg+xml' }, body: SVG }));
        live.serve('a.svg', byMethod({ GET: redirect(`${cdn.origin}/i.svg`, 302, CORS) }));
      },
      ['error cors-missing absent-behind-redirect (icon)'],
    ],
    [
      'a preflight that is redirected',
      () => live.serve('registry.json', byMethod({ GET: json(manifest()), OPTIONS: redirect('/x', 307, CORS) })),
      ['warning cors-preflight-refused redirect (manifest)'],
    ],
  ])('%s', (_, breakIt, expected, options) => check(breakIt, expected, options));

  test('https to http', async () => {
    const plain = await openFaultHost();
    plain.on('/r.json', json(manifest()));
    await check(
      () => live.serve('registry.json', byMethod({ GET: redirect(`${plain.origin}/r.json`, 302, CORS) })),
      ['error redirect-insecure (manifest)'],
    );
    await plain.close();
  });
});

describe('CORS', () => {
  test.each<Case>([
    ['none on the metadata', () => metadata(bare), ['error cors-missing absent (metadata)']],
    [
      'none on the icon',
      () => live.serve('a.svg', byMethod({ GET: answer({ headers: { 'Content-Type': 'image/svg+xml' }, body: SVG }) })),
      ['error cors-missing absent (icon)'],
    ],
    [
      'another origin, asked with ours',
      () => metadata(cors('https://other.test')),
      ['error cors-origin-refused other-origin (metadata)'],
      named,
    ],
    [
      'another origin, asked with none',
      () => metadata(cors('https://other.test')),
      ['warning cors-origin-refused other-origin (metadata)'],
    ],
    [
      'none for strangers, by Origin',
      () => metadata({ ...bare, Vary: 'Origin' }),
      ['warning cors-origin-refused origins-unknown (metadata)'],
    ],
    [
      'none for ours, by Origin',
      () => metadata({ ...bare, Vary: 'Origin' }),
      ['error cors-missing absent (metadata)'],
      named,
    ],
    [
      '403 for strangers',
      () =>
        host.on(
          '/a.json',
          byOrigin((origin) => (origin ? answer({ status: 403 }) : json({ versions: live.versions }))),
        ),
      ['error cors-origin-refused status-403 (metadata)'],
      named,
    ],
    ['null', () => metadata(cors('null')), ['error cors-invalid null (metadata)'], named],
    ['a trailing slash', () => metadata(cors(`${ORIGIN}/`)), ['error cors-invalid trailing-slash (metadata)'], named],
    ['http for https', () => metadata(cors('http://svc.test')), ['error cors-invalid wrong-scheme (metadata)'], named],
    ['a list', () => metadata(cors(`${ORIGIN}, https://other.test`)), ['error cors-invalid list (metadata)'], named],
    [
      'two headers',
      () =>
        host.on(
          '/a.json',
          byMethod({
            GET: answer({
              headers: [...Object.entries(GOOD_JSON), ['Access-Control-Allow-Origin', '*']],
              body: JSON.stringify({ versions: live.versions }),
            }),
          }),
        ),
      ['error cors-invalid two-headers (metadata)'],
    ],
    [
      'only with Origin, without Vary',
      () =>
        host.on(
          '/a.json',
          byOrigin((origin, { method }) =>
            method === 'OPTIONS'
              ? json({})
              : answer({ headers: origin ? cors('*') : bare, body: JSON.stringify({ versions: live.versions }) }),
          ),
        ),
      ['warning cors-not-varied only-with-origin (metadata)'],
    ],
    [
      'echoed, without Vary',
      () =>
        host.on(
          '/a.json',
          byOrigin((origin, { method }) =>
            method === 'OPTIONS'
              ? json({})
              : answer({
                  headers: origin ? cors(origin) : cors('*'),
                  body: JSON.stringify({ versions: live.versions }),
                }),
          ),
        ),
      ['warning cors-not-varied differs (metadata)'],
      named,
    ],
    [
      'anybody, with credentials',
      () =>
        host.on(
          '/a.json',
          byOrigin((origin, { method }) =>
            method === 'OPTIONS'
              ? answer({ status: 204, headers: { ...cors(origin!), 'Access-Control-Allow-Headers': '*' } })
              : answer({
                  headers: cors(origin ?? '*', { Vary: 'Origin', 'Access-Control-Allow-Credentials': 'true' }),
                  body: JSON.stringify({ versions: live.versions }),
                }),
          ),
        ),
      ['warning cors-wildcard echo-with-credentials (metadata)'],
    ],
    [
      'preflight 405',
      () => host.on('/a.json', byMethod({ GET: json({ versions: live.versions }), OPTIONS: answer({ status: 405 }) })),
      ['warning cors-preflight-refused status-405 (metadata)'],
    ],
    [
      'preflight 405 behind a redirect alone, where browsers send one as well',
      () => {
        cdn.on('/a.json', byMethod({ GET: json({ versions: live.versions }), OPTIONS: answer({ status: 405 }) }));
        host.on('/a.json', byMethod({ GET: redirect(`${cdn.origin}/a.json`, 302, CORS) }));
      },
      ['warning cors-preflight-refused status-405 (metadata)'],
    ],
    [
      'preflight without headers',
      () =>
        host.on(
          '/a.json',
          byMethod({ GET: json({ versions: live.versions }), OPTIONS: answer({ status: 200, headers: CORS }) }),
        ),
      ['warning cors-preflight-refused header-refused (metadata)'],
    ],
    [
      'preflight with a bad list',
      () =>
        host.on(
          '/a.json',
          byMethod({
            GET: json({ versions: live.versions }),
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
      ['warning cors-preflight-refused methods-malformed (metadata)'],
    ],
    [
      'preflight that covers no Authorization',
      () => host.on('/a.json', json({ versions: live.versions })),
      [
        'warning cors-preflight-refused header-refused (manifest)',
        'warning cors-preflight-refused header-refused (metadata)',
        'warning cors-preflight-refused header-refused (icon)',
        'warning cors-preflight-refused header-refused (artifact 2.0.0)',
      ],
      {
        get secrets() {
          return { origin: host.origin, headers: [['Authorization', 'Bearer abcdef']] };
        },
      },
    ],
    [
      'an icon that may not be embedded',
      () =>
        live.serve(
          'a.svg',
          byMethod({
            GET: answer({
              headers: { 'Content-Type': 'image/svg+xml', ...CORS, 'Cross-Origin-Resource-Policy': 'same-origin' },
              body: SVG,
            }),
          }),
        ),
      ['error icon-embedding-refused same-origin (icon)'],
    ],
  ])('%s', (_, breakIt, expected, options) => check(breakIt, expected, options));

  test('an artifact without CORS is a note', async () => {
    live.serve(
      '2.tar.gz',
      byMethod({ GET: answer({ headers: { 'Content-Type': 'application/gzip' }, body: live.artifact }) }),
    );
    const { report } = await verified(live.url);
    expect(report.findings.filter((f) => f.rule === 'cors-missing')).toMatchObject([
      { severity: 'note', resource: 'artifact' },
    ]);
  });
});

describe('caches and labels', () => {
  test.each<Case>([
    [
      'a year',
      () => by({ 'Cache-Control': 'public, max-age=31536000' }),
      ['warning cache-lifetime-long long (manifest)'],
    ],
    [
      'immutable',
      () => by({ 'Cache-Control': 'max-age=60, immutable' }),
      ['warning cache-lifetime-long immutable (manifest)'],
    ],
    [
      'a day in shared caches',
      () => by({ 'Cache-Control': 'max-age=60, s-maxage=86400' }),
      ['warning cache-lifetime-long long (manifest)'],
    ],
    ['an old copy', () => by({ Age: '900' }), ['warning cache-lifetime-long stale-copy (manifest)']],
    [
      'no number',
      () => by({ 'Cache-Control': 'max-age="300"' }),
      ['warning cache-lifetime-missing malformed (manifest)'],
    ],
    [
      'two numbers',
      () => by({ 'Cache-Control': 'max-age=300, max-age=0' }),
      ['warning cache-lifetime-missing malformed (manifest)'],
    ],
    ['text/plain', () => by({ 'Content-Type': 'text/plain' }), ['warning content-type-wrong not-json (manifest)']],
    [
      'latin-1',
      () => by({ 'Content-Type': 'application/json; charset=iso-8859-1' }),
      ['warning content-type-wrong charset (manifest)'],
    ],
    [
      'an artifact as text',
      () => live.serve('2.tar.gz', gzipped(live.artifact, { 'Content-Type': 'text/plain' })),
      ['warning content-type-wrong text (artifact 2.0.0)'],
    ],
    [
      'a coding that nobody knows',
      () => by({ 'Content-Encoding': 'aws-chunked' }),
      ['warning content-encoded unknown-coding (manifest)'],
    ],
    [
      'gzip that is none',
      () => by({ 'Content-Encoding': 'gzip' }),
      ['error unreachable content-encoding-broken (manifest)'],
    ],
    [
      'br that is gzip',
      () =>
        live.serve(
          'registry.json',
          byMethod({
            GET: answer({ headers: { ...GOOD_JSON, 'Content-Encoding': 'br' }, body: gzipSync(manifest()) }),
          }),
        ),
      ['error unreachable content-encoding-broken (manifest)'],
    ],
    [
      'a login page for JSON',
      () => live.serve('registry.json', byMethod({ GET: html() })),
      ['error document-unreadable html-page (manifest)'],
    ],
    [
      'a bomb of JSON',
      () =>
        live.serve(
          'registry.json',
          byMethod({
            GET: answer({
              headers: { ...GOOD_JSON, 'Content-Encoding': 'gzip' },
              body: gzipSync(Buffer.alloc(70 << 20, 0x20)),
            }),
          }),
        ),
      ['error document-oversized bytes (manifest)'],
    ],
    ['a page for an icon', () => live.serve('a.svg', byMethod({ GET: html() })), ['error icon-not-image html (icon)']],
    [
      'a PNG as text with nosniff',
      () =>
        live.serve(
          'a.svg',
          byMethod({
            GET: answer({
              headers: { 'Content-Type': 'text/plain', 'X-Content-Type-Options': 'nosniff', ...CORS },
              body: PNG,
            }),
          }),
        ),
      ['error icon-type-wrong png-nosniff (icon)'],
    ],
    [
      'an SVG as text',
      () =>
        live.serve(
          'a.svg',
          byMethod({
            GET: answer({
              headers: { 'Content-Type': 'text/plain', 'X-Content-Type-Options': 'nosniff', ...CORS },
              body: SVG,
            }),
          }),
        ),
      ['error icon-type-wrong svg-type (icon)'],
    ],
  ])('%s', (_, breakIt, expected, options) => check(breakIt, expected, options));

  test('without Cache-Control: a note with what caches may guess', async () => {
    const old = new Date(Date.now() - 100 * 86_400_000).toUTCString();
    live.serve(
      'registry.json',
      byMethod({
        GET: answer({
          headers: { 'Content-Type': 'application/json', 'Last-Modified': old, ...CORS },
          body: manifest(),
        }),
      }),
    );
    const { report } = await verified(live.url);
    expect(report.findings.filter((f) => f.rule === 'cache-lifetime-missing')).toMatchObject([
      { severity: 'note', message: expect.stringContaining('240 hours') },
    ]);
  });
});

describe('checksums', () => {
  test.each<Case>([
    ['one bit', () => served(Buffer.from(live.artifact).fill(0x41, 5, 6)), mismatch('other-bytes')],
    ['another archive', () => served(archive('export const version = 3;')), mismatch('other-bytes')],
    ['swapped with another version', () => served(live.older), mismatch('other-versions-artifact')],
    [
      'compressed once more by the CDN',
      () => {
        served(gzipSync(live.artifact), { 'Content-Encoding': 'gzip' });
      },
      mismatch('decoded-bytes-match'),
    ],
    [
      'unpacked and packed again',
      () => served(gzipSync(gunzipSync(live.artifact), { level: 1 }), { 'Content-Encoding': 'gzip' }),
      mismatch('re-encoded'),
    ],
    [
      'the same bytes, labelled as encoded',
      () => served(live.artifact, { 'Content-Encoding': 'gzip' }),
      ['warning content-encoded labelled (artifact 2.0.0)'],
    ],
    ['the tar inside was hashed', () => listed(checksum(gunzipSync(live.artifact))), mismatch('inner-tar-listed')],
    [
      'nothing was hashed',
      () => listed(checksum(Buffer.alloc(0))),
      ['warning checksum-placeholder empty-file (metadata 2.0.0)', ...mismatch('empty-digest-listed')],
    ],
    ['an empty file', () => served(''), mismatch('empty-file')],
    ['a page', () => live.serve('2.tar.gz', byMethod({ GET: html() })), mismatch('html-page')],
    [
      'an LFS pointer',
      () =>
        served('version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 12345\n', {
          'Content-Type': 'text/plain',
        }),
      mismatch('lfs-pointer'),
    ],
    [
      'an XML error with status 200',
      () => served('<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>'),
      mismatch('xml-error'),
    ],
    ['converted as text', () => served(Buffer.from(live.artifact.toString('utf8'))), mismatch('text-conversion')],
    [
      'wrong at first, then right',
      () => live.serve('2.tar.gz', byMethod({ GET: inTurn(gzipped(live.older), gzipped(live.artifact)) })),
      mismatch('intermittent', 'warning'),
    ],
    [
      'other bytes each time',
      () => {
        let n = 0;
        live.serve('2.tar.gz', (request, socket) => gzipped(archive(`// ${n++}`))(request, socket));
      },
      mismatch('unstable-bytes'),
    ],
    [
      'cut short, without a length',
      () =>
        live.serve(
          '2.tar.gz',
          byMethod({
            GET: answer({
              headers: { 'Content-Type': 'application/gzip', ...CORS },
              body: live.artifact.subarray(0, 60),
              length: null,
            }),
          }),
        ),
      mismatch('truncated'),
    ],
    [
      'upper case, and right',
      () => listed(live.versions[0]!.artifactChecksum.replace(/[0-9a-f]{64}$/, (digits) => digits.toUpperCase())),
      ['error checksum-malformed uppercase (metadata 2.0.0)'],
    ],
    [
      'upper case, and wrong',
      () => {
        listed(`sha256:${'AB'.repeat(32)}`);
      },
      ['error checksum-malformed uppercase (metadata 2.0.0)', ...mismatch('other-bytes')],
    ],
  ])('%s', (_, breakIt, expected, options) => check(breakIt, expected, options));

  test.each(['sha1', 'md5'])('a %s digest is named, with the value to list', async (algorithm) => {
    listed(`${algorithm}:${hex(algorithm, live.artifact)}`);
    const { report } = await verified(live.url);
    expect(faults(report)).toEqual([`error checksum-malformed ${algorithm} (metadata 2.0.0)`]);
    expect(report.findings.filter((f) => f.version === '2.0.0')).toMatchObject([
      { rule: 'checksum-malformed', advice: expect.stringContaining(checksum(live.artifact)) },
    ]);
  });

  test('evidence holds both digests, the size and the label', async () => {
    served(archive('other'), { Age: '12', Via: 'cache-7' });
    const { report } = await verified(live.url);
    const { evidence } = report.findings.find((f) => f.rule === 'artifact-checksum-mismatch')!;
    expect(evidence).toMatchObject({
      listed: checksum(live.artifact),
      found: checksum(archive('other')),
      again: checksum(archive('other')),
      bytes: archive('other').length,
      contentType: 'application/gzip',
      age: '12',
      via: 'cache-7',
    });
    expect(host.asked('/2.tar.gz', 'GET').filter((r) => r.headers['origin'] === undefined)).toHaveLength(2);
  });
});
test('an endless manifest is cut off', async () => {
  const bytes = endless(
    'Content-Type: application/json\r\nAccess-Control-Allow-Origin: *\r\n',
    Buffer.alloc(1 << 20, 0x20),
  );
  live.serve('registry.json', byMethod({ GET: bytes, HEAD: answer({ headers: GOOD_JSON }) }));
  const { report } = await verified(live.url);
  expect(faults(report)).toEqual(['error document-oversized bytes (manifest)']);
}, 30_000);

test('endless metadata is cut off, and only its start is held', async () => {
  const bytes = endless(
    'Content-Type: application/json\r\nAccess-Control-Allow-Origin: *\r\n',
    Buffer.alloc(1 << 20, 0x20),
  );
  live.serve('a.json', byMethod({ GET: bytes, HEAD: answer({ headers: GOOD_JSON }) }));
  const { report, apps } = await verified(live.url);
  expect(faults(report)).toEqual(['error document-oversized bytes (metadata)']);
  expect(apps[0]!.metadata.content).toMatchObject({ cut: true, bytes: 32 * 2 ** 20, text: ' '.repeat(4096) });
}, 30_000);

test('what could not be fetched is told by its own cause, not by a note on the way there', async () => {
  live.serve('a.json', answer({ status: 404, headers: GOOD_JSON }));
  const { report } = await verified(live.url);
  const reasons = report.notJudged.filter(({ resource }) => resource === 'metadata').map(({ reason }) => reason);
  expect(reasons.length).toBeGreaterThan(5);
  expect(new Set(reasons)).toEqual(new Set(['because of unreachable']));
  const icon = report.symptoms.find(({ id }) => id === 'icon-does-not-display');
  expect(icon?.status).toBe('clear');
});

test('behind a redirect to another host only the wildcard is advised: a browser says Origin: null there', async () => {
  const to = `${cdn.origin}/i.svg`;
  live.serve('a.svg', byMethod({ GET: redirect(to, 302, CORS) }));
  for (const value of [null, `${ORIGIN}/`]) {
    const allow: Record<string, string> = value === null ? {} : { 'Access-Control-Allow-Origin': value };
    cdn.on('/i.svg', answer({ headers: { 'Content-Type': 'image/svg+xml', ...allow }, body: SVG }));
    const { report } = await verified(live.url, { origins: [ORIGIN] });
    const found = report.findings.filter((f) => f.resource === 'icon' && f.severity === 'error');
    expect(found).toHaveLength(1);
    expect(found[0]!.advice).toContain('Access-Control-Allow-Origin: *');
    expect(found[0]!.advice).not.toContain(ORIGIN);
  }
});

test('that a host of artifacts sends no CORS headers is said once', async () => {
  for (const [path, body] of [
    ['1.tar.gz', live.older],
    ['2.tar.gz', live.artifact],
  ] as const)
    live.serve(path, byMethod({ GET: answer({ headers: { 'Content-Type': 'application/gzip' }, body }) }));
  const app = (name: string): unknown => ({
    name,
    description: 'Does a thing.',
    blockStyle: { iconUrl: `${host.origin}/a.svg`, color: '#336699' },
    appMetadataUrl: `${host.origin}/${name}.json`,
  });
  host.on('/b.json', json({ versions: live.versions.slice(1) }));
  live.serve('registry.json', json({ apps: { a: app('a'), b: app('b') } }));
  const { report } = await verified(live.url);
  expect(report.findings.filter((f) => f.rule === 'cors-missing')).toMatchObject([{ severity: 'note' }]);
});
