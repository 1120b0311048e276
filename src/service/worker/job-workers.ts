import type { Job, PgBoss } from 'pg-boss';
import { inBatches } from '../storage/batch.ts';

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

export interface JobWorkersOptions<Data> {
  /** Maximum concurrent jobs. */
  most: number;
  /** Milliseconds between two polls of an empty queue, and between two heartbeats. */
  pollEvery: number;
  beatEvery: number;
  /** @param lost aborted once another node has the job. If it throws, the job is retried */
  act(data: Data, lost: AbortSignal): Promise<void>;
  onTrouble(error: unknown): void;
}

type Claim = Pick<Job, 'id'> & { retryCount: number };

const AT_ONCE = 100;

export function startJobWorkers<Data extends object>(
  boss: PgBoss,
  queue: string,
  options: JobWorkersOptions<Data>,
): JobWorkers {
  const { most, act, onTrouble } = options;
  const running = new Map<string, { claim: Claim; lost: AbortController }>();
  /** Includes jobs whose completion is not written yet. */
  const underWay = new Set<Promise<void>>();
  const complete = inBatches(async (claims: readonly Claim[]) => {
    await boss.complete(queue, [...claims]);
    return claims;
  }, AT_ONCE);
  const fail = inBatches(async (claims: readonly Claim[]) => {
    await boss.fail(queue, [...claims]);
    return claims;
  }, AT_ONCE);
  let stopped = false;
  let taking: Promise<void> | null = null;
  /** New jobs were signalled since the last poll. */
  let more = false;

  async function work(claim: Claim, data: Data, lost: AbortSignal): Promise<void> {
    try {
      const settle = await act(data, lost).then(
        () => complete,
        () => fail,
      );
      running.delete(claim.id);
      if (more && running.size <= most / 2) wake();
      await settle(claim);
    } catch (error) {
      // The job is retried once its heartbeat expires.
      onTrouble(error);
    }
  }

  async function take(): Promise<void> {
    try {
      for (;;) {
        if (stopped || !more || running.size >= most) return;
        const batchSize = most - running.size;
        more = false;
        const jobs = (await boss.fetch<Data>(queue, { batchSize })) as (Job<Data> & Claim)[];
        // More jobs may follow, even after a partial batch.
        if (jobs.length > 0) more = true;
        for (const { id, retryCount, data } of jobs) {
          const [claim, lost] = [{ id, retryCount }, new AbortController()];
          running.set(id, { claim, lost });
          const one: Promise<void> = work(claim, data, lost.signal).finally(() => underWay.delete(one));
          underWay.add(one);
        }
      }
    } catch (error) {
      onTrouble(error);
    } finally {
      taking = null;
    }
  }

  function wake(): void {
    more = true;
    if (!stopped && running.size < most) taking ??= take();
  }

  async function beat(): Promise<void> {
    const held = [...running.values()];
    if (held.length === 0) return;
    const claims = held.map(({ claim }) => claim);
    const { settled } = (await boss.touch(queue, claims)) as { settled?: readonly string[] };
    const ours = new Set(settled ?? claims.map(({ id }) => id));
    for (const { claim, lost } of held) if (!ours.has(claim.id)) lost.abort(new Error('the job is another’s'));
  }

  const timers = [
    setInterval(wake, options.pollEvery),
    setInterval(() => void beat().catch(onTrouble), options.beatEvery),
  ];
  wake();
  return {
    wake,
    async stop(milliseconds) {
      stopped = true;
      clearInterval(timers[0]);
      await taking;
      const all = Promise.all(underWay);
      let timer: NodeJS.Timeout | undefined;
      await Promise.race([all, new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)))]);
      clearTimeout(timer);
      clearInterval(timers[1]);
      for (const { claim, lost } of running.values()) {
        lost.abort(new Error('the node stopped'));
        await fail(claim).catch(onTrouble);
      }
    },
  };
}
