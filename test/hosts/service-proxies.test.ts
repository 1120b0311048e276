// Scenario: a service runs behind each proxy in turn.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  CADDY,
  HEADER_TIME,
  HOST,
  NGINX,
  OUTER_PROXY,
  type ProxiedService,
  type ProxyKind,
  SIGN_UPS,
  startBehind,
} from './proxied-service.ts';

/** deploy/proxy/Caddyfile and nginx.conf in the real programs, in front of a real service: attacks of strangers. */

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const PROXIES: [name: string, kind: ProxyKind, version: string][] = [
  ['Caddy', CADDY, 'version'],
  ['nginx', NGINX, '-v'],
];
const HALF_OPEN = 1500;
/** The first bytes of requests. */
const HALF_HEADERS = `GET /sign-in HTTP/1.1\r\nHost: ${HOST}\r\nX-Slow: `;
const HALF_BODY = `POST /api/organizations HTTP/1.1\r\nHost: ${HOST}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`;

function withBody(length: number): string {
  const head = `POST /api/organizations HTTP/1.1\r\nHost: ${HOST}\r\nContent-Type: application/json\r\n`;
  return `${head}Content-Length: ${length}\r\n\r\n${'x'.repeat(length)}`;
}

describe.each(PROXIES)('%s', (_, kind, version) => {
  const missing = spawnSync(kind.program, [version]).status !== 0;
  test.runIf(missing && process.env['CI'])('is installed', () => {
    throw new Error(`Not run: there is no ${kind.program}`);
  });

  describe.skipIf(missing)('in front of the service', () => {
    let proxied: ProxiedService;
    beforeAll(async () => {
      proxied = await startBehind(kind);
    });
    afterAll(() => proxied.stop());

    const signUp = (from: string, forwarded?: string) => {
      const more = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
      const headers = { 'content-type': 'application/json', ...more };
      return proxied.send('/api/organizations', { method: 'POST', headers, body: '{"name":"Acme"}', from });
    };
    /** The number of requests in a row that were accepted. */
    async function accepted(number: number, from: string, forwardedOf: (i: number) => string | undefined) {
      const statuses: number[] = [];
      for (let i = 0; i < number; i += 1) statuses.push((await signUp(from, forwardedOf(i))).status);
      expect(statuses.filter((status) => status !== 201 && status !== 429)).toEqual([]);
      return statuses.filter((status) => status === 201).length;
    }

    test('passes requests, with https', async () => {
      const { status, headers } = await proxied.send('/sign-in');
      expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=UTF-8']);
      expect((await proxied.send('/api/openapi.json')).body).toContain(`https://${HOST}/`);
    });

    test.each(['/healthz', '/readyz', '/metrics'])('does not expose %s', async (path) => {
      expect((await proxied.send(path)).status).toBe(404);
    });

    test.each(['evil.example', '127.0.0.1', 'localhost', `${HOST}.evil.example`])(
      'does not show pages for the host %s',
      async (host) => {
        const remote = {
          from: OUTER_PROXY,
          headers: { host, 'x-forwarded-for': '198.51.100.7', 'x-forwarded-host': HOST },
        };
        const { body } = await proxied.send('/sign-in', remote);
        expect(body).not.toContain('<form');
        const api = await proxied.send('/api/openapi.json', remote);
        expect(api.body).not.toContain('"openapi"');
      },
    );

    test('refuses two Host headers', async () => {
      const text = await exchange(`GET /sign-in HTTP/1.1\r\nHost: ${HOST}\r\nHost: evil.example\r\n\r\n`);
      expect(text).toMatch(/^HTTP\/1\.1 400 /);
    });

    test('limits bodies and headers', async () => {
      const headers = { 'content-type': 'application/json' };
      const post = async (length: number) =>
        (await proxied.send('/api/organizations', { method: 'POST', headers, body: 'x'.repeat(length) })).status;
      expect(await post(10_000)).toBe(400);
      expect(await post(30_000)).toBe(413);
      // With 502, Caddy reports that it did not read all of the body.
      expect(await exchange(withBody(100_000))).toMatch(/^HTTP\/1\.1 (413|502) /);
      const long = `GET /sign-in HTTP/1.1\r\nHost: ${HOST}\r\nX-Long: ${'x'.repeat(200_000)}\r\n\r\n`;
      expect(await exchange(long)).toMatch(/^(HTTP\/1\.1 4(00|31) |$)/);
    });

    test('closes connections that send half of the headers', async () => {
      const socket = await proxied.open();
      socket.write(HALF_HEADERS);
      // A byte now and then does not extend the time.
      const timer = setInterval(() => socket.write('x'), 300);
      await once(socket.on('error', () => {}).resume(), 'close');
      clearInterval(timer);
    });

    test.each([
      ['nothing', ''],
      ['half of the headers', HALF_HEADERS],
      ['half of the body', HALF_BODY],
    ])('answers others while 1,500 connections send %s', async (what, text) => {
      const sockets: TLSSocket[] = [];
      for (let i = 0; i < HALF_OPEN; i += 100)
        sockets.push(
          ...(await Promise.all(Array.from({ length: 100 }, () => proxied.open().catch(() => null)))).filter(
            (one) => one !== null,
          ),
        );
      for (const socket of sockets)
        socket
          .on('error', () => {})
          .resume()
          .write(text);
      expect([what, sockets.length > HALF_OPEN / 2]).toEqual([what, true]);
      expect((await proxied.send('/sign-in', { from: '127.0.0.77' })).status).toBe(200);
      for (const socket of sockets) socket.destroy();
    });

    test('does not let clients choose their address', async () => {
      expect(await accepted(SIGN_UPS + 3, '127.0.0.3', (i) => `198.51.100.${i}`)).toBe(SIGN_UPS);
      expect(await accepted(3, '127.0.0.3', (i) => `${OUTER_PROXY}, 127.0.0.1, 2001:db8:${i}::1`)).toBe(0);
      expect(await accepted(1, '127.0.0.4', () => undefined)).toBe(1);
      const { rows } = await auditAddresses();
      expect(rows).toContain('127.0.0.3');
      expect(rows.filter((address) => address.startsWith('198.51.100.'))).toEqual([]);
    });

    test('counts a network of IPv6 as one client, as a trusted proxy names it', async () => {
      expect(await accepted(SIGN_UPS + 3, OUTER_PROXY, (i) => `2001:db8:0:7:${(i + 1).toString(16)}::${i}`)).toBe(
        SIGN_UPS,
      );
      expect(await accepted(3, OUTER_PROXY, (i) => `2001:db8:0:${i + 8}::1`)).toBe(3);
      expect(await accepted(3, OUTER_PROXY, (i) => `2001:db8:9:${i}::1, 2001:db8:0:7::5`)).toBe(0);
    });

    async function auditAddresses(): Promise<{ rows: string[] }> {
      const entries = await proxied.web.db.selectFrom('auditEntries').select('address').execute();
      return { rows: entries.flatMap(({ address }) => (address === null ? [] : [address])) };
    }

    /** What a connection receives until it ends, or nothing comes for a second. */
    async function exchange(text: string): Promise<string> {
      const socket = await proxied.open();
      let received = '';
      socket.setTimeout(HEADER_TIME * 2, () => socket.destroy());
      socket.setEncoding('utf8').on('error', () => {});
      socket.on('data', (data: string) => {
        received += data;
        socket.end();
      });
      socket.write(text);
      await once(socket, 'close');
      return received;
    }
  });
});
