import { spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import { beforeAll, describe, expect, test } from 'vitest';
import { openDirectory } from '../../../src/store/directory/directory.ts';
import { takeLock } from '../../../src/store/directory/lock.ts';
import { type LockOwner, currentProcess } from '../../../src/store/directory/owner.ts';
import { verifiedVersions, buildPublisher, seed, start, stopped } from '../processes.ts';
import { artifactBytes, artifactPath, METADATA } from '../publisher.ts';
import { leftovers, scratch, waitUntil } from '../scratch.ts';

function target(): { file: string; folder: string; lock: string } {
  const folder = scratch();
  return { folder, file: join(folder, 'a.json'), lock: join(folder, '.a.json.lock') };
}

/** A lock as another process would hold it. */
function writeLock(lock: string, owner: Partial<LockOwner> | string): string {
  fs.mkdirSync(lock);
  const file = join(lock, 'other.json');
  fs.writeFileSync(file, typeof owner === 'string' ? owner : JSON.stringify({ ...currentProcess(), ...owner }));
  return file;
}

const OTHER_MACHINE = { machine: '0123456789ab', host: 'other-machine' };
/** No process has this id: the limits of systems are lower. */
const UNUSED_PID = 2 ** 30;

describe('a lock', () => {
  test('is held by one owner at a time', async () => {
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

  test('of another running process on this machine times out with its owner named, regardless of its age', async () => {
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

  test.each<[string, Partial<LockOwner>]>([
    ['whose process has ended', { pid: UNUSED_PID }],
    [
      'whose process id was reused by a later process',
      {
        started: process.platform === 'linux' ? '1' : null,
        pid: process.platform === 'linux' ? process.pid : UNUSED_PID,
      },
    ],
    // Windows soon reuses the id of a process that ended.
    ['with our process id and thread, which is not ours', { pid: process.pid, started: null, thread: threadId }],
  ])('%s is taken over at once, with a notice', async (_, owner) => {
    const { file, lock } = target();
    writeLock(lock, owner);
    const notices: string[] = [];
    const began = performance.now();
    const mine = await takeLock(file, 'a.json', { notice: (text) => notices.push(text) });
    expect(performance.now() - began).toBeLessThan(5_000);
    expect(notices).toEqual([
      expect.stringMatching(/^Took over the lock of a\.json: process \d+ on .* no longer exists\.$/),
    ]);
    await mine.release();
    expect(fs.existsSync(lock)).toBe(false);
  });

  // The clocks of two machines differ, and clocks jump: only our own time between two reads counts.
  test.each<{ name: string; owner: Partial<LockOwner> | string; mtime: number }>([
    { name: 'of another machine, dated in the past', owner: OTHER_MACHINE, mtime: 1 },
    { name: 'of another machine, dated in the future', owner: OTHER_MACHINE, mtime: Date.now() / 1000 + 3600 },
    { name: 'with an empty file after a power failure', owner: '', mtime: 1 },
    { name: 'with an unknown file', owner: '{"pid":0}', mtime: 1 },
    // Windows and macOS: the id may belong to a later process.
    { name: 'of a process with an unknown start time', owner: { pid: process.pid, started: null }, mtime: 1 },
    {
      name: 'of another thread of this process',
      owner: { pid: process.pid, started: null, thread: threadId + 1 },
      mtime: 1,
    },
  ])('$name is taken over only after it was not renewed for the given time', async ({ owner, mtime }) => {
    const { file, lock } = target();
    fs.utimesSync(writeLock(lock, owner), mtime, mtime);
    await expect(takeLock(file, 'a.json', { wait: 100, stale: 5_000 })).rejects.toMatchObject({ code: 'store-locked' });
    const began = performance.now();
    const mine = await takeLock(file, 'a.json', { stale: 200 });
    expect(performance.now() - began).toBeGreaterThanOrEqual(200);
    await mine.release();
  });

  test('of this thread is held until it is released', async () => {
    const { file } = target();
    const mine = await takeLock(file, 'a.json');
    await expect(takeLock(file, 'a.json', { wait: 100, stale: 20 })).rejects.toMatchObject({ code: 'store-locked' });
    expect(await mine.held()).toBe(true);
    await mine.release();
    await (await takeLock(file, 'a.json', { wait: 100 })).release();
  });

  test('of another machine is held while it is renewed', async () => {
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

  test('that is an empty folder is free', async () => {
    const { file, lock } = target();
    fs.mkdirSync(lock);
    await (await takeLock(file, 'a.json', { wait: 0 })).release();
  });

  test('is taken over by one of several, and held by one at a time', async () => {
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

  test('requires the folder of the file', async () => {
    await expect(takeLock(join(scratch(), 'no/a.json'), 'a.json')).rejects.toMatchObject({ code: 'ENOENT' });
  });
});

describe.runIf(process.platform === 'linux')('a process that ended', () => {
  test('without being waited for holds no lock', async () => {
    const { file, lock } = target();
    // The shell becomes a program that does not wait for its child.
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

describe('temporary files of killed runs', () => {
  const { machine } = currentProcess();

  test("are removed by the next write if they are ours, or another machine's and two days old", async () => {
    const { folder } = target();
    const day = 24 * 3600;
    const now = Date.now() / 1000;
    const preserved = [
      tempOf(machine, process.pid, 'running'),
      tempOf(OTHER_MACHINE.machine, UNUSED_PID, 'young'),
      `.notes.tmp`,
      `${tempOf(machine, UNUSED_PID, 'other')}.txt`,
    ];
    const removed = [tempOf(machine, UNUSED_PID, 'over'), tempOf(OTHER_MACHINE.machine, process.pid, 'old')];
    for (const file of [...preserved, ...removed]) {
      fs.writeFileSync(join(folder, file), '');
      fs.utimesSync(join(folder, file), now, file.includes('young') ? now - day / 2 : now - 2 * day);
    }
    const prepared = tempOf(machine, UNUSED_PID, 'lock');
    fs.mkdirSync(join(folder, prepared));
    fs.writeFileSync(join(folder, prepared, 'id.json'), '');
    await openDirectory(folder).create('a.json', Buffer.from('x'));
    expect(fs.readdirSync(folder).sort()).toEqual([...preserved, 'a.json'].sort());
  });
});

describe.runIf(process.platform === 'linux')('a publisher that is stopped while it writes', () => {
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

  async function stoppedAt(
    failpoint: string,
  ): Promise<{ root: string; file: string; go(): Promise<Awaited<ReturnType<typeof start>['ended']>> }> {
    const root = scratch();
    seed(root);
    await openDirectory(root).create(artifactPath('1.0.0'), artifactBytes('1.0.0', BYTES));
    const { child, ended } = start(publisher, job(root, '1.0.0'), { failpoint: `${failpoint}:SIGSTOP` });
    await stopped(child);
    return { root, file: join(root, METADATA), go: () => (child.kill('SIGCONT'), ended) };
  }

  test('holds its lock: the next publisher times out with its name, and nothing is lost', async () => {
    const { root, go } = await stoppedAt('locked');
    const second = await start(publisher, job(root, '2.0.0')).ended;
    expect(second).toMatchObject({ code: 2, failure: { code: 'store-locked' } });
    expect(second.failure!.message).toMatch(
      /Stored: apps\/a\/versions\/2\.0\.0\.tar\.gz\. Not stored: apps\/a\/versions\.json\.$/,
    );
    expect(verifiedVersions(root, BYTES)).toEqual([]);
    expect((await go()).code).toBe(0);
    expect((await start(publisher, job(root, '2.0.0')).ended).out).toContain('published 2.0.0 already-there edited');
    expect(verifiedVersions(root, BYTES)).toEqual(['1.0.0', '2.0.0']);
    expect(leftovers(root)).toEqual([]);
  });

  test('blocks other publishers, which can be interrupted and leave no files', async () => {
    const { root, go } = await stoppedAt('locked');
    const second = start(publisher, { ...job(root, '1.0.0'), wait: 60_000 });
    await second.ready;
    await waitUntil(() => leftovers(root).some((name) => name.endsWith('.tmp')));
    second.child.kill('SIGINT');
    expect(await second.ended).toMatchObject({ code: null, signal: 'SIGINT' });
    expect(leftovers(root)).toEqual([join('apps', 'a', '.versions.json.lock')]);
    expect((await go()).code).toBe(0);
  });

  test('writes nothing after its lock was removed', async () => {
    const { root, file, go } = await stoppedAt('before-sync');
    fs.rmSync(join(file, '../.versions.json.lock'), { recursive: true });
    expect((await start(publisher, job(root, '2.0.0')).ended).code).toBe(0);
    expect(await go()).toMatchObject({
      code: 2,
      failure: {
        code: 'lock-lost',
        message: expect.stringMatching(/Stored: .*1\.0\.0\.tar\.gz\. Not stored: apps\/a\/versions\.json\.$/),
      },
    });
    expect(verifiedVersions(root, BYTES)).toEqual(['2.0.0']);
    expect(leftovers(root)).toEqual([]);
  });

  test.each([
    ['writes to the file', (file: string, text: string) => fs.writeFileSync(file, text)],
    [
      'replaces the file',
      (file: string, text: string) => (fs.writeFileSync(`${file}~`, text), fs.renameSync(`${file}~`, file)),
    ],
  ])('preserves both changes if an editor %s', async (_, save) => {
    const { root, file, go } = await stoppedAt('before-sync');
    const edited = `${JSON.stringify({ note: 'by hand', versions: [] })}\n`;
    save(file, edited);
    await waitUntil(() => fs.readFileSync(file, 'utf8') === edited);
    expect(await go()).toMatchObject({ code: 0 });
    expect(verifiedVersions(root, BYTES)).toEqual(['1.0.0']);
    expect(JSON.parse(fs.readFileSync(file, 'utf8'))).toMatchObject({ note: 'by hand' });
    expect(leftovers(root)).toEqual([]);
  });

  test('reports a document that was removed meanwhile, and does not create it again', async () => {
    const { file, go } = await stoppedAt('before-sync');
    fs.rmSync(file);
    expect(await go()).toMatchObject({ code: 2, failure: { code: 'document-missing' } });
    expect(fs.existsSync(file)).toBe(false);
  });
});
