import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { answer, byMethod, CORS, GOOD_JSON, redirect } from '../../support/fault-host.ts';
import { checkCases, type LiveCase, liveFixture, verifyPatiently } from '../../support/live-fixture.ts';
import { gzipped, SVG } from '../../support/live-registry.ts';
import { PNG } from '../../support/png-builder.ts';

/** Media types, encodings and lifetimes that do not match the file. */

const fixture = liveFixture();

const PAGE = '<!doctype html><html><head><title>Sign in</title></head><body>…</body></html>';
const htmlPage = byMethod({ GET: answer({ headers: { 'Content-Type': 'text/html', ...CORS }, body: PAGE }) });

describe('lifetimes and media types', () => {
  checkCases(fixture, [
    {
      name: 'a year',
      serve: () => fixture.serveManifest({ 'Cache-Control': 'public, max-age=31536000' }),
      expect: ['warning cache-lifetime-long long (manifest)'],
    },
    {
      name: 'immutable',
      serve: () => fixture.serveManifest({ 'Cache-Control': 'max-age=60, immutable' }),
      expect: ['warning cache-lifetime-long immutable (manifest)'],
    },
    {
      name: 'a day in shared caches',
      serve: () => fixture.serveManifest({ 'Cache-Control': 'max-age=60, s-maxage=86400' }),
      expect: ['warning cache-lifetime-long long (manifest)'],
    },
    {
      name: 'an old copy',
      serve: () => fixture.serveManifest({ Age: '900' }),
      expect: ['warning cache-lifetime-long stale-copy (manifest)'],
    },
    {
      name: 'no number',
      serve: () => fixture.serveManifest({ 'Cache-Control': 'max-age="300"' }),
      expect: ['warning cache-lifetime-missing malformed (manifest)'],
    },
    {
      name: 'two numbers',
      serve: () => fixture.serveManifest({ 'Cache-Control': 'max-age=300, max-age=0' }),
      expect: ['warning cache-lifetime-missing malformed (manifest)'],
    },
    {
      name: 'text/plain',
      serve: () => fixture.serveManifest({ 'Content-Type': 'text/plain' }),
      expect: ['warning content-type-wrong not-json (manifest)'],
    },
    {
      name: 'latin-1',
      serve: () => fixture.serveManifest({ 'Content-Type': 'application/json; charset=iso-8859-1' }),
      expect: ['warning content-type-wrong charset (manifest)'],
    },
    {
      name: 'an artifact as text',
      serve: () => fixture.live.serve('2.tar.gz', gzipped(fixture.live.artifact, { 'Content-Type': 'text/plain' })),
      expect: ['warning content-type-wrong text (artifact 2.0.0)'],
    },
    {
      name: 'an unknown coding',
      serve: () => fixture.serveManifest({ 'Content-Encoding': 'aws-chunked' }),
      expect: ['warning content-encoded unknown-coding (manifest)'],
    },
    {
      name: 'Content-Encoding: gzip without gzip',
      serve: () => fixture.serveManifest({ 'Content-Encoding': 'gzip' }),
      expect: ['error unreachable content-encoding-broken (manifest)'],
    },
    {
      name: 'br that is gzip',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byMethod({
            GET: answer({ headers: { ...GOOD_JSON, 'Content-Encoding': 'br' }, body: gzipSync(fixture.manifest()) }),
          }),
        ),
      expect: ['error unreachable content-encoding-broken (manifest)'],
    },
    {
      name: 'a login page for JSON',
      serve: () => fixture.live.serve('registry.json', htmlPage),
      expect: ['error document-unreadable html-page (manifest)'],
    },
    {
      name: 'a bomb of JSON',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byMethod({
            GET: answer({
              headers: { ...GOOD_JSON, 'Content-Encoding': 'gzip' },
              body: gzipSync(Buffer.alloc(70 << 20, 0x20)),
            }),
          }),
        ),
      expect: ['error document-oversized bytes (manifest)'],
    },
    {
      name: 'a page for an icon',
      serve: () => fixture.live.serve('a.svg', htmlPage),
      expect: ['error icon-not-image html (icon)'],
    },
    {
      name: 'a PNG as text with nosniff',
      serve: () =>
        fixture.live.serve(
          'a.svg',
          byMethod({
            GET: answer({
              headers: { 'Content-Type': 'text/plain', 'X-Content-Type-Options': 'nosniff', ...CORS },
              body: PNG,
            }),
          }),
        ),
      expect: ['error icon-type-wrong png-nosniff (icon)'],
    },
    {
      name: 'an SVG as text',
      serve: () =>
        fixture.live.serve(
          'a.svg',
          byMethod({
            GET: answer({
              headers: { 'Content-Type': 'text/plain', 'X-Content-Type-Options': 'nosniff', ...CORS },
              body: SVG,
            }),
          }),
        ),
      expect: ['error icon-type-wrong svg-type (icon)'],
    },
  ]);

  test('without Cache-Control, a note states the heuristic lifetime', async () => {
    const old = new Date(Date.now() - 100 * 86_400_000).toUTCString();
    fixture.live.serve(
      'registry.json',
      byMethod({
        GET: answer({
          headers: { 'Content-Type': 'application/json', 'Last-Modified': old, ...CORS },
          body: fixture.manifest(),
        }),
      }),
    );
    const { report } = await verifyPatiently(fixture.live.url);
    expect(report.findings.filter((f) => f.rule === 'cache-lifetime-missing')).toMatchObject([
      { severity: 'note', message: expect.stringContaining('240 hours') },
    ]);
  });
});

