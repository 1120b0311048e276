import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Probe } from '../../../src/core/facts/facts.ts';
import { type HttpOptions, openHttpClient } from '../../../src/observe/http/client.ts';
import { proxiesIn } from '../../../src/observe/http/proxy.ts';
import { certificates } from '../../support/fault-certificates.ts';
import { answer, type FaultHost, openFaultHost } from '../../support/fault-host.ts';
import { type FaultProxy, openFaultProxy } from '../../support/fault-proxy.ts';

describe('the choice of the proxy', () => {
  const P = 'http://proxy.corp:3128';
  test.each<{ name: string; env: NodeJS.ProcessEnv; url: string; variable: string | null }>([
    { name: 'none', env: {}, url: 'https://a.example/', variable: null },
    { name: 'https', env: { HTTPS_PROXY: P }, url: 'https://a.example/', variable: 'HTTPS_PROXY' },
    { name: 'that of https is not for http', env: { HTTPS_PROXY: P }, url: 'http://a.example/', variable: null },
    { name: 'http', env: { HTTP_PROXY: P }, url: 'http://a.example/', variable: 'HTTP_PROXY' },
    { name: 'that of http is not for https', env: { http_proxy: P }, url: 'https://a.example/', variable: null },
    {
      name: 'lower case goes first',
      env: { https_proxy: P, HTTPS_PROXY: 'http://x' },
      url: 'https://a.example/',
      variable: 'https_proxy',
    },
    {
      name: 'an empty one is none',
      env: { https_proxy: '', HTTPS_PROXY: '' },
      url: 'https://a.example/',
      variable: null,
    },
    { name: 'all', env: { ALL_PROXY: P }, url: 'http://a.example/', variable: 'ALL_PROXY' },
    {
      name: 'its own before all',
      env: { all_proxy: 'http://x', https_proxy: P },
      url: 'https://a.example/',
      variable: 'https_proxy',
    },
    {
      name: 'this machine is not another proxy’s',
      env: { http_proxy: P },
      url: 'http://localhost:8080/',
      variable: null,
    },
    { name: 'nor are its addresses', env: { http_proxy: P }, url: 'http://127.0.0.1:8080/', variable: null },
    { name: 'nor those of IPv6', env: { http_proxy: P }, url: 'http://[::1]:8080/', variable: null },
    {
      name: 'but of one that runs here',
      env: { http_proxy: 'http://127.0.0.1:1' },
      url: 'http://localhost:8080/',
      variable: 'http_proxy',
    },
  ])('depends on the variables: $name', ({ env, url, variable }) => {
    expect(proxiesIn(env)(new URL(url))?.facts.variable ?? null).toBe(variable);
  });

  test.each<{ list: string; url: string; direct: boolean }>([
    { list: '*', url: 'https://a.example/', direct: true },
    { list: 'a.example', url: 'https://a.example/', direct: true },
    { list: 'A.Example', url: 'https://a.example/', direct: true },
    { list: 'example', url: 'https://a.example/', direct: true },
    { list: '.example', url: 'https://a.example/', direct: true },
    { list: '.a.example', url: 'https://a.example/', direct: true },
    { list: '*.example', url: 'https://a.example/', direct: true },
    { list: 'a.example.', url: 'https://a.example/', direct: true },
    { list: 'a.example', url: 'https://a.example./', direct: true },
    { list: 'b.example, a.example', url: 'https://a.example/', direct: true },
    { list: 'b.example a.example', url: 'https://a.example/', direct: true },
    { list: 'ample', url: 'https://a.example/', direct: false },
    { list: 'b.a.example', url: 'https://a.example/', direct: false },
    { list: 'a.example:443', url: 'https://a.example/', direct: true },
    { list: 'a.example:8443', url: 'https://a.example/', direct: false },
    { list: 'a.example:8443', url: 'https://a.example:8443/', direct: true },
    { list: '10.0.0.0/8', url: 'https://10.1.2.3/', direct: true },
    { list: '10.0.0.0/8', url: 'https://11.1.2.3/', direct: false },
    { list: '10.1.2.3', url: 'https://10.1.2.3/', direct: true },
    { list: '1.2.3', url: 'https://10.1.2.3/', direct: false },
    { list: 'fd00::/8', url: 'https://[fd12::1]/', direct: true },
    { list: '[fd12::1]:443', url: 'https://[fd12::1]/', direct: true },
    { list: 'fd12:0::1', url: 'https://[fd12::1]/', direct: true },
    { list: '10.0.0.0/99', url: 'https://10.1.2.3/', direct: false },
    { list: '', url: 'https://a.example/', direct: false },
  ])('depends on NO_PROXY: NO_PROXY=$list, $url', ({ list, url, direct }) => {
    expect(proxiesIn({ HTTPS_PROXY: P, NO_PROXY: list })(new URL(url)) === null).toBe(direct);
  });

  test('decodes credentials for the proxy and removes them from the facts', () => {
    const proxy = proxiesIn({ HTTPS_PROXY: 'https://us%40r:p%3Aw@proxy.corp' })(new URL('https://a.example/'))!;
    expect(proxy).toMatchObject({ secure: true, host: 'proxy.corp', port: 443 });
    expect(Buffer.from(proxy.authorization!.slice(6), 'base64').toString()).toBe('us@r:p:w');
    expect(proxy.facts).toEqual({ url: 'https://proxy.corp', variable: 'HTTPS_PROXY' });
  });

  test.each([
    { value: 'proxy.corp:3128', url: 'http://proxy.corp:3128', unusable: null },
    { value: 'proxy.corp', url: 'http://proxy.corp', unusable: null },
    { value: 'socks5://u:canary@proxy.corp:1080', url: '', unusable: 'a socks5 proxy' },
    { value: 'http://u:canary@', url: '', unusable: 'a value that is not a proxy URL' },
  ])('accepts or rejects the URL $value', ({ value, url, unusable }) => {
    expect(proxiesIn({ ALL_PROXY: value })(new URL('https://a.example/'))).toMatchObject({ facts: { url }, unusable });
  });
});

