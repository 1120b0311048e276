import type { Job, PgBoss } from 'pg-boss';
import { inBatches } from '../database/batch.ts';

/** A job that this process works on; another attempt of it has another number. */
export type JobClaim = Pick<Job, 'id' | 'retryCount'>;

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

export function openClaims(boss: PgBoss, queue: string): JobClaims {
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
