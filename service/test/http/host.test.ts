import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Settings } from '../../src/config/settings.ts';
import { listen } from '../../src/http/listen.ts';
import { openWebFixture, type WebFixture } from '../web-fixture.ts';

/** The Host header of requests over real connections. */

let web: WebFixture;
beforeAll(async () => {
  web = await openWebFixture();
});
afterAll(() => web.stop());

/** The status and the body of the response to a request, as it is sent. */
async function send(settings: Partial<Settings>, request: string, host = '127.0.0.1'): Promise<[number, string]> {
  const server = await listen(
    { host, port: 0 },
    web.app({ openSignUp: true, operatorToken: null, host, ...settings }).fetch,
  );
  try {
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.write(request);
    let text = '';
    for await (const chunk of socket) text += String(chunk);
    return [Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), text.slice(text.indexOf('\r\n\r\n') + 4)];
  } finally {
    await server.close();
  }
}

/** A request to create an organization, which DNS rebinding could read the token of. */
const signUp = (host: string): string =>
  `POST /api/organizations HTTP/1.1\r\n${host}Content-Type: application/json\r\nContent-Length: 12\r\nConnection: close\r\n\r\n{"name":"A"}`;
const get = (path: string, host: string): string => `GET ${path} HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;

describe('a service on the loopback interface', () => {
  test.each([
    'localhost',
    'localhost:8090',
    '127.0.0.1:1',
    '127.1',
    '[::1]:8090',
    'app.localhost',
    'LOCALHOST',
    'localhost.',
  ])('responds for %s', async (host) => {
    expect((await send({}, signUp(`Host: ${host}\r\n`)))[0]).toBe(201);
  });

  test.each([
    'evil.example',
    'evil.example:8090',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'evil',
    '192.0.2.1',
    'xn--localhost-.example',
  ])('refuses %s', async (host) => {
    const [status, body] = await send({}, signUp(`Host: ${host}\r\n`));
    expect(status).toBe(421);
    expect(JSON.parse(body)).toMatchObject({
      type: 'urn:appreg:problem:misdirected-request',
      status: 421,
      expectedHost: 'localhost',
      detail: expect.stringContaining(`“${host}”`) as string,
    });
    expect(body).not.toContain('apr_');
    expect((await send({}, get('/', `Host: ${host}\r\n`)))[0]).toBe(421);
  });

  test('refuses a foreign host in the target, and ignores X-Forwarded-Host', async () => {
    expect((await send({}, get('http://evil.example/', 'Host: localhost\r\n')))[0]).toBe(421);
    expect((await send({}, get('http://localhost/', 'Host: evil.example\r\n')))[0]).toBe(421);
    const trustProxy = [{ address: '127.0.0.1', family: 'ipv4', bits: 32 }] as const;
    const forwarded = 'X-Forwarded-Host: localhost\r\nForwarded: host=localhost\r\n';
    expect((await send({ trustProxy }, signUp(`Host: evil.example\r\n${forwarded}`)))[0]).toBe(421);
    const remote = 'X-Forwarded-For: 192.0.2.7\r\n';
    expect((await send({ trustProxy }, signUp(`Host: localhost\r\n${remote}`)))[0]).toBe(421);
    expect((await send({}, signUp(`Host: localhost\r\n${remote}`)))[0]).toBe(201);
    const foreign = 'X-Forwarded-Host: evil.example\r\n';
    expect((await send({ trustProxy }, signUp(`Host: localhost\r\n${foreign}`)))[0]).toBe(201);
  });

  test.each(['/healthz', '/readyz', '/metrics'])('responds to probes of %s by address only', async (path) => {
    expect((await send({}, get(path, 'Host: 192.0.2.1:8090\r\n')))[0]).toBe(200);
    expect((await send({}, get(path, 'Host: evil.example\r\n')))[0]).toBe(421);
  });
});

describe('a service with PUBLIC_URL', () => {
  const publicUrl = 'https://flows.example.com/base/';

  test.each(['flows.example.com', 'flows.example.com:443', 'Flows.Example.com'])('responds for %s', async (host) => {
    expect((await send({ publicUrl }, signUp(`Host: ${host}\r\n`), '0.0.0.0'))[0]).toBe(201);
  });

  test.each([
    'evil.example',
    'example.com',
    'www.flows.example.com',
    'flows.example.com.evil.example',
    '192.0.2.1',
    'node1',
  ])('refuses %s', async (host) => {
    for (const address of ['0.0.0.0', '127.0.0.1']) {
      const [status, body] = await send({ publicUrl }, signUp(`Host: ${host}\r\n`), address);
      expect([status, JSON.parse(body).expectedHost]).toEqual([421, 'flows.example.com']);
    }
  });

  test.each(['/healthz', '/readyz', '/metrics'])('responds to probes of %s', async (path) => {
    for (const host of ['10.0.0.7:8090', 'node1', '[2001:db8::1]:8090', 'node1.internal:8090'])
      expect((await send({ publicUrl }, get(path, `Host: ${host}\r\n`), '0.0.0.0'))[0]).toBe(200);
  });
});

describe('a service on all addresses without PUBLIC_URL', () => {
  test('with open sign-up, refuses names of the internet', async () => {
    for (const host of ['evil.example', 'flows.example.com'])
      expect((await send({}, signUp(`Host: ${host}\r\n`), '0.0.0.0'))[0]).toBe(421);
    for (const host of ['192.0.2.1', 'node1:8090', 'localhost'])
      expect((await send({}, signUp(`Host: ${host}\r\n`), '0.0.0.0'))[0]).toBe(201);
  });

  test('with a token for the operator, responds for all', async () => {
    const closed = { openSignUp: false, operatorToken: 'x'.repeat(20) };
    expect((await send(closed, get('/sign-in', 'Host: flows.example.com\r\n'), '0.0.0.0'))[0]).toBe(200);
  });
});

test.each([
  ['without Host', ''],
  ['with an empty Host', 'Host:\r\n'],
  ['with two Host headers', 'Host: localhost\r\nHost: localhost\r\n'],
  ['with two different Host headers', 'Host: localhost\r\nHost: evil.example\r\n'],
  ['with a Host that is not one', 'Host: a/b@c\r\n'],
])('a request %s is refused with 400', async (_, header) => {
  expect((await send({}, get('/healthz', header)))[0]).toBe(400);
});
