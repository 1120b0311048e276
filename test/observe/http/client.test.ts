import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Hop, Probe } from '../../../src/core/facts/facts.ts';
import { type HttpOptions, openHttpClient } from '../../../src/observe/http/client.ts';
import type { ProbeRequest } from '../../../src/observe/http/request.ts';
import {
  answer,
  type Behaviour,
  cutShort,
  delayed,
  endless,
  type FaultHost,
  inTurn,
  openFaultHost,
  raw,
  redirect,
  reset,
  silent,
} from '../../support/fault-host.ts';

let host: FaultHost;
let other: FaultHost;
beforeAll(async () => {
  host = await openFaultHost();
  other = await openFaultHost();
});
afterAll(() => Promise.all([host.close(), other.close()]));
beforeEach(() => {
  host.requests.length = 0;
  other.requests.length = 0;
  host.peak = 0;
});

const QUICK: HttpOptions = { backoff: () => 1, headersTimeout: 300, idleTimeout: 300, connectTimeout: 300 };

/** A probe, and the bytes that came with it. */
async function probe(
  url: string,
  ask: Partial<ProbeRequest> = {},
  options: HttpOptions = {},
): Promise<{ seen: Probe; body: string; last: Hop }> {
  const http = openHttpClient({ ...QUICK, ...options });
  let chunks: Uint8Array[] = [];
  const seen = await http.probe({
    method: 'GET',
    url,
    origin: null,
    accept: '*/*',
    total: 5000,
    body: () => {
      chunks = [];
      return { limit: 1_000_000, over: 'fail', write: (chunk) => void chunks.push(chunk.slice()) };
    },
    ...ask,
  });
  await http.close();
  return { seen, body: Buffer.concat(chunks).toString(), last: seen.hops.at(-1)! };
}

const secrets = (): HttpOptions => ({
  secrets: { origin: host.origin, headers: [['Authorization', 'Bearer s3cr3t-token']] },
});

const drip: Behaviour = (_, socket) => {
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10000\r\n\r\n');
  const timer = setInterval(() => socket.write('x'), 20);
  socket.on('close', () => clearInterval(timer));
};

