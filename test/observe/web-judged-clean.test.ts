import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, test } from 'vitest';
import { answer, byMethod, CORS, GOOD_JSON, inTurn, json, raw, redirect } from '../support/fault-host.ts';
import { gzipped, ORIGIN, SVG } from '../support/live-registry.ts';
import { by, type Case, check, openStage } from '../support/live-stage.ts';

/** What looks like a fault and is none: these must be silent. */

const stage = openStage();
const etag = (body: string): string => `"${createHash('sha1').update(body).digest('hex')}"`;
const named = { origins: [ORIGIN] };
const all = (cases: Case[]): void => {
  test.each<Case>(cases)('%s', async (_, breakIt, expected, options) => {
    await check(stage, breakIt, expected, options);
  });
};

describe('labels', () => {
  all([
    ['charset=utf-8', (s) => s.serveManifest({ 'Content-Type': 'application/json;charset=utf-8' }), []],
    ['charset="UTF-8"', (s) => s.serveManifest({ 'Content-Type': 'application/json; charset="UTF-8"' }), []],
    ['text/json', (s) => s.serveManifest({ 'Content-Type': 'text/json' }), []],
    ['Application/JSON', (s) => s.serveManifest({ 'Content-Type': 'Application/JSON' }), []],
    ['a vendor type', (s) => s.serveMetadata({ 'Content-Type': 'application/vnd.x+json' }), []],
    ['a semicolon and nothing', (s) => s.serveMetadata({ 'Content-Type': 'application/json;' }), []],
    [
      'header names in odd case',
      (s) =>
        s.live.serve(
          'registry.json',
          byMethod({
            GET: answer({
              headers: {
                'cONTENT-tYPE': 'application/json',
                'CACHE-CONTROL': 'Max-Age=300, PUBLIC',
                'access-CONTROL-allow-origin': '*',
              },
              body: s.manifest(),
            }),
          }),
        ),
      [],
    ],
    ...[
      'application/x-gzip',
      'application/octet-stream',
      'application/x-tar',
      'application/x-compressed-tar',
      'application/x-tgz',
      'binary/octet-stream',
    ].map((type): Case => [
      `an artifact as ${type}`,
      (s) => s.serveArtifact(s.live.artifact, { 'Content-Type': type }),
      [],
    ]),
    [
      'an artifact without a type, with a name to save it by',
      (s) =>
        s.live.serve(
          '2.tar.gz',
          byMethod({
            GET: answer({
              headers: { ...CORS, 'Content-Disposition': 'attachment; filename="app-2.0.0.tar.gz"' },
              body: s.live.artifact,
            }),
          }),
        ),
      [],
    ],
    ['nosniff on JSON', (s) => s.serveManifest({ 'X-Content-Type-Options': 'nosniff' }), []],
    ['JSON to be saved', (s) => s.serveManifest({ 'Content-Disposition': 'attachment; filename=registry.json' }), []],
    ['an icon to be saved', (s) => s.serveIcon(SVG, { 'Content-Disposition': 'attachment; filename=a.svg' }), []],
    [
      'an icon in a sandbox',
      (s) => s.serveIcon(SVG, { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" }),
      [],
    ],
    ['an SVG with a charset', (s) => s.serveIcon(SVG, { 'Content-Type': 'image/svg+xml; charset=utf-8' }), []],
    ['an SVG with nosniff', (s) => s.serveIcon(SVG, { 'X-Content-Type-Options': 'nosniff' }), []],
    [
      'an icon compressed with the label for it',
      (s) => s.serveIcon(gzipSync(SVG), { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' }),
      [],
    ],
  ]);
});

describe('caches', () => {
  all([
    ['an hour, to the second', (s) => s.serveManifest({ 'Cache-Control': 'public, max-age=3600' }), []],
    ['private', (s) => s.serveManifest({ 'Cache-Control': 'private, max-age=60' }), []],
    [
      'a stale copy allowed for ten minutes',
      (s) => s.serveManifest({ 'Cache-Control': 'max-age=60, stale-while-revalidate=600, stale-if-error=86400' }),
      [],
    ],
    ['an Age below its lifetime', (s) => s.serveManifest({ Age: '299' }), []],
    ['Pragma beside Cache-Control', (s) => s.serveManifest({ Pragma: 'no-cache' }), []],
    [
      'Expires in a year, overruled',
      (s) => s.serveManifest({ Expires: new Date(Date.now() + 31_536_000_000).toUTCString() }),
      [],
    ],
    ['Expires: 0, overruled', (s) => s.serveManifest({ Expires: '0' }), []],
    ['Expires alone, in the past', (s) => s.serveManifest({ 'Cache-Control': undefined, Expires: '-1' }), []],
    [
      'the CDN’s own lifetime is short',
      (s) => s.serveManifest({ 'CDN-Cache-Control': 'max-age=60', 'Surrogate-Control': 'max-age=60' }),
      [],
    ],
    [
      'a directive that nobody knows',
      (s) => s.serveManifest({ 'Cache-Control': 'max-age=300, x-y=z, no-transform' }),
      [],
    ],
    [
      'spaces, an empty element, quotes where they may stand',
      (s) => s.serveManifest({ 'Cache-Control': 'public ,, max-age=300 , no-cache="Set-Cookie"' }),
      [],
    ],
    [
      'two lines of Cache-Control',
      (s) =>
        s.live.serve(
          'registry.json',
          byMethod({
            GET: answer({
              headers: [
                ['Content-Type', 'application/json'],
                ['Cache-Control', 'public'],
                ['Cache-Control', 'max-age=300'],
                ['Access-Control-Allow-Origin', '*'],
              ],
              body: s.manifest(),
            }),
          }),
        ),
      [],
    ],
    ['Vary: Origin beside *', (s) => s.serveManifest({ Vary: 'Origin, Accept-Encoding' }), []],
    ['Vary: *', (s) => s.serveManifest({ Vary: '*', 'Cache-Control': 'no-store' }), []],
    [
      'a weak ETag, 304 without CORS headers',
      (s) => {
        const tag = `W/${etag(s.manifest())}`;
        s.live.serve(
          'registry.json',
          by(({ headers, method }) =>
            method !== 'OPTIONS' && headers['if-none-match']?.includes(tag.slice(2))
              ? answer({ status: 304, headers: { ETag: tag } })
              : byMethod({ GET: answer({ headers: { ...GOOD_JSON, ETag: tag }, body: s.manifest() }) }),
          ),
        );
      },
      [],
    ],
    ['an ETag, and conditions that nobody looks at', (s) => s.serveManifest({ ETag: etag(s.manifest()) }), []],
    ['an ETag without quotes', (s) => s.serveManifest({ ETag: 'abc' }), []],
    [
      'a manifest that changes between two questions, with its ETag',
      (s) => {
        const other = s.manifest().replace('Does a thing.', 'Does another thing.');
        s.live.serve(
          'registry.json',
          byMethod({
            GET: inTurn(json(s.manifest(), { ETag: '"1"' }), json(other, { ETag: '"2"' })),
            HEAD: answer({ headers: { ...GOOD_JSON, ETag: '"2"' }, length: Buffer.byteLength(other) }),
          }),
        );
      },
      [],
    ],
    ['a clock that is a minute off', (s) => s.serveManifest({ Date: new Date(Date.now() + 60_000).toUTCString() }), []],
  ]);
});

describe('CORS', () => {
  all([
    ['* with Allow-Credentials: false', (s) => s.serveManifest({ 'Access-Control-Allow-Credentials': 'false' }), []],
    [
      '* with Allow-Credentials: true, which no browser follows',
      (s) => s.serveManifest({ 'Access-Control-Allow-Credentials': 'true' }),
      [],
      named,
    ],
    [
      'one origin with credentials',
      (s) =>
        s.live.serve(
          'registry.json',
          byMethod({
            GET: json(s.manifest(), {
              'Access-Control-Allow-Origin': ORIGIN,
              'Access-Control-Allow-Credentials': 'true',
            }),
            OPTIONS: answer({
              status: 204,
              headers: {
                'Access-Control-Allow-Origin': ORIGIN,
                'Access-Control-Allow-Credentials': 'true',
                'Access-Control-Allow-Headers': '*',
              },
            }),
          }),
        ),
      [],
      named,
    ],
    ['Access-Control-Max-Age that is no number', (s) => s.serveManifest({ 'Access-Control-Max-Age': 'abc' }), []],
    [
      'a preflight of 200 with a body',
      (s) =>
        s.live.serve(
          'registry.json',
          byMethod({
            GET: json(s.manifest()),
            OPTIONS: answer({ headers: { ...CORS, 'Access-Control-Allow-Headers': '*' }, body: 'OK' }),
          }),
        ),
      [],
    ],
    ['cross-origin resource policy', (s) => s.serveIcon(SVG, { 'Cross-Origin-Resource-Policy': 'cross-origin' }), []],
    [
      'policies that concern documents',
      (s) =>
        s.serveIcon(SVG, {
          'Cross-Origin-Embedder-Policy': 'require-corp',
          'Cross-Origin-Opener-Policy': 'same-origin',
          'X-Frame-Options': 'DENY',
        }),
      [],
    ],
  ]);
});

describe('transport', () => {
  all([
    [
      'chunks instead of a length, and HEAD without one',
      (s) => {
        const body = s.manifest();
        const head = `HTTP/1.1 200 OK\r\n${Object.entries(GOOD_JSON)
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join('')}`;
        s.live.serve(
          'registry.json',
          byMethod({
            GET: raw(
              `${head}Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)};ext=1\r\n${body}\r\n0\r\nX-Trailer: 1\r\n\r\n`,
              'keep',
            ),
            HEAD: raw(`${head}\r\n`, 'keep'),
          }),
        );
      },
      [],
    ],
    [
      'HEAD without a type or a length',
      (s) =>
        s.live.serve(
          'registry.json',
          byMethod({ GET: json(s.manifest()), HEAD: answer({ headers: CORS, length: null }) }),
        ),
      [],
    ],
    [
      'Early Hints first',
      (s) => {
        const body = s.manifest();
        s.live.serve(
          'registry.json',
          byMethod({
            GET: raw(
              `HTTP/1.1 103 Early Hints\r\nLink: </x>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: max-age=300\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
              'keep',
            ),
            HEAD: answer({ headers: GOOD_JSON, length: null }),
          }),
        );
      },
      [],
    ],
    [
      'JSON for Accept, a page for others',
      (s) =>
        s.live.serve(
          'registry.json',
          by(({ headers }) =>
            headers['accept']?.includes('application/json') || headers['access-control-request-method']
              ? json(s.manifest())
              : answer({ headers: { 'Content-Type': 'text/html' }, body: '<!doctype html><p>Hello' }),
          ),
        ),
      [],
    ],
    [
      'compressed for those who ask for it',
      (s) =>
        s.live.serve(
          'registry.json',
          by(({ headers }) =>
            headers['accept-encoding']?.includes('gzip')
              ? byMethod({
                  GET: answer({
                    headers: { ...GOOD_JSON, 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' },
                    body: gzipSync(s.manifest()),
                  }),
                })
              : json(s.manifest(), { Vary: 'Accept-Encoding' }),
          ),
        ),
      [],
    ],
    ...['gzip', 'GZIP', 'gzip ,', ' , gzip'].map((coding): Case => [
      `Content-Encoding: ${coding}`,
      (s) => s.serveManifest({ 'Content-Encoding': coding }, gzipSync(s.manifest())),
      [],
    ]),
    [
      'the same Location twice',
      (s) => {
        s.host.on('/same.json', json(s.manifest()));
        s.live.serve(
          'registry.json',
          byMethod({
            GET: answer({
              status: 302,
              headers: [...Object.entries(CORS), ['Location', '/same.json'], ['Location', '/same.json']],
            }),
          }),
        );
      },
      [],
    ],
    ...['identity', 'Identity', '', 'identity, identity'].map((coding): Case => [
      `Content-Encoding over plain JSON: ${coding}`,
      (s) => s.serveManifest({ 'Content-Encoding': coding }),
      [],
    ]),
    [
      'Content-Encoding: gzip, gzip, and it is so',
      (s) => s.serveManifest({ 'Content-Encoding': 'gzip, gzip' }, gzipSync(gzipSync(s.manifest()))),
      [],
    ],
    ['Content-Encoding: x-gzip', (s) => s.serveManifest({ 'Content-Encoding': 'x-gzip' }, gzipSync(s.manifest())), []],
    [
      'a relative Location',
      (s) => {
        s.host.on('/v2/x.json', json(s.manifest()));
        s.live.serve('registry.json', byMethod({ GET: redirect('./v2/../v2/x.json#top', 302, CORS) }));
      },
      [],
    ],
    [
      'a Location without a scheme',
      (s) => {
        s.cdn.on('/r.json', json(s.manifest()));
        s.live.serve('registry.json', byMethod({ GET: redirect(`//127.0.0.1:${s.cdn.port}/r.json`, 307, CORS) }));
      },
      [],
    ],
    [
      'five redirects',
      (s) => {
        for (let i = 1; i <= 4; i += 1) s.host.on(`/hop${i}`, byMethod({ GET: redirect(`/hop${i + 1}`, 302, CORS) }));
        s.host.on('/hop5', json(s.manifest()));
        s.live.serve('registry.json', byMethod({ GET: redirect('/hop1', 302, CORS) }));
      },
      [],
    ],
    [
      'a redirect with a page of its own',
      (s) => {
        s.host.on('/moved.json', json(s.manifest()));
        s.live.serve(
          'registry.json',
          byMethod({
            GET: answer({
              status: 303,
              headers: { ...CORS, Location: '/moved.json', 'Content-Type': 'text/html' },
              body: '<p>moved',
            }),
          }),
        );
      },
      [],
    ],
    [
      'an artifact that moved for good',
      (s) => {
        s.host.on('/moved.tar.gz', gzipped(s.live.artifact));
        s.live.serve('2.tar.gz', byMethod({ GET: redirect('/moved.tar.gz', 301, CORS) }));
      },
      [],
    ],
    [
      'an artifact at an escaped path',
      (s) => {
        s.live.versions[0]!.artifactUrl = s.host.on('/caf%C3%A9%20(2).tar.gz', gzipped(s.live.artifact));
        s.live.list();
      },
      [],
    ],
    [
      'an artifact behind a query',
      (s) => {
        s.live.versions[0]!.artifactUrl = s.host.on('/dl.tar.gz', gzipped(s.live.artifact)) + '?id=7&name=a%26b';
        s.live.list();
      },
      [],
    ],
    [
      'a 416 for the one byte that is asked for',
      (s) =>
        s.live.serve(
          '2.tar.gz',
          by(({ headers }) => (headers['range'] ? answer({ status: 416, headers: CORS }) : gzipped(s.live.artifact))),
        ),
      [],
    ],
    [
      'a range answered as it should be',
      (s) =>
        s.live.serve(
          '2.tar.gz',
          by(({ headers }) =>
            headers['range']
              ? answer({
                  status: 206,
                  headers: {
                    ...CORS,
                    'Content-Type': 'application/gzip',
                    'Content-Range': `bytes 0-0/${s.live.artifact.length}`,
                  },
                  body: s.live.artifact.subarray(0, 1),
                })
              : gzipped(s.live.artifact, { ETag: 'W/"x"', 'Accept-Ranges': 'bytes' }),
          ),
        ),
      [],
    ],
    ['a cookie nobody needs', (s) => s.serveManifest({ 'Set-Cookie': '__cf_bm=abc; path=/; HttpOnly' }), []],
    [
      'versions in any order',
      (s) => {
        s.live.versions.reverse();
        s.live.list();
      },
      [],
    ],
  ]);
});
