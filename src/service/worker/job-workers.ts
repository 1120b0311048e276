import type { PgBoss, Job } from 'pg-boss';
import { within } from '../time-limits.ts';
import { inBatches } from '../database/batch.ts';

/**
 * Processes the jobs of a queue with limited concurrency. Jobs are fetched, kept alive and completed in batches, but
 * processed individually: a slow job does not block a slot of another. pg-boss's own workers take one job at a time, or
 * wait for the slowest of a batch; its four statements per job took longer than a refresh without changes.
 */
export interface JobWorkers {
  /** Signals that there may be new jobs. */
  wake(): void;
  /** Takes no new jobs, and waits the given milliseconds for running ones; the rest are released to other nodes. */
  stop(milliseconds: number): Promise<void>;
}

interface JobWorkersOptions<Data> {
  /** Maximum concurrent jobs. */
  concurrency: number;
  /** Milliseconds between two polls of an empty queue, and between two heartbeats. */
  pollInterval: number;
  heartbeatInterval: number;
  /** Whether no jobs are taken at the moment. */
  isPaused?(): boolean;
  /** @param lost aborted once another node has the job. If it throws, the job is retried */
  process(data: Data, lost: AbortSignal): Promise<void>;
  /** Whether to write the end of a job again, now, after an error. */
  canRetry?(error: unknown): Promise<boolean>;
  onError(error: unknown): void;
}

export function startJobWorkers<Data extends object>(
  boss: PgBoss,
  queue: string,
  options: JobWorkersOptions<Data>,
): JobWorkers {
  const { concurrency, pollInterval, heartbeatInterval, process, onError } = options;
  const claims = openClaims(boss, queue);
  /** Includes jobs whose completion is not written yet. */
  const running = new Set<Promise<void>>();
  const poller = startPoller({
    interval: pollInterval,
    hasRoom: () => claims.count() < concurrency && options.isPaused?.() !== true,
    async take() {
      const jobs = await boss.fetch<Data>(queue, { batchSize: concurrency - claims.count() });
      for (const { id, retryCount, data } of jobs) {
        const job: Promise<void> = work({ id, retryCount }, data).finally(() => running.delete(job));
        running.add(job);
      }
      return jobs.length;
    },
    onError,
  });

  async function work(claim: JobClaim, data: Data): Promise<void> {
    const lost = claims.add(claim);
    try {
      const settle = await process(data, lost).then(
        () => claims.complete,
        () => claims.fail,
      );
      claims.remove(claim);
      if (claims.count() <= concurrency / 2) poller.resume();
      await writeWithRetries(() => settle(claim), options.canRetry);
    } catch (error) {
      // The job is retried once its heartbeat expires.
      onError(error);
    }
  }

  const heartbeat = setInterval(() => void claims.beat().catch(onError), heartbeatInterval);
  poller.wake();
  return {
    wake: poller.wake,
    async stop(milliseconds) {
      await poller.stop();
      await within<unknown>(milliseconds, Promise.all(running), null);
      clearInterval(heartbeat);
      await claims.release(onError);
    },
  };
}

async function writeWithRetries(
  write: () => Promise<unknown>,
  canRetry: JobWorkersOptions<object>['canRetry'],
): Promise<void> {
  for (;;)
    try {
      await write();
      return;
    } catch (error) {
      if ((await canRetry?.(error)) !== true) throw error;
    }
}

/** Takes jobs from a queue while there are any and there is room for more. */
interface Poller {
  /** Signals that there may be new jobs. */
  wake(): void;
  /** There is room again: takes the jobs that were left in the queue. */
  resume(): void;
  /** Takes no new jobs. */
  stop(): Promise<void>;
}

interface PollerOptions {
  /** Milliseconds between two polls of an empty queue. */
  interval: number;
  hasRoom(): boolean;
  /** Takes jobs and starts them. @returns how many there were */
  take(): Promise<number>;
  onError(error: unknown): void;
}

function startPoller({ interval, hasRoom, take, onError }: PollerOptions): Poller {
  let stopped = false;
  let polling: Promise<void> | null = null;
  /** Whether the queue may have jobs: new ones were signalled since the last poll, or the last one found some. */
  let mayHaveJobs = false;

  async function poll(): Promise<void> {
    try {
      for (;;) {
        if (stopped || !mayHaveJobs || !hasRoom()) return;
        mayHaveJobs = false;
        // More jobs may follow, even after a partial batch.
        if ((await take()) > 0) mayHaveJobs = true;
      }
    } catch (error) {
      onError(error);
    } finally {
      polling = null;
    }
  }

  function wake(): void {
    mayHaveJobs = true;
    if (!stopped && hasRoom()) polling ??= poll();
  }

  const timer = setInterval(wake, interval);
  return {
    wake,
    resume() {
      if (mayHaveJobs) wake();
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await polling;
    },
  };
}

/** A job that this process works on; another attempt of it has another number. */
type JobClaim = Pick<Job, 'id' | 'retryCount'>;

/** The claimed jobs of a queue. Statements are sent in batches. */
interface JobClaims {
  /** The number of jobs being processed. */
  count(): number;
  /** @returns a signal that is aborted once another node has the job */
  add(claim: JobClaim): AbortSignal;
  /** The job is processed: its slot is free, though its result is not written yet. */
  remove(claim: JobClaim): void;
  complete(claim: JobClaim): Promise<unknown>;
  fail(claim: JobClaim): Promise<unknown>;
  /** Keeps the jobs alive, and aborts those that another node has taken over. */
  beat(): Promise<void>;
  /** Aborts all jobs, and releases them to other nodes. */
  release(onError: (error: unknown) => void): Promise<void>;
}

const BATCH_LIMIT = 100;

function openClaims(boss: PgBoss, queue: string): JobClaims {
  const held = new Map<string, { claim: JobClaim; lost: AbortController }>();
  const complete = inBatches(async (claims: readonly JobClaim[]) => {
    await boss.complete(queue, [...claims]);
    return claims;
  }, BATCH_LIMIT);
  const fail = inBatches(async (claims: readonly JobClaim[]) => {
    await boss.fail(queue, [...claims]);
    return claims;
  }, BATCH_LIMIT);

  return {
    count: () => held.size,
    add({ id, retryCount }) {
      const lost = new AbortController();
      held.set(id, { claim: { id, retryCount }, lost });
      return lost.signal;
    },
    remove: ({ id }) => void held.delete(id),
    complete,
    fail,
    async beat() {
      const current = [...held.values()];
      if (current.length === 0) return;
      const claims = current.map(({ claim }) => claim);
      const stillOurs = settledIds(await boss.touch(queue, claims)) ?? new Set(claims.map(({ id }) => id));
      for (const { claim, lost } of current)
        if (!stillOurs.has(claim.id)) lost.abort(new Error('Another node has taken over the job.'));
    },
    async release(onError) {
      for (const { claim, lost } of held.values()) {
        lost.abort(new Error('The node is stopping.'));
        await fail(claim).catch(onError);
      }
    },
  };
}

/** The ids of the jobs that a statement reached; null if the response does not contain them. */
function settledIds(response: object): Set<unknown> | null {
  return 'settled' in response && Array.isArray(response.settled) ? new Set(response.settled) : null;
}
