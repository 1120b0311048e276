import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { type Behaviour, raw } from '../../support/fault-host.ts';
import { openHosts, probe } from './client-fixture.ts';

/**
 * A host that closes the connection after a response, while its body is not consumed yet: the parser of undici 7.30.2
 * fails an assertion if it is paused then, which would end the process (https://github.com/nodejs/undici/issues/5360).
 */

const { host } = await openHosts();

/** Takes longer than the host to close the connection. */
const slowly = async (): Promise<void> => void (await sleep(30));

/** The body, in ways to say where it ends. */
const FRAMES: Record<string, (body: string) => string> = {
  'a length': (body) => `HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  chunks: (body) =>
    `HTTP/1.1 200 OK\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
  'the end of the connection': (body) => `HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n${body}`,
  'the end of the connection, HTTP/1.0': (body) => `HTTP/1.0 200 OK\r\n\r\n${body}`,
  'a length, kept open': (body) => `HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
};

async function consume(behaviour: Behaviour): Promise<{ failure: object | null; digest: string }> {
  let hash = createHash('sha256');
  const { seen } = await probe(host.on('/slow', behaviour), {
    body() {
      hash = createHash('sha256');
      return {
        limit: 10_000_000,
        over: 'fail',
        write(chunk) {
          hash.update(chunk);
          return slowly();
        },
      };
    },
  });
  return { failure: seen.failure, digest: hash.digest('hex') };
}

describe.each(Object.entries(FRAMES))('a body that ends with %s', (_, frame) => {
  test.each([1, 1000, 65_536, 200_000, 1_000_000])('is consumed slowly: %i bytes', async (size) => {
    const body = 'x'.repeat(size);
    const { failure, digest } = await consume(raw(frame(body)));
    expect(failure).toBeNull();
    expect(digest).toBe(createHash('sha256').update(body).digest('hex'));
  });
});

test.each([1000, 65_536, 200_000])('a body that is reset is rejected: %i bytes', async (size) => {
  const behaviour: Behaviour = async (_, socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 500000\r\n\r\n${'x'.repeat(size)}`);
    await sleep(5);
    socket.resetAndDestroy();
  };
  expect(await consume(behaviour)).toMatchObject({ failure: { phase: 'body' } });
});

describe('a truncated body is rejected', () => {
  test.each([
    ['a length', 'Content-Length: 500000\r\n\r\n'],
    ['chunks', 'Transfer-Encoding: chunked\r\n\r\n7A120\r\n'],
  ])('with %s', async (_, head) => {
    const start = `HTTP/1.1 200 OK\r\nConnection: close\r\n${head}`;
    for (const size of [1000, 65_536 - start.length, 200_000])
      expect(await consume(raw(start + 'x'.repeat(size)))).toMatchObject({ failure: { phase: 'body', got: size } });
  });
});
