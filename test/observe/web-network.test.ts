import { createServer } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { isMissing, type HttpViews } from '../../src/core/facts/facts.ts';
import { proxiesIn } from '../../src/observe/http/proxy.ts';
import { certificates } from '../support/fault-certificates.ts';
import {
  answer,
  type Behaviour,
  byMethod,
  cutShort,
  delayed,
  type FaultHost,
  json,
  openFaultHost,
  silent,
} from '../support/fault-host.ts';
import { type FaultProxy, openFaultProxy } from '../support/fault-proxy.ts';
import { faults, type Live, putRegistry, verified } from '../support/live-registry.ts';

/** Findings about proxies, slow hosts, protocols and addresses. */

let host: FaultHost;
let proxy: FaultProxy;
let live: Live;
beforeAll(async () => {
  host = await openFaultHost({ tls: certificates().get('good') });
  proxy = await openFaultProxy({ to: '127.0.0.1', login: 'me:canary' });
});
afterAll(() => Promise.all([host.close(), proxy.close()]));
beforeEach(() => {
  live = putRegistry(host);
  proxy.requests.length = 0;
  proxy.refuse = null;
});

const login = (): string => proxy.url.replace('//', '//me:canary@');
const throughProxy = (HTTPS_PROXY: string): object => ({ proxyFor: proxiesIn({ HTTPS_PROXY }) });

const manifest = (): object => ({
  apps: {
    'app-a': {
      name: 'App A',
      description: 'Does a thing.',
      blockStyle: { iconUrl: `${host.origin}/a.svg`, color: '#336699' },
      appMetadataUrl: `${host.origin}/a.json`,
    },
  },
});

describe('an http URL whose server expects TLS', () => {
  test('is named, with the URL to use', async () => {
    const url = live.url.replace('https:', 'http:');
    const { report } = await verified(url);
    const found = report.findings.find(({ rule }) => rule === 'unreachable');
    expect(found).toMatchObject({ cause: 'expects-tls', advice: expect.stringContaining(`Use https: ${live.url}`) });
    expect(found?.evidence['attempts']).toBe(1);
  });

  test('is named by its alert', async () => {
    const alert = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.end(Buffer.from('15030100020246', 'hex')));
    });
    onTestFinished(() => void alert.close());
    await new Promise<void>((resolve) => alert.listen(0, '127.0.0.1', resolve));
    const { port } = alert.address() as AddressInfo;
    const { report } = await verified(`http://127.0.0.1:${port}/registry.json`);
    expect(report.findings.map(({ cause }) => cause)).toContain('expects-tls');
  });

  test('is not suspected of a server that closes every connection', async () => {
    const closing = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => socket.destroy());
    });
    onTestFinished(() => void closing.close());
    await new Promise<void>((resolve) => closing.listen(0, '127.0.0.1', resolve));
    const { port } = closing.address() as AddressInfo;
    const { report } = await verified(`http://127.0.0.1:${port}/registry.json`);
    expect(report.findings.map(({ cause }) => cause)).toContain('reset');
  });
});

