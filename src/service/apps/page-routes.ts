import type { Service } from '../context.ts';
import { iconAnswer } from './routes.ts';
import { APP_FILTERS, APP_ORDERS, type AppFilter, appCatalogue, type CatalogueQuery } from './catalogue-store.ts';
import { otherRegistriesWith } from './claimed-keys-store.ts';
import { appOf } from './store.ts';
import { listEvents } from '../history/store.ts';
import { reportOf } from '../registries/store.ts';
import { subscriptionNames, subscriptionOf } from '../registries/subscriptions-store.ts';
import { versionsOf } from './versions-store.ts';
import { appPage } from './page.ts';
import { type AppListQuery, PAGE_SIZE, appsPage } from './list-page.ts';
import { findingsOf } from '../pages/findings.ts';
import { ICON_HEADERS, type MemberRequest, type PageRequest, pageNumberIn, searchIn } from '../pages/request.ts';
import type { PageRoute } from '../pages/mount.ts';
import { orNotFound } from '../http/problems.ts';

/** The apps of all registries, one app, and their icons. */
export const appRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/apps', access: 'member', handle: showApps },
  // A key may be any text, including one that would change the path: then it is in the query.
  {
    method: 'GET',
    path: '/apps/:id',
    access: 'member',
    handle: (request, service) => showApp(request, service, request.query('key') ?? ''),
  },
  {
    method: 'GET',
    path: '/apps/:id/:key',
    access: 'member',
    handle: (request, service) => showApp(request, service, request.parameter('key')),
  },
  { method: 'GET', path: '/icons/:digest', access: 'anyone', handle: sendIcon },
];

const VERSIONS_LIMIT = 100;
/** The last events on the page of an app. */
const EVENTS_LIMIT = 10;

/** What the query of a page requests of a list of apps. */
export function appListQuery({ query }: PageRequest, search: string, defaultFilter: AppFilter): AppListQuery {
  return {
    search,
    filter: APP_FILTERS.find((name) => name === query('show')) ?? defaultFilter,
    order: APP_ORDERS.find((name) => name === query('sort')) ?? 'name',
    registry: query('registry') || null,
  };
}

/** The same for the database. */
export function catalogueQuery(list: AppListQuery, page: number): CatalogueQuery {
  const { search, filter, order, registry } = list;
  return { subscriptionId: registry, search, filter, order, page, pageSize: PAGE_SIZE };
}

async function showApps(request: MemberRequest, { db }: Service) {
  const { organization, member, now, show } = request;
  const names = await subscriptionNames(db, organization.id);
  const wanted = appListQuery(request, searchIn(request), 'visible');
  // Not of a registry that the organization unsubscribed from.
  const query = { ...wanted, registry: names.find(({ id }) => id === wanted.registry)?.id ?? null };
  const catalogue = await appCatalogue(db, organization.id, catalogueQuery(query, pageNumberIn(request)));
  const registries = names.map(({ id, name }) => ({ value: id, label: name }));
  return show(appsPage({ catalogue, query, registries, scope: member.scope, now }));
}

async function showApp(
  { organization, now, parameter, query, show }: MemberRequest,
  { db, settings }: Service,
  key: string,
) {
  const id = parameter('id');
  const after = query('after');
  const [subscription, app, versions, report, history, sameKey] = await Promise.all([
    subscriptionOf(db, organization.id, id, settings.interval),
    appOf(db, organization.id, id, key),
    versionsOf(db, organization.id, id, key, { limit: VERSIONS_LIMIT, after }),
    reportOf(db, organization.id, id),
    listEvents(db, organization.id, { subscriptionId: id, appKey: key, type: null, limit: EVENTS_LIMIT, after: null }),
    otherRegistriesWith(db, organization.id, id, key),
  ]);
  return show(
    appPage({
      subscription: orNotFound(subscription, 'registry'),
      app: orNotFound(app, 'app'),
      ...orNotFound(versions, 'app'),
      after,
      findings: report === null ? { own: [], shared: [] } : findingsOf(report, key),
      events: history?.events ?? [],
      sameKey,
      now,
    }),
  );
}

async function sendIcon({ c, organization, parameter }: PageRequest, { db }: Service): Promise<Response> {
  if (organization === null) return c.body(null, 404);
  const response = await iconAnswer(c, db, organization.id, parameter('digest'));
  for (const [name, value] of Object.entries(ICON_HEADERS)) response.headers.set(name, value);
  return response;
}
