import { gzipSync } from 'node:zlib';
import { describe } from 'vitest';
import { answer, byMethod, CORS, GOOD_JSON, json, raw, redirect } from '../../support/fault-host.ts';
import { byRequest, checkCases, type LiveCase, liveFixture } from '../../support/live-fixture.ts';
import { gzipped } from '../../support/live-registry.ts';

/** Unusual framing, redirects and encodings that are correct: no errors and no warnings. */

const fixture = liveFixture();

describe('valid framing and redirects have no findings', () => {
  checkCases(fixture, [
    {
      name: 'chunks instead of a length, and HEAD without one',
      serve: () => {
        const body = fixture.manifest();
        const head = `HTTP/1.1 200 OK\r\n${Object.entries(GOOD_JSON)
          .map(([name, value]) => `${name}: ${value}\r\n`)
          .join('')}`;
        fixture.live.serve(
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
      expect: [],
    },
    {
      name: 'HEAD without a type or a length',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byMethod({ GET: json(fixture.manifest()), HEAD: answer({ headers: CORS, length: null }) }),
        ),
      expect: [],
    },
    {
      name: 'Early Hints first',
      serve: () => {
        const body = fixture.manifest();
        fixture.live.serve(
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
      expect: [],
    },
    {
      name: 'JSON for Accept, a page for others',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byRequest(({ headers }) =>
            headers['accept']?.includes('application/json') || headers['access-control-request-method']
              ? json(fixture.manifest())
              : answer({ headers: { 'Content-Type': 'text/html' }, body: '<!doctype html><p>Hello' }),
          ),
        ),
      expect: [],
    },
    {
      name: 'compressed for clients that accept it',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byRequest(({ headers }) =>
            headers['accept-encoding']?.includes('gzip')
              ? byMethod({
                  GET: answer({
                    headers: { ...GOOD_JSON, 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' },
                    body: gzipSync(fixture.manifest()),
                  }),
                })
              : json(fixture.manifest(), { Vary: 'Accept-Encoding' }),
          ),
        ),
      expect: [],
    },
    ...['gzip', 'GZIP', 'gzip ,', ' , gzip'].map((coding): LiveCase => ({
      name: `Content-Encoding: ${coding}`,
      serve: () => fixture.serveManifest({ 'Content-Encoding': coding }, gzipSync(fixture.manifest())),
      expect: [],
    })),
    {
      name: 'the same Location twice',
      serve: () => {
        fixture.host.on('/same.json', json(fixture.manifest()));
        fixture.live.serve(
          'registry.json',
          byMethod({
            GET: answer({
              status: 302,
              headers: [...Object.entries(CORS), ['Location', '/same.json'], ['Location', '/same.json']],
            }),
          }),
        );
      },
      expect: [],
    },
    ...['identity', 'Identity', '', 'identity, identity'].map((coding): LiveCase => ({
      name: `Content-Encoding over plain JSON: ${coding}`,
      serve: () => fixture.serveManifest({ 'Content-Encoding': coding }),
      expect: [],
    })),
    {
      name: 'Content-Encoding: gzip, gzip, of bytes compressed twice',
      serve: () => fixture.serveManifest({ 'Content-Encoding': 'gzip, gzip' }, gzipSync(gzipSync(fixture.manifest()))),
      expect: [],
    },
    {
      name: 'Content-Encoding: x-gzip',
      serve: () => fixture.serveManifest({ 'Content-Encoding': 'x-gzip' }, gzipSync(fixture.manifest())),
      expect: [],
    },
    {
      name: 'a relative Location',
      serve: () => {
        fixture.host.on('/v2/x.json', json(fixture.manifest()));
        fixture.live.serve('registry.json', byMethod({ GET: redirect('./v2/../v2/x.json#top', 302, CORS) }));
      },
      expect: [],
    },
    {
      name: 'a Location without a scheme',
      serve: () => {
        fixture.cdn.on('/r.json', json(fixture.manifest()));
        fixture.live.serve(
          'registry.json',
          byMethod({ GET: redirect(`//127.0.0.1:${fixture.cdn.port}/r.json`, 307, CORS) }),
        );
      },
      expect: [],
    },
    {
      name: 'five redirects',
      serve: () => {
        for (let i = 1; i <= 4; i += 1)
          fixture.host.on(`/hop${i}`, byMethod({ GET: redirect(`/hop${i + 1}`, 302, CORS) }));
        fixture.host.on('/hop5', json(fixture.manifest()));
        fixture.live.serve('registry.json', byMethod({ GET: redirect('/hop1', 302, CORS) }));
      },
      expect: [],
    },
    {
      name: 'a redirect with a page as its body',
      serve: () => {
        fixture.host.on('/moved.json', json(fixture.manifest()));
        fixture.live.serve(
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
      expect: [],
    },
    {
      name: 'an artifact that moved permanently',
      serve: () => {
        fixture.host.on('/moved.tar.gz', gzipped(fixture.live.artifact));
        fixture.live.serve('2.tar.gz', byMethod({ GET: redirect('/moved.tar.gz', 301, CORS) }));
      },
      expect: [],
    },
    {
      name: 'an artifact at an escaped path',
      serve: () => {
        fixture.live.versions[0]!.artifactUrl = fixture.host.on(
          '/caf%C3%A9%20(2).tar.gz',
          gzipped(fixture.live.artifact),
        );
        fixture.live.list();
      },
      expect: [],
    },
    {
      name: 'an artifact behind a query',
      serve: () => {
        fixture.live.versions[0]!.artifactUrl =
          fixture.host.on('/dl.tar.gz', gzipped(fixture.live.artifact)) + '?id=7&name=a%26b';
        fixture.live.list();
      },
      expect: [],
    },
    {
      name: 'a 416 for a range of one byte',
      serve: () =>
        fixture.live.serve(
          '2.tar.gz',
          byRequest(({ headers }) =>
            headers['range'] ? answer({ status: 416, headers: CORS }) : gzipped(fixture.live.artifact),
          ),
        ),
      expect: [],
    },
    {
      name: 'a correct response to a range request',
      serve: () =>
        fixture.live.serve(
          '2.tar.gz',
          byRequest(({ headers }) =>
            headers['range']
              ? answer({
                  status: 206,
                  headers: {
                    ...CORS,
                    'Content-Type': 'application/gzip',
                    'Content-Range': `bytes 0-0/${fixture.live.artifact.length}`,
                  },
                  body: fixture.live.artifact.subarray(0, 1),
                })
              : gzipped(fixture.live.artifact, { ETag: 'W/"x"', 'Accept-Ranges': 'bytes' }),
          ),
        ),
      expect: [],
    },
    {
      name: 'a cookie that is not required',
      serve: () => fixture.serveManifest({ 'Set-Cookie': '__cf_bm=abc; path=/; HttpOnly' }),
      expect: [],
    },
    {
      name: 'versions in any order',
      serve: () => {
        fixture.live.versions.reverse();
        fixture.live.list();
      },
      expect: [],
    },
  ]);
});
