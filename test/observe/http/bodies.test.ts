import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createServer as createSecure } from 'node:tls';
import { afterEach, expect, test } from 'vitest';
import { type HttpOptions, openHttpClient } from '../../../src/observe/http/client.ts';
import { certificates } from '../../support/fault-certificates.ts';
import { noise } from '../../support/random.ts';

/** No chunk of a body is lost, whatever its reader does. */

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function host(answer: (socket: Socket) => void | Promise<void>): Promise<string> {
  const server = createServer((socket) => {
    socket.setNoDelay(true).on('error', () => {});
    socket.on('data', () => void answer(socket));
  }).listen(0, '127.0.0.1');
  closing.push(() => server.close());
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

async function fetchBody(url: string, write: (chunk: Uint8Array) => void | Promise<void>, options: HttpOptions = {}) {
  const http = openHttpClient(options);
  closing.push(() => void http.close());
  const body = () => ({ limit: 1e8, over: 'fail' as const, write });
  return http.probe({ method: 'GET', url, origin: null, accept: '*/*', total: 10_000, body });
}

test('headers that arrive in pieces are complete', async () => {
  const url = await host(async (socket) => {
    const text = `HTTP/1.1 200 OK\r\nX-First: ${'a'.repeat(50)}\r\nX-Second: ${'b'.repeat(50)}\r\nContent-Length: 4\r\n\r\nbody`;
    for (let at = 0; at < text.length; at += 7) {
      socket.write(text.slice(at, at + 7));
      await sleep(2);
    }
  });
  const chunks: string[] = [];
  const { hops, failure } = await fetchBody(url, (chunk) => void chunks.push(Buffer.from(chunk).toString()));
  expect(failure).toBeNull();
  expect(hops[0]!.headers).toEqual([
    ['x-first', 'a'.repeat(50)],
    ['x-second', 'b'.repeat(50)],
    ['content-length', '4'],
  ]);
  expect(chunks.join('')).toBe('body');
});

const BYTES = noise(3_000_000);
const DIGEST = createHash('sha256').update(BYTES).digest('hex');

test('a reader that delays each chunk and applies backpressure gets all bytes', async () => {
  const url = await host((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${BYTES.length}\r\n\r\n`);
    socket.write(BYTES);
  });
  const hash = createHash('sha256');
  let count = 0;
  const { failure } = await fetchBody(url, async (chunk) => {
    count += 1;
    if (count % 10 === 0) await sleep(1);
    hash.update(chunk);
  });
  expect(failure).toBeNull();
  expect(hash.digest('hex')).toBe(DIGEST);
});

test('parallel bodies are not mixed', async () => {
  const url = await host((socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${BYTES.length}\r\n\r\n`);
    socket.write(BYTES);
  });
  const digests = await Promise.all(
    [1, 2, 3].map(async () => {
      const hash = createHash('sha256');
      await fetchBody(url, (chunk) => void hash.update(chunk));
      return hash.digest('hex');
    }),
  );
  expect(digests).toEqual([DIGEST, DIGEST, DIGEST]);
});

test('bytes that a host sends before the request are detected as HTTP/2', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('\0\0\x12\x04\0\0\0\0\0 settings of HTTP/2');
  }).listen(0, '127.0.0.1');
  closing.push(() => server.close());
  await once(server, 'listening');
  const { failure } = await fetchBody(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, () => {});
  expect(failure?.code).toBe('HTTP2_ALONE');
});

function respondInParts(socket: Socket): void {
  socket.on('error', () => {});
  socket.on('data', () => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${BYTES.length}\r\n\r\n`);
    socket.write(BYTES);
  });
}

// Each address that is tried gets a handle of its own.
test.each(['http', 'https'])('%s at the second address of a name delivers the complete body', async (scheme) => {
  const made = certificates();
  const server = scheme === 'http' ? createServer(respondInParts) : createSecure(made.get('good'), respondInParts);
  server.listen(0, '127.0.0.1');
  closing.push(() => server.close());
  await once(server, 'listening');
  const hash = createHash('sha256');
  const { hops, failure } = await fetchBody(
    `${scheme}://localhost:${(server.address() as AddressInfo).port}/`,
    (chunk) => void hash.update(chunk),
    {
      ca: made.ca,
      lookup: (_name, _options, done) =>
        done(null, [
          { address: '::1', family: 6 },
          { address: '127.0.0.1', family: 4 },
        ]),
    },
  );
  expect(failure).toBeNull();
  expect(hops[0]!.failedAddresses?.map(({ address }) => address)).toEqual(['::1']);
  expect(hash.digest('hex')).toBe(DIGEST);
});
