import { type Db } from './database.ts';
import { type PageQuery, pageSize, pageOf, isUuid } from './page.ts';
import { type AppView, appView, type InstallableView, type StoredAppState } from '../domain/apps.ts';
import { isSubscribed } from './subscriptions.ts';
import {
  INSTALLABLE,
  CONFIRMED,
  VERSION_OF_APP,
  OFFERED_TO,
  IS_SELECTIVE,
  POLICY_DECISION,
  OFFERED,
  ATTESTED_TO,
  HIGHEST_FIRST,
} from './conditions.ts';
import { sql } from 'kysely';
import { storable } from '../domain/storable.ts';
import { ABOUT_COLUMNS } from './about.ts';

/** The apps of an organization's registries. Every query is restricted to the organization. */

/**
 * Apps in the manifest, ordered by key: the order is stable while registries change, so no app is repeated or skipped.
 * @param search words that must all occur in key, name or description, ignoring case
 * @param visible only apps that can be installed, or only those that cannot; null for all
 * @returns null if the organization does not have the subscription
 */
export async function listApps(
  db: Db,
  organizationId: string,
  subscriptionId: string,
  { search, visible, limit, after }: PageQuery & { search: string | null; visible: boolean | null },
): Promise<{ apps: AppView[]; next: string | null } | null> {
  if (!(await isSubscribed(db, organizationId, subscriptionId))) return null;
  let query = appStates(db, organizationId)
    .where('subscriptions.id', '=', subscriptionId)
    .where('apps.listed', '=', true)
    .orderBy('apps.key')
    .limit(pageSize(limit) + 1);
  for (const word of searchWords(search)) query = query.where(matchesWord(word));
  if (visible !== null) query = query.where(visible ? INSTALLABLE : sql<boolean>`NOT ${INSTALLABLE}`);
  if (after !== null) query = query.where('apps.key', '>', storable(after));
  const rows = await query.execute();
  const { page, next } = pageOf(rows, limit, ({ key }) => key);
  return { apps: page.map(appView), next };
}

/** All installable apps of all registries: by key, then by subscription. `after` consists of both. */
export async function listInstallable(
  db: Db,
  organizationId: string,
  { search, limit, after }: PageQuery & { search: string | null },
): Promise<{ apps: InstallableView[]; next: string | null }> {
  const [lastId, lastKey] = after === null ? [null, ''] : [after.slice(0, 36), storable(after.slice(37))];
  if (lastId !== null && !isUuid(lastId)) return { apps: [], next: null };
  const rowLimit = pageSize(limit) + 1;
  // Limits the rows of each registry to a page, which its index returns in order.
  const rows = await db
    .selectFrom('subscriptions')
    .where('subscriptions.organizationId', '=', organizationId)
    .where(CONFIRMED)
    .innerJoinLateral(
      ({ selectFrom }) => {
        let apps = selectFrom('apps')
          .selectAll()
          .whereRef('apps.registryId', '=', 'subscriptions.registryId')
          .where(INSTALLABLE);
        for (const word of searchWords(search)) apps = apps.where(matchesWord(word));
        if (lastId !== null)
          apps = apps.where(sql<boolean>`(apps.key, subscriptions.id) > (${lastKey}, ${lastId}::uuid)`);
        return apps.orderBy('apps.key').limit(rowLimit).as('apps');
      },
      (join) => join.onTrue(),
    )
    .select(['subscriptions.id as subscriptionId', 'subscriptions.name as registryName', ...STATE_COLUMNS])
    .orderBy('apps.key')
    .orderBy('subscriptions.id')
    .limit(rowLimit)
    .execute();
  const { page, next } = pageOf(rows, limit, ({ subscriptionId, key }) => `${subscriptionId}.${key}`);
  return {
    apps: page.map((row) => ({ ...appView(row), registry: { id: row.subscriptionId, name: row.registryName } })),
    next,
  };
}

/** One app, even if it was removed from the manifest. @returns null if it is unknown */
export async function appOf(
  db: Db,
  organizationId: string,
  subscriptionId: string,
  key: string,
): Promise<AppView | null> {
  if (!isUuid(subscriptionId)) return null;
  const row = await appStates(db, organizationId)
    .where('subscriptions.id', '=', subscriptionId)
    .where('apps.key', '=', storable(key))
    .executeTakeFirst();
  return row === undefined ? null : appView(row);
}

/** The columns of StoredAppState. */
export const STATE_COLUMNS = [
  'apps.key',
  'apps.name',
  'apps.description',
  'apps.color',
  'apps.iconFragment',
  'apps.fields',
  'apps.icon',
  'apps.listed',
  'apps.visible',
  'apps.because',
  'apps.latest',
  'apps.failingSince',
  'subscriptions.registrySince',
  ...ABOUT_COLUMNS,
  sql<string>`(SELECT count(*) FROM versions WHERE ${VERSION_OF_APP} AND ${OFFERED_TO})`.as('offeredCount'),
  sql<string[] | null>`CASE WHEN ${IS_SELECTIVE} THEN ARRAY(
    SELECT versions.version FROM versions WHERE ${VERSION_OF_APP} AND ${OFFERED_TO}) END`.as('offeredVersions'),
  sql<StoredAppState['firstHold']>`CASE WHEN subscriptions.policy IS NOT NULL THEN (
    SELECT json_build_object('cause', decided.cause, 'line', decided.line, 'offeredAt', decided.offered_at)
    FROM versions LEFT JOIN LATERAL (SELECT policed.* FROM ${POLICY_DECISION}) AS decided ON TRUE
    WHERE ${VERSION_OF_APP} AND ${OFFERED} AND ${ATTESTED_TO}
    ORDER BY decided.offered_at NULLS LAST, ${HIGHEST_FIRST} LIMIT 1) END`.as('firstHold'),
  sql<string>`(SELECT count(*) FROM versions WHERE ${VERSION_OF_APP})`.as('versionCount'),
  // Only apps that cannot be installed need reasons.
  sql<string[] | null>`CASE WHEN apps.latest IS NULL THEN ARRAY(
    SELECT DISTINCT versions.state FROM versions WHERE ${VERSION_OF_APP} AND versions.withdrawn_at IS NULL) END`.as(
    'states',
  ),
  sql<StoredAppState['refusal']>`CASE WHEN apps.latest IS NULL THEN (
    SELECT json_build_object('code', versions.rule, 'message', versions.reason, 'version', versions.version)
    FROM versions WHERE ${VERSION_OF_APP} AND versions.state = 'refused' AND versions.withdrawn_at IS NULL
    ORDER BY ${HIGHEST_FIRST} LIMIT 1) END`.as('refusal'),
] as const;

function appStates(db: Db, organizationId: string) {
  return db
    .selectFrom('subscriptions')
    .innerJoin('apps', 'apps.registryId', 'subscriptions.registryId')
    .where('subscriptions.organizationId', '=', organizationId)
    .where(CONFIRMED)
    .select(STATE_COLUMNS);
}

export function searchWords(search: string | null): string[] {
  return storable(search ?? '')
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, 8);
}

/** The collation folds the case of all scripts with ICU, independent of the database's locale. */
export function matchesWord(word: string) {
  return sql<boolean>`strpos(
    lower((apps.key || ' ' || apps.name || ' ' || apps.description) COLLATE natural_order),
    lower(${word}::text COLLATE natural_order)) > 0`;
}
