import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Probe } from '../../../src/core/facts/facts.ts';
import { type HttpOptions, openHttpClient } from '../../../src/observe/http/client.ts';
import { proxiesIn } from '../../../src/observe/http/proxy.ts';
import { certificates } from '../../support/fault-certificates.ts';
import { answer, type FaultHost, openFaultHost } from '../../support/fault-host.ts';
import { type FaultProxy, openFaultProxy } from '../../support/fault-proxy.ts';

describe('the choice of the proxy', () => {
  const P = 'http://proxy.corp:3128';
  test.each<[string, NodeJS.ProcessEnv, string, string | null]>([
    ['none', {}, 'https://a.example/', null],
    ['https', { HTTPS_PROXY: P }, 'https://a.example/', 'HTTPS_PROXY'],
    ['that of https is not for http', { HTTPS_PROXY: P }, 'http://a.example/', null],
    ['http', { HTTP_PROXY: P }, 'http://a.example/', 'HTTP_PROXY'],
    ['that of http is not for https', { http_proxy: P }, 'https://a.example/', null],
    ['lower case goes first', { https_proxy: P, HTTPS_PROXY: 'http://x' }, 'https://a.example/', 'https_proxy'],
    ['an empty one is none', { https_proxy: '', HTTPS_PROXY: '' }, 'https://a.example/', null],
    ['all', { ALL_PROXY: P }, 'http://a.example/', 'ALL_PROXY'],
    ['its own before all', { all_proxy: 'http://x', https_proxy: P }, 'https://a.example/', 'https_proxy'],
    ['this machine is not another proxy’s', { http_proxy: P }, 'http://localhost:8080/', null],
    ['nor are its addresses', { http_proxy: P }, 'http://127.0.0.1:8080/', null],
    ['nor those of IPv6', { http_proxy: P }, 'http://[::1]:8080/', null],
    ['but of one that runs here', { http_proxy: 'http://127.0.0.1:1' }, 'http://localhost:8080/', 'http_proxy'],
  ])('depends on the variables: %s', (_, env, url, variable) => {
    expect(proxiesIn(env)(new URL(url))?.facts.variable ?? null).toBe(variable);
  });

  test.each<[string, string, boolean]>([
    ['*', 'https://a.example/', true],
    ['a.example', 'https://a.example/', true],
    ['A.Example', 'https://a.example/', true],
    ['example', 'https://a.example/', true],
    ['.example', 'https://a.example/', true],
    ['.a.example', 'https://a.example/', true],
    ['*.example', 'https://a.example/', true],
    ['a.example.', 'https://a.example/', true],
    ['a.example', 'https://a.example./', true],
    ['b.example, a.example', 'https://a.example/', true],
    ['b.example a.example', 'https://a.example/', true],
    ['ample', 'https://a.example/', false],
    ['b.a.example', 'https://a.example/', false],
    ['a.example:443', 'https://a.example/', true],
    ['a.example:8443', 'https://a.example/', false],
    ['a.example:8443', 'https://a.example:8443/', true],
    ['10.0.0.0/8', 'https://10.1.2.3/', true],
    ['10.0.0.0/8', 'https://11.1.2.3/', false],
    ['10.1.2.3', 'https://10.1.2.3/', true],
    ['1.2.3', 'https://10.1.2.3/', false],
    ['fd00::/8', 'https://[fd12::1]/', true],
    ['[fd12::1]:443', 'https://[fd12::1]/', true],
    ['fd12:0::1', 'https://[fd12::1]/', true],
    ['10.0.0.0/99', 'https://10.1.2.3/', false],
    ['', 'https://a.example/', false],
  ])('depends on NO_PROXY: NO_PROXY=%s, %s', (list, url, direct) => {
    expect(proxiesIn({ HTTPS_PROXY: P, NO_PROXY: list })(new URL(url)) === null).toBe(direct);
  });

  test('decodes credentials for the proxy and removes them from the facts', () => {
    const proxy = proxiesIn({ HTTPS_PROXY: 'https://us%40r:p%3Aw@proxy.corp' })(new URL('https://a.example/'))!;
    expect(proxy).toMatchObject({ secure: true, host: 'proxy.corp', port: 443 });
    expect(Buffer.from(proxy.authorization!.slice(6), 'base64').toString()).toBe('us@r:p:w');
    expect(proxy.facts).toEqual({ url: 'https://proxy.corp', variable: 'HTTPS_PROXY' });
  });

  test.each([
    ['proxy.corp:3128', 'http://proxy.corp:3128', null],
    ['proxy.corp', 'http://proxy.corp', null],
    ['socks5://u:canary@proxy.corp:1080', '', 'a socks5 proxy'],
    ['http://u:canary@', '', 'a value that is not a proxy URL'],
  ])('accepts or rejects the URL %s', (value, url, unusable) => {
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
  const seen = await http.probe({ method: 'GET', url, origin: null, accept: '*/*', total: 5000 });
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
  test.each<[string, number, string, number]>([
    ['requires authentication', 407, 'PROXY_407', 1],
    ['refuses the host', 403, 'PROXY_403', 1],
    ['cannot reach it', 502, 'PROXY_502', 3],
    ['closes the connection', 0, 'ECONNRESET', 3],
    ['does not respond', -1, 'CONNECT_TIMEOUT', 1],
  ])('is reported if the proxy %s', async (_, status, code, attempts) => {
    proxy.refuse = status;
    const env = { HTTPS_PROXY: proxy.url };
    const seen = await probe(`https://localhost:${secure.port}/x`, env, { connectTimeout: 150 });
    expect(seen).toMatchObject({ failure: { phase: 'proxy', code }, attempts });
    expect(seen.hops).toMatchObject([{ status: 0, proxy: { url: proxy.url, variable: 'HTTPS_PROXY' } }]);
    expect(secure.requests).toEqual([]);
  });

  test('is reported for an http host if the proxy requires authentication', async () => {
    proxy.refuse = 407;
    const seen = await probe(`http://reg.test:${plain.port}/x`, { HTTP_PROXY: proxy.url });
    expect(seen.failure).toMatchObject({ phase: 'proxy', code: 'PROXY_407' });
  });

  test.each<[string, () => string, unknown]>([
    ['is not there', () => 'http://127.0.0.1:1', 'ECONNREFUSED'],
    ['has an unknown name', () => 'http://proxy.invalid:3128', 'ENOTFOUND'],
    ['is of another kind', () => 'socks5://127.0.0.1:1', 'PROXY_UNUSABLE'],
    [
      'is not one',
      () => `http://127.0.0.1:${secure.port}`,
      expect.stringMatching(/SOCKET_CLOSED|ECONNRESET|PROXY_NOT_HTTP/),
    ],
  ])('is reported if the proxy %s', async (_, url, code) => {
    const seen = await probe('https://reg.test/x', { HTTPS_PROXY: url() });
    expect(seen.failure).toMatchObject({ phase: 'proxy', code });
  });
});
