import { type Db } from './database.ts';
import { sql } from 'kysely';
import { recordClaimedKeysOf } from './claimed-keys.ts';

/**
 * True if the host has served the URL of a registry for its subscriptions. A request counts for those that were made
 * before it: what it proves is not known of later ones.
 */

/** A check of a registry. */
export interface CheckStart {
  /** The registry. */
  id: number;
  /** When it started, by the clock of the database: a text, since dates are less precise. */
  startedAt: string;
  /** True if it had unconfirmed subscriptions then. */
  hasUnconfirmed: boolean;
}

export async function databaseTime(db: Db): Promise<string> {
  const { rows } = await sql<{ now: string }>`SELECT now()::text AS now`.execute(db);
  return rows.map(({ now }) => now).join();
}

/** The host has served a usable manifest. */
export async function confirmSubscriptions(db: Db, { id, startedAt, hasUnconfirmed }: CheckStart): Promise<void> {
  if (!hasUnconfirmed) return;
  await db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ id: string }>`UPDATE subscriptions SET confirmed_at = now(), refused_at = NULL
      WHERE registry_id = ${id} AND confirmed_at IS NULL AND registry_since <= ${startedAt}::timestamptz
      RETURNING id`.execute(tx);
    await recordClaimedKeysOf(
      tx,
      rows.map((row) => row.id),
    );
  });
}

/** It has not. */
export async function refuseSubscriptions(tx: Db, { id, startedAt, hasUnconfirmed }: CheckStart): Promise<void> {
  if (!hasUnconfirmed) return;
  await sql`UPDATE subscriptions SET refused_at = now()
    WHERE registry_id = ${id} AND confirmed_at IS NULL AND refused_at IS NULL
      AND registry_since <= ${startedAt}::timestamptz`.execute(tx);
}
