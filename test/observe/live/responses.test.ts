import { describe } from 'vitest';
import {
  answer,
  type Behaviour,
  byMethod,
  CORS,
  endless,
  GOOD_JSON,
  inTurn,
  json,
  raw,
} from '../../support/fault-host.ts';
import { byRequest, checkCases, liveFixture, type LivePath } from '../../support/live-fixture.ts';
import { ORIGIN } from '../../support/live-registry.ts';

/** Statuses, framing and headers of responses. */

const fixture = liveFixture();

const serve = (path: LivePath, behaviour: Behaviour) => (): void => fixture.live.serve(path, behaviour);

const framed = (lines: string, body: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nCache-Control: max-age=300\r\n${lines}\r\n\r\n${body}`;

describe('responses', () => {
  checkCases(fixture, [
    {
      name: '451',
      serve: serve('a.json', answer({ status: 451 })),
      expect: ['error unreachable status-451 (metadata)'],
    },
    {
      name: '502',
      serve: serve('a.json', answer({ status: 502 })),
      expect: ['error unreachable status-502 (metadata)'],
    },
    {
      name: '600',
      serve: serve('a.json', answer({ status: 600 })),
      expect: ['error unreachable status-600 (metadata)'],
    },
    {
      name: '204',
      serve: serve('a.json', byMethod({ GET: answer({ status: 204, headers: GOOD_JSON }) })),
      expect: ['error unreachable no-content (metadata)'],
    },
    {
      name: 'an invalid Retry-After',
      serve: () =>
        fixture.live.serve(
          'a.json',
          byMethod({
            GET: inTurn(
              answer({ status: 503, headers: { 'Retry-After': '-5' } }),
              json({ versions: fixture.live.versions }),
            ),
          }),
        ),
      expect: ['warning host-intermittent (metadata)'],
    },
    {
      name: 'line ends of one byte',
      serve: serve('a.json', raw('HTTP/1.1 200 OK\nContent-Length: 2\n\n{}')),
      expect: ['error unreachable not-http (metadata)'],
    },
    {
      name: 'a length and chunks',
      serve: serve(
        'a.json',
        raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'),
      ),
      expect: ['error unreachable not-http (metadata)'],
    },
    {
      name: 'two lengths',
      serve: serve('a.json', raw('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}')),
      expect: ['error unreachable not-http (metadata)'],
    },
    {
      name: 'another protocol',
      serve: serve(
        'a.json',
        raw('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n', 'keep'),
      ),
      expect: ['error unreachable not-http (metadata)'],
    },
    {
      name: 'no status line',
      serve: serve('a.json', raw('hello world\r\n\r\n')),
      expect: ['error unreachable not-http (metadata)'],
    },
    {
      name: 'cut in the middle, without a length',
      serve: () =>
        fixture.live.serve(
          'a.json',
          byMethod({ GET: answer({ headers: GOOD_JSON, body: fixture.metadata().slice(0, 100), length: null }) }),
        ),
      expect: ['error document-unreadable truncated (metadata)'],
    },
    {
      name: 'an icon that never ends',
      serve: () =>
        fixture.live.serve(
          'a.svg',
          byMethod({
            GET: endless('Content-Type: image/svg+xml\r\nAccess-Control-Allow-Origin: *\r\n'),
            HEAD: answer({ headers: { ...CORS, 'Content-Type': 'image/svg+xml' } }),
          }),
        ),
      expect: ['error icon-not-image text (icon)', 'warning icon-oversized bytes (icon)'],
    },
    {
      name: '403 for all but browsers',
      serve: () =>
        fixture.live.serve(
          'a.json',
          byRequest(({ headers }) =>
            headers['user-agent']?.includes('Mozilla')
              ? json(fixture.metadata())
              : answer({ status: 403, body: 'blocked' }),
          ),
        ),
      expect: ['error unreachable status-403 (metadata)'],
    },
    {
      name: 'HEAD with another ETag',
      serve: () =>
        fixture.live.serve(
          'a.json',
          byMethod({
            GET: json(fixture.metadata(), { ETag: '"a"' }),
            HEAD: answer({ headers: { ...GOOD_JSON, ETag: '"b"' }, length: null }),
          }),
        ),
      expect: ['warning head-refused etag-differs (metadata)'],
    },
    {
      name: 'HEAD with a length of 0',
      serve: () =>
        fixture.live.serve('a.json', byMethod({ GET: json(fixture.metadata()), HEAD: answer({ headers: GOOD_JSON }) })),
      expect: ['warning head-refused content-length-differs (metadata)'],
    },
    {
      name: 'a signed URL that expired a minute ago',
      serve: () => {
        fixture.live.versions[0]!.artifactUrl += `?Expires=${Math.floor(Date.now() / 1000) - 60}&Signature=abc&Key-Pair-Id=K`;
        fixture.live.list();
        fixture.live.serve('2.tar.gz', answer({ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }));
      },
      expect: [
        'error unreachable signature-expired (artifact 2.0.0)',
        'error url-signed-expiring expired (artifact 2.0.0)',
      ],
    },
    {
      name: 'a signed URL that expires within the hour',
      serve: () => {
        fixture.live.versions[0]!.artifactUrl += `?Expires=${Math.floor(Date.now() / 1000) + 3600}&Signature=abc&Key-Pair-Id=K`;
        fixture.live.list();
      },
      expect: ['warning url-signed-expiring expiring (artifact 2.0.0)'],
    },
    {
      name: 'CORS headers only in Early Hints',
      serve: () => {
        const body = fixture.metadata();
        fixture.live.serve(
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
      expect: ['error cors-missing absent (metadata)'],
    },
    {
      name: 'CORS headers only in trailers',
      serve: () => {
        const body = fixture.metadata();
        const chunks = `${body.length.toString(16)}\r\n${body}\r\n0\r\nAccess-Control-Allow-Origin: *\r\n\r\n`;
        fixture.live.serve(
          'a.json',
          byMethod({
            GET: raw(framed('Transfer-Encoding: chunked\r\nTrailer: Access-Control-Allow-Origin', chunks), 'keep'),
            HEAD: answer({ headers: GOOD_JSON, length: null }),
          }),
        );
      },
      expect: ['error cors-missing absent (metadata)'],
    },
    {
      name: 'a cached copy without CORS headers',
      serve: () =>
        fixture.live.serve(
          'a.json',
          byMethod({
            GET: inTurn(
              json(fixture.metadata()),
              answer({
                headers: { 'Content-Type': 'application/json', 'Cache-Control': 'max-age=300', Age: '12' },
                body: fixture.metadata(),
              }),
            ),
          }),
        ),
      expect: ['error cors-missing absent (metadata)'],
      options: { origins: [ORIGIN] },
    },
  ]);
});
