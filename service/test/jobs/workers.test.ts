import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type JobQueue, type JobWorkers, startJobWorkers } from '../../src/jobs/workers.ts';

/** A queue in memory, with the results of its jobs and the number of statements. */
function openQueue(names: string[]) {
  const taken = new Set<string>();
  const state = {
    waiting: names.map((id) => ({ id })),
    completed: [] as string[],
    failed: [] as string[],
    fetches: 0,
    settles: 0,
    broken: false,
  };
  const settle = (list: string[]) => async (claims: readonly { id: string }[]) => {
    state.settles += 1;
    await sleep(2);
    for (const { id } of claims) if (taken.delete(id)) list.push(id);
  };
  const queue: JobQueue<{ id: string }> = {
    async claim(limit) {
      state.fetches += 1;
      await sleep(2);
      if (state.broken) throw new Error('no database');
      const some = state.waiting.splice(0, limit);
      for (const { id } of some) taken.add(id);
      return some;
    },
    end: settle(state.completed),
    release: settle(state.failed),
    renew: async (claims) => new Set(claims.map(({ id }) => id).filter((id) => taken.has(id))),
  };
  return { queue: state, taken, jobs: queue };
}

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `job-${i}`);

function start(
  jobs: JobQueue<{ id: string }>,
  act: (name: string, lost: AbortSignal) => Promise<void>,
  {
    errors = [],
    longest = 60_000,
    pollInterval = 30,
  }: { errors?: unknown[]; longest?: number; pollInterval?: number } = {},
): JobWorkers {
  return startJobWorkers(jobs, {
    concurrency: 4,
    pollInterval,
    renewInterval: 20,
    longest,
    process: ({ id }, lost) => act(id, lost),
    onError: (error) => void errors.push(error),
  });
}

test('all jobs run with the given concurrency, in few statements', async () => {
  const { queue, jobs } = openQueue(names(40));
  let [now, most] = [0, 0];
  const act = async (): Promise<void> => {
    most = Math.max(most, ++now);
    await sleep(3);
    now -= 1;
  };
  // Without a statement that only asks again.
  const workers = start(jobs, act, { pollInterval: 60_000 });
  await expect.poll(() => queue.completed.length).toBe(40);
  await workers.stop(1000);
  expect(most).toBe(4);
  expect(new Set(queue.completed).size).toBe(40);
  expect(queue.fetches + queue.settles).toBeLessThan(60);
});

test('a slow job does not block the others', async () => {
  const { queue, jobs } = openQueue(names(12));
  const slow = new AbortController();
  const workers = start(jobs, (name) =>
    name === 'job-0' ? new Promise((resolve) => slow.signal.addEventListener('abort', () => resolve())) : sleep(1),
  );
  await expect.poll(() => queue.completed.length).toBe(11);
  slow.abort();
  await workers.stop(1000);
  expect(queue.completed).toContain('job-0');
});

test('a job that throws is marked as failed, and later jobs are found', async () => {
  const { queue, jobs } = openQueue(['bad', 'good']);
  const workers = start(jobs, async (name) => {
    if (name === 'bad') throw new Error('handed back');
  });
  await expect.poll(() => [queue.completed, queue.failed]).toEqual([['good'], ['bad']]);
  queue.waiting.push({ id: 'later' });
  await expect.poll(() => queue.completed).toEqual(['good', 'later']);
  await workers.stop(1000);
});

test('a job that another node has taken over is released', async () => {
  const { queue, taken, jobs } = openQueue(['a']);
  const workers = start(
    jobs,
    (_, lost) => new Promise((_resolve, reject) => lost.addEventListener('abort', () => reject(new Error('lost')))),
  );
  await expect.poll(() => taken.size).toBe(1);
  taken.clear();
  // Not after the time that jobs have to end.
  await workers.stop(600_000);
  expect([queue.completed, queue.failed]).toEqual([[], []]);
});

test('a job that takes longer than any should is given up', async () => {
  const { jobs } = openQueue(['a']);
  const lost = new AbortController();
  const workers = start(
    jobs,
    (_, signal) =>
      new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => {
          lost.abort();
          reject(new Error('lost'));
        }),
      ),
    { longest: 30 },
  );
  await expect.poll(() => lost.signal.aborted).toBe(true);
  await workers.stop(1000);
});

test('stopping takes no further jobs, and hands back jobs that do not end', async () => {
  const { queue, taken, jobs } = openQueue(names(9));
  const workers = start(jobs, () => new Promise(() => {}));
  await expect.poll(() => taken.size).toBe(4);
  await workers.stop(50);
  expect(queue.failed).toEqual(names(4));
  expect(queue.waiting).toHaveLength(5);
});

test('an unavailable database is reported, and no job is lost', async () => {
  const { queue, jobs } = openQueue(names(3));
  const errors: unknown[] = [];
  queue.broken = true;
  const workers = start(jobs, async () => {}, { errors });
  await expect.poll(() => errors.length).toBeGreaterThan(1);
  queue.broken = false;
  await expect.poll(() => queue.completed.length).toBe(3);
  await workers.stop(1000);
});
