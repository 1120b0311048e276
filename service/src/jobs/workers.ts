import { within } from '../time-limits.ts';
import { inBatches } from '../db/batch.ts';

/**
 * Processes the jobs of a queue with limited concurrency. Jobs are claimed, renewed and ended in batches, but processed
 * individually: a slow job does not block a slot of another.
 */
export interface JobWorkers {
  /** Signals that there may be new jobs. */
  wake(): void;
  /** Takes no new jobs, and waits the given milliseconds for running ones; the rest are released to other nodes. */
  stop(milliseconds: number): Promise<void>;
}

/** Where jobs are claimed; a later claim of the same job has another id. */
export interface JobQueue<Claim extends { id: string }> {
  claim(limit: number): Promise<readonly Claim[]>;
  /** @returns the ids of the claims that no other node has replaced */
  renew(claims: readonly Claim[]): Promise<ReadonlySet<string>>;
  /** The jobs are done. */
  end(claims: readonly Claim[]): Promise<void>;
  /** The jobs are not done: any node can claim them now. */
  release(claims: readonly Claim[]): Promise<void>;
}

interface JobWorkersOptions<Claim> {
  /** Maximum concurrent jobs. */
  concurrency: number;
  /** Milliseconds between two polls of an empty queue, and between two renewals of the claims. */
  pollInterval: number;
  renewInterval: number;
  /** Milliseconds after which the claim of a job is no longer renewed: it should have ended before. */
  longest: number;
  /** True if no jobs are taken at the moment. */
  isPaused?(): boolean;
  /** @param lost aborted once another node has the job. If it throws, the job is retried */
  process(claim: Claim, lost: AbortSignal): Promise<void>;
  /** True to write the end of a job again, now, after an error. */
  canRetry?(error: unknown): Promise<boolean>;
  onError(error: unknown): void;
}

export function startJobWorkers<Claim extends { id: string }>(
  queue: JobQueue<Claim>,
  options: JobWorkersOptions<Claim>,
): JobWorkers {
  const { concurrency, pollInterval, renewInterval, longest, process, onError } = options;
  const claims = openClaims(queue, longest);
  /** Includes jobs whose end is not written yet. */
  const running = new Set<Promise<void>>();
  const poller = startPoller({
    interval: pollInterval,
    hasRoom: () => claims.count() < concurrency && options.isPaused?.() !== true,
    async take() {
      const taken = await queue.claim(concurrency - claims.count());
      for (const claim of taken) {
        const job: Promise<void> = work(claim).finally(() => running.delete(job));
        running.add(job);
      }
      return taken.length;
    },
    onError,
  });

  async function work(claim: Claim): Promise<void> {
    const lost = claims.add(claim);
    try {
      const settle = await process(claim, lost).then(
        () => claims.end,
        () => claims.release,
      );
      claims.remove(claim);
      if (claims.count() <= concurrency / 2) poller.resume();
      await writeWithRetries(() => settle(claim), options.canRetry);
    } catch (error) {
      // The job can be claimed again once this claim ends.
      onError(error);
    }
  }

  const renewals = setInterval(() => void claims.renew().catch(onError), renewInterval);
  poller.wake();
  return {
    wake: poller.wake,
    async stop(milliseconds) {
      await poller.stop();
      await within<unknown>(milliseconds, Promise.all(running), null);
      clearInterval(renewals);
      await claims.releaseAll(onError);
    },
  };
}

async function writeWithRetries(
  write: () => Promise<unknown>,
  canRetry: JobWorkersOptions<never>['canRetry'],
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
  /** True if the queue may have jobs: new ones were signalled since the last poll, or the last one found some. */
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

/** The claimed jobs of a queue. Statements are sent in batches. */
interface JobClaims<Claim> {
  /** The number of jobs being processed. */
  count(): number;
  /** @returns a signal that is aborted once another node has the job, or may have it */
  add(claim: Claim): AbortSignal;
  /** The job is processed: its slot is free, though its result is not written yet. */
  remove(claim: Claim): void;
  end(claim: Claim): Promise<unknown>;
  release(claim: Claim): Promise<unknown>;
  /** Renews the claims, and aborts the jobs that another node has claimed. */
  renew(): Promise<void>;
  /** Aborts all jobs, and releases them to other nodes. */
  releaseAll(onError: (error: unknown) => void): Promise<void>;
}

const BATCH_LIMIT = 100;

/** @param longest milliseconds for which a claim is renewed */
function openClaims<Claim extends { id: string }>(queue: JobQueue<Claim>, longest: number): JobClaims<Claim> {
  const held = new Map<string, { claim: Claim; lost: AbortController; since: number }>();
  const batched = (write: (claims: readonly Claim[]) => Promise<void>): ((claim: Claim) => Promise<unknown>) =>
    inBatches(async (claims: readonly Claim[]) => {
      await write(claims);
      return claims;
    }, BATCH_LIMIT);
  const release = batched((claims) => queue.release(claims));

  return {
    count: () => held.size,
    add(claim) {
      const lost = new AbortController();
      held.set(claim.id, { claim, lost, since: performance.now() });
      return lost.signal;
    },
    remove: ({ id }) => void held.delete(id),
    end: batched((claims) => queue.end(claims)),
    release,
    async renew() {
      const current = [...held.values()];
      const renewed = current.filter(({ since }) => performance.now() - since <= longest);
      const ours = renewed.length === 0 ? new Set() : await queue.renew(renewed.map(({ claim }) => claim));
      for (const { claim, lost } of current)
        if (!ours.has(claim.id)) lost.abort(new Error('Another node can claim the job.'));
    },
    async releaseAll(onError) {
      for (const { claim, lost } of held.values()) {
        lost.abort(new Error('The node is stopping.'));
        await release(claim).catch(onError);
      }
    },
  };
}
