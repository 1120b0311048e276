import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AppregError } from '../../../../src/core/errors/error.ts';
import { exitCodeOf } from '../../../../src/core/errors/codes/exit-codes.ts';
import { openLog } from '../../../src/log.ts';
import { supervise } from '../../../src/db/embedded/supervise.ts';

/** The supervision of a server that a test stops and starts. */

let home = '';
let lines: string[] = [];
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'appreg-supervise-'));
  await mkdir(join(home, 'data'));
  await writeFile(join(home, 'data/PG_VERSION'), '18\n');
  lines = [];
});
afterEach(() => rm(home, { recursive: true, force: true }));

/** A server whose next starts fail, and when it was started. */
async function start(timeout: number) {
  const server = { failing: 0, starts: [] as number[], failures: [] as AppregError[], lose: (): void => undefined };
  const supervised = await supervise(
    home,
    async (onLost) => {
      server.starts.push(performance.now());
      if (server.failing > 0) {
        server.failing -= 1;
        throw new Error('the port is in use');
      }
      server.lose = onLost;
      return server.starts.length;
    },
    {
      log: openLog((line) => void lines.push(line)),
      onFailure: (error) => void server.failures.push(error),
      timeout,
    },
  );
  return { server, supervised };
}

test('a server is started again, with increasing delays and few log lines', async () => {
  const { server, supervised } = await start(60_000);
  server.failing = 3;
  server.lose();
  await expect.poll(() => supervised.current()).toBe(5);
  const [, first = 0, second = 0, third = 0, fourth = 0] = server.starts;
  expect(second - first).toBeGreaterThan(190);
  expect(third - second).toBeGreaterThan(390);
  expect(fourth - third).toBeGreaterThan(790);
  expect(lines.map((line) => JSON.parse(line).event)).toEqual([
    'postgres-lost',
    'postgres-not-started',
    'postgres-restarted',
  ]);
  await supervised.stop();
  expect(server.failures).toEqual([]);
});

test('a server that does not start is given up after a while, with exit code 2', async () => {
  const { server, supervised } = await start(500);
  server.failing = Infinity;
  server.lose();
  await expect.poll(() => server.failures.length).toBe(1);
  expect(server.failures[0]).toMatchObject({ code: 'postgres-start-failed', exit: 2 });
  expect(server.failures[0]?.message).toContain('the port is in use');
  expect(server.starts.length).toBeLessThan(6);
  await supervised.stop();
});

test('a server that crashes after each start is given up as well', async () => {
  const { server, supervised } = await start(200);
  const timer = setInterval(() => server.lose(), 50);
  await expect.poll(() => server.failures.length).toBe(1);
  clearInterval(timer);
  expect(server.failures[0]?.message).toContain('It exits after each start.');
  expect(server.starts.length).toBeLessThan(10);
  await supervised.stop();
});

test('a deleted database is reported at once, and not created again', async () => {
  const { server, supervised } = await start(60_000);
  await rm(join(home, 'data'), { recursive: true });
  await expect.poll(() => server.failures.length).toBe(1);
  expect(server.failures[0]?.code).toBe('data-folder-lost');
  expect(exitCodeOf('data-folder-lost')).toBe(2);
  expect(server.starts).toHaveLength(1);
  await supervised.stop();
});

test('a stopped supervision starts nothing', async () => {
  const { server, supervised } = await start(60_000);
  server.failing = Infinity;
  server.lose();
  await expect.poll(() => server.starts.length).toBeGreaterThan(1);
  await supervised.stop();
  const { length } = server.starts;
  server.lose();
  await new Promise((done) => setTimeout(done, 300));
  expect([server.starts.length, server.failures]).toEqual([length, []]);
});
