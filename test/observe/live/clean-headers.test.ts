import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe } from 'vitest';
import { answer, byMethod, CORS, GOOD_JSON, inTurn, json } from '../../support/fault-host.ts';
import { byRequest, checkCases, type LiveCase, liveFixture } from '../../support/live-fixture.ts';
import { ORIGIN, SVG } from '../../support/live-registry.ts';

/** Unusual headers that are correct: no errors and no warnings. */

const fixture = liveFixture();

const etag = (body: string): string => `"${createHash('sha1').update(body).digest('hex')}"`;

const withOrigin = { origins: [ORIGIN] };

describe('valid media types have no findings', () => {
  checkCases(fixture, [
    {
      name: 'charset=utf-8',
      serve: () => fixture.serveManifest({ 'Content-Type': 'application/json;charset=utf-8' }),
      expect: [],
    },
    {
      name: 'charset="UTF-8"',
      serve: () => fixture.serveManifest({ 'Content-Type': 'application/json; charset="UTF-8"' }),
      expect: [],
    },
    { name: 'text/json', serve: () => fixture.serveManifest({ 'Content-Type': 'text/json' }), expect: [] },
    {
      name: 'Application/JSON',
      serve: () => fixture.serveManifest({ 'Content-Type': 'Application/JSON' }),
      expect: [],
    },
    {
      name: 'a vendor type',
      serve: () => fixture.serveMetadata({ 'Content-Type': 'application/vnd.x+json' }),
      expect: [],
    },
    {
      name: 'a semicolon and nothing',
      serve: () => fixture.serveMetadata({ 'Content-Type': 'application/json;' }),
      expect: [],
    },
    {
      name: 'header names in mixed case',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byMethod({
            GET: answer({
              headers: {
                'cONTENT-tYPE': 'application/json',
                'CACHE-CONTROL': 'Max-Age=300, PUBLIC',
                'access-CONTROL-allow-origin': '*',
              },
              body: fixture.manifest(),
            }),
          }),
        ),
      expect: [],
    },
    ...[
      'application/x-gzip',
      'application/octet-stream',
      'application/x-tar',
      'application/x-compressed-tar',
      'application/x-tgz',
      'binary/octet-stream',
    ].map((type): LiveCase => ({
      name: `an artifact as ${type}`,
      serve: () => fixture.serveArtifact(fixture.live.artifact, { 'Content-Type': type }),
      expect: [],
    })),
    {
      name: 'an artifact without a type, with a name to save it by',
      serve: () =>
        fixture.live.serve(
          '2.tar.gz',
          byMethod({
            GET: answer({
              headers: { ...CORS, 'Content-Disposition': 'attachment; filename="app-2.0.0.tar.gz"' },
              body: fixture.live.artifact,
            }),
          }),
        ),
      expect: [],
    },
    {
      name: 'nosniff on JSON',
      serve: () => fixture.serveManifest({ 'X-Content-Type-Options': 'nosniff' }),
      expect: [],
    },
    {
      name: 'JSON to be saved',
      serve: () => fixture.serveManifest({ 'Content-Disposition': 'attachment; filename=registry.json' }),
      expect: [],
    },
    {
      name: 'an icon to be saved',
      serve: () => fixture.serveIcon(SVG, { 'Content-Disposition': 'attachment; filename=a.svg' }),
      expect: [],
    },
    {
      name: 'an icon in a sandbox',
      serve: () =>
        fixture.serveIcon(SVG, { 'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox" }),
      expect: [],
    },
    {
      name: 'an SVG with a charset',
      serve: () => fixture.serveIcon(SVG, { 'Content-Type': 'image/svg+xml; charset=utf-8' }),
      expect: [],
    },
    {
      name: 'an SVG with nosniff',
      serve: () => fixture.serveIcon(SVG, { 'X-Content-Type-Options': 'nosniff' }),
      expect: [],
    },
    {
      name: 'an icon compressed with the label for it',
      serve: () => fixture.serveIcon(gzipSync(SVG), { 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' }),
      expect: [],
    },
  ]);
});

describe('valid caching has no findings', () => {
  checkCases(fixture, [
    {
      name: 'an hour, to the second',
      serve: () => fixture.serveManifest({ 'Cache-Control': 'public, max-age=3600' }),
      expect: [],
    },
    { name: 'private', serve: () => fixture.serveManifest({ 'Cache-Control': 'private, max-age=60' }), expect: [] },
    {
      name: 'a stale copy allowed for ten minutes',
      serve: () =>
        fixture.serveManifest({ 'Cache-Control': 'max-age=60, stale-while-revalidate=600, stale-if-error=86400' }),
      expect: [],
    },
    { name: 'an Age below its lifetime', serve: () => fixture.serveManifest({ Age: '299' }), expect: [] },
    { name: 'Pragma beside Cache-Control', serve: () => fixture.serveManifest({ Pragma: 'no-cache' }), expect: [] },
    {
      name: 'Expires in a year, overruled',
      serve: () => fixture.serveManifest({ Expires: new Date(Date.now() + 31_536_000_000).toUTCString() }),
      expect: [],
    },
    { name: 'Expires: 0, overruled', serve: () => fixture.serveManifest({ Expires: '0' }), expect: [] },
    {
      name: 'only Expires, in the past',
      serve: () => fixture.serveManifest({ 'Cache-Control': undefined, Expires: '-1' }),
      expect: [],
    },
    {
      name: 'the CDN’s own lifetime is short',
      serve: () => fixture.serveManifest({ 'CDN-Cache-Control': 'max-age=60', 'Surrogate-Control': 'max-age=60' }),
      expect: [],
    },
    {
      name: 'an unknown directive',
      serve: () => fixture.serveManifest({ 'Cache-Control': 'max-age=300, x-y=z, no-transform' }),
      expect: [],
    },
    {
      name: 'spaces, an empty element, quotes where they are allowed',
      serve: () => fixture.serveManifest({ 'Cache-Control': 'public ,, max-age=300 , no-cache="Set-Cookie"' }),
      expect: [],
    },
    {
      name: 'two lines of Cache-Control',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byMethod({
            GET: answer({
              headers: [
                ['Content-Type', 'application/json'],
                ['Cache-Control', 'public'],
                ['Cache-Control', 'max-age=300'],
                ['Access-Control-Allow-Origin', '*'],
              ],
              body: fixture.manifest(),
            }),
          }),
        ),
      expect: [],
    },
    {
      name: 'Vary: Origin beside *',
      serve: () => fixture.serveManifest({ Vary: 'Origin, Accept-Encoding' }),
      expect: [],
    },
    { name: 'Vary: *', serve: () => fixture.serveManifest({ Vary: '*', 'Cache-Control': 'no-store' }), expect: [] },
    {
      name: 'a weak ETag, 304 without CORS headers',
      serve: () => {
        const tag = `W/${etag(fixture.manifest())}`;
        fixture.live.serve(
          'registry.json',
          byRequest(({ headers, method }) =>
            method !== 'OPTIONS' && headers['if-none-match']?.includes(tag.slice(2))
              ? answer({ status: 304, headers: { ETag: tag } })
              : byMethod({ GET: answer({ headers: { ...GOOD_JSON, ETag: tag }, body: fixture.manifest() }) }),
          ),
        );
      },
      expect: [],
    },
    {
      name: 'an ETag, and conditions that are ignored',
      serve: () => fixture.serveManifest({ ETag: etag(fixture.manifest()) }),
      expect: [],
    },
    { name: 'an ETag without quotes', serve: () => fixture.serveManifest({ ETag: 'abc' }), expect: [] },
    {
      name: 'a manifest that changes between two requests, with its ETag',
      serve: () => {
        const other = fixture.manifest().replace('Does a thing.', 'Does another thing.');
        fixture.live.serve(
          'registry.json',
          byMethod({
            GET: inTurn(json(fixture.manifest(), { ETag: '"1"' }), json(other, { ETag: '"2"' })),
            HEAD: answer({ headers: { ...GOOD_JSON, ETag: '"2"' }, length: Buffer.byteLength(other) }),
          }),
        );
      },
      expect: [],
    },
    {
      name: 'a clock that is a minute off',
      serve: () => fixture.serveManifest({ Date: new Date(Date.now() + 60_000).toUTCString() }),
      expect: [],
    },
  ]);
});

describe('valid CORS headers have no findings', () => {
  checkCases(fixture, [
    {
      name: '* with Allow-Credentials: false',
      serve: () => fixture.serveManifest({ 'Access-Control-Allow-Credentials': 'false' }),
      expect: [],
    },
    {
      name: '* with Allow-Credentials: true, which no browser follows',
      serve: () => fixture.serveManifest({ 'Access-Control-Allow-Credentials': 'true' }),
      expect: [],
      options: withOrigin,
    },
    {
      name: 'one origin with credentials',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byMethod({
            GET: json(fixture.manifest(), {
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
      expect: [],
      options: withOrigin,
    },
    {
      name: 'Access-Control-Max-Age that is not a number',
      serve: () => fixture.serveManifest({ 'Access-Control-Max-Age': 'abc' }),
      expect: [],
    },
    {
      name: 'a preflight of 200 with a body',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byMethod({
            GET: json(fixture.manifest()),
            OPTIONS: answer({ headers: { ...CORS, 'Access-Control-Allow-Headers': '*' }, body: 'OK' }),
          }),
        ),
      expect: [],
    },
    {
      name: 'cross-origin resource policy',
      serve: () => fixture.serveIcon(SVG, { 'Cross-Origin-Resource-Policy': 'cross-origin' }),
      expect: [],
    },
    {
      name: 'policies that concern documents',
      serve: () =>
        fixture.serveIcon(SVG, {
          'Cross-Origin-Embedder-Policy': 'require-corp',
          'Cross-Origin-Opener-Policy': 'same-origin',
          'X-Frame-Options': 'DENY',
        }),
      expect: [],
    },
  ]);
});
