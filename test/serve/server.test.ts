import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { open, rename, truncate, utimes, writeFile } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Served, startServer } from '../../src/serve/server.ts';
import { folder } from '../support/folders.ts';
import { sendRequest, fill, LONG_AGO, startTestServer } from './support.ts';
import { noise } from '../support/random.ts';

const BIG = noise(2_000_000);
const OPTIONS = {
  manifest: 'registry.json',
  host: '127.0.0.1',
  port: 0,
  serviceOrigins: [],
  rewriteFrom: null,
  https: false,
} as const;

/** A response whose body is not read yet. */
async function begin(url: string): Promise<IncomingMessage> {
  const [res] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage];
  res.on('error', () => {});
  return res;
}

async function remainingBytes(res: IncomingMessage): Promise<{ bytes: number; complete: boolean }> {
  let bytes = 0;
  res.on('data', (chunk: Buffer) => (bytes += chunk.length));
  await new Promise((resolve) => res.once('close', resolve));
  return { bytes, complete: res.complete };
}

function descriptors(): number {
  return readdirSync('/proc/self/fd').length;
}

/** Log lines, each of which can be waited for. */
function log(): { lines: Served[]; add: (line: Served) => void; reached(count: number): Promise<void> } {
  const lines: Served[] = [];
  let check: (() => void) | null = null;
  return {
    lines,
    add(line) {
      lines.push(line);
      check?.();
    },
    reached: (count) =>
      new Promise((resolve) => {
        check = () => {
          if (lines.length >= count) resolve();
        };
        check();
      }),
  };
}

test('the URL of a manifest is that of its file, whatever its name', async () => {
  const root = folder();
  const manifest = 'apps#1?&ü%41.json';
  await fill(root, { [manifest]: '{"apps":{}}' });
  const { manifestUrl, url } = await startTestServer(root, { manifest });
  expect(manifestUrl).toBe(url + encodeURIComponent(manifest));
  expect((await sendRequest(manifestUrl)).status).toBe(200);
  expect(String((await sendRequest(`${url}other`)).body)).toContain(manifestUrl);
});

