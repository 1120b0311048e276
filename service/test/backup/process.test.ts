// Scenario: nodes, and restores that are killed, with a PostgreSQL of their own each.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, realpathSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitUntil } from '../../../test/store/scratch.ts';
import { buildInto } from '../../../test/support/built.ts';
import { CODE_CACHE } from '../../../test/support/code-cache.ts';
import { openFolder } from '../../../test/support/postgres-folder.ts';
import { type Node, startNode } from '../../../test/support/service-node.ts';

/** The built commands with embedded servers: a backup beside a running service, and restores in new folders. */

const buildFolder = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-built-'));
const main = join(buildFolder, 'dist/node/main.cjs');
const folders = [buildFolder];
beforeAll(() => buildInto(buildFolder), 60_000);
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function newFolder(): Promise<string> {
  const folder = await openFolder();
  folders.push(folder);
  return folder;
}

/** Starts `appreg service <words>`. */
function command(...words: string[]) {
  const run = `require(${JSON.stringify(main)}).main(process.argv).then((code) => { process.exitCode = code; });`;
  const child = spawn(process.execPath, ['-e', run, 'appreg', 'service', ...words], {
    env: { PATH: process.env['PATH'], ...CODE_CACHE },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => void (output += data.toString()));
  const ended = new Promise<number | string>((done) => {
    child.once('close', (code, signal) => done(code ?? signal!));
  });
  return { child, ended, output: () => output };
}

async function outputOf(...words: string[]): Promise<string> {
  const { ended, output } = command(...words);
  expect(await ended, output()).toBe(0);
  return output();
}

async function stop(node: Node): Promise<void> {
  node.child.kill('SIGTERM');
  expect(await node.ended).toBe(0);
}

test(
  'a backup of a running service starts a service elsewhere, also after a restore was killed',
  { timeout: 120_000 },
  async () => {
    const [data, copy] = [await newFolder(), await newFolder()];
    const file = join(await newFolder(), 'appreg.gz');
    const node = startNode(main, ['--data', data, '--open-sign-up']);
    const created = await fetch(`${await node.ready}api/organizations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Acme' }),
    });
    const { token } = (await created.json()) as { token: string };
    expect(await outputOf('backup', file, '--data', data)).toContain('1 organization');
    await stop(node);
    expect(await outputOf('backup', file, '--data', data)).toContain('1 organization');

    const killed = command('restore', file, '--data', copy);
    await waitUntil(() => readdirSync(copy).includes('postgres'));
    killed.child.kill('SIGKILL');
    expect(await killed.ended).toBe('SIGKILL');
    expect(await outputOf('restore', file, '--data', copy)).toContain('1 organization');
    const refused = command('restore', file, '--data', copy);
    expect(await refused.ended).toBe(2);
    expect(refused.output()).toContain('not empty');

    const restored = startNode(main, ['--data', copy]);
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${await restored.ready}api/organization`, { headers });
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ name: 'Acme' })]);
    await stop(restored);
  },
);

test('an interrupted restore stops its PostgreSQL and leaves an empty folder', { timeout: 60_000 }, async () => {
  const [data, copy] = [await newFolder(), await newFolder()];
  const file = join(await newFolder(), 'appreg.gz');
  const node = startNode(main, ['--data', data]);
  await node.ready;
  await stop(node);
  await outputOf('backup', file, '--data', data);
  const restoring = command('restore', file, '--data', copy);
  await waitUntil(() => readdirSync(copy).includes('postgres'));
  restoring.child.kill('SIGINT');
  expect(await restoring.ended).toBe(130);
  expect(restoring.output()).toContain('Nothing was changed.');
  expect(readdirSync(copy)).toEqual([]);
});