describe('a whole answer', () => {
  test.each<[string, Behaviour]>([
    ['with a length', answer({ body: 'hello' })],
    ['chunked', raw('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n', 'keep')],
    ['ended by the connection', answer({ body: 'hello', length: null })],
    [
      'after 100 Continue that nobody asked for',
      raw('HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', 'keep'),
    ],
    [
      'after 103 Early Hints',
      raw('HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', 'keep'),
    ],
  ])('%s', async (_, behaviour) => {
    const { seen, body } = await probe(host.on('/whole', behaviour));
    expect(seen).toMatchObject({ failure: null, attempts: 1, retryAfterMs: 0 });
    expect(body).toBe('hello');
    expect(seen.hops).toMatchObject([{ status: 200, address: '127.0.0.1', tls: null }]);
  });

  test('bytes are passed on as sent, whatever the label says', async () => {
    const bytes = Buffer.from([0x1f, 0x8b, 1, 2, 3]);
    const { body, last } = await probe(
      host.on('/labelled', answer({ body: bytes, headers: { 'Content-Encoding': 'gzip' } })),
    );
    expect(createHash('sha256').update(Buffer.from(body)).digest('hex')).toBe(
      createHash('sha256').update(bytes.toString()).digest('hex'),
    );
    expect(last.headers).toContainEqual(['content-encoding', 'gzip']);
  });

  test('headers are kept line by line, and cookies are not kept', async () => {
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

  test('asks as it says', async () => {
    await probe(host.on('/as', answer()), { accept: 'application/json, */*;q=0.8' });
    expect(host.asked('/as')[0]!.headers).toMatchObject({
      'user-agent': expect.stringMatching(/^appreg\/\d/),
      accept: 'application/json, */*;q=0.8',
      'accept-encoding': 'identity',
    });
    expect(host.asked('/as')[0]!.headers).not.toHaveProperty('origin');
  });
});

describe('a truncated answer is never taken for whole', () => {
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n';
  test.each<[string, Behaviour, object]>([
    ['chunked, cut in a chunk', raw(`${chunked}\r\n5\r\nhello\r\n9\r\nwo`), { phase: 'body', got: 7 }],
    [
      'chunked, cut in a chunk, Connection: close',
      raw(`${chunked}Connection: close\r\n\r\n5\r\nhello\r\n9\r\nwo`),
      { phase: 'body', got: 7 },
    ],
    [
      'chunked, without the last chunk, Connection: close',
      raw(`${chunked}Connection: close\r\n\r\n5\r\nhello\r\n`),
      { phase: 'body', got: 5 },
    ],
    [
      'chunked, cut in the length line, Connection: close',
      raw(`${chunked}Connection: close\r\n\r\n5\r\nhello\r\n1`),
      { phase: 'body', got: 5 },
    ],
    ['shorter than its length', cutShort(1000, 'hello'), { phase: 'body', got: 5, expected: 1000 }],
    [
      'shorter than its length, Connection: close',
      cutShort(1000, 'hello', 'end', 'Connection: close\r\n'),
      { phase: 'body', got: 5, expected: 1000 },
    ],
    ['reset in the middle', cutShort(1000, 'hello', 'reset'), { phase: 'body', expected: 1000 }],
    [
      'stalled in the middle',
      cutShort(1000, 'hello', 'keep'),
      { phase: 'body', code: 'BODY_TIMEOUT', got: 5, expected: 1000 },
    ],
  ])('%s', async (_, behaviour, failure) => {
    const { seen } = await probe(host.on('/cut', behaviour));
    expect(seen.failure).toMatchObject(failure);
    expect(seen.hops.at(-1)!.status).toBe(200);
  });

  test('a resource that came whole at the next attempt is whole', async () => {
    const { seen, body } = await probe(
      host.on('/then', inTurn(cutShort(1000, 'wrong', 'reset'), answer({ body: 'hello' }))),
    );
    expect(seen).toMatchObject({ failure: null, attempts: 2, retriedErrors: [expect.any(String)] });
    expect(body).toBe('hello');
  });
});

describe('an answer that is none', () => {
  test.each<[string, Behaviour, object]>([
    ['nothing at all', silent(), { phase: 'headers', code: 'HEADERS_TIMEOUT' }],
    ['a reset', reset(), { phase: 'headers' }],
    ['no HTTP', raw('hello, is it me\r\n\r\n'), { phase: 'headers', code: expect.stringMatching(/^HPE_/) }],
    ['a bad status line', raw('HTTP/1.1 abc\r\n\r\n'), { code: expect.stringMatching(/^HPE_/) }],
    [
      'a NUL in a header',
      raw('HTTP/1.1 200 OK\r\nX: a\0b\r\nContent-Length: 0\r\n\r\n'),
      { code: expect.stringMatching(/^HPE_/) },
    ],
    [
      'a length and chunks',
      raw('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
      { code: expect.stringMatching(/^HPE_/) },
    ],
    [
      'two lengths',
      raw('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello'),
      { code: expect.stringMatching(/^HPE_/) },
    ],
    [
      'another protocol',
      raw('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n', 'keep'),
      { code: 'UPGRADE' },
    ],
    [
      'a part that nobody asked for',
      answer({ status: 206, body: 'he', headers: { 'Content-Range': 'bytes 0-1/5' } }),
      { code: 'UNSOLICITED_PARTIAL' },
    ],
    ['endless', endless(), { phase: 'size', code: 'TOO_LARGE' }],
    [
      'endless headers',
      raw(`HTTP/1.1 200 OK\r\n${'X: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n'.repeat(3000)}\r\n`),
      { code: expect.stringMatching(/OVERFLOW/) },
    ],
  ])('%s', async (_, behaviour, failure) => {
    const { seen } = await probe(host.on('/none', behaviour));
    expect(seen.failure).toMatchObject(failure);
  });

  test('nobody listens', async () => {
    const gone = await openFaultHost();
    await gone.close();
    const { seen } = await probe(`${gone.origin}/x`);
    expect(seen).toMatchObject({ failure: { phase: 'connect', code: 'ECONNREFUSED' }, attempts: 3 });
    expect(seen.hops).toMatchObject([{ status: 0 }]);
  });

  test.each([
    ['ENOTFOUND', 1],
    ['EAI_AGAIN', 3],
  ] as const)('a name that does not resolve: %s', async (code, attempts) => {
    const lookup: HttpOptions['lookup'] = (name, _, callback) =>
      callback(Object.assign(new Error(`getaddrinfo ${code} ${name}`), { code, syscall: 'getaddrinfo' }), '', 4);
    const { seen } = await probe('http://nowhere.test/', {}, { lookup });
    expect(seen).toMatchObject({ failure: { phase: 'dns', code }, attempts });
  });

  test('the total time ends everything', async () => {
    const { seen } = await probe(host.on('/drip', drip), { total: 200 });
    expect(seen.failure).toMatchObject({ phase: 'time', code: 'TOTAL_TIMEOUT', expected: 10_000 });
    expect(seen.attempts).toBe(1);
  });

  test.each(['ftp://example.com/x', 'no url', 'https://user:pw@example.com/', 'file:///etc/hosts'])(
    'not asked at all: %s',
    async (url) => {
      const http = openHttpClient(QUICK);
      const seen = await http.probe({ method: 'GET', url, origin: null, accept: '*/*', total: 1000 });
      expect(seen).toMatchObject({ failure: { phase: 'url' }, hops: [], attempts: 0 });
      await http.close();
    },
  );
});

describe('trying again', () => {
  test.each([500, 502, 503, 504, 429])('%i, then right', async (status) => {
    const { seen, body } = await probe(
      host.on('/again', inTurn(answer({ status }), answer({ status }), answer({ body: 'hello' }))),
    );
    expect(seen).toMatchObject({ failure: null, attempts: 3, retriedErrors: [`status ${status}`, `status ${status}`] });
    expect(body).toBe('hello');
  });

  test.each([400, 401, 403, 404, 410, 451])('%i is an answer', async (status) => {
    const { seen, last } = await probe(host.on('/no', answer({ status, body: 'why not' })));
    expect(seen).toMatchObject({ failure: null, attempts: 1 });
    expect(last).toMatchObject({ status, excerpt: 'why not' });
  });

  test('gives up after three', async () => {
    const { seen } = await probe(host.on('/never', answer({ status: 500 })));
    expect(seen.attempts).toBe(3);
    expect(host.asked('/never')).toHaveLength(3);
  });

  test('waits as long as the host asks', async () => {
    const { seen } = await probe(
      host.on('/wait', inTurn(answer({ status: 429, headers: { 'Retry-After': '1' } }), answer({ body: 'ok' }))),
    );
    expect(seen).toMatchObject({ attempts: 2, retryAfterMs: 1000, failure: null });
  });

  test('does not wait for a day', async () => {
    const { seen, last } = await probe(host.on('/day', answer({ status: 429, headers: { 'Retry-After': '86400' } })));
    expect(seen).toMatchObject({ attempts: 1, retryAfterMs: 0 });
    expect(last.status).toBe(429);
  });

  test.each(['-5', 'abc', 'Sun, 06 Nov 1994 08:49:37 GMT'])('Retry-After: %s is no time to wait', async (value) => {
    const { seen } = await probe(
      host.on('/odd', inTurn(answer({ status: 503, headers: { 'Retry-After': value } }), answer())),
    );
    expect(seen).toMatchObject({ attempts: 2, retryAfterMs: 0 });
  });

  test('OPTIONS and HEAD that are not supported are asked once', async () => {
    host.on('/static', answer({ status: 501 }));
    expect((await probe(`${host.origin}/static`, { method: 'OPTIONS' })).seen.attempts).toBe(1);
    expect((await probe(`${host.origin}/static`, { method: 'HEAD' })).seen.attempts).toBe(1);
  });

  test('a connection that the host closed while it rested is no trouble', async () => {
    const http = openHttpClient({ ...QUICK, concurrency: 1 });
    const ask: ProbeRequest = {
      method: 'GET',
      url: host.on('/rest', (request, socket) => {
        // The second request of a connection meets a reset.
        if (host.requests.filter((r) => r.connection === request.connection).length > 1) socket.resetAndDestroy();
        else return answer({ body: 'ok' })(request, socket);
      }),
      origin: null,
      accept: '*/*',
      total: 5000,
    };
    for (let i = 0; i < 3; i += 1) expect(await http.probe(ask)).toMatchObject({ failure: null, attempts: 1 });
    await http.close();
  });

  test('a host that no connection can be made to is given up', async () => {
    const gone = await openFaultHost();
    await gone.close();
    const http = openHttpClient({ ...QUICK, retries: 0 });
    const seen: Probe[] = [];
    for (let i = 0; i < 5; i += 1)
      seen.push(
        await http.probe({ method: 'GET', url: `${gone.origin}/${i}`, origin: null, accept: '*/*', total: 1000 }),
      );
    expect(seen.map((v) => v.failure?.code)).toEqual(Array.from({ length: 5 }, () => 'ECONNREFUSED'));
    expect(seen[4]!.failure!.url).toBe(`${gone.origin}/4`);
    await http.close();
  });
});

describe('redirects', () => {
  const end = answer({ body: 'there' });
  test.each<[string, string]>([
    ['absolute', 'ORIGIN/end'],
    ['relative', 'end'],
    ['from the root', '/end'],
    ['up', '../end'],
    ['without a scheme', '//HOST/end'],
    ['with a fragment', '/end#part'],
  ])('%s', async (_, location) => {
    host.on('/end', end);
    const { seen, body, last } = await probe(
      host.on('/from', redirect(location.replace('ORIGIN', host.origin).replace('HOST', host.origin.slice(7)))),
    );
    expect(seen.failure).toBeNull();
    expect(body).toBe('there');
    expect(last.url).toBe(`${host.origin}/end`);
  });

  test('five pass, the sixth does not', async () => {
    host.on('/end', end);
    for (let i = 1; i <= 6; i += 1) host.on(`/r${i}`, redirect(i === 1 ? '/end' : `/r${i - 1}`));
    expect((await probe(`${host.origin}/r5`)).seen).toMatchObject({ failure: null });
    const { seen } = await probe(`${host.origin}/r6`);
    expect(seen).toMatchObject({ failure: { phase: 'redirect', code: 'REDIRECT_LIMIT' } });
    expect(seen.hops).toHaveLength(6);
  });

  test.each<[string, string | null, string]>([
    ['in a circle', '/circle', 'REDIRECT_LOOP'],
    ['in a circle, by an empty Location', '', 'REDIRECT_LOOP'],
    ['without Location', null, 'REDIRECT_NO_LOCATION'],
    ['to another scheme', 'ftp://example.com/', 'REDIRECT_BAD_LOCATION'],
    ['to nonsense', 'http://[', 'REDIRECT_BAD_LOCATION'],
    ['to credentials', 'http://user:secret@127.0.0.1/', 'REDIRECT_CREDENTIALS'],
  ])('%s', async (_, location, code) => {
    const { seen } = await probe(host.on('/circle', redirect(location)));
    expect(seen.failure).toMatchObject({ phase: 'redirect', code });
    expect(JSON.stringify(seen.failure)).not.toContain('secret');
  });

  test('a body of a redirect is not read', async () => {
    let sent = 0;
    host.on('/end', end);
    const { seen } = await probe(
      host.on('/big', (_, socket) => {
        socket.write(`HTTP/1.1 302 Found\r\nLocation: /end\r\nContent-Length: 1000000000\r\n\r\n`);
        const chunk = Buffer.alloc(65_536);
        function more(): void {
          while (!socket.destroyed && sent < 1e9 && socket.write(chunk)) sent += chunk.length;
          if (!socket.destroyed) socket.once('drain', more);
        }
        more();
      }),
    );
    expect(seen.failure).toBeNull();
    expect(sent).toBeLessThan(20e6);
  });

  test('a browser that is led to another host says Origin: null', async () => {
    other.on('/end', end);
    await probe(host.on('/away', redirect(`${other.origin}/end`)), { origin: 'https://svc.test' });
    expect(host.asked('/away')[0]!.headers['origin']).toBe('https://svc.test');
    expect(other.asked('/end')[0]!.headers['origin']).toBe('null');
  });

  test('a preflight is not redirected', async () => {
    const { seen } = await probe(host.on('/pre', redirect('/end', 307)), {
      method: 'OPTIONS',
      origin: 'https://svc.test',
    });
    expect(seen.hops.map((h) => h.status)).toEqual([307]);
  });
});

describe('secrets', () => {
  test('go to their own origin only, and not back to it over another', async () => {
    host.on('/end', answer());
    other.on('/back', redirect(`${host.origin}/end`));
    await probe(host.on('/first', redirect(`${other.origin}/back`)), {}, secrets());
    expect(host.asked('/first')[0]!.headers['authorization']).toBe('Bearer s3cr3t-token');
    expect(other.requests[0]!.headers).not.toHaveProperty('authorization');
    expect(host.asked('/end')[0]!.headers).not.toHaveProperty('authorization');
  });

  test('are in no facts, even where the host echoes them', async () => {
    const { seen } = await probe(
      host.on(
        '/echo',
        answer({ status: 401, headers: { 'X-Got': 'Bearer s3cr3t-token' }, body: 'bad token s3cr3t-token' }),
      ),
      {},
      secrets(),
    );
    expect(JSON.stringify(seen)).not.toContain('s3cr3t');
  });

  test('of a signed URL are not in the body that refuses it', async () => {
    const signature = '1f8b/5ecre7+0123456789=';
    other.on('/signed', answer({ status: 403, body: `<Provided>${signature}</Provided>` }));
    const url = host.on('/sign', redirect(`${other.origin}/signed?X-Amz-Signature=${encodeURIComponent(signature)}`));
    const { seen } = await probe(url);
    expect(seen.hops.at(-1)!.excerpt).toMatch(/^<Provided>REDACTED-+[^5]*<.Provided>$/);
  });

  test('are not in a preflight', async () => {
    await probe(host.on('/options', answer({ status: 204 })), { method: 'OPTIONS' }, secrets());
    expect(host.asked('/options')[0]!.headers).not.toHaveProperty('authorization');
  });
});

describe('politeness', () => {
  test('no more at once than allowed, and all in the end', async () => {
    const http = openHttpClient({ ...QUICK, concurrency: 3 });
    const url = host.on('/slow', delayed(10, answer({ body: 'ok' })));
    const seen = await Promise.all(
      Array.from({ length: 20 }, () => http.probe({ method: 'GET', url, origin: null, accept: '*/*', total: 5000 })),
    );
    await http.close();
    expect(seen.every((v) => v.failure === null)).toBe(true);
    expect(host.peak).toBe(3);
    expect(new Set(host.requests.map((r) => r.connection)).size).toBe(3);
  });

  test('time in the queue does not count', async () => {
    const http = openHttpClient({ ...QUICK, concurrency: 1 });
    const url = host.on('/queue', delayed(60, answer({ body: 'ok' })));
    const seen = await Promise.all(
      Array.from({ length: 6 }, () => http.probe({ method: 'GET', url, origin: null, accept: '*/*', total: 200 })),
    );
    await http.close();
    expect(seen.map((v) => v.failure)).toEqual(Array.from({ length: 6 }, () => null));
  });
});
