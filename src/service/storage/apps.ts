import { sql } from 'kysely';
import type { AppView, InstallableView } from '../views.ts';
import { type AppState, appView } from './app-view.ts';
import type { Db } from './database.ts';
import { storable } from './packed.ts';
import { type Page, pageOf, pageSize } from './page.ts';
import { INSTALLABLE, OFFERED } from './sql-fragments.ts';
import { isSubscribed } from './subscriptions.ts';
import { isUuid } from './uuid.ts';

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
  { search, visible, limit, after }: Page & { search: string | null; visible: boolean | null },
): Promise<{ apps: AppView[]; next: string | null } | null> {
  if (!(await isSubscribed(db, organizationId, subscriptionId))) return null;
  let query = appStates(db, organizationId)
    .where('s.id', '=', subscriptionId)
    .where('a.listed', '=', true)
    .orderBy('a.key')
    .limit(pageSize(limit) + 1);
  for (const word of wordsOf(search)) query = query.where(contains(word));
  if (visible !== null) query = query.where(visible ? INSTALLABLE : sql<boolean>`not ${INSTALLABLE}`);
  if (after !== null) query = query.where('a.key', '>', storable(after));
  const rows = await query.execute();
  const { page, next } = pageOf(rows, limit, ({ key }) => key);
  return { apps: page.map(appView), next };
}

/** All installable apps of all registries: by key, then by subscription. `after` consists of both. */
export async function listInstallable(
  db: Db,
  organizationId: string,
  { search, limit, after }: Page & { search: string | null },
): Promise<{ apps: InstallableView[]; next: string | null }> {
  const [lastId, lastKey] = after === null ? [null, ''] : [after.slice(0, 36), storable(after.slice(37))];
  if (lastId !== null && !isUuid(lastId)) return { apps: [], next: null };
  const most = pageSize(limit) + 1;
  // Limits the rows of each registry to a page, which its index returns in order.
  const rows = await db
    .selectFrom('subscriptions as s')
    .where('s.organizationId', '=', organizationId)
    .innerJoinLateral(
      ({ selectFrom }) => {
        let apps = selectFrom('apps as a').selectAll().whereRef('a.registryId', '=', 's.registryId').where(INSTALLABLE);
        for (const word of wordsOf(search)) apps = apps.where(contains(word));
        if (lastId !== null) apps = apps.where(sql<boolean>`(a.key, s.id) > (${lastKey}, ${lastId}::uuid)`);
        return apps.orderBy('a.key').limit(most).as('a');
      },
      (join) => join.onTrue(),
    )
    .select(['s.id as subscriptionId', 's.name as registryName', ...STATE_COLUMNS])
    .orderBy('a.key')
    .orderBy('s.id')
    .limit(most)
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
    .where('s.id', '=', subscriptionId)
    .where('a.key', '=', storable(key))
    .executeTakeFirst();
  return row === undefined ? null : appView(row);
}

const VERSION = sql`v.registry_id = a.registry_id and v.app_key = a.key`;

/** The columns of AppState. */
export const STATE_COLUMNS = [
  'a.key',
  'a.name',
  'a.description',
  'a.color',
  'a.iconFragment',
  'a.icon',
  'a.listed',
  'a.visible',
  'a.because',
  'a.latest',
  'a.failingSince',
  sql<string>`(select count(*) from versions v where ${VERSION} and ${OFFERED})`.as('offeredCount'),
  sql<string>`(select count(*) from versions v where ${VERSION})`.as('versionCount'),
  // Only apps that cannot be installed need reasons.
  sql<string[] | null>`case when a.latest is null then
    array(select distinct v.state from versions v where ${VERSION} and v.withdrawn_at is null) end`.as('states'),
  sql<AppState['refusal']>`case when a.latest is null then
    (select json_build_object('code', v.rule, 'message', v.reason, 'version', v.version) from versions v
      where ${VERSION} and v.state = 'refused' and v.withdrawn_at is null order by v.version desc limit 1) end`.as(
    'refusal',
  ),
] as const;

function appStates(db: Db, organizationId: string) {
  return db
    .selectFrom('subscriptions as s')
    .innerJoin('apps as a', 'a.registryId', 's.registryId')
    .where('s.organizationId', '=', organizationId)
    .select(STATE_COLUMNS);
}

export function wordsOf(search: string | null): string[] {
  return storable(search ?? '')
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, 8);
}

/** The ICU collation folds the case of all scripts, independent of the database's locale. */
export function contains(word: string) {
  return sql<boolean>`strpos(
    lower((a.key || ' ' || a.name || ' ' || a.description) collate "und-x-icu"),
    lower(${word}::text collate "und-x-icu")) > 0`;
}
