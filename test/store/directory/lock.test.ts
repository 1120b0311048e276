import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { beforeAll, describe, expect, test } from 'vitest';
import { openDirectory } from '../../../src/store/directory/directory.ts';
import { takeLock } from '../../../src/store/directory/lock.ts';
import { type Owner, currentProcess } from '../../../src/store/directory/owner.ts';
import { verifiedVersions, buildPublisher, seed, start, stopped } from '../processes.ts';
import { artifactBytes, artifactPath, METADATA } from '../publisher.ts';
import { leftovers, scratch, waitUntil } from '../scratch.ts';

function target(): { file: string; folder: string; lock: string } {
  const folder = scratch();
  return { folder, file: join(folder, 'a.json'), lock: join(folder, '.a.json.lock') };
}

/** A lock as another process would hold it. */
function writeLock(lock: string, owner: Partial<Owner> | string): string {
  fs.mkdirSync(lock);
  const file = join(lock, 'other.json');
  fs.writeFileSync(file, typeof owner === 'string' ? owner : JSON.stringify({ ...currentProcess(), ...owner }));
  return file;
}

const OTHER_MACHINE = { machine: '0123456789ab', host: 'other-machine' };
/** No process has this number: the systems' limits are lower. */
const UNUSED_PID = 2 ** 30;

