import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { proxiesIn } from '../../src/observe/http-proxy.ts';
import { certificates } from '../support/fault-certificates.ts';
import { type FaultHost, openFaultHost } from '../support/fault-host.ts';
import { type FaultProxy, openFaultProxy } from '../support/fault-proxy.ts';
import { faults, type Live, putRegistry, verified } from '../support/live-registry.ts';

/** What lies between the visitor and the host, and its verdicts. */

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
  proxy.asked.length = 0;
  proxy.refuse = null;
});

const login = (): string => proxy.url.replace('//', '//me:canary@');
const over = (HTTPS_PROXY: string): object => ({ proxyFor: proxiesIn({ HTTPS_PROXY }) });

describe('proxies', () => {
  test('a registry without a fault has none over a proxy, and few tunnels carry all of it', async () => {
    const { report } = await verified(live.url, over(login()));
    expect(report.findings.filter((f) => f.severity !== 'note')).toEqual([]);
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT 127.0.0.1:${host.port}`]));
    expect(proxy.asked.length).toBeLessThan(host.requests.length);
  });

  test.each<[string, () => string, number | null, string, string]>([
    ['wants a login', () => proxy.url, null, 'proxy-authentication', 'password in front of the host in HTTPS_PROXY'],
    [
      'wants another login',
      () => proxy.url.replace('//', '//me:canary2@'),
      null,
      'proxy-authentication',
      'HTTPS_PROXY',
    ],
    ['refuses the host', login, 403, 'proxy-refused-host', 'NO_PROXY'],
    ['cannot reach the host', login, 503, 'proxy-no-way', 'the proxy’s log'],
    ['closes the connection', login, 0, 'proxy-reset', 'HTTPS_PROXY'],
    ['is silent', login, -1, 'proxy-timeout', 'HTTPS_PROXY'],
    ['is not there', () => 'http://me:canary@127.0.0.1:1', null, 'proxy-refused', 'Correct HTTPS_PROXY'],
    ['has no address', () => 'http://me:canary@proxy.invalid', null, 'proxy-not-found', 'Correct HTTPS_PROXY'],
    ['speaks SOCKS', () => 'socks5://me:canary@127.0.0.1:1', null, 'proxy-unusable', 'unset it'],
    ['is a web server', () => `http://me:canary@127.0.0.1:${host.port}`, null, 'proxy-reset', 'HTTPS_PROXY'],
  ])('a proxy that %s', async (_, url, refuse, cause, advice) => {
    proxy.refuse = refuse;
    const target = live.url.replace('127.0.0.1', 'reg.test');
    // A name of this machine alone would be asked without a proxy that seems to be elsewhere.
    const { report } = await verified(/invalid|socks/.test(url()) ? target : live.url, {
      ...over(url()),
      connectTimeout: 200,
    });
    expect(faults(report)).toEqual([`error unreachable ${cause} (manifest)`]);
    const [found] = report.findings;
    expect(found!.advice).toContain(advice);
    expect(found!.evidence).toMatchObject({ phase: 'proxy', proxy: expect.stringContaining('HTTPS_PROXY') });
    expect(JSON.stringify(report)).not.toContain('canary');
  });

  test('a certificate that nobody knows may be the proxy’s own', async () => {
    const { report } = await verified(live.url, { ...over(login()), ca: null });
    expect(faults(report)).toEqual(['error tls-untrusted unknown-issuer (manifest)']);
    expect(report.findings[0]!.advice).toContain(`over the proxy ${proxy.url} (HTTPS_PROXY)`);
    expect(report.findings[0]!.evidence).toMatchObject({ proxy: `${proxy.url} (HTTPS_PROXY)` });
  });
});
