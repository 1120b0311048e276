import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, test } from 'vitest';
import { answer, byMethod, CORS, endless, GOOD_JSON, inTurn, json, raw, redirect } from '../support/fault-host.ts';
import { ORIGIN } from '../support/live-registry.ts';
import { by, type Case, check, openStage, type Stage } from '../support/live-stage.ts';

/** How hosts answer: statuses, framing, redirects, encodings; and what stands in the place of a file. */

const stage = openStage();
const all = (cases: Case[]): void =>
  test.each<Case>(cases)('%s', async (_, breakIt, expected, options) => {
    await check(stage, breakIt, expected, options);
  });
const serve =
  (path: Parameters<Stage['live']['serve']>[0], behaviour: Parameters<Stage['live']['serve']>[1]) =>
  (s: Stage): void =>
    s.live.serve(path, behaviour);
const PAGE = '<!doctype html><html><head><title>404 Not Found</title></head><body>…</body></html>';
const framed = (lines: string, body: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: max-age=300\r\n${lines}\r\n\r\n${body}`;

describe('answers', () => {
  all([
    ['451', serve('a.json', answer({ status: 451 })), ['error unreachable status-451 (metadata)']],
    ['502', serve('a.json', answer({ status: 502 })), ['error unreachable status-502 (metadata)']],
    ['600', serve('a.json', answer({ status: 600 })), ['error unreachable status-600 (metadata)']],
    [
      '204',
      serve('a.json', byMethod({ GET: answer({ status: 204, headers: GOOD_JSON }) })),
      ['error document-unreadable empty (metadata)'],
    ],
    [
      'a Retry-After that is none',
      (s) =>
        s.live.serve(
          'a.json',
          byMethod({
            GET: inTurn(answer({ status: 503, headers: { 'Retry-After': '-5' } }), json({ versions: s.live.versions })),
          }),
        ),
      ['warning host-intermittent (metadata)'],
    ],
    [
      'line ends of one byte',
      serve('a.json', raw('HTTP/1.1 200 OK\nContent-Length: 2\n\n{}')),
      ['error unreachable not-http (metadata)'],
    ],
    [
      'a length and chunks',
      serve(
        'a.json',
        raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'),
      ),
      ['error unreachable not-http (metadata)'],
    ],
    [
      'two lengths',
      serve('a.json', raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}')),
      ['error unreachable not-http (metadata)'],
    ],
    [
      'another protocol',
      serve('a.json', raw('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n', 'keep')),
      ['error unreachable not-http (metadata)'],
    ],
    ['no status line', serve('a.json', raw('hello world\r\n\r\n')), ['error unreachable not-http (metadata)']],
    [
      'cut in the middle, without a length',
      (s) =>
        s.live.serve(
          'a.json',
          byMethod({ GET: answer({ headers: GOOD_JSON, body: s.metadata().slice(0, 100), length: null }) }),
        ),
      ['error document-unreadable truncated (metadata)'],
    ],
    [
      'an icon without end',
      (s) =>
        s.live.serve(
          'a.svg',
          byMethod({
            GET: endless('Content-Type: image/svg+xml\r\nAccess-Control-Allow-Origin: *\r\n'),
            HEAD: answer({ headers: { ...CORS, 'Content-Type': 'image/svg+xml' } }),
          }),
        ),
      ['error icon-not-image text (icon)', 'warning icon-oversized bytes (icon)'],
    ],
    [
      '403 for all but browsers',
      (s) =>
        s.live.serve(
          'a.json',
          by(({ headers }) =>
            headers['user-agent']?.includes('Mozilla') ? json(s.metadata()) : answer({ status: 403, body: 'blocked' }),
          ),
        ),
      ['error unreachable status-403 (metadata)'],
    ],
    [
      'HEAD with another ETag',
      (s) =>
        s.live.serve(
          'a.json',
          byMethod({
            GET: json(s.metadata(), { ETag: '"a"' }),
            HEAD: answer({ headers: { ...GOOD_JSON, ETag: '"b"' }, length: null }),
          }),
        ),
      ['warning head-refused etag-differs (metadata)'],
    ],
    [
      'HEAD with a length of 0',
      (s) => s.live.serve('a.json', byMethod({ GET: json(s.metadata()), HEAD: answer({ headers: GOOD_JSON }) })),
      ['warning head-refused content-length-differs (metadata)'],
    ],
    [
      'a signed URL that ended a minute ago',
      (s) => {
        s.live.versions[0]!.artifactUrl += `?Expires=${Math.floor(Date.now() / 1000) - 60}&Signature=abc&Key-Pair-Id=K`;
        s.live.list();
        s.live.serve('2.tar.gz', answer({ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }));
      },
      ['error unreachable signature-expired (artifact 2.0.0)', 'error url-signed-expiring expired (artifact 2.0.0)'],
    ],
    [
      'a signed URL that ends within the hour',
      (s) => {
        s.live.versions[0]!.artifactUrl += `?Expires=${Math.floor(Date.now() / 1000) + 3600}&Signature=abc&Key-Pair-Id=K`;
        s.live.list();
      },
      ['warning url-signed-expiring expiring (artifact 2.0.0)'],
    ],
    [
      'CORS headers in Early Hints alone',
      (s) => {
        const body = s.metadata();
        s.live.serve(
          'a.json',
          byMethod({
            GET: raw(
              `HTTP/1.1 103 Early Hints\r\nAccess-Control-Allow-Origin: *\r\n\r\n${framed(`Content-Length: ${body.length}`, body)}`,
              'keep',
            ),
            HEAD: answer({ headers: GOOD_JSON, length: null }),
          }),
        );
      },
      ['error cors-missing absent (metadata)'],
    ],
    [
      'CORS headers in trailers alone',
      (s) => {
        const body = s.metadata();
        const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\nAccess-Control-Allow-Origin: *\r\n\r\n`;
        s.live.serve(
          'a.json',
          byMethod({
            GET: raw(framed('Transfer-Encoding: chunked\r\nTrailer: Access-Control-Allow-Origin', chunks), 'keep'),
            HEAD: answer({ headers: GOOD_JSON, length: null }),
          }),
        );
      },
      ['error cors-missing absent (metadata)'],
    ],
    [
      'a cached copy without CORS headers',
      (s) =>
        s.live.serve(
          'a.json',
          byMethod({
            GET: inTurn(
              json(s.metadata()),
              answer({
                headers: { 'Content-Type': 'application/json', 'Cache-Control': 'max-age=300', Age: '12' },
                body: s.metadata(),
              }),
            ),
          }),
        ),
      ['error cors-missing absent (metadata)'],
      { origins: [ORIGIN] },
    ],
  ]);
});

