import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { folder } from '../support/folders.ts';
import { describeOnWindows, type Ran, type Started, windowsPath } from '../support/windows.ts';
import { verifiedVersions, buildPublisher, seed } from '../store/processes.ts';
import { type Job, METADATA } from '../store/publisher.ts';
import { leftovers, scratch, waitUntil } from '../store/scratch.ts';

/** A store in a folder on Windows: locks, atomic writes, files that others have open. */

const BYTES = 5_000;
/** Opens a file without the right for others to remove or rename it, for some milliseconds. */
const HOLD_FILE_OPEN = `const fs = require('node:fs');
const [, , file, milliseconds] = process.argv;
const handle = fs.openSync(file, 'r');
console.log('open');
setTimeout(() => fs.closeSync(handle), Number(milliseconds));
`;

function optionsFor(root: string, versions: string[], failpoint = ''): { cwd: string; env: Record<string, string> } {
  const job: Job = { root: windowsPath(root), versions, bytes: BYTES };
  return { cwd: root, env: { APPREG_TEST_JOB: JSON.stringify(job), APPREG_FAILPOINT: failpoint } };
}

function registry(): string {
  const root = scratch();
  seed(root);
  return root;
}

describeOnWindows('a store in a folder', '20', (windows) => {
  let publisher = '';
  let hold = '';
  beforeAll(async () => {
    publisher = await buildPublisher(scratch());
    hold = join(folder(), 'hold.cjs');
    writeFileSync(hold, HOLD_FILE_OPEN);
  });

  function publish(root: string, versions: string[], failpoint?: string): Ran {
    return windows.script(publisher, [], optionsFor(root, versions, failpoint));
  }

  async function held(root: string, milliseconds: number): Promise<Started> {
    const started = windows.startScript(hold, [windowsPath(join(root, METADATA)), String(milliseconds)], { cwd: root });
    await waitUntil(() => started.output().includes('open'), 30_000);
    return started;
  }

  test('stores every version of concurrent publishers', async () => {
    const root = registry();
    const all = ['1', '2', '3'].map((major) => [`${major}.0.0`, `${major}.1.0`, `${major}.2.0`]);
    const started = all.map((versions) => windows.startScript(publisher, [], optionsFor(root, versions)));
    for (const [index, { ended, output }] of started.entries()) {
      expect(await ended, output()).toBe(0);
      for (const version of all[index]!) expect(output()).toContain(`published ${version} created edited`);
    }
    expect(verifiedVersions(root, BYTES).sort()).toEqual(all.flat());
    expect(leftovers(root)).toEqual([]);
  });

  test.each(['locked', 'half-written', 'before-rename', 'after-rename'])(
    'lets the next publisher take over the lock of one that was killed at "%s", and complete',
    (failpoint) => {
      const root = registry();
      expect(publish(root, ['1.0.0'], failpoint).code).not.toBe(0);
      const began = performance.now();
      const next = publish(root, ['1.0.0', '1.1.0']);
      expect(next, next.out).toMatchObject({ code: 0 });
      expect(performance.now() - began).toBeLessThan(20_000);
      expect(verifiedVersions(root, BYTES)).toEqual(['1.0.0', '1.1.0']);
      expect(leftovers(root)).toEqual([]);
    },
  );

  test('replaces a document that another program has open briefly, once it is closed', async () => {
    const root = registry();
    const holder = await held(root, 800);
    expect(publish(root, ['1.0.0'])).toMatchObject({ code: 0 });
    expect(await holder.ended).toBe(0);
    expect(verifiedVersions(root, BYTES)).toEqual(['1.0.0']);
  });

  test('does not change a document that stays open in another program, and reports it as in use', async () => {
    const root = registry();
    const before = readFileSync(join(root, METADATA), 'utf8');
    const holder = await held(root, 50_000);
    try {
      const ran = publish(root, ['1.0.0']);
      expect(ran.code).toBe(2);
      expect(ran.out).toContain('"code":"file-busy"');
      expect(ran.out).toContain('Not stored: apps/a/versions.json.');
    } finally {
      holder.child.kill('SIGKILL');
      await holder.ended;
    }
    expect(readFileSync(join(root, METADATA), 'utf8')).toBe(before);
    expect(leftovers(root)).toEqual([]);
  });

  test('does not replace a read-only document', () => {
    const root = registry();
    chmodSync(join(root, METADATA), 0o444);
    expect(publish(root, ['1.0.0']).out).toContain('"code":"read-only"');
  });
});
