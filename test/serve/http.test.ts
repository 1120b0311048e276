import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { precondition, requestedRange } from '../../src/serve/conditions.ts';
import type { Serving } from '../../src/serve/server.ts';
import { folder } from '../support/folders.ts';
import { sendRequest, fill, LONG_AGO, raw, startTestServer, type Reply } from './support.ts';
import { noise } from '../support/random.ts';

const ARTIFACT = noise(700_000);
const FILES: Record<string, string | Uint8Array> = {
  'registry.json': '{"apps":{}}',
  'a/1.0.0.tar.gz': ARTIFACT,
  'a/icon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
  'a/icon.png': new Uint8Array([0x89, 0x50]),
  'a/readme.md': '# a',
  'a/unknown.xyz': 'x',
  'a/plain': 'x',
  'a/b.tgz': 'x',
  'a/1.0.0.tar.gz.sigstore.json': '{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json"}',
  'a/1.0.0.tar.gz.cdx.json': '{"bomFormat":"CycloneDX"}',
  'empty.json': '',
};
const LISTED = ['https://flows.example.com', 'https://two.example.com'];
let server: Serving;
let serverWithListing: Serving;

beforeAll(async () => {
  const root = folder();
  await fill(root, FILES);
  server = await startTestServer(root);
  serverWithListing = await startTestServer(root, { serviceOrigins: LISTED });
});

function varyOf(reply: Reply): string[] {
  return (reply.headers.vary ?? '').split(', ').filter(Boolean);
}

