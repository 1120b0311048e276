import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rewriteBase } from '../../src/serve/rewrite.ts';
import { startServer } from '../../src/serve/server.ts';
import { folder } from '../support/folders.ts';
import { sendRequest, fill, LONG_AGO, raw, startTestServer } from './support.ts';

const LOCAL_BASE = 'http://127.0.0.1:8080/';

describe('rewriteBase', () => {
  test.each<[string, string, string, string]>([
    ['a value', 'https://a.example/', '{"u":"https://a.example/x.json"}', '{"u":"http://127.0.0.1:8080/x.json"}'],
    [
      'several',
      'https://a.example/',
      '["https://a.example/1","https://a.example/2"]',
      '["http://127.0.0.1:8080/1","http://127.0.0.1:8080/2"]',
    ],
    ['the base itself', 'https://a.example/reg/', '["https://a.example/reg/"]', '["http://127.0.0.1:8080/"]'],
    ['the base without its slash', 'https://a.example/reg/', '["https://a.example/reg"]', '["http://127.0.0.1:8080"]'],
    [
      'a base given without a slash',
      'https://a.example/reg',
      '["https://a.example/reg/x"]',
      '["http://127.0.0.1:8080/x"]',
    ],
    [
      'query and fragment',
      'https://a.example/reg',
      '["https://a.example/reg?x","https://a.example/reg#y"]',
      '["http://127.0.0.1:8080?x","http://127.0.0.1:8080#y"]',
    ],
    [
      'escaped slashes',
      'https://a.example/reg/',
      '["https:\\/\\/a.example\\/reg\\/x.json"]',
      '["http://127.0.0.1:8080\\/x.json"]',
    ],
    [
      'spacing stays',
      'https://a.example/',
      '{\r\n\t"u" :  "https://a.example/x"  }\n\n',
      '{\r\n\t"u" :  "http://127.0.0.1:8080/x"  }\n\n',
    ],
    [
      'normalised host',
      'https://A.Example:443/reg/',
      '["https://a.example/reg/x","https://A.Example:443/reg/y"]',
      '["http://127.0.0.1:8080/x","http://127.0.0.1:8080/y"]',
    ],
    [
      'punctuation is literal',
      'https://a.example/r+(1)/',
      '["https://a.example/r+(1)/x"]',
      '["http://127.0.0.1:8080/x"]',
    ],
    ['broken JSON around it', 'https://a.example/', '{"u":"https://a.example/x', '{"u":"http://127.0.0.1:8080/x'],
    ['not ASCII, as bytes', 'https://ü.example/', '["https://\u00c3\u00bc.example/x"]', '["http://127.0.0.1:8080/x"]'],
    [
      'not ASCII, escaped',
      'https://ü.example/',
      '["https://\\u00FC.example/x","https://xn--tda.example/y"]',
      '["http://127.0.0.1:8080/x","http://127.0.0.1:8080/y"]',
    ],
  ])('replaces the base URL: %s', (_, from, json, expected) =>
    expect(rewriteBase(json, from, LOCAL_BASE)).toBe(expected),
  );

  test.each<[string, string, string]>([
    ['a longer segment', 'https://a.example/reg', '["https://a.example/registry2/x"]'],
    [
      'a longer host',
      'https://a.example',
      '["https://a.example.com/x","https://a.example:8443/x","https://a.example@evil.test/"]',
    ],
    ['the middle of a string', 'https://a.example/', '["see https://a.example/x"]'],
    ['a quotation in a string', 'https://a.example/', '["he said \\"https://a.example/x\\""]'],
    ['the name of a property', 'https://a.example/', '{"https://a.example/\\"x" : 1}'],
    ['a dot, which is not a wildcard', 'https://a.example/', '["https://axexample/x"]'],
    ['another scheme', 'https://a.example/', '["http://a.example/x"]'],
    ['another path', 'https://a.example/reg/', '["https://a.example/x"]'],
    ['nothing at all', 'https://a.example/', ''],
  ])('does not replace: %s', (_, from, json) => expect(rewriteBase(json, from, LOCAL_BASE)).toBe(json));

  test('replaces 100,000 URLs in a large document', () => {
    const json = `[${Array.from({ length: 100_000 }, (_, i) => `{"a":"https://a.example/${i}","b":"${'x'.repeat(50)}"}`).join(',')}]`;
    const parsed = JSON.parse(rewriteBase(json, 'https://a.example/', LOCAL_BASE)) as { a: string }[];
    expect(parsed[99_999]!.a).toBe('http://127.0.0.1:8080/99999');
  });
});