describe('redirects', () => {
  all([
    [
      'the registry has moved for good, on its host',
      (s) => {
        s.host.on('/moved.json', json(s.manifest()));
        s.live.serve('registry.json', byMethod({ GET: redirect('/moved.json', 301, CORS) }));
      },
      ['warning url-moved (manifest)'],
    ],
    [
      'the registry has moved for good, to another host',
      (s) => {
        s.cdn.on('/moved.json', json(s.manifest()));
        s.live.serve('registry.json', byMethod({ GET: redirect(`${s.cdn.origin}/moved.json`, 308, CORS) }));
      },
      ['warning url-moved (manifest)'],
    ],
    [
      'metadata that has moved for good: a note',
      (s) => {
        s.host.on('/moved.json', json(s.metadata()));
        s.live.serve('a.json', byMethod({ GET: redirect('/moved.json', 301, CORS) }));
      },
      [],
    ],
    [
      'six redirects',
      (s) => {
        for (let i = 1; i <= 5; i += 1) s.host.on(`/hop${i}`, redirect(`/hop${i + 1}`, 301, CORS));
        s.host.on('/hop6', json(s.manifest()));
        s.live.serve('registry.json', redirect('/hop1', 302, CORS));
      },
      ['error redirect-excessive too-many (manifest)'],
    ],
    [
      'a cookie that is wanted back, in two steps',
      (s) => {
        s.host.on('/check', redirect('/a.json', 302, { 'Set-Cookie': 'x=1' }));
        s.live.serve('a.json', redirect('/check'));
      },
      ['error redirect-excessive loop-cookie (metadata)'],
    ],
    [
      'credentials in Location',
      (s) => s.live.serve('registry.json', redirect(`https://user:pw@127.0.0.1:${s.host.port}/x`)),
      ['error unreachable redirect-credentials (manifest)'],
    ],
    [
      'to another scheme',
      serve('registry.json', redirect('ftp://x.test/a')),
      ['error unreachable redirect-malformed (manifest)'],
    ],
    ['to nothing', serve('a.json', redirect('/gone', 301)), ['error unreachable status-404 (metadata)']],
  ]);
});

