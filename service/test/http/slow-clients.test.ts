import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listen } from '../../src/http/listen.ts';

/** Clients that send or read slowly, or not at all, over real connections. Their connections are closed in time. */

const LARGE = 64 * 2 ** 20;
const TIMEOUTS = { headers: 400, request: 1000, inactive: 1500, response: 3000, keepAlive: 600, check: 50 };
let server: { url: string; close(): Promise<void> };
const sockets = new Set<Socket>();
beforeAll(async () => {
  server = await listen({ host: '127.0.0.1', port: 0 }, respond, TIMEOUTS);
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  await server.close();
});

/** Reads the body of a POST; responds to `/large` with more than the buffers of the system. */
async function respond(request: Request): Promise<Response> {
  if (request.method === 'POST') return new Response(`${(await request.arrayBuffer()).byteLength} bytes`);
  return new Response(new URL(request.url).pathname === '/large' ? new Uint8Array(LARGE) : 'small');
}

interface Client {
  socket: Socket;
  /** Milliseconds until the server closed the connection, and what it sent. */
  closed: Promise<{ milliseconds: number; text: string }>;
}

function open(): Client {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  sockets.add(socket);
  const begun = performance.now();
  let text = '';
  socket.on('data', (data: Buffer) => {
    if (text.length < 1000) text += data.toString('latin1');
  });
  socket.on('error', () => undefined);
  const closed = new Promise<{ milliseconds: number; text: string }>((done) => {
    socket.once('close', () => {
      sockets.delete(socket);
      done({ milliseconds: performance.now() - begun, text });
    });
  });
  return { socket, closed };
}

/** Sends a text in pieces, forever. */
function trickle(socket: Socket, piece: string): void {
  const timer = setInterval(() => socket.write(piece), 50);
  socket.once('close', () => clearInterval(timer));
}

const POST = 'POST / HTTP/1.1\r\nHost: x\r\n';

describe('a connection is closed', () => {
  test.each<[string, (socket: Socket) => void, number]>([
    ['without a request', () => undefined, TIMEOUTS.headers],
    ['with headers that do not end', (socket) => socket.write('GET / HTTP/1.1\r\nHost: x\r\n'), TIMEOUTS.headers],
    [
      'with one more header again and again',
      (socket) => {
        socket.write('GET / HTTP/1.1\r\nHost: x\r\n');
        trickle(socket, 'X: y\r\n');
      },
      TIMEOUTS.headers,
    ],
    ['without the body', (socket) => socket.write(`${POST}Content-Length: 10\r\n\r\n`), TIMEOUTS.request],
    [
      'with a body that arrives byte by byte',
      (socket) => {
        socket.write(`${POST}Content-Length: 100000\r\n\r\n`);
        trickle(socket, 'x');
      },
      TIMEOUTS.request,
    ],
    [
      'with chunks that do not end',
      (socket) => {
        socket.write(`${POST}Transfer-Encoding: chunked\r\n\r\n`);
        trickle(socket, '1\r\nx\r\n');
      },
      TIMEOUTS.request,
    ],
    [
      'that is idle after a response',
      (socket) => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'),
      TIMEOUTS.keepAlive,
    ],
  ])('%s', async (_, send, timeout) => {
    const { socket, closed } = open();
    socket.once('connect', () => {
      send(socket);
    });
    const { milliseconds } = await closed;
    expect(milliseconds).toBeGreaterThan(timeout * 0.8);
    expect(await (await fetch(server.url)).text()).toBe('small');
  });

  test('whose client does not read the response', async () => {
    const { socket, closed } = open();
    socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    socket.pause();
    await new Promise((done) => setTimeout(done, TIMEOUTS.inactive + 1500));
    socket.resume();
    expect((await closed).text).toContain('200 OK');
    expect(socket.bytesRead).toBeLessThan(LARGE);
  });

  test('whose client reads the response too slowly', async () => {
    const { socket, closed } = open();
    socket.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
    const timer = setInterval(() => {
      socket.resume();
      setTimeout(() => socket.pause(), 1);
    }, 500);
    socket.once('data', () => socket.pause());
    await new Promise((done) => setTimeout(done, TIMEOUTS.response + 500));
    clearInterval(timer);
    socket.resume();
    await closed;
    expect(socket.bytesRead).toBeLessThan(LARGE);
  });
});

test('many idle connections do not delay others, and are closed', async () => {
  const idle = Array.from({ length: 500 }, open);
  expect(await (await fetch(server.url)).text()).toBe('small');
  await Promise.all(idle.map(({ closed }) => closed));
});
