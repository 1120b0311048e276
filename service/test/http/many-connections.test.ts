// Scenario: more connections are opened than a service keeps.
import { connect, type Socket } from 'node:net';
import { request } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listen } from '../../src/http/listen.ts';
import { openWebFixture, type WebFixture } from '../web-fixture.ts';

/** More connections than the service keeps, each without a complete request: probes and users are answered. */

const CONNECTIONS = 5_200;
let web: WebFixture;
let server: { url: string; close(): Promise<void> };
const sockets = new Set<Socket>();
beforeAll(async () => {
  web = await openWebFixture();
  server = await listen({ host: '127.0.0.1', port: 0 }, web.app().fetch);
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await server.close();
  await web.stop();
});

/** Opens a connection that sends the beginning of a request. */
async function begin(text: string): Promise<void> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  sockets.add(socket);
  socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  await new Promise<void>((done) => {
    socket.once('connect', () => {
      socket.write(text);
      done();
    });
    socket.once('close', done);
  });
}

/** The status of a response, over a new connection, and the milliseconds that it took. */
async function probe(path: string): Promise<{ status: number; milliseconds: number }> {
  const started = performance.now();
  return new Promise((done, fail) => {
    request(new URL(path, server.url), { agent: false }, (response) => {
      response
        .resume()
        .once('end', () => done({ status: response.statusCode ?? 0, milliseconds: performance.now() - started }));
    })
      .once('error', fail)
      .end();
  });
}

test.each([
  ['that send nothing', ''],
  ['that send half of the headers', 'GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Slow:'],
  ['that send half of the body', 'POST /api/organizations HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{'],
])('5,200 connections %s do not keep out others', { timeout: 120_000 }, async (_, text) => {
  for (let started = 0; started < CONNECTIONS; started += 200)
    await Promise.all(Array.from({ length: 200 }, () => begin(text || '')));
  // The clients are in the same process: the first probe waits until all of them have been accepted.
  for (const path of ['/healthz', '/readyz', '/metrics', '/sign-in'])
    expect([path, (await probe(path)).status]).toEqual([path, 200]);
  await expect.poll(async () => (await probe('/healthz')).milliseconds).toBeLessThan(5_000);
  expect(sockets.size).toBeGreaterThan(4_500);
  for (const socket of sockets) socket.destroy();
});