describe('content codings', () => {
  checkCases(fixture, [
    {
      name: 'two Location lines that differ',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          answer({
            status: 302,
            headers: [
              ['Location', '/other.json'],
              ['Location', '/elsewhere.json'],
            ],
          }),
        ),
      expect: ['error unreachable redirect-ambiguous (manifest)'],
    },
    {
      name: 'a redirect to a port that browsers block',
      serve: () => fixture.live.serve('a.svg', redirect('https://127.0.0.1:6000/a.svg', 302, CORS)),
      expect: ['error unreachable redirect-port-blocked (icon)'],
    },
    {
      name: 'identity beside gzip, which browsers do not decode',
      serve: () => fixture.serveManifest({ 'Content-Encoding': 'gzip, identity' }, gzipSync(fixture.manifest())),
      expect: ['error document-unreadable gzip (manifest)'],
    },
    {
      name: 'identity beside gzip in two lines',
      serve: () =>
        fixture.live.serve(
          'a.json',
          byMethod({
            GET: answer({
              headers: [...Object.entries(GOOD_JSON), ['Content-Encoding', 'identity'], ['Content-Encoding', 'gzip']],
              body: gzipSync(fixture.metadata()),
            }),
          }),
        ),
      expect: ['error document-unreadable gzip (metadata)'],
    },
    {
      name: 'identity beside gzip, over JSON that is not compressed',
      serve: () => fixture.serveManifest({ 'Content-Encoding': 'gzip, identity' }),
      expect: ['warning content-encoded unknown-coding (manifest)'],
    },
    {
      name: 'a coding that is not there: gzip twice',
      serve: () => fixture.serveManifest({ 'Content-Encoding': 'gzip, gzip' }, gzipSync(fixture.manifest())),
      expect: ['error unreachable content-encoding-broken (manifest)'],
    },
    {
      name: 'br that is gzip',
      serve: () => fixture.serveManifest({ 'Content-Encoding': 'br' }, gzipSync(fixture.manifest())),
      expect: ['error unreachable content-encoding-broken (manifest)'],
    },
    {
      name: 'an unknown coding',
      serve: () => fixture.serveManifest({ 'Content-Encoding': 'foo' }),
      expect: ['warning content-encoded unknown-coding (manifest)'],
    },
    {
      name: 'zstd, which was not requested',
      serve: () => fixture.serveManifest({ 'Content-Encoding': 'zstd' }, Buffer.from('28b52ffd20021100007b7d', 'hex')),
      expect: ['error document-unreadable zstd (manifest)'],
    },
    {
      name: 'two codings, one in the other',
      serve: () =>
        fixture.serveManifest({ 'Content-Encoding': 'br, gzip' }, gzipSync(brotliCompressSync(fixture.manifest()))),
      expect: [],
    },
    {
      name: 'gzip without a label',
      serve: () => fixture.serveManifest({}, gzipSync(fixture.manifest())),
      expect: ['error document-unreadable gzip (manifest)'],
    },
    {
      name: 'another type and another charset: reported once',
      serve: () => fixture.serveManifest({ 'Content-Type': 'text/html; charset=iso-8859-1' }),
      expect: ['warning content-type-wrong not-json (manifest)'],
    },
    ...['application/javascript', 'binary/octet-stream', 'text/plain'].map((type): LiveCase => ({
      name: `JSON as ${type}`,
      serve: () => fixture.serveMetadata({ 'Content-Type': type }),
      expect: ['warning content-type-wrong not-json (metadata)'],
    })),
  ]);
});
