import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rewriteBase } from '../../src/serve/respond.ts';
import { startServer } from '../../src/serve/server.ts';
import { folder } from '../support/folders.ts';
import { sendRequest, fill, LONG_AGO, raw, startTestServer } from './support.ts';

const LOCAL_BASE = 'http://127.0.0.1:8080/';

describe('rewriteBase', () => {
  test.each<{ name: string; from: string; json: string; expected: string }>([
    {
      name: 'a value',
      from: 'https://a.example/',
      json: '{"u":"https://a.example/x.json"}',
      expected: '{"u":"http://127.0.0.1:8080/x.json"}',
    },
    {
      name: 'several',
      from: 'https://a.example/',
      json: '["https://a.example/1","https://a.example/2"]',
      expected: '["http://127.0.0.1:8080/1","http://127.0.0.1:8080/2"]',
    },
    {
      name: 'the base itself',
      from: 'https://a.example/reg/',
      json: '["https://a.example/reg/"]',
      expected: '["http://127.0.0.1:8080/"]',
    },
    {
      name: 'the base without its slash',
      from: 'https://a.example/reg/',
      json: '["https://a.example/reg"]',
      expected: '["http://127.0.0.1:8080"]',
    },
    {
      name: 'a base given without a slash',
      from: 'https://a.example/reg',
      json: '["https://a.example/reg/x"]',
      expected: '["http://127.0.0.1:8080/x"]',
    },
    {
      name: 'query and fragment',
      from: 'https://a.example/reg',
      json: '["https://a.example/reg?x","https://a.example/reg#y"]',
      expected: '["http://127.0.0.1:8080?x","http://127.0.0.1:8080#y"]',
    },
    {
      name: 'escaped slashes',
      from: 'https://a.example/reg/',
      json: '["https:\\/\\/a.example\\/reg\\/x.json"]',
      expected: '["http://127.0.0.1:8080\\/x.json"]',
    },
    {
      name: 'spacing stays',
      from: 'https://a.example/',
      json: '{\r\n\t"u" :  "https://a.example/x"  }\n\n',
      expected: '{\r\n\t"u" :  "http://127.0.0.1:8080/x"  }\n\n',
    },
    {
      name: 'normalised host',
      from: 'https://A.Example:443/reg/',
      json: '["https://a.example/reg/x","https://A.Example:443/reg/y"]',
      expected: '["http://127.0.0.1:8080/x","http://127.0.0.1:8080/y"]',
    },
    {
      name: 'punctuation is literal',
      from: 'https://a.example/r+(1)/',
      json: '["https://a.example/r+(1)/x"]',
      expected: '["http://127.0.0.1:8080/x"]',
    },
    {
      name: 'broken JSON around it',
      from: 'https://a.example/',
      json: '{"u":"https://a.example/x',
      expected: '{"u":"http://127.0.0.1:8080/x',
    },
    {
      name: 'not ASCII, as bytes',
      from: 'https://ü.example/',
      json: '["https://\u00c3\u00bc.example/x"]',
      expected: '["http://127.0.0.1:8080/x"]',
    },
    {
      name: 'not ASCII, escaped',
      from: 'https://ü.example/',
      json: '["https://\\u00FC.example/x","https://xn--tda.example/y"]',
      expected: '["http://127.0.0.1:8080/x","http://127.0.0.1:8080/y"]',
    },
  ])('replaces the base URL: $name', ({ from, json, expected }) =>
    expect(rewriteBase(json, from, LOCAL_BASE)).toBe(expected),
  );

  test.each<{ name: string; from: string; json: string }>([
    { name: 'a longer segment', from: 'https://a.example/reg', json: '["https://a.example/registry2/x"]' },
    {
      name: 'a longer host',
      from: 'https://a.example',
      json: '["https://a.example.com/x","https://a.example:8443/x","https://a.example@evil.test/"]',
    },
    { name: 'the middle of a string', from: 'https://a.example/', json: '["see https://a.example/x"]' },
    { name: 'a quotation in a string', from: 'https://a.example/', json: '["he said \\"https://a.example/x\\""]' },
    { name: 'the name of a property', from: 'https://a.example/', json: '{"https://a.example/\\"x" : 1}' },
    { name: 'a dot, which is not a wildcard', from: 'https://a.example/', json: '["https://axexample/x"]' },
    { name: 'another scheme', from: 'https://a.example/', json: '["http://a.example/x"]' },
    { name: 'another path', from: 'https://a.example/reg/', json: '["https://a.example/x"]' },
    { name: 'nothing at all', from: 'https://a.example/', json: '' },
  ])('does not replace: $name', ({ from, json }) => expect(rewriteBase(json, from, LOCAL_BASE)).toBe(json));

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
    const evidence = { 'a.tar.gz.sigstore.json': MANIFEST, 'a.tar.gz.cdx.json': MANIFEST };
    await fill(root, { 'registry.json': MANIFEST, 'bad.json': bytes, 'notes.txt': MANIFEST, ...evidence });
    const server = await startTestServer(root, { rewriteFrom: 'https://apps.example/reg' });
    for (const name of Object.keys(evidence))
      expect((await sendRequest(server.url + name)).body.toString()).toBe(MANIFEST);
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