describe('a proxy', () => {
  test('carries all requests in a few tunnels without findings', async () => {
    const { report } = await verified(live.url, throughProxy(login()));
    expect(report.findings.filter((f) => f.severity !== 'note')).toEqual([]);
    expect(new Set(proxy.requests)).toEqual(new Set([`CONNECT 127.0.0.1:${host.port}`]));
    expect(proxy.requests.length).toBeLessThan(host.requests.length);
  });

  test.each<{ name: string; url: () => string; refuse: number | null; cause: string; advice: string }>([
    {
      name: 'requires authentication',
      url: () => proxy.url,
      refuse: null,
      cause: 'proxy-authentication',
      advice: 'password before the host in HTTPS_PROXY',
    },
    {
      name: 'requires other credentials',
      url: () => proxy.url.replace('//', '//me:canary2@'),
      refuse: null,
      cause: 'proxy-authentication',
      advice: 'HTTPS_PROXY',
    },
    { name: 'refuses the host', url: login, refuse: 403, cause: 'proxy-refused-host', advice: 'NO_PROXY' },
    {
      name: 'cannot reach the host',
      url: login,
      refuse: 503,
      cause: 'proxy-cannot-reach-host',
      advice: 'the proxy’s log',
    },
    { name: 'closes the connection', url: login, refuse: 0, cause: 'proxy-reset', advice: 'HTTPS_PROXY' },
    { name: 'does not respond', url: login, refuse: -1, cause: 'proxy-timeout', advice: 'HTTPS_PROXY' },
    {
      name: 'is not there',
      url: () => 'http://me:canary@127.0.0.1:1',
      refuse: null,
      cause: 'proxy-refused',
      advice: 'Correct HTTPS_PROXY',
    },
    {
      name: 'has no address',
      url: () => 'http://me:canary@proxy.invalid',
      refuse: null,
      cause: 'proxy-not-found',
      advice: 'Correct HTTPS_PROXY',
    },
    {
      name: 'uses SOCKS',
      url: () => 'socks5://me:canary@127.0.0.1:1',
      refuse: null,
      cause: 'proxy-unusable',
      advice: 'unset it',
    },
    {
      name: 'is a web server',
      url: () => `http://me:canary@127.0.0.1:${host.port}`,
      refuse: null,
      cause: 'proxy-reset',
      advice: 'HTTPS_PROXY',
    },
  ])('that $name is one error about the manifest', async ({ url, refuse, cause, advice }) => {
    proxy.refuse = refuse;
    const target = live.url.replace('127.0.0.1', 'reg.test');
    // A name of this machine alone would be requested without a proxy that seems to be elsewhere.
    const { report } = await verified(/invalid|socks/.test(url()) ? target : live.url, {
      ...throughProxy(url()),
      connectTimeout: 1500,
    });
    expect(faults(report)).toEqual([`error unreachable ${cause} (manifest)`]);
    const [found] = report.findings;
    expect(found!.advice).toContain(advice);
    expect(found!.evidence).toMatchObject({ phase: 'proxy', proxy: expect.stringContaining('HTTPS_PROXY') });
    expect(JSON.stringify(report)).not.toContain('canary');
  });

  test('is mentioned in the error about an unknown authority', async () => {
    const { report } = await verified(live.url, { ...throughProxy(login()), ca: null });
    expect(faults(report)).toEqual(['error tls-untrusted unknown-issuer (manifest)']);
    expect(report.findings[0]!.advice).toContain(`through the proxy ${proxy.url} (HTTPS_PROXY)`);
    expect(report.findings[0]!.evidence).toMatchObject({ proxy: `${proxy.url} (HTTPS_PROXY)` });
  });
});

const reasons = (report: { notJudged: { reason: string }[] }): Set<string> =>
  new Set(report.notJudged.map(({ reason }) => reason.replace(/\d+ (requests|times)/, 'n $1')));

