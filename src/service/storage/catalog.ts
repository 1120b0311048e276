import { sql } from 'kysely';
import type { Report } from '../../core/engine/report.ts';
import { appView, type AppState } from '../app-view.ts';
import type { Db } from './open.ts';
import { storable, unpack } from './packed.ts';
import { INSTALLABLE, isId, OFFERED } from './queries.ts';
import type { AppView, InstallableView } from '../views.ts';

/** What an organization sees of the registries that it is subscribed to. Every query names the organization. */

export interface Page {
  /** At most so many; PAGE_LIMIT where more are asked for. */
  limit: number;
  /** The `next` of the page before; null for the first page. */
  after: string | null;
}

export const PAGE_LIMIT = 500;

/**
 * Apps in the manifest, by key: the order stays while registries change, so no app is told twice or left out.
 * @param search words that all must occur in key, name or description; capitals make no difference
 * @param visible only those that can be installed, or only those that cannot; null for all
 * @returns null where the organization has no such subscription
 */
export async function listApps(
  db: Db,
  organizationId: string,
  subscriptionId: string,
  { search, visible, limit, after }: Page & { search: string | null; visible: boolean | null },
): Promise<{ apps: AppView[]; next: string | null } | null> {
  if (!(await isSubscribed(db, organizationId, subscriptionId))) return null;
  let query = standings(db, organizationId)
    .where('s.id', '=', subscriptionId)
    .where('a.listed', '=', true)
    .orderBy('a.key')
    .limit(bounded(limit) + 1);
  for (const word of wordsOf(search)) query = query.where(contains(word));
  if (visible !== null) query = query.where(visible ? INSTALLABLE : sql<boolean>`not ${INSTALLABLE}`);
  if (after !== null) query = query.where('a.key', '>', storable(after));
  const rows = await query.execute();
  const page = rows.slice(0, bounded(limit));
  return { apps: page.map(appView), next: rows.length > page.length ? page.at(-1)!.key : null };
}

/** All that can be installed, over all registries: by key, then by subscription. `after` is made of both. */
export async function listInstallable(
  db: Db,
  organizationId: string,
  { search, limit, after }: Page & { search: string | null },
): Promise<{ apps: InstallableView[]; next: string | null }> {
  const [lastId, lastKey] = after === null ? [null, ''] : [after.slice(0, 36), storable(after.slice(37))];
  if (lastId !== null && !isId(lastId)) return { apps: [], next: null };
  const most = bounded(limit) + 1;
  // No more of each registry than the page may need, which its index gives in order.
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
    .select(['s.id as subscriptionId', 's.name as registryName', ...STANDING])
    .orderBy('a.key')
    .orderBy('s.id')
    .limit(most)
    .execute();
  const page = rows.slice(0, bounded(limit));
  const last = page.at(-1);
  return {
    apps: page.map((row) => ({ ...appView(row), registry: { id: row.subscriptionId, name: row.registryName } })),
    next: rows.length > page.length && last ? `${last.subscriptionId}.${last.key}` : null,
  };
}

/** One app, also where it is not in the manifest any more. @returns null where nothing is known of it */
export async function appOf(
  db: Db,
  organizationId: string,
  subscriptionId: string,
  key: string,
): Promise<AppView | null> {
  if (!isId(subscriptionId)) return null;
  const row = await standings(db, organizationId)
    .where('s.id', '=', subscriptionId)
    .where('a.key', '=', storable(key))
    .executeTakeFirst();
  return row === undefined ? null : appView(row);
}

/** The report of the last refresh; null where there is none yet, or no such subscription. */
export async function reportOf(db: Db, organizationId: string, subscriptionId: string): Promise<Report | null> {
  const packed = await packedReportOf(db, organizationId, subscriptionId);
  return packed === null ? null : unpack<Report>(packed);
}

/** The same, as it lies in the database (database/packed.ts). */
export async function packedReportOf(db: Db, organizationId: string, subscriptionId: string): Promise<Buffer | null> {
  if (!isId(subscriptionId)) return null;
  const row = await db
    .selectFrom('subscriptions as s')
    .innerJoin('registries as r', 'r.id', 's.registryId')
    .where('s.organizationId', '=', organizationId)
    .where('s.id', '=', subscriptionId)
    .select('r.report')
    .executeTakeFirst();
  return row?.report ?? null;
}

/** An icon that an app shows in a registry of the organization. @param sha256 64 hexadecimal digits @returns null otherwise */
export async function iconFor(
  db: Db,
  organizationId: string,
  sha256: string,
): Promise<{ type: 'image/png' | 'image/svg+xml'; bytes: Buffer } | null> {
  if (!/^[0-9a-f]{64}$/.test(sha256)) return null;
  const digest = Buffer.from(sha256, 'hex');
  const row = await db
    .selectFrom('icons')
    .where('icons.sha256', '=', digest)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('apps as a')
          .innerJoin('subscriptions as s', 's.registryId', 'a.registryId')
          .where('a.icon', '=', digest)
          .where('s.organizationId', '=', organizationId)
          .select('a.key'),
      ),
    )
    .select(['type', 'bytes'])
    .executeTakeFirst();
  return row ?? null;
}

async function isSubscribed(db: Db, organizationId: string, subscriptionId: string): Promise<boolean> {
  if (!isId(subscriptionId)) return false;
  const row = await db
    .selectFrom('subscriptions')
    .where('organizationId', '=', organizationId)
    .where('id', '=', subscriptionId)
    .select('id')
    .executeTakeFirst();
  return row !== undefined;
}

const VERSION = sql`v.registry_id = a.registry_id and v.app_key = a.key`;

/** The columns of AppStanding. */
const STANDING = [
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
  // Only what cannot be installed needs reasons.
  sql<string[] | null>`case when a.latest is null then
    array(select distinct v.state from versions v where ${VERSION} and v.withdrawn_at is null) end`.as('states'),
  sql<AppState['refusal']>`case when a.latest is null then
    (select json_build_object('code', v.rule, 'message', v.reason) from versions v
      where ${VERSION} and v.state = 'refused' and v.withdrawn_at is null order by v.version desc limit 1) end`.as(
    'refusal',
  ),
] as const;

function standings(db: Db, organizationId: string) {
  return db
    .selectFrom('subscriptions as s')
    .innerJoin('apps as a', 'a.registryId', 's.registryId')
    .where('s.organizationId', '=', organizationId)
    .select(STANDING);
}

/** As many entries as a page has. */
export function bounded(limit: number): number {
  return Math.max(1, Math.min(Math.trunc(limit), PAGE_LIMIT));
}

function wordsOf(search: string | null): string[] {
  return storable(search ?? '')
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, 8);
}

/** The ICU collation knows the capitals of all scripts, whatever the locale of the database. */
function contains(word: string) {
  return sql<boolean>`strpos(
    lower((a.key || ' ' || a.name || ' ' || a.description) collate "und-x-icu"),
    lower(${word}::text collate "und-x-icu")) > 0`;
}
