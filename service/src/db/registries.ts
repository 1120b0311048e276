import type { Report } from 'appreg';
import { type Db } from './database.ts';
import { sql } from 'kysely';
import { unpack } from './packed.ts';
import { isUuid } from './page.ts';
import { SHARED_STATE_COLUMNS, seesLastCheck } from '../domain/registries.ts';

/** The rows of registries: their creation, schedule and reports. `refreshes.ts` and `claims.ts` are about their refresh. */

/**
 * Creates the row of a registry.
 * @param ownerId the only organization that uses it; null if it is shared
 * @returns its id, also if it existed
 */
export async function insertRegistry(
  db: Db,
  url: string,
  ownerId: string | null,
): Promise<{ id: number; created: boolean }> {
  const empty = {
    checkedAt: null,
    goodAt: null,
    failingSince: null,
    symptoms: null,
    report: null,
    manifest: null,
    resumeAfter: null,
  };
  const created = await db
    .insertInto('registries')
    .values({ url, ownerId, ...empty })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (created) return { id: created.id, created: true };
  const { id } = await db
    .selectFrom('registries')
    .where('url', '=', url)
    .where('ownerId', ownerId === null ? 'is' : '=', ownerId)
    .select('id')
    .executeTakeFirstOrThrow();
  return { id, created: false };
}

/** A registry as far as a new subscription depends on it. */
export interface KnownRegistry {
  id: number;
  checkedAt: Date | null;
  /** True if only its manifest is requested for another subscriber. Its URL may be a signature that was revoked since. */
  recentlyGood: boolean;
}

const RECENTLY_GOOD = sql<boolean>`coalesce(
  good_at > now() - INTERVAL '2 hours' AND failing_since IS NULL AND next_check_at > now(), FALSE)`;

/**
 * @param ownerId the organization whose own row it is; null for the shared one
 * @returns null if no organization was ever subscribed to it
 */
export async function registryByUrl(db: Db, ownerId: string | null, url: string): Promise<KnownRegistry | null> {
  const row = await db
    .selectFrom('registries')
    .where('url', '=', url)
    .where('ownerId', ownerId === null ? 'is' : '=', ownerId)
    .select(['id', 'checkedAt', RECENTLY_GOOD.as('recentlyGood')])
    .executeTakeFirst();
  return row ?? null;
}

/** When a registry was last refreshed; null if it never was. */
export async function checkedAtOf(db: Db, id: number): Promise<Date | null> {
  const row = await db.selectFrom('registries').where('id', '=', id).select('checkedAt').executeTakeFirst();
  return row?.checkedAt ?? null;
}

/** True if the last refresh of a registry succeeded. */
export async function isGood(db: Db, id: number): Promise<boolean> {
  const row = await db
    .selectFrom('registries')
    .where('id', '=', id)
    .where('goodAt', 'is not', null)
    .where('failingSince', 'is', null)
    .select('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** A registry that did not respond in time is refreshed by the workers for slow ones, until it was checked. */
export async function markSlowUntilChecked(db: Db, id: number): Promise<void> {
  await db.updateTable('registries').set({ slow: true }).where('id', '=', id).where('checkedAt', 'is', null).execute();
}

/**
 * Makes a registry due, at the earliest `pause` seconds after its last refresh; also while it is being refreshed, since
 * that refresh may have read it before.
 * @returns in how many seconds it is due, and whether its last refresh was slow
 */
export async function makeDue(db: Db, id: number, pause: number): Promise<{ wait: number; slow: boolean }> {
  const row = await db
    .updateTable('registries')
    .set({
      nextCheckAt: sql`least(next_check_at, greatest(now(), checked_at + make_interval(secs => ${pause}::float8)))`,
      requests: sql`requests + 1`,
    })
    .where('id', '=', id)
    .returning(['slow', sql<number>`greatest(0, extract(epoch FROM next_check_at - now()))::float8`.as('wait')])
    .executeTakeFirst();
  return row ?? { wait: 0, slow: false };
}

/** The report of the last refresh; null if there is none yet that the subscription sees, or no such subscription. */
export async function reportOf(db: Db, organizationId: string, subscriptionId: string): Promise<Report | null> {
  const packed = await packedReportOf(db, organizationId, subscriptionId);
  return packed === null ? null : unpack<Report>(packed);
}

/** The same, as stored in the database (packed.ts). */
export async function packedReportOf(db: Db, organizationId: string, subscriptionId: string): Promise<Buffer | null> {
  if (!isUuid(subscriptionId)) return null;
  const row = await db
    .selectFrom('subscriptions')
    .innerJoin('registries', 'registries.id', 'registryId')
    .where('organizationId', '=', organizationId)
    .where('subscriptions.id', '=', subscriptionId)
    .select(['report', ...SHARED_STATE_COLUMNS])
    .executeTakeFirst();
  return row !== undefined && seesLastCheck(row) ? row.report : null;
}