describe('a lock', () => {
  test('is held by one, then by the next', async () => {
    const { file, folder } = target();
    const first = await takeLock(file, 'a.json');
    const order: string[] = [];
    const second = takeLock(file, 'a.json').then((lock) => (order.push('second'), lock));
    await expect(takeLock(file, 'a.json', { wait: 50 })).rejects.toMatchObject({ code: 'store-locked' });
    order.push('first done');
    await first.release();
    expect(await first.held()).toBe(false);
    const lock = await second;
    expect(await lock.held()).toBe(true);
    await lock.release();
    expect(order).toEqual(['first done', 'second']);
    expect(fs.readdirSync(folder)).toEqual([]);
  });

  test('of another live process here is waited for, then named, however old it looks', async () => {
    const { file, lock, folder } = target();
    const theirs = writeLock(lock, {});
    fs.utimesSync(theirs, 0, 0);
    await expect(takeLock(file, 'a.json', { wait: 150, stale: 0 })).rejects.toMatchObject({
      code: 'store-locked',
      exit: 2,
      message: expect.stringMatching(
        new RegExp(`^a\\.json is locked by process ${process.pid} on .*; waited 0 s\\. Nothing was changed\\.$`),
      ),
      hint: expect.stringContaining('.a.json.lock'),
    });
    expect(fs.existsSync(theirs)).toBe(true);
    expect(fs.readdirSync(folder)).toEqual(['.a.json.lock']);
  });

  test.each<[string, Partial<Owner>]>([
    ['whose process is gone', { pid: UNUSED_PID }],
    [
      'whose number is used by a later process',
      {
        started: process.platform === 'linux' ? '1' : null,
        pid: process.platform === 'linux' ? process.pid : UNUSED_PID,
      },
    ],
    // Windows gives the number of a process that ended to a new one soon.
    ['whose number and thread are ours, and which is not ours', { pid: process.pid, started: null, thread: threadId }],
  ])('%s is broken at once, and that is told', async (_, owner) => {
    const { file, lock } = target();
    writeLock(lock, owner);
    const told: string[] = [];
    const began = performance.now();
    const mine = await takeLock(file, 'a.json', { notice: (text) => told.push(text) });
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(told).toEqual([
      expect.stringMatching(/^Took over the lock of a\.json: process \d+ on .* no longer exists\.$/),
    ]);
    await mine.release();
    expect(fs.existsSync(lock)).toBe(false);
  });

  // The clocks of two machines differ, and clocks jump: only our own time between two looks counts.
  test.each<[string, Partial<Owner> | string, number]>([
    ['of another machine, from the past', OTHER_MACHINE, 1],
    ['of another machine, from the future', OTHER_MACHINE, Date.now() / 1000 + 3600],
    ['with a text that a power cut left', '', 1],
    ['with a text of somebody else', '{"pid":0}', 1],
    // Windows and macOS: the number may belong to a later process.
    ['of a process whose start is not known', { pid: process.pid, started: null }, 1],
    ['of another thread of this process', { pid: process.pid, started: null, thread: threadId + 1 }, 1],
  ])('%s is broken when it gives no sign of life for a while, not before', async (_, owner, mtime) => {
    const { file, lock } = target();
    fs.utimesSync(writeLock(lock, owner), mtime, mtime);
    await expect(takeLock(file, 'a.json', { wait: 100, stale: 5_000 })).rejects.toMatchObject({ code: 'store-locked' });
    const began = performance.now();
    const mine = await takeLock(file, 'a.json', { stale: 200 });
    expect(performance.now() - began).toBeGreaterThanOrEqual(200);
    await mine.release();
  });

  test('of this thread is kept until it is released', async () => {
    const { file } = target();
    const mine = await takeLock(file, 'a.json');
    await expect(takeLock(file, 'a.json', { wait: 100, stale: 20 })).rejects.toMatchObject({ code: 'store-locked' });
    expect(await mine.held()).toBe(true);
    await mine.release();
    await (await takeLock(file, 'a.json', { wait: 100 })).release();
  });

  test('of another machine stays while it gives signs of life', async () => {
    const { file, lock } = target();
    const theirs = writeLock(lock, OTHER_MACHINE);
    let beat = 1;
    const timer = setInterval(() => fs.utimesSync(theirs, beat, beat++), 20);
    try {
      await expect(takeLock(file, 'a.json', { wait: 600, stale: 300 })).rejects.toMatchObject({
        code: 'store-locked',
        message: expect.stringContaining('other-machine'),
      });
    } finally {
      clearInterval(timer);
    }
  });

  test('that is an empty folder is what a crash left: free', async () => {
    const { file, lock } = target();
    fs.mkdirSync(lock);
    await (await takeLock(file, 'a.json', { wait: 0 })).release();
  });

  test('is broken by one of many, and held by one at a time', async () => {
    const { file, lock } = target();
    let inside = 0;
    let most = 0;
    for (let round = 0; round < 10; round++) {
      writeLock(lock, { pid: UNUSED_PID });
      await Promise.all(
        Array.from({ length: 8 }, async () => {
          const mine = await takeLock(file, 'a.json');
          most = Math.max(most, ++inside);
          await new Promise(setImmediate);
          expect(await mine.held()).toBe(true);
          inside--;
          await mine.release();
        }),
      );
    }
    expect(most).toBe(1);
  });

  test('needs the folder of the file', async () => {
    await expect(takeLock(join(scratch(), 'no/a.json'), 'a.json')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe.runIf(process.platform === 'linux')('a process that ended', () => {
  test('but that nobody has waited for holds nothing', async () => {
    const { file, lock } = target();
    // The shell becomes a program that knows nothing of its child.
    const parent = spawn('sh', ['-c', 'sleep 0.1 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const pid = await new Promise<number>((resolve) => parent.stdout.once('data', (line) => resolve(Number(line))));
      await waitUntil(() => / Z /.test(fs.readFileSync(`/proc/${pid}/stat`, 'utf8')));
      writeLock(lock, { pid, started: null });
      await (await takeLock(file, 'a.json', { wait: 0 })).release();
    } finally {
      parent.kill('SIGKILL');
    }
  });
});

const tempOf = (machine: string, pid: number, what: string): string =>
  `.${what}.${machine}-${pid}-0123456789abcdef.tmp`;

describe('what killed runs left in a folder', () => {
  const { machine } = currentProcess();

  test('goes with the next write: what is ours and over, and what is another machine’s and a day old', async () => {
    const { folder } = target();
    const day = 24 * 3600;
    const now = Date.now() / 1000;
    const kept = [
      tempOf(machine, process.pid, 'running'),
      tempOf(OTHER_MACHINE.machine, UNUSED_PID, 'young'),
      `.notes.tmp`,
      `${tempOf(machine, UNUSED_PID, 'other')}.txt`,
    ];
    const swept = [tempOf(machine, UNUSED_PID, 'over'), tempOf(OTHER_MACHINE.machine, process.pid, 'old')];
    for (const file of [...kept, ...swept]) {
      fs.writeFileSync(join(folder, file), '');
      fs.utimesSync(join(folder, file), now, file.includes('young') ? now - day / 2 : now - 2 * day);
    }
    const prepared = tempOf(machine, UNUSED_PID, 'lock');
    fs.mkdirSync(join(folder, prepared));
    fs.writeFileSync(join(folder, prepared, 'id.json'), '');
    await openDirectory(folder).create('a.json', Buffer.from('x'));
    expect(fs.readdirSync(folder).sort()).toEqual([...kept, 'a.json'].sort());
  });
});

describe.runIf(process.platform === 'linux')('a publisher that stands still in the middle', () => {
  const BYTES = 1000;
  const job = (root: string, version: string): Parameters<typeof start>[1] => ({
    root,
    versions: [version],
    bytes: BYTES,
    wait: 300,
  });
  let publisher: string;
  beforeAll(async () => {
    publisher = await buildPublisher(scratch());
  });

  async function standing(
    failpoint: string,
  ): Promise<{ root: string; file: string; go(): Promise<Awaited<ReturnType<typeof start>['ended']>> }> {
    const root = scratch();
    seed(root);
    await openDirectory(root).create(artifactPath('1.0.0'), artifactBytes('1.0.0', BYTES));
    const { child, ended } = start(publisher, job(root, '1.0.0'), { failpoint: `${failpoint}:SIGSTOP` });
    await stopped(child);
    return { root, file: join(root, METADATA), go: () => (child.kill('SIGCONT'), ended) };
  }

  test('keeps its lock: the next one gives up with its name, and nothing is lost', async () => {
    const { root, go } = await standing('locked');
    const second = await start(publisher, job(root, '2.0.0')).ended;
    expect(second).toMatchObject({ code: 2, trouble: { code: 'store-locked' } });
    expect(second.trouble!.message).toMatch(
      /Stored: apps\/a\/versions\/2\.0\.0\.tar\.gz\. Not stored: apps\/a\/versions\.json\.$/,
    );
    expect(verifiedVersions(root, BYTES)).toEqual([]);
    expect((await go()).code).toBe(0);
    expect((await start(publisher, job(root, '2.0.0')).ended).out).toContain('published 2.0.0 already-there edited');
    expect(verifiedVersions(root, BYTES)).toEqual(['1.0.0', '2.0.0']);
    expect(leftovers(root)).toEqual([]);
  });

  test('keeps others waiting, who can be interrupted and leave nothing', async () => {
    const { root, go } = await standing('locked');
    const second = start(publisher, { ...job(root, '1.0.0'), wait: 60_000 });
    await second.ready;
    await waitUntil(() => leftovers(root).some((name) => name.endsWith('.tmp')));
    second.child.kill('SIGINT');
    expect(await second.ended).toMatchObject({ code: null, signal: 'SIGINT' });
    expect(leftovers(root)).toEqual([join('apps', 'a', '.versions.json.lock')]);
    expect((await go()).code).toBe(0);
  });

  test('and whose lock is removed meanwhile writes nothing', async () => {
    const { root, file, go } = await standing('before-sync');
    fs.rmSync(join(file, '../.versions.json.lock'), { recursive: true });
    expect((await start(publisher, job(root, '2.0.0')).ended).code).toBe(0);
    expect(await go()).toMatchObject({
      code: 2,
      trouble: {
        code: 'lock-lost',
        message: expect.stringMatching(/Stored: .*1\.0\.0\.tar\.gz\. Not stored: apps\/a\/versions\.json\.$/),
      },
    });
    expect(verifiedVersions(root, BYTES)).toEqual(['2.0.0']);
    expect(leftovers(root)).toEqual([]);
  });

  test.each([
    ['writes into the file', (file: string, text: string) => fs.writeFileSync(file, text)],
    [
      'puts another file in its place',
      (file: string, text: string) => (fs.writeFileSync(`${file}~`, text), fs.renameSync(`${file}~`, file)),
    ],
  ])('while an editor %s: both changes are kept', async (_, save) => {
    const { root, file, go } = await standing('before-sync');
    const edited = `${JSON.stringify({ note: 'by hand', versions: [] })}\n`;
    save(file, edited);
    await waitUntil(() => fs.readFileSync(file, 'utf8') === edited);
    expect(await go()).toMatchObject({ code: 0 });
    expect(verifiedVersions(root, BYTES)).toEqual(['1.0.0']);
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toMatchObject({ note: 'by hand' });
    expect(leftovers(root)).toEqual([]);
  });

  test('while the file is removed: that is said, and it is not made anew', async () => {
    const { file, go } = await standing('before-sync');
    fs.rmSync(file);
    expect(await go()).toMatchObject({ code: 2, trouble: { code: 'document-missing' } });
    expect(fs.existsSync(file)).toBe(false);
  });
});