describe('a file', () => {
  test.each([
    { name: 'registry.json', type: 'application/json', lifetime: 'public, max-age=300' },
    { name: 'a/1.0.0.tar.gz', type: 'application/gzip', lifetime: 'public, max-age=31536000, immutable' },
    { name: 'a/b.tgz', type: 'application/gzip', lifetime: 'public, max-age=31536000, immutable' },
    {
      name: 'a/1.0.0.tar.gz.sigstore.json',
      type: 'application/vnd.dev.sigstore.bundle.v0.3+json',
      lifetime: 'public, max-age=31536000, immutable',
    },
    {
      name: 'a/1.0.0.tar.gz.cdx.json',
      type: 'application/vnd.cyclonedx+json',
      lifetime: 'public, max-age=31536000, immutable',
    },
    { name: 'a/icon.svg', type: 'image/svg+xml', lifetime: 'public, max-age=3600' },
    { name: 'a/icon.png', type: 'image/png', lifetime: 'public, max-age=3600' },
    { name: 'a/readme.md', type: 'text/markdown; charset=utf-8', lifetime: 'public, max-age=300' },
    { name: 'a/unknown.xyz', type: 'application/octet-stream', lifetime: 'public, max-age=300' },
    { name: 'a/plain', type: 'application/octet-stream', lifetime: 'public, max-age=300' },
    { name: 'empty.json', type: 'application/json', lifetime: 'public, max-age=300' },
  ])(
    '$name has the type $type and the lifetime $lifetime, and HEAD has the same headers',
    async ({ name, type, lifetime }) => {
      const get = await sendRequest(server.url + name);
      const bytes = Buffer.from(FILES[name]!);
      expect(get.status).toBe(200);
      expect(get.body.equals(bytes)).toBe(true);
      expect(get.headers).toMatchObject({
        'content-type': type,
        'cache-control': lifetime,
        'content-length': String(bytes.length),
        etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
        'last-modified': LONG_AGO.toUTCString(),
        'accept-ranges': 'bytes',
        'access-control-allow-origin': '*',
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
      });
      expect(get.headers['content-encoding']).toBeUndefined();
      expect(get.headers['content-security-policy'] !== undefined).toBe(name.endsWith('.svg'));
      const head = await sendRequest(server.url + name, { method: 'HEAD' });
      expect(head.body.length).toBe(0);
      const { date: _, ...expected } = get.headers;
      expect(head).toMatchObject({ status: 200, headers: expected });
    },
  );

  test('is not compressed, regardless of Accept-Encoding', async () => {
    const { headers, body } = await sendRequest(server.manifestUrl, {
      headers: { 'Accept-Encoding': 'gzip, br, zstd' },
    });
    expect(headers['content-encoding']).toBeUndefined();
    expect(body.toString()).toBe('{"apps":{}}');
  });

  test('has no body in the response to HEAD', async () => {
    const text = await raw(server.port, 'HEAD /a/1.0.0.tar.gz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(text).toContain('Content-Length: 700000');
    expect(text.endsWith('\r\n\r\n')).toBe(true);
  });
});

describe('request methods', () => {
  test.each(['POST', 'PUT', 'DELETE', 'PATCH', 'TRACE', 'PROPFIND'])('%s is rejected with 405', async (method) => {
    const { status, headers } = await sendRequest(server.manifestUrl, { method });
    expect(status).toBe(405);
    expect(headers).toMatchObject({
      allow: 'GET, HEAD, OPTIONS',
      'access-control-allow-origin': '*',
      'cache-control': 'no-store',
    });
  });

  test('CONNECT is rejected and the connection closed', async () => {
    const text = await raw(server.port, 'CONNECT evil.test:443 HTTP/1.1\r\nHost: evil.test:443\r\n\r\n');
    expect(text).not.toContain('200');
  });
});

describe('CORS', () => {
  const requests: [string, number, Parameters<typeof sendRequest>[1]][] = [
    ['/registry.json', 200, {}],
    ['/registry.json', 200, { method: 'HEAD' }],
    ['/registry.json', 304, { headers: { 'If-Modified-Since': LONG_AGO.toUTCString() } }],
    ['/registry.json', 206, { headers: { Range: 'bytes=0-1' } }],
    ['/registry.json', 412, { headers: { 'If-Match': '"x"' } }],
    ['/registry.json', 416, { headers: { Range: 'bytes=999-' } }],
    ['/nothing', 404, {}],
    ['/registry.json', 405, { method: 'POST' }],
    ['/registry.json', 204, { method: 'OPTIONS' }],
  ];
  const requestFrom = (
    server: Serving,
    origin: string | null,
    [path, , options]: (typeof requests)[number],
  ): Promise<Reply> =>
    sendRequest(server.url, {
      ...options,
      path,
      headers: { ...options?.headers, ...(origin === null ? {} : { Origin: origin }) },
    });

  for (const request of requests) {
    const [path, status, options] = request;
    describe(`${options?.method ?? 'GET'} ${path} (${status})`, () => {
      test.each([null, 'https://any.example.com', 'null'])(
        'without a list of origins allows %s with the wildcard',
        async (origin) => {
          const reply = await requestFrom(server, origin, request);
          expect(reply.status).toBe(status);
          expect(reply.headers['access-control-allow-origin']).toBe('*');
          expect(reply.headers['access-control-expose-headers']).toContain('ETag');
        },
      );
      test.each(LISTED)('with a list of origins echoes %s with Vary', async (origin) => {
        const reply = await requestFrom(serverWithListing, origin, request);
        expect(reply.status).toBe(status);
        expect(reply.headers['access-control-allow-origin']).toBe(origin);
        expect(varyOf(reply)).toContain('Origin');
      });
      test.each([
        null,
        'null',
        '*',
        'https://evil.test',
        'https://flows.example.com.evil.test',
        'https://flows.example.com/',
        'https://flows.example.com:443',
        'HTTPS://flows.example.com',
        'http://flows.example.com',
        LISTED.join(', '),
        '',
      ])('with a list of origins does not allow %j, with Vary', async (origin) => {
        const reply = await requestFrom(serverWithListing, origin, request);
        expect(reply.status).toBe(status);
        expect(reply.headers['access-control-allow-origin']).toBeUndefined();
        expect(varyOf(reply)).toContain('Origin');
      });
    });
  }

  test('a preflight allows all requested headers, including Authorization by name', async () => {
    const reply = await sendRequest(serverWithListing.manifestUrl, {
      method: 'OPTIONS',
      headers: {
        Origin: LISTED[0]!,
        'Access-Control-Request-Method': 'GET',
        'Access-Control-Request-Headers': 'authorization,x-registry-probe, bad name,,x"y',
      },
    });
    expect(reply.status).toBe(204);
    expect(reply.body.length).toBe(0);
    expect(reply.headers).toMatchObject({
      'access-control-allow-methods': 'GET, HEAD, OPTIONS',
      'access-control-allow-headers': 'authorization, x-registry-probe',
      'access-control-max-age': '600',
    });
    expect(varyOf(reply)).toEqual(['Origin', 'Access-Control-Request-Headers']);
  });

  test('OPTIONS has a 204 response for * and for missing files', async () => {
    const text = await raw(server.port, 'OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 204 [^]*Access-Control-Allow-Headers: \*, Authorization\r\n/);
    expect((await sendRequest(`${server.url}nothing`, { method: 'OPTIONS' })).status).toBe(204);
  });
});

describe('conditional requests', () => {
  const moment = Date.parse('2026-01-02T03:04:05.678Z');
  const validators = { etag: '"abc"', modified: moment, size: 100 };
  const [same, earlier, later] = [0, -1000, 1000].map((ms) => new Date(moment + ms).toUTCString()) as [
    string,
    string,
    string,
  ];
  test.each<[Record<string, string>, 304 | 412 | null]>([
    [{}, null],
    [{ 'if-none-match': '"abc"' }, 304],
    [{ 'if-none-match': 'W/"abc"' }, 304],
    [{ 'if-none-match': '"x", W/"abc" , "y"' }, 304],
    [{ 'if-none-match': '"x,y","abc"' }, 304],
    [{ 'if-none-match': ' * ' }, 304],
    [{ 'if-none-match': '"ABC"' }, null],
    [{ 'if-none-match': '"abc' }, null],
    [{ 'if-none-match': 'abc' }, null],
    [{ 'if-none-match': '"xabc"' }, null],
    [{ 'if-none-match': '' }, null],
    [{ 'if-none-match': '"made-up"' }, null],
    [{ 'if-modified-since': same }, 304],
    [{ 'if-modified-since': later }, 304],
    [{ 'if-modified-since': earlier }, null],
    [{ 'if-modified-since': 'yesterday' }, null],
    [{ 'if-none-match': '"x"', 'if-modified-since': later }, null],
    [{ 'if-none-match': '"abc"', 'if-modified-since': earlier }, 304],
    [{ 'if-match': '"abc"' }, null],
    [{ 'if-match': '*' }, null],
    [{ 'if-match': 'W/"abc"' }, 412],
    [{ 'if-match': '"x"' }, 412],
    [{ 'if-match': '"abc"', 'if-none-match': '"abc"' }, 304],
    [{ 'if-unmodified-since': earlier }, 412],
    [{ 'if-unmodified-since': same }, null],
    [{ 'if-match': '"abc"', 'if-unmodified-since': earlier }, null],
  ])('%j → %s', (headers, expected) => expect(precondition(headers, validators)).toBe(expected));

  test('have a 304 response without body and length, with the headers that RFC 9110 requires', async () => {
    const { headers } = await sendRequest(serverWithListing.manifestUrl);
    for (const method of ['GET', 'HEAD']) {
      const reply = await sendRequest(serverWithListing.manifestUrl, {
        method,
        headers: { 'If-None-Match': headers.etag! },
      });
      expect(reply.status).toBe(304);
      expect(reply.body.length).toBe(0);
      expect(reply.headers).toMatchObject({
        etag: headers.etag,
        'cache-control': headers['cache-control'],
        vary: 'Origin',
      });
      expect(reply.headers.date).toBeDefined();
      expect(reply.headers['content-length'] ?? reply.headers['content-type']).toBeUndefined();
    }
  });
});

describe('range requests', () => {
  const validators = { etag: '"abc"', modified: 0, size: 100 };
  test.each<[string, ReturnType<typeof requestedRange>]>([
    ['bytes=0-9', { start: 0, end: 10 }],
    ['bytes=0-0', { start: 0, end: 1 }],
    ['bytes=99-', { start: 99, end: 100 }],
    ['bytes=50-1000', { start: 50, end: 100 }],
    [`bytes=1-${'9'.repeat(400)}`, { start: 1, end: 100 }],
    ['bytes=-1', { start: 99, end: 100 }],
    ['bytes=-1000', { start: 0, end: 100 }],
    ['Bytes = 1 - 2', { start: 1, end: 3 }],
    ['bytes=100-', 'unsatisfiable'],
    [`bytes=${'9'.repeat(400)}-`, 'unsatisfiable'],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=9-0', null],
    ['bytes=-', null],
    ['bytes=', null],
    ['bytes=a-b', null],
    ['bytes=1-2,5-6', null],
    ['lines=1-2', null],
    ['bytes=0x1-2', null],
    ['1-2', null],
  ])('the range %.40s is parsed', (range, expected) => expect(requestedRange({ range }, validators)).toEqual(expected));

  test.each<[string, boolean]>([
    ['"abc"', true],
    ['W/"abc"', false],
    ['"x"', false],
    [new Date(0).toUTCString(), false],
    ['*', false],
    ['', false],
  ])('If-Range: %s is applied', (value, holds) => {
    expect(requestedRange({ range: 'bytes=0-1', 'if-range': value }, validators)).toEqual(
      holds ? { start: 0, end: 2 } : null,
    );
  });

  test('an empty file has no satisfiable range', () => {
    expect(requestedRange({ range: 'bytes=0-' }, { ...validators, size: 0 })).toBe('unsatisfiable');
    expect(requestedRange({ range: 'bytes=-5' }, { ...validators, size: 0 })).toBeNull();
  });

  test('a download is resumed', async () => {
    const url = `${server.url}a/1.0.0.tar.gz`;
    const { headers } = await sendRequest(url, { method: 'HEAD' });
    const first = await sendRequest(url, { headers: { Range: 'bytes=0-299999' } });
    const rest = await sendRequest(url, { headers: { Range: 'bytes=300000-', 'If-Range': headers.etag! } });
    expect(first.headers).toMatchObject({
      'content-range': 'bytes 0-299999/700000',
      'content-length': '300000',
      etag: headers.etag,
    });
    expect([first.status, rest.status]).toEqual([206, 206]);
    expect(Buffer.concat([first.body, rest.body]).equals(ARTIFACT)).toBe(true);
    const past = await sendRequest(url, { headers: { Range: 'bytes=700000-' } });
    expect(past.status).toBe(416);
    expect(past.headers['content-range']).toBe('bytes */700000');
    const whole = await sendRequest(url, { headers: { Range: 'bytes=0-1,5-6' } });
    expect([whole.status, whole.body.length]).toEqual([200, 700_000]);
    const head = await sendRequest(url, { method: 'HEAD', headers: { Range: 'bytes=0-1' } });
    expect([head.status, head.headers['content-length']]).toEqual([200, '700000']);
  });
});
