import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { openHttp } from '../../../src/store/s3/web.ts';

/** A large file over a slow connection can take long; a connection without progress times out. */

const openServers: Server[] = [];
afterAll(() => {
  for (const server of openServers) {
    server.closeAllConnections();
    server.close();
  }
});

async function served(listener: Parameters<typeof createServer>[1]): Promise<URL> {
  const server = createServer(listener);
  openServers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
}

const IDLE = 600;
const web = openHttp(undefined, IDLE);
/** At the speed of the server below, longer than five idle timeouts. */
const body = Buffer.alloc(24_000_000, 'large');
const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const PUT_REQUEST = { method: 'PUT', headers: {}, body, timeout: 60_000 } as const;

test('an upload can take longer than the idle timeout', async () => {
  let length: string | undefined;
  const url = await served((request, response) => {
    length = request.headers['content-length'];
    const chunks: Buffer[] = [];
    const timer = setInterval(() => {
      const chunk = request.read(300_000) as Buffer | null;
      if (chunk) chunks.push(chunk);
    }, 50);
    request.on('end', () => {
      clearInterval(timer);
      response.end(sha(Buffer.concat(chunks)));
    });
  });
  const started = performance.now();
  const { status, bytes } = await web(url, PUT_REQUEST);
  expect(performance.now() - started).toBeGreaterThan(5 * IDLE);
  expect([status, length, bytes.toString()]).toEqual([200, `${body.length}`, sha(body)]);
}, 30_000);

test('a download can take longer than the idle timeout', async () => {
  const url = await served(async (_, response) => {
    for (let at = 0; at < 6; at++) {
      response.write('part ');
      await wait(IDLE / 2);
    }
    response.end('end');
  });
  const { bytes } = await web(url, { method: 'GET', headers: {}, timeout: 60_000 });
  expect(bytes.toString()).toBe('part part part part part part end');
}, 30_000);

// Beside each other: each waits for the time-out.
test.concurrent.each([
  { name: 'whose body is not read', request: PUT_REQUEST, listener: () => {} },
  { name: 'without a response', request: PUT_REQUEST, listener: (request: IncomingMessage) => void request.resume() },
  {
    name: 'whose response stalls',
    request: { ...PUT_REQUEST, body: 'x' },
    listener: (_: unknown, response: ServerResponse) => void response.writeHead(200).write('x'),
  },
])(
  'a request $name times out',
  async ({ request, listener }) => {
    const url = await served(listener);
    await expect(web(url, request)).rejects.toMatchObject({ code: expect.stringMatching(/TIMEOUT/) as string });
  },
  30_000,
);

test.each([
  ['an HTTP/1.0 host', 'HTTP/1.0 200 OK\r\n\r\n'],
  ['Connection: close', 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1000000\r\n\r\n'],
])('a download ends with the connection: %s', async (_, head) => {
  const part = Buffer.alloc(1_000_000, 'x');
  const host = createTcpServer((socket) =>
    socket.once('data', () => socket.end(Buffer.concat([Buffer.from(head), part]))),
  );
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  const url = new URL(`http://127.0.0.1:${(host.address() as AddressInfo).port}/`);
  for (let i = 0; i < 20; i += 1) {
    let bytes = 0;
    await web(url, { method: 'GET', headers: {}, timeout: 10_000, sink: (chunk) => void (bytes += chunk.length) });
    expect(bytes).toBe(part.length);
    expect((await web(url, { method: 'GET', headers: {}, timeout: 10_000 })).bytes).toHaveLength(part.length);
  }
  host.close();
});