describe('a host with many files', () => {
  const APPS = 90;
  let many: FaultHost;
  beforeAll(async () => {
    many = await openFaultHost();
  });
  afterAll(() => many.close());
  beforeEach(() => {
    many.requests.length = 0;
    many.peak = 0;
  });

  /** A registry of many apps without versions; `metadata` is how their files are served. */
  function list(metadata: Behaviour): string {
    const apps: Record<string, object> = {};
    for (let i = 0; i < APPS; i += 1) {
      const appMetadataUrl = many.on(`/${i}.json`, metadata);
      const blockStyle = { iconUrl: `${many.origin}/gone.svg`, color: '#336699' };
      apps[`app-${i}`] = { name: `App ${i}`, description: 'x', blockStyle, appMetadataUrl };
    }
    return many.on('/registry.json', json({ apps }));
  }
  const fine = json({ versions: [] });
  const requested = (method: string): number =>
    many.requests.filter((one) => one.method === method && /\/\d+\.json/.test(one.path)).length;
  const some = { concurrency: 4, headersTimeout: 800 };
  const name = (): string => new URL(many.origin).host;

  test.each([
    ['HEAD', byMethod({ GET: fine, HEAD: silent(), OPTIONS: fine })],
    ['OPTIONS', byMethod({ GET: fine, OPTIONS: silent() })],
  ])('gets few more %s requests after timeouts', async (method, metadata) => {
    const { report, interrupted, apps } = await verified(list(metadata), some);
    expect(interrupted).toBe(false);
    expect(requested('GET')).toBeGreaterThanOrEqual(APPS);
    expect(requested(method)).toBeLessThan(12);
    const views = apps.map(({ metadata }) => metadata.web as HttpViews);
    const probes = views.map(({ head, preflight }) => (method === 'HEAD' ? head : preflight));
    expect(probes.filter(isMissing).length).toBeGreaterThan(40);
    expect(faults(report).filter((line) => /head-refused|cors-preflight-refused/.test(line))).toEqual([
      method === 'HEAD'
        ? 'warning head-refused failed (metadata)'
        : 'warning cors-preflight-refused no-answer (metadata)',
    ]);
  });

  test('gets few more GET requests with Origin after timeouts', async () => {
    const metadata = byMethod({
      GET: (request, socket) => (request.headers['origin'] === undefined ? fine : silent())(request, socket),
    });
    const { report } = await verified(list(metadata), some);
    expect(many.requests.filter((one) => one.headers['origin'] && one.method === 'GET').length).toBeLessThan(20);
    expect(faults(report).filter((line) => line.includes('cors-origin-refused no-answer'))).not.toEqual([]);
  });

  test('gets few more GET requests if it never responds', async () => {
    const { report } = await verified(list(silent()), some);
    expect(requested('GET')).toBeLessThan(16);
    expect(faults(report).filter((line) => line.includes('unreachable no-answer')).length).toBeGreaterThan(0);
    expect([...reasons(report)]).toContain(
      `${name()} did not respond completely to n requests (GET) in time; no more requests were sent`,
    );
    expect(report.apps.map(({ visible }) => visible)).toContain(null);
  });

  test('gets no further requests after many 429 responses, and the other files are not judged', async () => {
    const { report } = await verified(list(answer({ status: 429 })), some);
    expect(many.requests.filter((one) => one.path.endsWith('.json')).length).toBeLessThan(APPS + 20);
    expect(faults(report).filter((line) => line.includes('unreachable rate-limited'))).not.toEqual([]);
    expect([...reasons(report)]).toContain(
      `${name()} still refused requests (429 or 503) after a wait without other requests; no more requests were sent`,
    );
  });

  test('gets all requests if one file in twenty is slow', async () => {
    let turn = 0;
    const metadata = byMethod({
      GET: (request, socket) => (turn++ % 20 === 0 ? silent() : fine)(request, socket),
    });
    const { report } = await verified(list(metadata), some);
    expect([...reasons(report)].filter((reason) => reason.includes('no more requests were sent'))).toEqual([]);
  });

  test('gets no more parallel requests than allowed over all hosts', async () => {
    const hosts = await Promise.all(Array.from({ length: 8 }, () => openFaultHost()));
    const counted = { now: 0, peak: 0 };
    const held: Behaviour = async (request, socket) => {
      counted.peak = Math.max(counted.peak, ++counted.now);
      await delayed(20, fine)(request, socket);
      counted.now -= 1;
    };
    const apps: Record<string, object> = {};
    for (let i = 0; i < 200; i += 1) {
      const appMetadataUrl = hosts[i % 8]!.on(`/${i}.json`, held);
      apps[`app-${i}`] = { name: `App ${i}`, description: 'x', blockStyle: {}, appMetadataUrl };
    }
    await verified(many.on('/registry.json', json({ apps })), { concurrency: 64, headersTimeout: 5000 });
    await Promise.all(hosts.map((one) => one.close()));
    expect(counted.peak).toBeGreaterThan(32);
    expect(counted.peak).toBeLessThanOrEqual(128);
  });
});

const served = (status: string, headers = '') => `HTTP/1.1 ${status}\r\n${headers}\r\n`;
/** Sends the given bytes before the response. */
const firstThen =
  (first: string, behaviour: Behaviour): Behaviour =>
  (request, socket) => {
    socket.write(first);
    return behaviour(request, socket);
  };

