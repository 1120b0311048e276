import { describe, expect, test } from 'vitest';
import {
  answer,
  byMethod,
  cutShort,
  endless,
  GOOD_JSON,
  inTurn,
  json,
  raw,
  reset,
  silent,
} from '../../support/fault-host.ts';
import { checkCases, liveFixture, verifyPatiently } from '../../support/live-fixture.ts';
import { faults } from '../../support/live-registry.ts';

/** Files that cannot be fetched, and why. */

const fixture = liveFixture();

describe('reachability', () => {
  checkCases(fixture, [
    {
      name: 'manifest 404',
      serve: () => fixture.live.serve('registry.json', answer({ status: 404 })),
      expect: ['error unreachable status-404 (manifest)'],
    },
    {
      name: 'metadata 404',
      serve: () => fixture.host.on('/a.json', answer({ status: 404 })),
      expect: ['error unreachable status-404 (metadata)'],
    },
    {
      name: 'icon 403',
      serve: () =>
        fixture.live.serve('a.svg', answer({ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' })),
      expect: ['error unreachable status-403 (icon)'],
    },
    {
      name: 'artifact 410',
      serve: () => fixture.live.serve('1.tar.gz', answer({ status: 410 })),
      expect: ['error unreachable status-410 (artifact 1.0.0)'],
    },
    {
      name: '500 every time',
      serve: () => fixture.live.serve('registry.json', answer({ status: 500 })),
      expect: ['error unreachable status-500 (manifest)'],
    },
    {
      name: '999',
      serve: () => fixture.live.serve('registry.json', answer({ status: 999 })),
      expect: ['error unreachable status-999 (manifest)'],
    },
    {
      name: '304 without a condition',
      serve: () => fixture.live.serve('registry.json', answer({ status: 304 })),
      expect: ['error unreachable status-304 (manifest)'],
    },
    {
      name: '206 without a range',
      serve: () => fixture.live.serve('2.tar.gz', byMethod({ GET: answer({ status: 206, body: 'x' }) })),
      expect: ['error unreachable unsolicited-partial (artifact 2.0.0)'],
    },
    {
      name: '429 for a day',
      serve: () => fixture.host.on('/a.json', answer({ status: 429, headers: { 'Retry-After': '86400' } })),
      expect: ['error unreachable rate-limited (metadata)'],
    },
    {
      name: '429 for a second',
      serve: () =>
        fixture.host.on(
          '/a.json',
          byMethod({
            GET: inTurn(answer({ status: 429, headers: { 'Retry-After': '1' } }), json(fixture.metadata())),
          }),
        ),
      expect: ['warning rate-limited (metadata)'],
    },
    {
      name: 'resets, then right',
      serve: () => fixture.host.on('/a.json', byMethod({ GET: inTurn(reset(), reset(), json(fixture.metadata())) })),
      expect: ['warning host-intermittent (metadata)'],
    },
    {
      name: 'a reset every time',
      serve: () => fixture.host.on('/a.json', reset()),
      expect: ['error unreachable reset (metadata)'],
    },
    {
      name: 'never answers',
      serve: () => fixture.host.on('/a.json', silent()),
      expect: ['error unreachable no-answer (metadata)'],
    },
    {
      name: 'artifact broken off',
      serve: () => fixture.live.serve('2.tar.gz', cutShort(1000, 'abc')),
      expect: ['error unreachable truncated (artifact 2.0.0)'],
    },
    {
      name: 'artifact cut in a chunk, Connection: close',
      serve: () =>
        fixture.live.serve(
          '2.tar.gz',
          raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n5\r\nhello\r\n9\r\nwo'),
        ),
      expect: ['error unreachable truncated (artifact 2.0.0)'],
    },
    {
      name: 'not HTTP',
      serve: () => fixture.host.on('/a.json', raw('SSH-2.0-OpenSSH\r\n\r\n')),
      expect: ['error unreachable not-http (metadata)'],
    },
    {
      name: 'an expired signed URL',
      serve: () => {
        fixture.live.versions[0]!.artifactUrl += '?X-Amz-Date=20200101T000000Z&X-Amz-Expires=60&X-Amz-Signature=abc';
        fixture.live.list();
        fixture.live.serve(
          '2.tar.gz',
          answer({
            status: 403,
            body: '<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>',
          }),
        );
      },
      expect: [
        'error unreachable signature-expired (artifact 2.0.0)',
        'error url-signed-expiring expired (artifact 2.0.0)',
      ],
    },
    {
      name: 'HEAD refused',
      serve: () =>
        fixture.live.serve('registry.json', byMethod({ GET: json(fixture.manifest()), HEAD: answer({ status: 405 }) })),
      expect: ['warning head-refused status-405 (manifest)'],
    },
    {
      name: 'HEAD with another length',
      serve: () =>
        fixture.live.serve(
          'registry.json',
          byMethod({ GET: json(fixture.manifest()), HEAD: answer({ headers: GOOD_JSON, length: 7 }) }),
        ),
      expect: ['warning head-refused content-length-differs (manifest)'],
    },
  ]);
});

test('an endless manifest is truncated', async () => {
  const bytes = endless(
    'Content-Type: application/json\r\nAccess-Control-Allow-Origin: *\r\n',
    Buffer.alloc(1 << 20, 0x20),
  );
  fixture.live.serve('registry.json', byMethod({ GET: bytes, HEAD: answer({ headers: GOOD_JSON }) }));
  const { report } = await verifyPatiently(fixture.live.url);
  expect(faults(report)).toEqual(['error document-oversized bytes (manifest)']);
}, 30_000);

test('endless metadata is truncated, and only its start is stored', async () => {
  const bytes = endless(
    'Content-Type: application/json\r\nAccess-Control-Allow-Origin: *\r\n',
    Buffer.alloc(1 << 20, 0x20),
  );
  fixture.live.serve('a.json', byMethod({ GET: bytes, HEAD: answer({ headers: GOOD_JSON }) }));
  const { report, apps } = await verifyPatiently(fixture.live.url);
  expect(faults(report)).toEqual(['error document-oversized bytes (metadata)']);
  expect(apps[0]!.metadata.content).toMatchObject({ cut: true, bytes: 32 * 2 ** 20, text: ' '.repeat(4096) });
}, 30_000);

test('a file that could not be fetched is the reason for its checks that are not judged', async () => {
  fixture.live.serve('a.json', answer({ status: 404, headers: GOOD_JSON }));
  const { report } = await verifyPatiently(fixture.live.url);
  const reasons = report.notJudged.filter(({ resource }) => resource === 'metadata').map(({ reason }) => reason);
  expect(reasons.length).toBeGreaterThan(5);
  expect(new Set(reasons)).toEqual(new Set(['because of “URL that cannot be fetched” (unreachable)']));
  const icon = report.symptoms.find(({ id }) => id === 'icon-does-not-display');
  expect(icon?.status).toBe('clear');
});
