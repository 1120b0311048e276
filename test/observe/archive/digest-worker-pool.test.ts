import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { digestArtifact, type Inspection, type InspectTask } from '../../../src/observe/archive/digest-artifact.ts';
import {
  type DigestWorkerPool,
  openDigestWorkerPool,
  openServerDigestPool,
} from '../../../src/observe/archive/digest-worker-pool.ts';
import { InspectionLost } from '../../../src/observe/archive/digest-thread.ts';
import { entry, tgz } from '../../support/tar-builder.ts';
import { noise } from '../../support/random.ts';

/** The worker thread returns the same facts about an artifact as the main thread. */

const folder = mkdtempSync(join(tmpdir(), 'appreg-inspectors-'));
const program = join(folder, 'inspector.cjs');
let inspectors: DigestWorkerPool;
beforeAll(() => {
  const entryPoints = [join(import.meta.dirname, '../../../src/observe/archive/digest-worker.ts')];
  buildSync({ entryPoints, bundle: true, platform: 'node', format: 'cjs', outfile: program });
});
afterAll(() => {
  inspectors?.close();
  rmSync(folder, { recursive: true });
});

const task = (bytes: number): InspectTask => ({
  limit: 1e8,
  weak: false,
  lines: false,
  scan: null,
  packedBytes: bytes,
  owner: '',
});

async function fed(inspection: Inspection, bytes: Uint8Array, size: number): Promise<Inspection> {
  const lent = Buffer.alloc(size);
  for (let at = 0; at < bytes.length; at += size) {
    lent.set(bytes.subarray(at, at + size));
    const busy = inspection.write(lent.subarray(0, Math.min(size, bytes.length - at)));
    lent.fill(0);
    await busy;
    if (at % (10 * size) === 0) await sleep(0);
  }
  return inspection;
}

/** A pool with so many pending bytes that the thread is started. */
function begun(file: string): DigestWorkerPool {
  const made = openDigestWorkerPool(true, file);
  made.open(task(1e8)).drop();
  return made;
}

const sound = tgz(entry('app.js', noise(1_500_000)));
const text = tgz(entry('app.js', 'export const one = 1;\n'.repeat(200_000)), entry('ui.js', noise(700_000)));
const cut = sound.subarray(0, 1_000_000);
const broken = Buffer.from(sound);
broken.fill(0xff, 600_000, 600_100);

test('the worker returns the same facts as the main thread, for any number and size of chunks', async () => {
  inspectors = begun(program);
  await sleep(500);
  const cases = [sound, text, cut, broken, noise(900_000), Buffer.alloc(0)];
  for (const size of [16_384, 262_144, 300_001])
    await Promise.all(
      [...cases, ...cases].map(async (bytes) => {
        const here = await fed(digestArtifact(task(1_000_000)), bytes, size);
        const there = await fed(inspectors.open(task(1_000_000)), bytes, size);
        expect(await there.end()).toEqual(await here.end());
      }),
    );
});

test('artifacts beyond the memory limit are digested in turn, even if others are dropped', async () => {
  await Promise.all(
    Array.from({ length: 120 }, async (_, i) => {
      const one = await fed(inspectors.open(task(sound.length)), sound, 65_536);
      if (i % 3 === 0) return one.drop();
      expect((await one.end()).archive.entryCount).toBe(1);
    }),
  );
});

const STUB_WORKER = `require('node:worker_threads').parentPort.on('message', ({ id, bytes, last }) => {
  require('node:worker_threads').parentPort.postMessage({ id, memory: bytes.buffer, facts: last === 'end' ? 'there' : null });
});`;

test('only large artifacts are sent to the worker, after enough of them were read', async () => {
  writeFileSync(join(folder, 'stub.cjs'), STUB_WORKER);
  const early = openDigestWorkerPool(true, join(folder, 'stub.cjs'));
  expect(await early.open(task(1e6)).end()).not.toBe('there');
  const late = begun(join(folder, 'stub.cjs'));
  await expect.poll(() => late.open(task(1e6)).end()).toBe('there');
  expect(await late.open(task(1000)).end()).not.toBe('there');
  expect(await openDigestWorkerPool(false).open(task(1e8)).end()).not.toBe('there');
  early.close();
  late.close();
});

test('an error in the worker rejects the pending artifacts, and later ones are digested in the main thread', async () => {
  writeFileSync(
    join(folder, 'fails.cjs'),
    "require('node:worker_threads').parentPort.on('message', () => { throw new Error('out of order'); });",
  );
  const failing = begun(join(folder, 'fails.cjs'));
  const digest = () => failing.open(task(1e6)).end();
  await expect
    .poll(() =>
      digest().then(
        () => 'here',
        ({ message }: Error) => message,
      ),
    )
    .toBe('out of order');
  expect((await (await fed(failing.open(task(1e6)), sound, 65_536)).end()).archive.entryCount).toBe(1);
  failing.close();
});

test('a server digests small artifacts in the worker, too, with the same facts', async () => {
  const server = openServerDigestPool(program);
  const bytes = tgz(entry('app.js', 'x'));
  const here = await (await fed(digestArtifact(task(bytes.length)), bytes, 100)).end();
  expect(await (await fed(server.open(task(bytes.length)), bytes, 100)).end()).toEqual(here);
  server.close();
});

test('a worker that does not respond is replaced', async () => {
  const file = join(folder, 'hangs.cjs');
  writeFileSync(
    file,
    `const { parentPort } = require('node:worker_threads');
parentPort.on('message', (message) => {
  if (message === 'ping') return parentPort.postMessage('ping');
  if (message.task.owner === 'hostile') for (;;);
  parentPort.postMessage({ id: message.id, memory: message.bytes.buffer, facts: 'there' });
});`,
  );
  const server = openServerDigestPool(file, 1500);
  const hostile = server.open({ ...task(1), owner: 'hostile' }).end();
  await expect(hostile).rejects.toThrow(InspectionLost);
  expect(await server.open(task(1)).end()).toBe('there');
  server.close();
});
