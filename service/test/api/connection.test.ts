import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listen } from '../../src/http/listen.ts';
import { allowing, openWebFixture, type WebFixture } from '../web-fixture.ts';

/** Harmful requests over a real connection. */

let web: WebFixture;
let token: string;
let server: { url: string; close(): Promise<void> };
beforeAll(async () => {
  web = await openWebFixture();
  ({ token } = await web.join());
  server = await listen({ host: '127.0.0.1', port: 0 }, web.app({}, allowing(1_000_000)).fetch);
});
afterAll(async () => {
  await server.close();
  await web.stop();
});

/** The status of the response to a body that is sent in pieces. */
function send(headers: Record<string, string>, pieces: number): Promise<number> {
  return new Promise((done, fail) => {
    const outgoing = httpRequest(`${server.url}api/registries/subscribe`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    });
    outgoing.on('error', fail);
    outgoing.on('response', (answer) => {
      answer.resume();
      outgoing.destroy();
      done(answer.statusCode!);
    });
    const write = (left: number): void => {
      if (left === 0) return void outgoing.end();
      outgoing.write(' '.repeat(8192), () => setTimeout(write, 1, left - 1));
    };
    write(pieces);
  });
}

describe('requests over a real connection', () => {
  test('with an endless body receive status 413', async () => {
    expect(await send({}, 10_000)).toBe(413);
    expect(await send({ 'content-length': '100000000' }, 10_000)).toBe(413);
    expect(await send({}, 1)).toBe(400);
    expect((await fetch(`${server.url}healthz`)).status).toBe(200);
  });

  test.each([
    ['text that is not HTTP', 'hello\r\n\r\n', /^HTTP\/1\.1 400|^$/],
    [
      'endless headers',
      `GET /healthz HTTP/1.1\r\nHost: localhost\r\nA: ${'x'.repeat(100_000)}\r\n\r\n`,
      /^HTTP\/1\.1 431|^$/,
    ],
    [
      'two Content-Length headers',
      'POST /api/organizations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
      /^HTTP\/1\.1 400/,
    ],
    [
      'a length and chunks',
      'POST /api/organizations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      /^HTTP\/1\.1 400/,
    ],
    ['no Host header', 'GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n', /^HTTP\/1\.1 400/],
    ['an invalid Host header', 'GET /healthz HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', /^HTTP\/1\.1 [24]00/],
    [
      'an absolute URL',
      'GET http://elsewhere.example.com/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
      /^HTTP\/1\.1 421/,
    ],
    ['OPTIONS *', 'OPTIONS * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', /^HTTP\/1\.1 [24]0/],
    ['the method TRACE', 'TRACE / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n', /^HTTP\/1\.1 4/],
  ])('with %s receive the expected status, and the server continues to work', async (_, text, expected) => {
    const { hostname, port } = new URL(server.url);
    const got = await new Promise<string>((done) => {
      let all = '';
      const socket = connect(Number(port), hostname, () => socket.write(text));
      socket.setTimeout(20_000, () => socket.destroy());
      socket.on('data', (chunk) => (all += chunk.toString('latin1')));
      socket.on('error', () => {});
      socket.on('close', () => done(all));
    });
    expect(got).toMatch(expected);
    expect((await fetch(`${server.url}healthz`)).status).toBe(200);
  });

  test.each([
    ['with its length', 'Content-Length: 100\r\n\r\n{"url":'],
    ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n5\r\n{"url\r\n'],
  ])('whose client disconnects within the body, sent %s, are logged as client errors', async (_, rest) => {
    web.logged.length = 0;
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /api/registries/subscribe HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\n${rest}`,
      // The server reads the headers meanwhile.
      () => setTimeout(() => socket.destroy(), 300),
    );
    await expect.poll(() => web.logged).toMatchObject([{ event: 'request', level: 'info', status: 400 }]);
  });

  test('of a trusted proxy are limited and logged by the address that the proxy names', async () => {
    const limits = { ...allowing(1000), failures: { requests: 1, seconds: 60 } };
    const trustProxy = [{ address: '127.0.0.1', family: 'ipv4' as const, bits: 32 }];
    const behindProxy = await listen(
      { host: '127.0.0.1', port: 0 },
      web.app({ trustProxy, publicUrl: 'http://127.0.0.1' }, limits).fetch,
    );
    web.logged.length = 0;
    const statuses: number[] = [];
    for (const forwarded of ['192.0.2.1', '192.0.2.2', '198.51.100.9, 192.0.2.1'])
      statuses.push(
        (await fetch(`${behindProxy.url}api/organization`, { headers: { 'x-forwarded-for': forwarded } })).status,
      );
    expect(statuses).toEqual([401, 401, 429]);
    const requests = web.logged.filter(({ event }) => event === 'request');
    expect(requests.map(({ client }) => client)).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.1']);
    await behindProxy.close();
  });

  test('with wrong tokens are limited by address, and a valid token is still accepted', async () => {
    const strict = await listen(
      { host: '127.0.0.1', port: 0 },
      web.app({}, { ...allowing(1000), failures: { requests: 3, seconds: 60 } }).fetch,
    );
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) {
      const headers = { authorization: `Bearer apr_${String(i).repeat(43)}`, 'x-forwarded-for': `192.0.2.${i}` };
      statuses.push((await fetch(`${strict.url}api/organization`, { headers })).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    const headers = { authorization: `Bearer ${token}` };
    expect((await fetch(`${strict.url}api/organization`, { headers })).status).toBe(200);
    await strict.close();
  });
});
