// Scenario: a disk with the PostgreSQL of a node is filled and freed.
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, realpathSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildInto } from '../../test/support/built.ts';
import { type DebianServer, debianPostgres, startDebianPostgres } from '../../test/support/debian-postgres.ts';
import { type Farm, openFarm } from '../../test/support/registry-farm.ts';
import { type Node, startNode } from '../../test/support/service-node.ts';
import { queryOnce } from '../../test/support/service-writer.ts';

/** A node whose database is on a small file system, which is filled and freed. */

const folder = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-full-'));
const disk = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-disk-'));
const OPERATOR = 'the-operator-of-a-full-disk';
const bin = debianPostgres();
const isMounted = bin !== null && mountDisk();
let server: DebianServer;
let farm: Farm;
let node: Node;
let base = '';
let databaseUrl = '';

/** A file system in memory that belongs to the user of PostgreSQL. Only root can mount it. */
function mountDisk(): boolean {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return false;
  try {
    const uid = execFileSync('id', ['-u', 'postgres'], { encoding: 'utf8' }).trim();
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=40m,uid=${uid},mode=700`, 'tmpfs', disk], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

beforeAll(async () => {
  if (!isMounted || bin === null) return;
  await buildInto(folder);
  [server, farm] = await Promise.all([startDebianPostgres(bin), openFarm(1)]);
  // Not the write-ahead log: without room for it, the whole server stops.
  await queryOnce(server.url, `create tablespace small location '${disk}'`);
  await queryOnce(server.url, 'create database small tablespace small');
  databaseUrl = server.url.replace(/postgres$/, 'small');
  node = startNode(join(folder, 'dist/node/main.cjs'), ['--allow-host', 'localhost', '--open-sign-up'], {
    env: { DATABASE_URL: databaseUrl, OPERATOR_TOKEN: OPERATOR },
  });
  base = await node.ready;
}, 90_000);
afterAll(async () => {
  node?.child.kill('SIGTERM');
  await node?.ended;
  await server?.stop();
  await farm?.close();
  if (isMounted) execFileSync('umount', [disk]);
  for (const path of [folder, disk]) rmSync(path, { recursive: true, force: true });
});

/** Uses all free space. @returns a function that frees it */
function fill(): () => void {
  const path = join(disk, 'filler');
  const file = openSync(path, 'w');
  for (const size of [2 ** 20, 4096]) {
    const block = Buffer.alloc(size);
    try {
      for (;;) if (writeSync(file, block) < size) break;
    } catch {
      // No space left.
    }
  }
  closeSync(file);
  return () => rmSync(path);
}

async function send(path: string, token: string, body: object): Promise<Response> {
  return fetch(`${base}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** Creates an organization with a name that fills half a page. */
async function create(): Promise<Response> {
  return send('api/organizations', OPERATOR, { name: '漢'.repeat(100) });
}

test.skipIf(!isMounted)(
  'while the disk of its database is full, a node refuses changes, and it recovers at once',
  { timeout: 120_000 },
  async () => {
    const { token } = (await (await create()).json()) as { token: string };
    const free = fill();
    const until = Date.now() + 30_000;
    let response = await create();
    while (response.status === 201 && Date.now() < until) response = await create();
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await response.text()).toContain('its disk is full');
    const ready = await fetch(`${base}readyz`);
    expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining('its disk is full')]);
    const alive = await fetch(`${base}healthz`);
    expect([alive.status, await alive.text()]).toEqual([200, expect.stringContaining('"database":"disk-full"')]);
    // Reading works.
    const list = await fetch(`${base}api/registries`, { headers: { authorization: `Bearer ${token}` } });
    expect(list.status).toBe(200);
    const form = new URLSearchParams({ name: '漢'.repeat(100) });
    const page = await fetch(`${base}sign-up`, {
      method: 'POST',
      headers: { origin: new URL(base).origin },
      body: form,
    });
    expect([page.status, page.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await page.text()).toContain('The service cannot save changes at the moment.');

    free();
    expect((await create()).status).toBe(201);
    await expect.poll(async () => (await fetch(`${base}readyz`)).status, { interval: 50 }).toBe(200);
    const subscribed = await send('api/registries/subscribe', token, { url: farm.url(0), name: 'Apps' });
    expect([201, 202]).toContain(subscribed.status);
    const offered = `select count(*)::int as count from versions where state = 'verified'`;
    await expect.poll(() => queryOnce(databaseUrl, offered), { interval: 200 }).toEqual([{ count: 4 }]);
    expect(node.stderr()).not.toMatch(/"event":"(defect|refresh-crashed)"/);
  },
);

test.skipIf(!isMounted)('a node waits while its database is read-only', { timeout: 60_000 }, async () => {
  const setting = 'alter database small set default_transaction_read_only';
  const reconnect = `select pg_terminate_backend(pid) from pg_stat_activity where datname = 'small' and pid <> pg_backend_pid()`;
  await queryOnce(server.url, `${setting} = on`);
  await queryOnce(server.url, reconnect);
  await expect.poll(async () => (await fetch(`${base}readyz`)).text()).toContain('it is read-only');
  const response = await create();
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  await queryOnce(server.url, `${setting} = off`);
  await queryOnce(server.url, reconnect);
  await expect.poll(async () => (await fetch(`${base}readyz`)).status).toBe(200);
  expect((await create()).status).toBe(201);
});
