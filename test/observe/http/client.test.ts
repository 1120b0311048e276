import { setTimeout as sleep } from 'node:timers/promises';
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type HttpOptions, openHttpClient } from '../../../src/observe/http/client.ts';
import {
  answer,
  type Behaviour,
  cutShort,
  endless,
  inTurn,
  openFaultHost,
  raw,
  reset,
  silent,
} from '../../support/fault-host.ts';
import { openHosts, probe, QUICK } from './client-fixture.ts';

/** Complete, truncated and malformed responses. */

const { host } = await openHosts();

const drip: Behaviour = (_, socket) => {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n');
  const timer = setInterval(() => socket.write('x'), 20);
  socket.on('close', () => clearInterval(timer));
};

describe('a complete response', () => {
  test.each<[string, Behaviour]>([
    ['with a length', answer({ body: 'hello' })],
    ['chunked', raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n', 'keep')],
    ['ended by the connection', answer({ body: 'hello', length: null })],
    [
      'after an unsolicited 100 Continue',
      raw('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', 'keep'),
    ],
    [
      'after 103 Early Hints',
      raw('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', 'keep'),
    ],
  ])('is accepted: %s', async (_, behaviour) => {
    const { seen, body } = await probe(host.on('/whole', behaviour));
    expect(seen).toMatchObject({ failure: null, attempts: 1, retryAfterMs: 0 });
    expect(body).toBe('hello');
    expect(seen.hops).toMatchObject([{ status: 200, address: '127.0.0.1', tls: null }]);
  });

  test('has its bytes passed on without decoding Content-Encoding', async () => {
    const bytes = Buffer.from([0x1f, 0x8b, 1, 2, 3]);
    const { body, last } = await probe(
      host.on('/labelled', answer({ body: bytes, headers: { 'Content-Encoding': 'gzip' } })),
    );
    expect(createHash('sha256').update(Buffer.from(body)).digest('hex')).toBe(
      createHash('sha256').update(bytes.toString()).digest('hex'),
    );
    expect(last.headers).toContainEqual(['content-encoding', 'gzip']);
  });

  test('has its header lines preserved, except for the values of cookies', async () => {
    const { last } = await probe(
      host.on(
        '/lines',
        answer({
          headers: [
            ['X-A', '1'],
            ['x-a', '2'],
            ['Set-Cookie', 'id=secret'],
          ],
        }),
      ),
    );
    expect(last.headers).toEqual([
      ['x-a', '1'],
      ['x-a', '2'],
      ['set-cookie', 'REDACTED'],
      ['content-length', '0'],
    ]);
  });

  test('answers a request with the given Accept header and without Origin', async () => {
    await probe(host.on('/as', answer()), { accept: 'application/json, */*;q=0.8' });
    expect(host.requestsFor('/as')[0]!.headers).toMatchObject({
      'user-agent': expect.stringMatching(/^appreg\/\d/),
      accept: 'application/json, */*;q=0.8',
      'accept-encoding': 'identity',
    });
    expect(host.requestsFor('/as')[0]!.headers).not.toHaveProperty('origin');
  });
});

describe('a truncated response', () => {
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n';
  test.each<{ name: string; behaviour: Behaviour; failure: object; options?: HttpOptions }>([
    {
      name: 'chunked, cut in a chunk',
      behaviour: raw(`${chunked}\r\n5\r\nhello\r\n9\r\nwo`),
      failure: { phase: 'body', got: 7 },
    },
    {
      name: 'chunked, cut in a chunk, Connection: close',
      behaviour: raw(`${chunked}Connection: close\r\n\r\n5\r\nhello\r\n9\r\nwo`),
      failure: { phase: 'body', got: 7 },
    },
    {
      name: 'chunked, without the last chunk, Connection: close',
      behaviour: raw(`${chunked}Connection: close\r\n\r\n5\r\nhello\r\n`),
      failure: { phase: 'body', got: 5 },
    },
    {
      name: 'chunked, cut in the length line, Connection: close',
      behaviour: raw(`${chunked}Connection: close\r\n\r\n5\r\nhello\r\n1`),
      failure: { phase: 'body', got: 5 },
    },
    {
      name: 'shorter than its length',
      behaviour: cutShort(1000, 'hello'),
      failure: { phase: 'body', got: 5, expected: 1000 },
    },
    {
      name: 'shorter than its length, Connection: close',
      behaviour: cutShort(1000, 'hello', 'end', 'Connection: close\r\n'),
      failure: { phase: 'body', got: 5, expected: 1000 },
    },
    {
      name: 'reset in the middle',
      behaviour: cutShort(1000, 'hello', 'reset'),
      failure: { phase: 'body', expected: 1000 },
    },
    {
      name: 'stalled in the middle',
      behaviour: cutShort(1000, 'hello', 'keep'),
      failure: { phase: 'body', code: 'BODY_TIMEOUT', got: 5, expected: 1000 },
      options: { idleTimeout: 300 },
    },
  ])('is rejected: $name', async ({ behaviour, failure, options }) => {
    const { seen } = await probe(host.on('/cut', behaviour), {}, options);
    expect(seen.failure).toMatchObject(failure);
    expect(seen.hops.at(-1)!.status).toBe(200);
  });

  test('is replaced by a complete response to the second attempt', async () => {
    const { seen, body } = await probe(
      host.on('/then', inTurn(cutShort(1000, 'wrong', 'reset'), answer({ body: 'hello' }))),
    );
    expect(seen).toMatchObject({ failure: null, attempts: 2, retriedErrors: [expect.any(String)] });
    expect(body).toBe('hello');
  });
});

describe('a failed request', () => {
  test.each<{ name: string; behaviour: Behaviour; failure: object; options?: HttpOptions }>([
    {
      name: 'nothing at all',
      behaviour: silent(),
      failure: { phase: 'headers', code: 'HEADERS_TIMEOUT' },
      options: { headersTimeout: 300 },
    },
    { name: 'a reset', behaviour: reset(), failure: { phase: 'headers' } },
    {
      name: 'not HTTP',
      behaviour: raw('hello, is it me\r\n\r\n'),
      failure: { phase: 'headers', code: expect.stringMatching(/^HPE_/) },
    },
    {
      name: 'a bad status line',
      behaviour: raw('HTTP/1.1 abc\r\n\r\n'),
      failure: { code: expect.stringMatching(/^HPE_/) },
    },
    {
      name: 'a NUL in a header',
      behaviour: raw('HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n'),
      failure: { code: expect.stringMatching(/^HPE_/) },
    },
    {
      name: 'a length and chunks',
      behaviour: raw('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
      failure: { code: expect.stringMatching(/^HPE_/) },
    },
    {
      name: 'two lengths',
      behaviour: raw('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello'),
      failure: { code: expect.stringMatching(/^HPE_/) },
    },
    {
      name: 'another protocol',
      behaviour: raw('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n', 'keep'),
      failure: { code: 'UPGRADE' },
    },
    {
      name: 'another protocol, without its name',
      behaviour: raw('HTTP/1.1 101 Switching\r\n\r\n', 'keep'),
      failure: { code: 'UPGRADE' },
    },
    {
      name: 'no HTTP after an unsolicited 100 Continue',
      behaviour: raw('HTTP/1.1 100 Continue\r\n\r\nhello\r\n\r\n'),
      failure: { phase: 'headers', code: expect.stringMatching(/^HPE_/) },
    },
    {
      name: 'endless headers after an unsolicited 100 Continue',
      behaviour: raw(
        `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n${'X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n'.repeat(3000)}\r\n`,
      ),
      failure: { phase: 'headers', code: 'HEADERS_OVERFLOW' },
    },
    {
      name: 'an unrequested part',
      behaviour: answer({ status: 206, body: 'he', headers: { 'Content-Range': 'bytes 0-1/5' } }),
      failure: { code: 'UNSOLICITED_PARTIAL' },
    },
    { name: 'endless', behaviour: endless(), failure: { phase: 'size', code: 'TOO_LARGE' } },
    {
      name: 'endless headers',
      behaviour: raw(`HTTP/1.1 200 OK\r\n${'X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n'.repeat(3000)}\r\n`),
      failure: { code: expect.stringMatching(/OVERFLOW/) },
    },
  ])('has the failure of an invalid response: $name', async ({ behaviour, failure, options }) => {
    const { seen } = await probe(host.on('/none', behaviour), {}, options);
    expect(seen.failure).toMatchObject(failure);
  });

  test('is retried after a refused connection', async () => {
    const gone = await openFaultHost();
    await gone.close();
    const { seen } = await probe(`${gone.origin}/x`);
    expect(seen).toMatchObject({ failure: { phase: 'connect', code: 'ECONNREFUSED' }, attempts: 3 });
    expect(seen.hops).toMatchObject([{ status: 0 }]);
  });

  test.each([
    ['ENOTFOUND', 1],
    ['EAI_AGAIN', 3],
  ] as const)('has the failure %s if the name does not resolve', async (code, attempts) => {
    const lookup: HttpOptions['lookup'] = (name, _, callback) =>
      callback(Object.assign(new Error(`getaddrinfo ${code} ${name}`), { code, syscall: 'getaddrinfo' }), '', 4);
    const { seen } = await probe('http://nowhere.test/', {}, { lookup });
    expect(seen).toMatchObject({ failure: { phase: 'dns', code }, attempts });
  });

  test('has time to process what it received', async () => {
    const { seen } = await probe(host.on('/slowly-processed', answer({ body: 'received at once' })), {
      total: 1000,
      body: () => ({ limit: 1_000_000, over: 'fail', write: () => sleep(1100) }),
    });
    expect(seen.failure).toBe(null);
  });

  test('has a time limit for all attempts', async () => {
    const { seen } = await probe(host.on('/drip', drip), { total: 1000 });
    expect(seen.failure).toMatchObject({ phase: 'time', code: 'TOTAL_TIMEOUT', expected: 10_000 });
    expect(seen.attempts).toBe(1);
  });

  test.each(['ftp://example.com/x', 'no url', 'https://user:pw@example.com/', 'file:///etc/hosts'])(
    'is not sent for an unsupported URL: %s',
    async (url) => {
      const http = openHttpClient(QUICK);
      const seen = await http.probe({ method: 'GET', url, origin: null, accept: '*/*', total: 1000 });
      expect(seen).toMatchObject({ failure: { phase: 'url' }, hops: [], attempts: 0 });
      await http.close();
    },
  );
});
