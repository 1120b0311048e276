// Scenario: nodes are killed while they create a database, and start in the folders of others.
import { mkdtempSync, readdirSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEmbeddedPostgres } from '../src/db/embedded/server.ts';
import { waitUntil } from '../../test/store/scratch.ts';
import { buildInto } from '../../test/support/built.ts';
import { openFolder, postmasterPid } from '../../test/support/postgres-folder.ts';
import { type Node, startNode } from '../../test/support/service-node.ts';

/** The data folder of a node that was killed, or that another node uses. */

const buildFolder = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-built-'));
const main = join(buildFolder, 'dist/node/main.cjs');
const folders = [buildFolder];
beforeAll(() => buildInto(buildFolder), 60_000);
afterAll(async () => {
  for (const folder of folders) {
    if (postmasterPid(folder) !== null) await (await startEmbeddedPostgres(folder)).stop();
    await rm(folder, { recursive: true, force: true });
  }
});

async function newFolder(): Promise<string> {
  const folder = await openFolder();
  folders.push(folder);
  return folder;
}

async function kill(node: Node): Promise<void> {
  node.child.kill('SIGKILL');
  await node.ended;
}

test('the next node takes over the PostgreSQL of a killed node', { timeout: 60_000 }, async () => {
  const folder = await newFolder();
  const first = startNode(main, ['--data', folder]);
  await first.ready;
  const server = postmasterPid(folder);
  await kill(first);
  expect(postmasterPid(folder)).toBe(server);
  const second = startNode(main, ['--data', folder]);
  expect((await fetch(`${await second.ready}healthz`)).status).toBe(200);
  expect(postmasterPid(folder)).toBe(server);
  await kill(second);
  process.kill(server!, 'SIGKILL');
  await waitUntil(() => postmasterPid(folder) !== server);
  const third = startNode(main, ['--data', folder]);
  await third.ready;
  expect(postmasterPid(folder)).not.toBe(server);
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
      await waitUntil(() => makes(node.child.pid));
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
    expect(postmasterPid(folder)).not.toBe(null);
    await kill(serving);
  },
);