describe('something else in the place of a file: one error, whatever the headers that it comes with', () => {
  const LOOSE = { 'Cache-Control': 'max-age=99999', ETag: '"x"' };
  const page = answer({ headers: { ...LOOSE, 'Content-Type': 'text/html' }, body: PAGE });
  const said = (body: string): ReturnType<typeof answer> =>
    answer({ headers: { ...LOOSE, 'Content-Type': 'application/json' }, body });
  const error = '<?xml version="1.0"?><Error><Code>NoSuchKey</Code></Error>';
  all([
    ['a page for the manifest', serve('registry.json', page), ['error document-unreadable html-page (manifest)']],
    ['a page for metadata', serve('a.json', page), ['error document-unreadable html-page (metadata)']],
    [
      'a login page behind a redirect',
      (s) => {
        s.host.on('/login', page);
        s.live.serve('a.json', redirect('/login', 301));
      },
      ['error document-unreadable html-page (metadata)'],
    ],
    [
      'a login page on another host, for an icon',
      (s) => {
        s.cdn.on('/login', page);
        s.live.serve('a.svg', redirect(`${s.cdn.origin}/login`));
      },
      ['error icon-not-image html (icon)'],
    ],
    [
      'a page for an artifact',
      serve('2.tar.gz', page),
      ['error artifact-checksum-mismatch html-page (artifact 2.0.0)'],
    ],
    ...['404: Not Found', 'Access denied.\n', '404 page not found\n'].map((body): Case => [
      `“${body.trim()}” with 200, for metadata`,
      serve('a.json', answer({ headers: { 'Content-Type': 'text/plain' }, body })),
      ['error document-unreadable text-message (metadata)'],
    ]),
    [
      'a store’s XML with 200, for metadata',
      serve('a.json', answer({ headers: { 'Content-Type': 'application/xml' }, body: error })),
      ['error document-unreadable xml-error (metadata)'],
    ],
    [
      'a store’s XML with 200, for an icon',
      serve('a.svg', answer({ headers: { 'Content-Type': 'application/xml' }, body: error })),
      ['error icon-not-image xml (icon)'],
    ],
    [
      'a store’s XML with 200, for an artifact',
      serve('2.tar.gz', answer({ headers: { 'Content-Type': 'application/xml' }, body: error })),
      ['error artifact-checksum-mismatch xml-error (artifact 2.0.0)'],
    ],
    ...[
      '{"error":"not_found","reason":"missing"}',
      '{"error":{"code":404,"message":"No such object: b/r.json","errors":[]}}',
      '{"message":"Not Found","documentation_url":"https://docs.test","status":"404"}',
      '{"errors":[{"status":404,"message":"File not found."}]}',
      '{"type":"about:blank","title":"Not Found","status":404}',
    ].flatMap((body): Case[] => [
      [
        `the manifest is ${body}`,
        serve('registry.json', said(body)),
        ['error schema-violation error-message (manifest)'],
      ],
      [`metadata is ${body}`, serve('a.json', said(body)), ['error schema-violation error-message (metadata)']],
    ]),
    [
      'JSON with 200, for an artifact',
      serve('2.tar.gz', said('{"message":"Not Found"}')),
      ['error artifact-checksum-mismatch json-error (artifact 2.0.0)'],
    ],
    [
      'JSON with 200, for an icon',
      serve('a.svg', said('{"message":"Not Found"}')),
      ['error icon-not-image json (icon)'],
    ],
    [
      'the manifest in the place of metadata',
      (s) => s.live.serve('a.json', json(s.manifest())),
      ['error schema-violation manifest-file (metadata)'],
    ],
    [
      'metadata in the place of the manifest',
      (s) => s.live.serve('registry.json', json(s.metadata())),
      ['error schema-violation metadata-file (manifest)'],
    ],
    // Two faults of the file itself stay two.
    [
      'a trailing comma, and no CORS headers',
      serve(
        'a.json',
        byMethod({
          GET: answer({
            headers: { 'Content-Type': 'application/json', 'Cache-Control': 'max-age=300' },
            body: '{"versions":[],}',
          }),
        }),
      ),
      ['error cors-missing absent (metadata)', 'error document-unreadable trailing-comma (metadata)'],
    ],
  ]);
});

