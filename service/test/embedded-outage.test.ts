// Scenario: the PostgreSQL of nodes is killed, or loses its files, again and again.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { buildInto } from '../../test/support/built.ts';
import { openFolder } from '../../test/support/postgres-folder.ts';
import { type Node, startNode } from '../../test/support/service-node.ts';

/** A node whose own PostgreSQL is killed, or loses its files. */

const buildFolder = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-built-'));
const main = join(buildFolder, 'dist/node/main.cjs');
const OPERATOR = 'the-operator-of-these-outages';
let folder = '';
let node: Node;
let base = '';
/** PostgreSQL may still write files. */
const REMOVE = { recursive: true, force: true, maxRetries: 20, retryDelay: 100 };

beforeAll(async () => {
  await buildInto(buildFolder);
  await start();
}, 90_000);
/** A test before may have ended the node, as it should or by a failure. */
beforeEach(async () => {
  if (node.child.exitCode === null && node.child.signalCode === null && (await status('readyz')) === 200) return;
  await stop();
  await start();
}, 90_000);
afterAll(async () => {
  await stop();
  await rm(buildFolder, REMOVE);
});

async function start(): Promise<void> {
  folder = await openFolder();
  node = startNode(main, ['--data', folder], { env: { OPERATOR_TOKEN: OPERATOR } });
  base = await node.ready;
}

async function stop(): Promise<void> {
  node?.child.kill('SIGTERM');
  await node?.ended;
  await rm(folder, REMOVE);
}

/** Lines of postmaster.pid. */
const postmaster = (): string[] => readFileSync(join(folder, 'postgres/data/postmaster.pid'), 'utf8').split('\n');
const postmasterPid = (): number => Number(postmaster()[0]);

/** A process of the server whose title matches. */
function childOf(title: RegExp): number {
  const lines = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', `${postmasterPid()}`], { encoding: 'utf8' });
  const found = lines.split('\n').find((line) => title.test(line));
  if (found === undefined) throw new Error(`none of these matches ${title}: ${lines}`);
  return Number.parseInt(found, 10);
}

async function status(path: string): Promise<number> {
  const response = await fetch(`${base}${path}`);
  await response.arrayBuffer();
  return response.status;
}

async function create(name: string): Promise<Response> {
  return fetch(`${base}api/organizations`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name }),
  });
}

async function noticed(): Promise<void> {
  await expect.poll(() => status('readyz'), { interval: 10 }).toBe(503);
}

async function recovered(): Promise<void> {
  await expect.poll(() => status('readyz'), { timeout: 60_000, interval: 100 }).toBe(200);
  await expect.poll(() => status('healthz'), { interval: 100 }).toBe(200);
  expect((await create('After')).status).toBe(201);
}

describe('the PostgreSQL of a node is started again', { timeout: 120_000 }, () => {
  test('after it was killed, and requests receive 503 in the meantime', async () => {
    process.kill(postmasterPid(), 'SIGKILL');
    await expect.poll(() => status('healthz'), { interval: 10 }).toBe(503);
    const response = await create('Meanwhile');
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    await recovered();
  });

  test.each([
    ['a connection', /\b(idle|SELECT)$/m],
    ['the checkpointer', /checkpointer/],
    ['the writer of the log', /walwriter/],
  ])('after the process of %s was killed', async (_, title) => {
    process.kill(childOf(title), 'SIGKILL');
    await noticed();
    await recovered();
  });

  test('on another port, if its port is in use', async () => {
    const [pid, , , port] = postmaster().map(Number);
    const other = createServer((socket) => socket.destroy());
    onTestFinished(() => {
      node.child.kill('SIGCONT');
      other.close();
    });
    node.child.kill('SIGSTOP');
    process.kill(pid!, 'SIGKILL');
    const isFree = (): Promise<boolean> =>
      new Promise((done) => {
        other.once('error', () => done(false)).listen(port, '127.0.0.1', () => done(true));
      });
    await expect.poll(isFree, { interval: 50 }).toBe(true);
    node.child.kill('SIGCONT');
    await noticed();
    await recovered();
    expect(Number(postmaster()[3])).not.toBe(port);
  });
});

test('repeated faults are logged once', () => {
  const lines = node.stderr().split('\n');
  expect(lines.filter((line) => /"level":"(warn|error)"/.test(line)).length).toBeLessThan(5 * 8);
  expect(node.stderr()).not.toMatch(/"stack"/);
});

test('a node whose database is deleted ends with a reason', { timeout: 60_000 }, async () => {
  const server = postmasterPid();
  // The node looks for the folder when all of it is deleted.
  node.child.kill('SIGSTOP');
  await rm(join(folder, 'postgres/data'), REMOVE);
  node.child.kill('SIGCONT');
  expect(await node.ended).toBe(2);
  expect(node.stderr()).toMatch(/The database in .* was deleted while the service was running\./);
  await expect.poll(() => isRunning(server)).toBe(false);
});

/** A process that ended may remain until its parent reads its exit code. */
function isRunning(pid: number): boolean {
  try {
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
