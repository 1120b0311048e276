import { type InstallableView, appView } from '../domain/apps.ts';
import { type Db } from './database.ts';
import { STATE_COLUMNS, searchWords, matchesWord } from './apps.ts';
import { sql } from 'kysely';
import { INSTALLABLE, CONFIRMED, VERSION_OF_APP, OFFERED_TO } from './conditions.ts';
import { isUuid } from './page.ts';

/** Numbered pages of apps, filtered and sorted, for people. Every query is restricted to the organization. */

/** Which apps are shown. */
export const APP_FILTERS = ['all', 'visible', 'hidden'] as const;
export type AppFilter = (typeof APP_FILTERS)[number];

export const APP_ORDERS = ['name', 'newest', 'registry'] as const;
export type AppOrder = (typeof APP_ORDERS)[number];

export interface CatalogueQuery {
  /** Only apps of this subscription; null for all. */
  subscriptionId: string | null;
  /** Words that must all occur in key, name or description, ignoring case; '' for all. */
  search: string;
  filter: AppFilter;
  order: AppOrder;
  /** From 1; beyond the last page, the last page is returned. */
  page: number;
  pageSize: number;
}

export interface CatalogueApp extends InstallableView {
  /** When its newest offered version was first seen; null if none is offered. */
  newestAt: string | null;
}

export interface Catalogue {
  apps: CatalogueApp[];
  page: number;
  /** The numbers of matching apps by filter. */
  totals: Record<AppFilter, number>;
}

export async function appCatalogue(db: Db, organizationId: string, query: CatalogueQuery): Promise<Catalogue> {
  const totals = await countApps(db, organizationId, query);
  const pages = Math.max(1, Math.ceil(totals[query.filter] / query.pageSize));
  const page = Math.min(query.page, pages);
  const rows = await withFilter(matchingApps(db, organizationId, query), query.filter)
    .select([
      'subscriptions.id as subscriptionId',
      'subscriptions.name as registryName',
      ...STATE_COLUMNS,
      NEWEST_AT.as('newestAt'),
    ])
    .orderBy(sql`${ORDER_BY[query.order]}`)
    .orderBy('apps.key')
    .orderBy('subscriptions.id')
    .limit(query.pageSize)
    .offset((page - 1) * query.pageSize)
    .execute();
  const apps = rows.map((row) => ({
    ...appView(row),
    registry: { id: row.subscriptionId, name: row.registryName },
    newestAt: row.newestAt?.toISOString() ?? null,
  }));
  return { apps, page, totals };
}

async function countApps(db: Db, organizationId: string, query: CatalogueQuery): Promise<Catalogue['totals']> {
  const { all, visible } = await matchingApps(db, organizationId, query)
    .select([
      sql<number>`count(*)::int`.as('all'),
      sql<number>`(count(*) FILTER (WHERE ${INSTALLABLE}))::int`.as('visible'),
    ])
    .executeTakeFirstOrThrow();
  return { all, visible, hidden: all - visible };
}

/** Listed apps of the organization that match the search. */
function matchingApps(db: Db, organizationId: string, { subscriptionId, search }: CatalogueQuery) {
  let query = db
    .selectFrom('subscriptions')
    .innerJoin('apps', 'apps.registryId', 'subscriptions.registryId')
    .where('subscriptions.organizationId', '=', organizationId)
    .where(CONFIRMED)
    .where('apps.listed', '=', true);
  // An id that is not valid belongs to no subscription.
  if (subscriptionId !== null)
    query = isUuid(subscriptionId)
      ? query.where('subscriptions.id', '=', subscriptionId)
      : query.where(sql<boolean>`FALSE`);
  for (const word of searchWords(search)) query = query.where(matchesWord(word));
  return query;
}

function withFilter(query: ReturnType<typeof matchingApps>, filter: AppFilter): ReturnType<typeof matchingApps> {
  if (filter === 'all') return query;
  return query.where(filter === 'visible' ? INSTALLABLE : sql<boolean>`NOT ${INSTALLABLE}`);
}

const NEWEST_AT = sql<Date | null>`(
  SELECT max(greatest(versions.first_seen_at, subscriptions.registry_since)) FROM versions WHERE ${VERSION_OF_APP} AND ${OFFERED_TO})`;

/** Names are sorted independent of case and script, and numbers by their value; apps without a name by their key. */
const BY_NAME = sql`lower(coalesce(nullif(apps.name, ''), apps.key)) COLLATE natural_order`;

const ORDER_BY = {
  name: BY_NAME,
  newest: sql`${NEWEST_AT} DESC NULLS LAST, ${BY_NAME}`,
  registry: sql`lower(subscriptions.name) COLLATE natural_order, subscriptions.id, ${BY_NAME}`,
} satisfies Record<AppOrder, unknown>;