describe('encodings and labels', () => {
  all([
    [
      'two Location lines that differ',
      (s) =>
        s.live.serve(
          'registry.json',
          answer({
            status: 302,
            headers: [
              ['Location', '/other.json'],
              ['Location', '/elsewhere.json'],
            ],
          }),
        ),
      ['error unreachable redirect-ambiguous (manifest)'],
    ],
    [
      'a redirect to a port that browsers block',
      (s) => s.live.serve('a.svg', redirect('https://127.0.0.1:6000/a.svg', 302, CORS)),
      ['error unreachable redirect-port-blocked (icon)'],
    ],
    [
      'identity beside gzip, which browsers take for no coding at all',
      (s) => s.serveManifest({ 'Content-Encoding': 'gzip, identity' }, gzipSync(s.manifest())),
      ['error document-unreadable gzip (manifest)'],
    ],
    [
      'identity beside gzip in two lines',
      (s) =>
        s.live.serve(
          'a.json',
          byMethod({
            GET: answer({
              headers: [...Object.entries(GOOD_JSON), ['Content-Encoding', 'identity'], ['Content-Encoding', 'gzip']],
              body: gzipSync(s.metadata()),
            }),
          }),
        ),
      ['error document-unreadable gzip (metadata)'],
    ],
    [
      'identity beside gzip, over JSON that is not compressed',
      (s) => s.serveManifest({ 'Content-Encoding': 'gzip, identity' }),
      ['warning content-encoded unknown-coding (manifest)'],
    ],
    [
      'a coding that is not there: gzip twice',
      (s) => s.serveManifest({ 'Content-Encoding': 'gzip, gzip' }, gzipSync(s.manifest())),
      ['error unreachable content-encoding-broken (manifest)'],
    ],
    [
      'br that is gzip',
      (s) => s.serveManifest({ 'Content-Encoding': 'br' }, gzipSync(s.manifest())),
      ['error unreachable content-encoding-broken (manifest)'],
    ],
    [
      'a coding that nobody knows',
      (s) => s.serveManifest({ 'Content-Encoding': 'foo' }),
      ['warning content-encoded unknown-coding (manifest)'],
    ],
    [
      'zstd, which was not asked for',
      (s) => s.serveManifest({ 'Content-Encoding': 'zstd' }, Buffer.from('28b52ffd20021100007b7d', 'hex')),
      ['error document-unreadable zstd (manifest)'],
    ],
    [
      'two codings, one in the other',
      (s) => s.serveManifest({ 'Content-Encoding': 'br, gzip' }, gzipSync(brotliCompressSync(s.manifest()))),
      [],
    ],
    [
      'gzip without a label',
      (s) => s.serveManifest({}, gzipSync(s.manifest())),
      ['error document-unreadable gzip (manifest)'],
    ],
    [
      'another type and another charset: told once',
      (s) => s.serveManifest({ 'Content-Type': 'text/html; charset=iso-8859-1' }),
      ['warning content-type-wrong not-json (manifest)'],
    ],
    ...['application/javascript', 'binary/octet-stream', 'text/plain'].map((type): Case => [
      `JSON as ${type}`,
      (s) => s.serveMetadata({ 'Content-Type': type }),
      ['warning content-type-wrong not-json (metadata)'],
    ]),
  ]);
});
