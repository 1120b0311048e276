import { sql } from 'kysely';
import { type Db } from './database.ts';
import { HAS_SUBSCRIBERS } from './conditions.ts';

/**
 * The jobs of all nodes: one row per registry that waits for a refresh or is being refreshed. A node claims a job for some
 * seconds, and renews the claim while it works; when the claim ends, any node can claim the job.
 */

/** A claimed job; a later claim of the same job has another id. */
export interface JobClaim {
  registryId: number;
  /** A UUID. */
  id: string;
}

/** Seconds without renewal after which another node can claim a job. */
export const CLAIM_SECONDS = 20;

const CLAIM_END = sql`now() + make_interval(secs => ${CLAIM_SECONDS})`;

/** Adds a job for each due registry that has none, the longest overdue first. */
export async function addDueJobs(db: Db, limit: number): Promise<void> {
  await sql`
    INSERT INTO refresh_jobs (registry_id, slow)
    SELECT id, slow FROM registries
    WHERE next_check_at <= now() AND ${HAS_SUBSCRIBERS}
      AND NOT EXISTS (SELECT FROM refresh_jobs WHERE registry_id = registries.id)
    ORDER BY next_check_at LIMIT ${limit}
    ON CONFLICT DO NOTHING`.execute(db);
}

/**
 * Adds a job, unless the registry has one, waiting or claimed.
 * @param job.wait seconds until it can be claimed
 */
export async function addJob(
  db: Db,
  { registryId, slow, priority, wait }: { registryId: number; slow: boolean; priority: number; wait: number },
): Promise<void> {
  await sql`
    INSERT INTO refresh_jobs (registry_id, slow, priority, run_at)
    VALUES (${registryId}, ${slow}, ${priority}, now() + make_interval(secs => ${wait}::float8))
    ON CONFLICT DO NOTHING`.execute(db);
}

/** Claims jobs, those of the highest priority first, then the oldest. @param slow whether of slow registries */
export async function claimJobs(db: Db, slow: boolean, limit: number): Promise<JobClaim[]> {
  const { rows } = await sql<JobClaim>`
    WITH next AS (
      SELECT registry_id FROM refresh_jobs
      WHERE slow = ${slow} AND run_at <= now() AND (claimed_until IS NULL OR claimed_until <= now())
      ORDER BY priority DESC, sequence LIMIT ${limit}
      FOR UPDATE SKIP LOCKED
    )
    UPDATE refresh_jobs SET claim = gen_random_uuid(), claimed_until = ${CLAIM_END}
    FROM next WHERE refresh_jobs.registry_id = next.registry_id
    RETURNING refresh_jobs.registry_id, claim AS id`.execute(db);
  return rows;
}

/** Renews claims. @returns the ids of those that no other node has replaced */
export async function renewClaims(db: Db, claims: readonly JobClaim[]): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    UPDATE refresh_jobs SET claimed_until = ${CLAIM_END} ${whereClaimed(claims)}
    RETURNING claim AS id`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Deletes jobs that are done. A claim that was replaced deletes nothing. */
export async function endJobs(db: Db, claims: readonly JobClaim[]): Promise<void> {
  await sql`DELETE FROM refresh_jobs ${whereClaimed(claims)}`.execute(db);
}

/** Ends claims without a result: any node can claim the jobs now. A claim that was replaced is not affected. */
export async function releaseJobs(db: Db, claims: readonly JobClaim[]): Promise<void> {
  await sql`UPDATE refresh_jobs SET claim = NULL, claimed_until = NULL ${whereClaimed(claims)}`.execute(db);
}

/** Rows are locked in one order, so that no two statements wait for each other. */
function whereClaimed(claims: readonly JobClaim[]) {
  return sql`WHERE registry_id IN (
    SELECT registry_id FROM refresh_jobs
    WHERE registry_id = ANY(${claims.map(({ registryId }) => registryId)}::integer[])
      AND claim = ANY(${claims.map(({ id }) => id)}::uuid[])
    ORDER BY registry_id FOR UPDATE)`;
}
