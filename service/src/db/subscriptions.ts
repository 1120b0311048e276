import { redact } from 'appreg';
import { type Db } from './database.ts';
import {
  type SubscriptionView,
  SHARED_STATE_COLUMNS,
  seesLastCheck,
  checkTimes,
  nextCheckTime,
} from '../domain/registries.ts';
import { sortKey, type PageQuery, pageById, isUuid } from './page.ts';
import { COUNT, CONFIRMED, INSTALLABLE } from './conditions.ts';
import { type Actor } from '../domain/audit.ts';
import { recordAudit } from './audit.ts';
import { deleteCredentials } from './credentials.ts';
import { sql } from 'kysely';

/**
 * The subscriptions of an organization. Every query is restricted to the organization. `interval` is the time between two
 * checks of a registry, in milliseconds.
 */

/** Official subscriptions first, then in order of creation. */
const LIST_ORDER = { table: 'subscriptions', first: 'official' };

/** All subscriptions, in the order of the list. */
export async function listSubscriptions(db: Db, organizationId: string, interval: number): Promise<SubscriptionView[]> {
  const rows = await subscriptionDetails(db, organizationId).orderBy(sortKey(LIST_ORDER)).execute();
  return rows.map((row) => viewOf(row, interval));
}

/** The names of the same, in the same order. */
export async function subscriptionNames(db: Db, organizationId: string): Promise<{ id: string; name: string }[]> {
  return db
    .selectFrom('subscriptions')
    .where('organizationId', '=', organizationId)
    .orderBy(sortKey(LIST_ORDER))
    .select(['id', 'name'])
    .execute();
}

/** The subscriptions in pages; `after` is the id of one of them. */
export async function pageOfSubscriptions(
  db: Db,
  organizationId: string,
  wanted: PageQuery,
  interval: number,
): Promise<{ registries: SubscriptionView[]; next: string | null }> {
  const { page, next } = await pageById(subscriptionDetails(db, organizationId), wanted, LIST_ORDER);
  return { registries: page.map((row) => viewOf(row, interval)), next };
}

export async function countSubscriptions(db: Db, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom('subscriptions')
    .where('organizationId', '=', organizationId)
    .select(COUNT)
    .executeTakeFirstOrThrow();
  return count;
}

/** The organization's subscription to the registry of a URL, with or without credentials; null if there is none. */
export async function subscriptionByUrl(db: Db, organizationId: string, url: string): Promise<string | null> {
  const row = await subscriptionsWithRegistries(db, organizationId)
    .where('registries.url', '=', url)
    .select('subscriptions.id')
    .executeTakeFirst();
  return row?.id ?? null;
}

/** The number of an organization's registries that were never checked. */
export async function countUnchecked(db: Db, organizationId: string): Promise<number> {
  const { count } = await subscriptionsWithRegistries(db, organizationId)
    .where('registries.checkedAt', 'is', null)
    .select(COUNT)
    .executeTakeFirstOrThrow();
  return count;
}

export async function isSubscribed(db: Db, organizationId: string, id: string): Promise<boolean> {
  if (!isUuid(id)) return false;
  const row = await db
    .selectFrom('subscriptions')
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .select('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** @returns null if the organization does not have the subscription, or if the id is invalid */
export async function subscriptionOf(
  db: Db,
  organizationId: string,
  id: string,
  interval: number,
): Promise<SubscriptionView | null> {
  if (!isUuid(id)) return null;
  const row = await subscriptionDetails(db, organizationId).where('subscriptions.id', '=', id).executeTakeFirst();
  return row === undefined ? null : viewOf(row, interval);
}

/** The registry of a subscription, its name in the organization, and when it was last checked; null as above. */
export async function registryOf(
  db: Db,
  organizationId: string,
  id: string,
): Promise<{ id: number; name: string; checkedAt: Date | null } | null> {
  if (!isUuid(id)) return null;
  const row = await subscriptionsWithRegistries(db, organizationId)
    .where('subscriptions.id', '=', id)
    .select(['registries.id', 'subscriptions.name', 'registries.checkedAt'])
    .executeTakeFirst();
  return row ?? null;
}

/** @param name accepted by `nameError` @returns false if the subscription does not exist */
export async function renameSubscription(
  db: Db,
  organizationId: string,
  id: string,
  name: string,
  actor: Actor,
): Promise<boolean> {
  if (!isUuid(id)) return false;
  return db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('subscriptions')
      .set({ name })
      .where('organizationId', '=', organizationId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (numUpdatedRows > 0n)
      await recordAudit(tx, { organizationId, actor, action: 'registry-renamed', target: { id, name } });
    return numUpdatedRows > 0n;
  });
}

/** The state of the registry is kept, its credentials are not. @returns false if the subscription does not exist */
export async function removeSubscription(db: Db, organizationId: string, id: string, actor: Actor): Promise<boolean> {
  if (!isUuid(id)) return false;
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .deleteFrom('subscriptions')
      .where('organizationId', '=', organizationId)
      .where('id', '=', id)
      .returning(['name', 'registryId'])
      .executeTakeFirst();
    if (row === undefined) return false;
    await deleteCredentials(tx, row.registryId);
    await recordAudit(tx, { organizationId, actor, action: 'registry-unsubscribed', target: { id, name: row.name } });
    return true;
  });
}

