import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { openTrust } from '../../../src/observe/http/tls.ts';
import { post } from '../../src/jobs/post-webhook.ts';

/** One request to a receiver that misbehaves: it ends within its time, and nothing else fails. */

const closes: (() => void)[] = [];
afterEach(() => closes.splice(0).forEach((close) => close()));

/** @param respond what to do once the request began */
async function send(respond: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('data', () => respond(socket));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  closes.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const connect = { trust: openTrust(null, null), timeout: 1000, lookup: null, guard: null };
  const { signal } = new AbortController();
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return post(url, { 'content-type': 'application/json' }, '{}', { connect, timeout: 1500, signal });
}

const HEAD = 'HTTP/1.1 200 OK\r\n';

function trickle(socket: Socket): void {
  socket.write(HEAD);
  const timer = setInterval(() => socket.write('X: 1\r\n'), 100);
  socket.on('close', () => clearInterval(timer));
}

function endless(socket: Socket): void {
  socket.write(`${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
  const timer = setInterval(() => socket.write(`10000\r\n${'x'.repeat(65_536)}\r\n`), 5);
  socket.on('close', () => clearInterval(timer));
}

test('that closes the connection has no status', async () => {
  expect(await send((socket) => socket.destroy())).toEqual({ error: 'connection-lost' });
  expect(await send((socket) => socket.resetAndDestroy())).toEqual({ error: 'connection-lost' });
  expect(await send((socket) => socket.end('garbage\r\n\r\n'))).toEqual({ error: 'connection-lost' });
  const upgrade = 'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n';
  expect(await send((socket) => socket.write(upgrade))).toEqual({ error: 'connection-lost' });
  expect(await send((socket) => socket.write(`${HEAD}X: ${'x'.repeat(100_000)}`))).toEqual({
    error: 'connection-lost',
  });
});

test('that sends headers forever times out', async () => {
  expect(await send(trickle)).toEqual({ error: 'timeout' });
});

test('that sends a body forever, or breaks it off, has its status', async () => {
  const ok = { status: 200, retryAfter: null };
  expect(await send(endless)).toEqual(ok);
  expect(await send((socket) => socket.write(`${HEAD}Content-Length: 5\r\n\r\n`))).toEqual(ok);
  expect(await send((socket) => socket.end(`${HEAD}Content-Length: 5\r\n\r\nx`))).toEqual(ok);
  const asked = 'HTTP/1.1 503 Busy\r\nRetry-After: 120\r\nContent-Length: 0\r\n\r\n';
  expect(await send((socket) => socket.write(asked))).toEqual({ status: 503, retryAfter: 120_000 });
});