let secure: FaultHost;
let plain: FaultHost;
let proxy: FaultProxy;
let otherProxy: FaultProxy | null = null;
beforeAll(async () => {
  secure = await openFaultHost({ tls: certificates().get('good') });
  plain = await openFaultHost();
  proxy = await openFaultProxy({ to: '127.0.0.1' });
  for (const host of [secure, plain]) host.on('/x', answer({ body: 'hello' }));
});
afterAll(() => Promise.all([secure.close(), plain.close(), proxy.close(), otherProxy?.close()]));
beforeEach(() => {
  for (const list of [secure.requests, plain.requests, proxy.requests, proxy.headers]) list.length = 0;
  proxy.refuse = null;
});

async function probe(url: string, env: NodeJS.ProcessEnv, options: HttpOptions = {}): Promise<Probe> {
  const http = openHttpClient({
    proxyFor: proxiesIn(env),
    ca: certificates().ca,
    backoff: () => 1,
    connectTimeout: 1500,
    ...options,
  });
  const seen = await http.probe({ method: 'GET', url, origin: null, accept: '*/*', total: 20_000 });
  await http.close();
  return seen;
}

const failingLookup: HttpOptions['lookup'] = (name) => {
  throw new Error(`looked up ${name}`);
};

describe('a request over a proxy', () => {
  test('uses a tunnel for https, and the client does not resolve the name', async () => {
    const seen = await probe(
      `https://localhost:${secure.port}/x`,
      { HTTPS_PROXY: proxy.url },
      { lookup: failingLookup },
    );
    expect(seen.failure).toBeNull();
    expect(seen.hops).toMatchObject([
      {
        status: 200,
        address: null,
        proxy: { url: proxy.url, variable: 'HTTPS_PROXY' },
        tls: { subject: 'CN=localhost', names: ['localhost', '127.0.0.1'] },
      },
    ]);
    expect(proxy.requests).toEqual([`CONNECT localhost:${secure.port}`]);
    expect(secure.requests).toMatchObject([{ path: '/x', headers: { host: `localhost:${secure.port}` } }]);
  });

  test('uses the absolute URL for http', async () => {
    const seen = await probe(`http://reg.test:${plain.port}/x?a=1`, { HTTP_PROXY: proxy.url });
    expect(seen.failure).toBeNull();
    expect(seen.hops).toMatchObject([{ status: 200, address: null, proxy: { variable: 'HTTP_PROXY' } }]);
    expect(proxy.requests).toEqual([`GET http://reg.test:${plain.port}/x?a=1`]);
    expect(plain.requests).toMatchObject([{ path: '/x?a=1', headers: { host: `reg.test:${plain.port}` } }]);
  });

  test('may reach the proxy over TLS', async () => {
    otherProxy = await openFaultProxy({ to: '127.0.0.1', tls: certificates().get('good') });
    const env = { ALL_PROXY: otherProxy.url };
    expect((await probe(`https://localhost:${secure.port}/x`, env)).failure).toBeNull();
    expect((await probe(`http://reg.test:${plain.port}/x`, env)).failure).toBeNull();
    expect(otherProxy.requests).toHaveLength(2);
    expect((await probe(`https://localhost:${secure.port}/x`, env, { ca: null })).failure).toMatchObject({
      phase: 'proxy',
      code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
    });
  });

  test('sends credentials only to the host or proxy that they belong to', async () => {
    const env = { HTTPS_PROXY: proxy.url.replace('//', '//me:canary-1@'), HTTP_PROXY: proxy.url };
    const headers = [['Authorization', 'Bearer canary-2']] as const;
    const secrets = { origin: `https://localhost:${secure.port}`, headers };
    const seen = await probe(`https://localhost:${secure.port}/x`, env, { secrets });
    expect(secure.requests[0]!.headers).toMatchObject({ authorization: 'Bearer canary-2' });
    expect(secure.requests[0]!.headers).not.toHaveProperty('proxy-authorization');
    expect(proxy.headers[0]).toMatchObject({
      'proxy-authorization': `Basic ${Buffer.from('me:canary-1').toString('base64')}`,
    });
    expect(proxy.headers[0]).not.toHaveProperty('authorization');
    expect(JSON.stringify(seen)).not.toMatch(/canary/);
  });

  test('reports an untrusted certificate as a TLS failure', async () => {
    const seen = await probe(`https://localhost:${secure.port}/x`, { HTTPS_PROXY: proxy.url }, { ca: null });
    expect(seen.failure).toMatchObject({ phase: 'tls', code: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' });
    expect(seen.hops).toMatchObject([{ proxy: { url: proxy.url }, tls: { issuer: 'CN=Test Intermediate' } }]);
  });
});

describe('a proxy failure', () => {
  test.each<{ name: string; status: number; code: string; attempts: number }>([
    { name: 'requires authentication', status: 407, code: 'PROXY_407', attempts: 1 },
    { name: 'refuses the host', status: 403, code: 'PROXY_403', attempts: 1 },
    { name: 'cannot reach it', status: 502, code: 'PROXY_502', attempts: 3 },
    { name: 'closes the connection', status: 0, code: 'ECONNRESET', attempts: 3 },
    { name: 'does not respond', status: -1, code: 'CONNECT_TIMEOUT', attempts: 1 },
  ])('is reported if the proxy $name', async ({ status, code, attempts }) => {
    proxy.refuse = status;
    const env = { HTTPS_PROXY: proxy.url };
    const seen = await probe(`https://localhost:${secure.port}/x`, env, { connectTimeout: 1000 });
    expect(seen).toMatchObject({ failure: { phase: 'proxy', code }, attempts });
    expect(seen.hops).toMatchObject([{ status: 0, proxy: { url: proxy.url, variable: 'HTTPS_PROXY' } }]);
    expect(secure.requests).toEqual([]);
  });

  test('is reported for an http host if the proxy requires authentication', async () => {
    proxy.refuse = 407;
    const seen = await probe(`http://reg.test:${plain.port}/x`, { HTTP_PROXY: proxy.url });
    expect(seen.failure).toMatchObject({ phase: 'proxy', code: 'PROXY_407' });
  });

  test.each<{ name: string; url: () => string; code: unknown }>([
    { name: 'is not there', url: () => 'http://127.0.0.1:1', code: 'ECONNREFUSED' },
    { name: 'has an unknown name', url: () => 'http://proxy.invalid:3128', code: 'ENOTFOUND' },
    { name: 'is of another kind', url: () => 'socks5://127.0.0.1:1', code: 'PROXY_UNUSABLE' },
    {
      name: 'is not one',
      url: () => `http://127.0.0.1:${secure.port}`,
      code: expect.stringMatching(/SOCKET_CLOSED|ECONNRESET|PROXY_NOT_HTTP/),
    },
  ])('is reported if the proxy $name', async ({ url, code }) => {
    const seen = await probe('https://reg.test/x', { HTTPS_PROXY: url() });
    expect(seen.failure).toMatchObject({ phase: 'proxy', code });
  });
});
