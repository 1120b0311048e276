import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { openHttpClient } from '../../../src/observe/http/client.ts';
import { type Behaviour } from '../../support/fault-host.ts';
import { openHosts, QUICK } from './client-fixture.ts';

/**
 * Hosts that frame, delay and end responses in any way, and consumers that take their time. Whatever a host sends, each
 * request ends, and nothing is thrown outside of it: vitest reports what would end the process.
 */

const { host } = await openHosts();

const FRAMES = {
  length: (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`,
  short: (body: string) => `Content-Length: ${body.length + 100}\r\n\r\n${body}`,
  long: (body: string) => `Content-Length: ${Math.max(0, body.length - 5)}\r\n\r\n${body}`,
  chunks: (body: string) => `Transfer-Encoding: chunked\r\n\r\n${chunk(body)}0\r\n\r\n`,
  trailer: (body: string) => `Transfer-Encoding: chunked\r\n\r\n${chunk(body)}0\r\nX: 1\r\n\r\n`,
  noChunk: (body: string) => `Transfer-Encoding: chunked\r\n\r\n${chunk(body)}zz\r\n`,
  both: (body: string) => `Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n${chunk(body)}0\r\n\r\n`,
  end: (body: string) => `\r\n${body}`,
};
const chunk = (body: string): string => (body === '' ? '' : `${body.length.toString(16)}\r\n${body}\r\n`);
const COMPLETE: (keyof typeof FRAMES)[] = ['length', 'chunks', 'trailer', 'end'];

const response = fc.record({
  version: fc.constantFrom('1.1', '1.0'),
  status: fc.constantFrom(200, 200, 200, 204, 206, 301, 304, 404, 101, 103),
  connection: fc.constantFrom(
    '',
    'Connection: close\r\n',
    'Connection: keep-alive\r\n',
    'Connection: upgrade\r\nUpgrade: x\r\n',
  ),
  frame: fc.constantFrom(...(Object.keys(FRAMES) as (keyof typeof FRAMES)[])),
  size: fc.constantFrom(0, 1, 1000, 65_535, 65_536, 65_537, 300_000),
  parts: fc.constantFrom(1, 2, 5),
  gap: fc.constantFrom(0, 2, 10),
  ending: fc.constantFrom('end', 'end', 'destroy', 'reset', 'keep', 'another', 'begin'),
  consumes: fc.constantFrom(0, 1, 40, null),
  method: fc.constantFrom('GET' as const, 'GET' as const, 'HEAD' as const),
});
type Response = typeof response extends fc.Arbitrary<infer Value> ? Value : never;

function sending({ version, status, connection, frame, size, parts, gap, ending }: Response): Behaviour {
  return async (_, socket) => {
    socket.on('error', () => {});
    const bytes = `HTTP/${version} ${status} OK\r\n${connection}${FRAMES[frame]('x'.repeat(size))}`;
    const length = Math.ceil(bytes.length / parts);
    for (let at = 0; at < bytes.length && !socket.destroyed; at += length) {
      socket.write(bytes.slice(at, at + length));
      if (gap > 0) await sleep(gap);
    }
    if (ending === 'end') socket.end();
    else if (ending === 'destroy') socket.destroy();
    else if (ending === 'reset') socket.resetAndDestroy();
    else if (ending === 'another') socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi');
    else if (ending === 'begin') socket.end('HTTP/1.1 2');
  };
}

test('requests to random hosts end, and complete bodies are accepted', { timeout: 60_000 }, async () => {
  const http = openHttpClient({ ...QUICK, idleTimeout: 1000, headersTimeout: 1000, concurrency: 8 });
  const request = async (given: Response, path: string): Promise<void> => {
    let got = 0;
    const { failure } = await http.probe({
      method: given.method,
      url: host.on(path, sending(given)),
      origin: null,
      accept: '*/*',
      total: 3000,
      body() {
        got = 0;
        return {
          limit: 1_000_000,
          over: 'fail',
          write(bytes) {
            got += bytes.length;
            return given.consumes === null ? undefined : sleep(given.consumes);
          },
        };
      },
    });
    const { method, status, connection, frame, ending, size } = given;
    const isWhole = COMPLETE.includes(frame) && ending === 'end' && !connection.includes('upgrade');
    if (method === 'GET' && status === 200 && isWhole) expect({ failure, got }).toEqual({ failure: null, got: size });
  };
  // In turn on the same connections, eight at a time.
  const given = fc.sample(response, { numRuns: 320, seed: 7 });
  await Promise.all(
    Array.from({ length: 8 }, async (_, worker) => {
      for (let i = worker; i < given.length; i += 8) await request(given[i]!, `/${i}`);
    }),
  );
  await http.close();
});