describe('protocols', () => {
  test.each([
    ['100 Continue', ['warning unsolicited-continue (manifest)']],
    ['102 Processing', []],
    ['103 Early Hints', []],
  ])('%s is accepted before every response', async (status, expected) => {
    const first = served(status, status.startsWith('103') ? 'Link: </x>; rel=preload\r\n' : '');
    const good = json({ versions: live.versions });
    live.serve('registry.json', firstThen(first, json(manifest())));
    live.serve('a.json', firstThen(first, good));
    const { report } = await verified(live.url);
    expect(faults(report)).toEqual(expected);
  });

  test('100 Continue before a truncated body is a truncated response', async () => {
    live.serve('2.tar.gz', firstThen(served('100 Continue'), cutShort(5000, 'x')));
    const { report } = await verified(live.url);
    expect(faults(report)).toContain('error unreachable truncated (artifact 2.0.0)');
  });

  test('100 Continue without a response is a timeout', async () => {
    live.serve('a.json', firstThen(served('100 Continue'), silent()));
    const { report } = await verified(live.url);
    expect(faults(report)).toEqual(['error unreachable no-answer (metadata)']);
  });

  test('101 Switching Protocols is not HTTP', async () => {
    live.serve(
      'a.json',
      firstThen(served('101 Switching Protocols', 'Upgrade: websocket\r\nConnection: Upgrade\r\n'), silent()),
    );
    const { report } = await verified(live.url);
    expect(faults(report)).toEqual(['error unreachable not-http (metadata)']);
  });

  test.each(['TLSv1.2', 'TLSv1.3'] as const)('a required client certificate is reported in %s', async (version) => {
    const strict = await openFaultHost({
      tls: {
        ...certificates().get('good'),
        requestCert: true,
        rejectUnauthorized: true,
        minVersion: version,
        maxVersion: version,
      },
    });
    const { report } = await verified(putRegistry(strict).url);
    await strict.close();
    expect(faults(report)).toEqual(['error tls-untrusted client-certificate-required (manifest)']);
  });

  test('HTTP/2 without TLS is reported', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { report } = await verified(`http://127.0.0.1:${port}/registry.json`);
    server.close();
    expect(faults(report)).toContain('error unreachable http2-only (manifest)');
  });

  test('HTTP/2 without ALPN is reported', async () => {
    const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);
    const strange = await openFaultHost({
      tls: certificates().get('good'),
      onConnection: (socket) => void socket.on('error', () => {}).write(settings),
    });
    const { report } = await verified(`${strange.origin}/registry.json`);
    await strange.close();
    expect(faults(report)).toEqual(['error unreachable http2-only (manifest)']);
  });
});

/** What the name resolves to. */
const resolving = (...addresses: string[]): object => ({
  lookup: (_: string, __: object, callback: (error: null, all: object[]) => void) =>
    callback(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    ),
});
const plain = async (options: object): Promise<string[]> => {
  const simple = await openFaultHost();
  const { port } = simple;
  const origin = `http://reg.test:${port}`;
  simple.on('/registry.json', json({ apps: {} }));
  const { report } = await verified(`${origin}/registry.json`, options);
  await simple.close();
  return faults(report).filter((line) => !line.includes('url-insecure'));
};

describe('a name with several addresses', () => {
  test.each<{ name: string; addresses: string[]; expected: string[] }>([
    { name: 'both answer', addresses: ['127.0.0.1', '127.0.0.1'], expected: [] },
    {
      name: 'a dead A record, behind one that answers',
      addresses: ['127.0.0.1', '127.0.0.2'],
      expected: ['warning host-intermittent address-dead (manifest)'],
    },
    {
      name: 'a dead AAAA record',
      addresses: ['::1', '127.0.0.1'],
      expected: ['warning host-intermittent address-dead (manifest)'],
    },
    {
      name: 'a dead A record',
      addresses: ['127.0.0.2', '127.0.0.1'],
      expected: ['warning host-intermittent address-dead (manifest)'],
    },
    { name: 'none answers', addresses: ['::1', '127.0.0.2'], expected: ['error unreachable refused (manifest)'] },
  ])('is judged by the responses of all addresses: $name', async ({ addresses, expected }) => {
    expect((await plain(resolving(...addresses))).filter((line) => !line.includes('no-apps'))).toEqual(expected);
  });
});
