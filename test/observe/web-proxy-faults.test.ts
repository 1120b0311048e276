import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ownerOf } from '../../src/core/rules/lookup.ts';
import { proxiesIn } from '../../src/observe/http/proxy.ts';
import { certificates } from '../support/fault-certificates.ts';
import { type FaultHost, openFaultHost } from '../support/fault-host.ts';
import { type FaultProxyOptions, openFaultProxy } from '../support/fault-proxy.ts';
import { faults, type Live, putRegistry, verified } from '../support/live-registry.ts';

/** Faults of the user’s own proxy are said of the proxy, and not of the host, the author or the network. */

let host: FaultHost;
let live: Live;
beforeAll(async () => {
  host = await openFaultHost({ tls: certificates().get('good') });
});
afterAll(() => host.close());
beforeEach(() => void (live = putRegistry(host)));

/** Verifies the registry through a proxy, and expects one error about it. */
async function expectFault(proxy: string, expected: string, words: RegExp): Promise<void> {
  const { report } = await verified(live.url, { proxyFor: proxiesIn({ HTTPS_PROXY: proxy }), connectTimeout: 1500 });
  expect(faults(report)).toEqual([`error ${expected} (manifest)`]);
  const [found] = report.findings.filter(({ severity }) => severity === 'error');
  expect(ownerOf(found!)).toBe('user');
  expect(found!.message).toContain(`the proxy ${proxy} (HTTPS_PROXY)`);
  expect(`${found!.message} ${found!.advice}`).toMatch(words);
}

async function openProxy(options: Omit<FaultProxyOptions, 'to'>): Promise<string> {
  const proxy = await openFaultProxy({ to: '127.0.0.1', ...options });
  onTestFinished(() => proxy.close());
  return proxy.url;
}

/** A server that does the same with each connection. */
async function openServer(serve: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}

// A handshake_failure alert (RFC 8446, section 6.2).
const ALERT = Buffer.from([21, 3, 3, 0, 2, 2, 40]);
const TUNNEL = 'HTTP/1.1 200 Connection established\r\n\r\n';
const PAGE = '<!doctype html><title>Sign in</title>';

/** A proxy whose tunnel leads nowhere. @param respond to the first bytes in the tunnel */
function openInterceptor(respond: (socket: Socket) => void): Promise<number> {
  return openServer((socket) =>
    socket.once('data', () => {
      socket.write(TUNNEL);
      socket.once('data', () => respond(socket));
    }),
  );
}

describe('a proxy over TLS', () => {
  test.each([
    ['with a wrong name', 'wrong-host', /another name/],
    ['with an expired certificate', 'expired', /clock of this machine/],
  ] as const)('%s', async (_, kind, words) => {
    await expectFault(await openProxy({ tls: certificates().get(kind) }), 'unreachable proxy-untrusted', words);
  });

  test('with TLS 1.0 alone', async () => {
    const tls = { ...certificates().get('good'), minVersion: 'TLSv1', maxVersion: 'TLSv1' } as const;
    const url = await openProxy({ tls: { ...tls, ciphers: 'DEFAULT@SECLEVEL=0' } });
    await expectFault(url, 'unreachable proxy-handshake', /TLS 1\.2/);
  });

  test('that sends an alert', async () => {
    const port = await openServer((socket) => void socket.once('data', () => socket.end(ALERT)));
    await expectFault(`https://127.0.0.1:${port}`, 'unreachable proxy-handshake', /handshake/);
  });

  test('that is silent', async () => {
    const port = await openServer(() => {});
    await expectFault(`https://127.0.0.1:${port}`, 'unreachable proxy-timeout', /timed out/);
  });
});

describe('a proxy that sends instead of a tunnel', () => {
  test.each<[string, string]>([
    [
      'a page with a length',
      `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${PAGE.length}\r\n\r\n${PAGE}`,
    ],
    ['a page without a type', `${TUNNEL}${PAGE}`],
  ])('%s', async (_, response) => {
    const port = await openServer((socket) => void socket.once('data', () => socket.write(response)));
    await expectFault(`http://127.0.0.1:${port}`, 'unreachable proxy-page', /Sign in/);
  });
});

describe('a proxy that intercepts the tunnel', () => {
  test.each<[string, (socket: Socket) => void, string]>([
    ['with silence', () => {}, 'tls-timeout'],
    ['with an alert', (socket) => socket.end(ALERT), 'tls-failed'],
    ['with a page', (socket) => socket.write(PAGE), 'not-tls'],
    ['with the end of the connection', (socket) => socket.destroy(), 'tls-reset'],
  ])('%s', async (_, respond, cause) => {
    await expectFault(`http://127.0.0.1:${await openInterceptor(respond)}`, `unreachable ${cause}`, /NO_PROXY/);
  });

  test.each([
    ['with a certificate for another name', 'wrong-host'],
    ['with an expired certificate', 'expired'],
  ] as const)('%s', async (_, kind) => {
    const inner = await openFaultHost({ tls: certificates().get(kind) });
    onTestFinished(() => inner.close());
    live = putRegistry(inner);
    await expectFault(await openProxy({}), `tls-untrusted ${kind}`, /correct the proxy/);
  });
});