function subscriptionsWithRegistries(db: Db, organizationId: string) {
  return db
    .selectFrom('subscriptions')
    .innerJoin('registries', 'registries.id', 'subscriptions.registryId')
    .where('subscriptions.organizationId', '=', organizationId);
}

/**
 * A check is running, or the organization requested one that is about to start, or a subscription waits for its first one. A registry that
 * is overdue for longer is not being checked: no worker has reached it.
 */
const IS_CHECKING = sql<boolean>`(
  registries.next_check_at > now() - INTERVAL '10 minutes'
    AND (registries.next_check_at <= now() OR (NOT ${CONFIRMED} AND subscriptions.refused_at IS NULL))
  OR coalesce(subscriptions.check_requested_at > now() - INTERVAL '10 minutes', FALSE))`;

function subscriptionDetails(db: Db, organizationId: string) {
  return subscriptionsWithRegistries(db, organizationId).select([
    'subscriptions.id',
    'subscriptions.name',
    'subscriptions.official',
    'subscriptions.createdAt',
    'registries.url',
    ...SHARED_STATE_COLUMNS,
    'registries.nextCheckAt',
    'registries.errors',
    'registries.warnings',
    'registries.symptoms',
    'registries.progress',
    'registries.unauthorized',
    sql<SubscriptionView['auth']>`(
      SELECT json_build_object('type', type, 'changedAt',
        to_char(changed_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      FROM registry_credentials WHERE registry_credentials.registry_id = registries.id)`.as('auth'),
    IS_CHECKING.as('isChecking'),
    sql<string>`(
      SELECT count(*) FROM apps WHERE apps.registry_id = registries.id AND ${CONFIRMED} AND apps.listed)`.as('apps'),
    sql<string>`(
      SELECT count(*) FROM apps WHERE apps.registry_id = registries.id AND ${CONFIRMED} AND ${INSTALLABLE})`.as(
      'visible',
    ),
  ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof subscriptionDetails>['execute']>>[number];

function viewOf(row: Row, interval: number): SubscriptionView {
  const isSeen = seesLastCheck(row);
  return {
    id: row.id,
    url: redact(row.url),
    name: row.name,
    official: row.official,
    createdAt: row.createdAt.toISOString(),
    auth: row.auth,
    state: stateOf(row, isSeen),
    checking: row.isChecking,
    progress: row.isChecking && row.confirmedAt !== null ? row.progress : null,
    ...checkTimes(row),
    nextCheckAt: nextCheckTime(row, interval).toISOString(),
    errors: isSeen ? row.errors : 0,
    warnings: isSeen ? row.warnings : 0,
    symptoms: isSeen ? (row.symptoms ?? []) : [],
    apps: Number(row.apps),
    visible: Number(row.visible),
  };
}

/** The result of the last check; a later one that is running does not change it. */
function stateOf(row: Row, isSeen: boolean): SubscriptionView['state'] {
  if (!isSeen) return row.isChecking ? 'checking' : 'new';
  if (row.unauthorized) return 'unauthorized';
  if (row.failingSince !== null) return 'failing';
  return row.errors > 0 ? 'problems' : 'good';
}