describe('under load', () => {
  test('a hundred parallel requests and clients that disconnect leave no open file descriptors', async () => {
    const root = folder();
    await fill(root, { 'registry.json': '{"apps":{}}', 'a.tar.gz': BIG, 'huge.tar.gz': Buffer.alloc(32_000_000) });
    const lines = log();
    const server = await startTestServer(root, { onRequest: lines.add });
    const countable = process.platform === 'linux';
    await sendRequest(server.manifestUrl);
    const before = countable ? descriptors() : 0;
    const paths = ['registry.json', 'a.tar.gz', 'nothing'];
    const replies = await Promise.all(Array.from({ length: 99 }, (_, i) => sendRequest(server.url + paths[i % 3]!)));
    expect(replies.every((reply, i) => reply.status === (i % 3 === 2 ? 404 : 200))).toBe(true);
    expect(replies.filter((_, i) => i % 3 === 1).every(({ body }) => body.equals(BIG))).toBe(true);
    const leavers = Array.from({ length: 20 }, async (_, i) => {
      const res = await begin(`${server.url}huge.tar.gz?${i}`);
      await once(res, 'data');
      res.destroy();
    });
    await Promise.all(leavers);
    await lines.reached(120);
    const left = lines.lines.filter(({ target }) => target.includes('?'));
    expect(left).toHaveLength(20);
    expect(left.every(({ error }) => (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE')).toBe(
      true,
    );
    expect((await sendRequest(server.manifestUrl)).status).toBe(200);
    if (countable) await expect.poll(descriptors).toBeLessThanOrEqual(before);
  });

  test('clients that disconnect before the response cause no server error', async () => {
    const root = folder();
    await fill(root, { 'registry.json': '{"apps":{}}', 'a.tar.gz': BIG });
    const lines = log();
    const server = await startTestServer(root, { onRequest: lines.add });
    for (let i = 0; i < 20; i++) {
      const socket = connect(server.port, '127.0.0.1');
      await once(socket, 'connect');
      socket.write('GET /a.tar.gz HTTP/1.1\r\nHost: x\r\n\r\n', () => socket.resetAndDestroy());
      await once(socket, 'close');
    }
    expect((await sendRequest(server.manifestUrl)).status).toBe(200);
    expect(lines.lines.filter(({ status }) => status >= 500)).toEqual([]);
  });
});

describe('a file that changes during a response', () => {
  // Far more than the sockets' buffers hold, so that the server is still sending when the test acts.
  const LARGE = 64_000_000;
  const changes: [string, (path: string) => Promise<void>][] = [
    ['becomes shorter', (path) => truncate(path, 1000)],
    ['becomes longer', async (path) => truncate(path, LARGE + 1000)],
    [
      'is written over',
      async (path) => {
        const file = await open(path, 'r+');
        await file.write('other bytes', LARGE - 100);
        await file.close();
      },
    ],
  ];
  test.each(changes)('and %s aborts the response, which is incomplete for the client', async (_, change) => {
    const root = folder();
    const path = join(root, 'a.tar.gz');
    await fill(root, { 'a.tar.gz': Buffer.alloc(LARGE, 'a') });
    const lines = log();
    const server = await startTestServer(root, { onRequest: lines.add });
    const res = await begin(`${server.url}a.tar.gz`);
    await change(path);
    const { bytes, complete } = await remainingBytes(res);
    expect(complete).toBe(false);
    expect(bytes).toBeLessThan(LARGE);
    await lines.reached(1);
    expect(lines.lines[0]!.error).toMatchObject({ code: 'FILE_CHANGED' });
  });

  test('and is replaced atomically is sent in its old version', async () => {
    const root = folder();
    await fill(root, { 'a.tar.gz': Buffer.alloc(LARGE, 'a'), new: 'new' });
    const server = await startTestServer(root);
    const res = await begin(`${server.url}a.tar.gz`);
    await rename(join(root, 'new'), join(root, 'a.tar.gz'));
    expect(await remainingBytes(res)).toEqual({ bytes: LARGE, complete: true });
    expect((await sendRequest(`${server.url}a.tar.gz`)).body.toString()).toBe('new');
  });

  test('gets another ETag even with the same size and date', async () => {
    const root = folder();
    const path = join(root, 'a.json');
    const server = await startTestServer(root);
    const tags = new Set<string | undefined>();
    for (const content of ['1', '2', '3']) {
      await writeFile(path, content);
      await utimes(path, LONG_AGO, LONG_AGO);
      const reply = await sendRequest(`${server.url}a.json`);
      expect(reply.body.toString()).toBe(content);
      tags.add(reply.headers.etag);
    }
    expect(tags.size).toBe(3);
  });
});

describe('starting and closing', () => {
  test('a port in use is rejected with a hint', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const { port } = blocker.address() as AddressInfo;
    const started = startServer({ ...OPTIONS, root: folder(), port });
    await expect(started).rejects.toMatchObject({
      code: 'port-in-use',
      exit: 2,
      hint: expect.stringContaining('--port 0'),
    });
    blocker.close();
  });

  test.each(['203.0.113.7', 'no-such-host.invalid', 'a b', '', 'fe80::1%lo'])(
    'the address %j is rejected',
    async (host) => {
      await expect(startServer({ ...OPTIONS, root: folder(), host })).rejects.toMatchObject({
        code: 'address-unavailable',
        exit: 2,
      });
    },
  );

  const hasIPv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'));
  test.skipIf(!hasIPv6)('an IPv6 address is in brackets in URLs', async () => {
    const root = folder();
    await fill(root, { 'registry.json': '["https://a.example/x"]' });
    const server = await startTestServer(root, { host: '::1', rewriteFrom: 'https://a.example/' });
    expect(server.manifestUrl).toBe(`http://[::1]:${server.port}/registry.json`);
    expect((await sendRequest(server.manifestUrl)).body.toString()).toBe(`["http://[::1]:${server.port}/x"]`);
  });

  test('the URL of the manifest is encoded', async () => {
    const root = folder();
    await fill(root, { 'sub dir/ü.json': '{}' });
    const server = await startTestServer(root, { manifest: 'sub dir/ü.json' });
    expect(server.manifestUrl).toBe(`${server.url}sub%20dir/%C3%BC.json`);
    expect((await sendRequest(server.manifestUrl)).status).toBe(200);
  });

  test('closing completes a download and closes idle connections', async () => {
    const root = folder();
    await fill(root, { 'a.tar.gz': BIG });
    const server = await startServer({ ...OPTIONS, root });
    const idle: Socket = connect(server.port, '127.0.0.1');
    await once(idle, 'connect');
    idle.resume();
    const gone = once(idle, 'close');
    const res = await begin(`${server.url}a.tar.gz`);
    const closed = server.close(10_000);
    expect(await remainingBytes(res)).toEqual({ bytes: BIG.length, complete: true });
    idle.end();
    await Promise.all([closed, gone]);
    await expect(sendRequest(server.url)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('closing aborts a response to a client that does not read', async () => {
    const root = folder();
    await fill(root, { 'a.tar.gz': Buffer.alloc(64_000_000) });
    const server = await startServer({ ...OPTIONS, root });
    const res = await begin(`${server.url}a.tar.gz`);
    await server.close(0);
    expect(await remainingBytes(res)).toMatchObject({ complete: false });
  });
});
