import { sql } from 'kysely';
import { redact } from '../../core/text/text.ts';
import type { Actor } from '../audit-actions.ts';
import { recordAudit } from './audit.ts';
import type { Db } from './database.ts';
import { type Page, pageOf, pageSize } from './page.ts';
import { deleteCredentials } from './registry-credentials.ts';
import { INSTALLABLE } from './sql-fragments.ts';
import { isUuid } from './uuid.ts';
import type { SubscriptionView } from '../views.ts';

/** The subscriptions of an organization. Every query is restricted to the organization. */

/** Official subscriptions first, then in order of creation. */
export async function listSubscriptions(db: Db, organizationId: string): Promise<SubscriptionView[]> {
  const rows = await details(db, organizationId)
    .orderBy('s.official', 'desc')
    .orderBy('s.createdAt')
    .orderBy('s.registryId')
    .execute();
  return rows.map(viewOf);
}

/** The same, in pages; `after` is the id of a subscription. */
export async function pageOfSubscriptions(
  db: Db,
  organizationId: string,
  { limit, after }: Page,
): Promise<{ registries: SubscriptionView[]; next: string | null }> {
  let query = details(db, organizationId)
    .orderBy('s.official', 'desc')
    .orderBy('s.createdAt')
    .orderBy('s.registryId')
    .limit(pageSize(limit) + 1);
  if (after !== null)
    query = query.where(
      sql<boolean>`(not s.official, s.created_at, s.registry_id) > (
        select not official, created_at, registry_id from subscriptions
        where id = ${after} and organization_id = ${organizationId})`,
    );
  const rows = await query.execute();
  const { page, next } = pageOf(rows, limit, ({ id }) => id);
  return { registries: page.map(viewOf), next };
}

export async function countSubscriptions(db: Db, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom('subscriptions')
    .where('organizationId', '=', organizationId)
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** The organization's subscription to the registry of a URL, with or without credentials; null if there is none. */
export async function subscriptionByUrl(db: Db, organizationId: string, url: string): Promise<string | null> {
  const row = await joined(db, organizationId).where('r.url', '=', url).select('s.id').executeTakeFirst();
  return row?.id ?? null;
}

/** The number of an organization's registries that were never checked. */
export async function countUnchecked(db: Db, organizationId: string): Promise<number> {
  const { count } = await joined(db, organizationId)
    .where('r.checkedAt', 'is', null)
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
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
export async function subscriptionOf(db: Db, organizationId: string, id: string): Promise<SubscriptionView | null> {
  if (!isUuid(id)) return null;
  const row = await details(db, organizationId).where('s.id', '=', id).executeTakeFirst();
  return row === undefined ? null : viewOf(row);
}

/** The registry of a subscription, its name in the organization, and when it was last checked; null as above. */
export async function registryOf(
  db: Db,
  organizationId: string,
  id: string,
): Promise<{ id: number; name: string; checkedAt: Date | null } | null> {
  if (!isUuid(id)) return null;
  const row = await joined(db, organizationId)
    .where('s.id', '=', id)
    .select(['r.id', 's.name', 'r.checkedAt'])
    .executeTakeFirst();
  return row ?? null;
}

/** @param name accepted by `nameError` @returns null if the subscription does not exist */
export async function renameSubscription(
  db: Db,
  organizationId: string,
  id: string,
  name: string,
  actor: Actor,
): Promise<SubscriptionView | null> {
  if (!isUuid(id)) return null;
  await db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('subscriptions')
      .set({ name })
      .where('organizationId', '=', organizationId)
      .where('id', '=', id)
      .executeTakeFirst();
    if (numUpdatedRows > 0n)
      await recordAudit(tx, { organizationId, actor, action: 'registry-renamed', target: { id, name } });
  });
  return subscriptionOf(db, organizationId, id);
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

function joined(db: Db, organizationId: string) {
  return db
    .selectFrom('subscriptions as s')
    .innerJoin('registries as r', 'r.id', 's.registryId')
    .where('s.organizationId', '=', organizationId);
}

/**
 * A check is running, or was requested and is about to start. A registry that is overdue for longer is not being
 * checked: no worker has reached it.
 */
const IS_CHECKING = sql<boolean>`(r.next_check_at <= now() and r.next_check_at > now() - interval '10 minutes'
  or coalesce(r.artifacts_requested_at > now() - interval '10 minutes', false))`;

function details(db: Db, organizationId: string) {
  return joined(db, organizationId).select([
    's.id',
    's.name',
    's.official',
    's.createdAt',
    'r.url',
    'r.checkedAt',
    'r.goodAt',
    'r.failingSince',
    'r.nextCheckAt',
    'r.errors',
    'r.warnings',
    'r.symptoms',
    'r.progress',
    'r.unauthorized',
    sql<SubscriptionView['auth']>`(select json_build_object('type', c.type, 'changedAt',
      to_char(c.changed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
      from registry_credentials c where c.registry_id = r.id)`.as('auth'),
    IS_CHECKING.as('isChecking'),
    sql<string>`(select count(*) from apps a where a.registry_id = r.id and a.listed)`.as('apps'),
    sql<string>`(select count(*) from apps a where a.registry_id = r.id and ${INSTALLABLE})`.as('visible'),
  ]);
}

type Row = Awaited<ReturnType<ReturnType<typeof details>['execute']>>[number];

function viewOf(row: Row): SubscriptionView {
  return {
    id: row.id,
    url: redact(row.url),
    name: row.name,
    official: row.official,
    createdAt: row.createdAt.toISOString(),
    auth: row.auth,
    state: stateOf(row),
    checking: row.isChecking,
    progress: row.isChecking ? row.progress : null,
    checkedAt: row.checkedAt?.toISOString() ?? null,
    goodAt: row.goodAt?.toISOString() ?? null,
    failingSince: row.failingSince?.toISOString() ?? null,
    nextCheckAt: row.nextCheckAt.toISOString(),
    errors: row.errors,
    warnings: row.warnings,
    symptoms: row.symptoms ?? [],
    apps: Number(row.apps),
    visible: Number(row.visible),
  };
}

function stateOf(row: Row): SubscriptionView['state'] {
  if (row.isChecking) return 'checking';
  if (row.checkedAt === null) return 'new';
  if (row.unauthorized) return 'unauthorized';
  if (row.failingSince !== null) return 'failing';
  return row.errors > 0 ? 'problems' : 'good';
}