describe('a server that rewrites', () => {
  const MANIFEST = '{"apps": {"a": {"appMetadataUrl": "https://apps.example/reg/a.json"}}}\n';
  const bytes = Buffer.concat([
    Buffer.from('\ufeff{"x":"https://apps.example/reg/y", "bad":"'),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('"}'),
  ]);

  test('replaces the base URL only in JSON files, and evaluates conditions with the rewritten body', async () => {
    const root = folder();
    await fill(root, { 'registry.json': MANIFEST, 'bad.json': bytes, 'notes.txt': MANIFEST });
    const server = await startTestServer(root, { rewriteFrom: 'https://apps.example/reg' });
    const plain = await startTestServer(root);
    const { body, headers } = await sendRequest(server.manifestUrl);
    expect(body.toString()).toBe(MANIFEST.replace('https://apps.example/reg/', server.url));
    expect(headers['content-length']).toBe(String(body.length));
    expect((await sendRequest(plain.manifestUrl)).headers.etag).not.toBe(headers.etag);
    expect((await sendRequest(server.manifestUrl, { headers: { 'If-None-Match': headers.etag! } })).status).toBe(304);
    const stale = await sendRequest(server.manifestUrl, { headers: { 'If-Modified-Since': LONG_AGO.toUTCString() } });
    expect(stale.status).toBe(200);
    const part = await sendRequest(server.manifestUrl, { headers: { Range: 'bytes=10-29' } });
    expect(part.body).toEqual(body.subarray(10, 30));
    expect((await sendRequest(`${server.url}notes.txt`)).body.toString()).toBe(MANIFEST);
    const bad = (await sendRequest(`${server.url}bad.json`)).body;
    expect(bad.toString('latin1')).toBe(bytes.toString('latin1').replace('https://apps.example/reg/', server.url));
  });

  test('uses the requested host if it listens on all addresses', async () => {
    const root = folder();
    await fill(root, { 'registry.json': MANIFEST });
    const server = await startTestServer(root, { rewriteFrom: 'https://apps.example/reg/', host: '0.0.0.0' });
    expect(server.url).toBe(`http://localhost:${server.port}/`);
    const requestWithHost = async (host: string): Promise<string> =>
      raw(server.port, `GET /registry.json HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(await requestWithHost('build.test:81')).toContain('"http://build.test:81/a.json"');
    expect(await requestWithHost('[::1]:81')).toContain('"http://[::1]:81/a.json"');
    expect(await requestWithHost('evil"/x')).toContain(`"${server.url}a.json"`);
    expect(await requestWithHost('a:b@c')).toContain(`"${server.url}a.json"`);
    const narrow = await startTestServer(root, { rewriteFrom: 'https://apps.example/reg/' });
    const text = await raw(narrow.port, 'GET /registry.json HTTP/1.1\r\nHost: build.test\r\nConnection: close\r\n\r\n');
    expect(text).toContain(`"${narrow.url}a.json"`);
  });

  test('serves a changed file at once', async () => {
    const root = folder();
    await writeFile(join(root, 'registry.json'), '["https://apps.example/1"]');
    const server = await startServer({
      root,
      manifest: 'registry.json',
      host: '127.0.0.1',
      port: 0,
      serviceOrigins: [],
      rewriteFrom: 'https://apps.example',
      https: false,
    });
    expect((await sendRequest(server.manifestUrl)).body.toString()).toBe(`["${server.url}1"]`);
    await writeFile(join(root, 'registry.json'), '["https://apps.example/2"]');
    expect((await sendRequest(server.manifestUrl)).body.toString()).toBe(`["${server.url}2"]`);
    await server.close();
  });
});
