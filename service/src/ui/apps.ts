import { counted, grouped } from 'appreg';
import { codeText, html, type Html, NO_MARKUP, retiredChip, untrusted } from 'appreg/node';
import {
  type AppFilter,
  type AppOrder,
  type Catalogue,
  type CatalogueApp,
  APP_FILTERS,
  APP_ORDERS,
  type CatalogueQuery,
  appCatalogue,
} from '../db/app-catalogue.ts';
import { type Choice, select, searchForm, table, relativeTime, emptyState } from './components.ts';
import { tabs, pageLinks, pathWithQuery, appPath, registryPath } from './navigation.ts';
import { tile, reasons, installability } from './app-tile.ts';
import { type Scope } from '../domain/scopes.ts';
import { type Screen } from './layout.ts';
import { subscribeLink } from './subscribe.ts';
import { type RegistryFrame, registryScreen } from './registry-frame.ts';
import { type SubscriptionView } from '../domain/registries.ts';
import { isBusy } from './states.ts';
import { type PageRoute } from './mount.ts';
import { type PageRequest, type MemberRequest, searchIn, pageNumberIn, ICON_HEADERS } from './request.ts';
import { type Service } from '../context.ts';
import { subscriptionNames, subscriptionOf } from '../db/subscriptions.ts';
import { appOf } from '../db/apps.ts';
import { versionsOf } from '../db/versions.ts';
import { reportOf } from '../db/registries.ts';
import { listEvents } from '../db/events.ts';
import { otherRegistriesWith } from '../db/claimed-keys.ts';
import { appPage } from './app.ts';
import { orNotFound } from '../http/problems.ts';
import { findingsOf } from './findings.ts';
import { iconAnswer } from '../http/icon-answer.ts';

/** A list of apps that is searched, filtered, sorted and divided into pages: of one registry, or of all. */

const PAGE_SIZE = 50;

/** Filters of the list, as in the query of its page. */
export interface AppListQuery {
  search: string;
  filter: AppFilter;
  order: AppOrder;
  /** Id of a subscription; null for all. */
  registry: string | null;
}

interface AppList {
  catalogue: Catalogue;
  query: AppListQuery;
  /** The path of the page. */
  path: string;
  defaultFilter: AppFilter;
  /** The registries to choose from; null on the page of one. */
  registries: readonly Choice[] | null;
  now: Date;
}

const FILTER_NAMES: [AppFilter, string][] = [
  ['all', 'All'],
  ['visible', 'Installable'],
  ['hidden', 'Not installable'],
];

const ORDER_NAMES: Record<AppOrder, string> = { name: 'Name', newest: 'Newest version', registry: 'Registry' };

function appList(list: AppList): Html {
  const { catalogue, query, path, registries, now } = list;
  const { apps, page, totals } = catalogue;
  const total = totals[query.filter];
  const orders = registries === null ? (['name', 'newest'] as const) : (['name', 'newest', 'registry'] as const);
  const choices = html`${query.filter === list.defaultFilter ? NO_MARKUP : html`<input type="hidden" name="show" value="${query.filter}" />`}
  ${registries === null ? NO_MARKUP : select('registry', 'Registry', [{ value: '', label: 'All registries' }, ...registries], query.registry ?? '')}
  ${select(
    'sort',
    'Sort by',
    orders.map((value) => ({ value, label: ORDER_NAMES[value] })),
    query.order,
  )}`;
  return html`<div class="tools" id="app-tools">
      ${searchForm({ action: `${path}#app-tools`, search: query.search, label: 'Search apps', results: 'app-list', kept: choices })}
    </div>
    <div id="app-list" data-live>
      <div class="list-head">
        ${tabs(
          'Show apps',
          FILTER_NAMES.map(([filter, label]) => ({
            href: listPath(list, { filter }),
            label,
            isCurrent: filter === query.filter,
            number: totals[filter],
          })),
          'true',
        )}
        <p class="muted" role="status">${foundText(total, query)}</p>
      </div>
      ${apps.length === 0 ? NO_MARKUP : appTable(apps, registries !== null, now)}
      ${pageLinks({ page, pageSize: PAGE_SIZE, total }, (to) => listPath(list, { page: to }))}
    </div>`;
}

/** The path of the list with a change, without what has its default. */
function listPath({ query, path, defaultFilter }: AppList, change: { filter?: AppFilter; page?: number }): string {
  const { search, order, registry } = query;
  const { filter = query.filter, page = 1 } = change;
  const parameters = {
    q: search || null,
    registry,
    show: filter === defaultFilter ? null : filter,
    sort: order === 'name' ? null : order,
    page: page === 1 ? null : String(page),
  };
  return `${pathWithQuery(path, parameters)}#app-tools`;
}

function foundText(total: number, { search, filter }: AppListQuery): Html {
  if (search === '')
    return total === 0 ? html`${filter === 'hidden' ? 'Every app can be installed.' : 'None.'}` : NO_MARKUP;
  if (total === 0) return html`No apps match ${untrusted(search, 80)}.`;
  return html`${counted(total, 'app')} found.`;
}

function appTable(apps: readonly CatalogueApp[], isOfAll: boolean, now: Date): Html {
  return table({
    className: `apps${isOfAll ? ' of-all' : ''}`,
    caption: 'Apps',
    columns: ['App', ...(isOfAll ? ['Registry'] : []), 'Latest version', { label: 'Versions', kind: 'number' }],
    rows: apps.map((app) => appRow(app, isOfAll, now)),
  });
}

function appRow(app: CatalogueApp, isOfAll: boolean, now: Date): Html {
  const { registry, key, name, description, latest, deprecated, newestAt } = app;
  return html`<tr role="row" class="linked app">
    <th role="rowheader" scope="row">
      <span class="app-cell"
        >${tile(app)}
        <span class="app-text">
          <a class="stretch" href="${appPath(registry.id, key)}">${untrusted(name === '' ? key : name, 120)}</a>
          ${description === '' ? NO_MARKUP : html`<span class="description">${untrusted(description, 200)}</span>`}
          ${reasons(app)}
        </span></span
      >
    </th>
    ${isOfAll ? html`<td role="cell" class="registry-cell">${untrusted(registry.name, 80)}</td>` : NO_MARKUP}
    <td role="cell">
      ${latest === null ? installability(app) : html`<span class="line version">${codeText(latest, 60)}</span>`}
      ${deprecated === null ? NO_MARKUP : html`<span class="line">${retiredChip(deprecated)}</span>`}
      ${newestAt === null ? NO_MARKUP : html`<span class="line muted">${relativeTime(newestAt, now)}</span>`}
    </td>
    <td role="cell" class="number-cell">${shortCount(app)} <span class="unit">versions</span></td>
  </tr>`;
}

/** `4`, or `3 of 4`. */
function shortCount({ offered, versions }: CatalogueApp): string {
  return offered === versions ? grouped(versions) : `${grouped(offered)} of ${grouped(versions)}`;
}

/** The apps of all registries. */

export interface AppsPage {
  catalogue: Catalogue;
  query: AppListQuery;
  /** The organization's registries, by id. */
  registries: readonly Choice[];
  scope: Scope;
  now: Date;
}

export function appsPage({ catalogue, query, registries, scope, now }: AppsPage): Screen {
  const isBare = catalogue.totals.all === 0 && query.search === '' && query.registry === null;
  const body = html`<div class="head">
      <div class="head-text">
        <h1>Apps</h1>
        <p class="lead" id="apps-total" data-live>${totalText(catalogue, query, registries.length)}</p>
      </div>
    </div>
    <div id="catalogue" data-shape="${isBare ? 'bare' : 'list'}">
      ${isBare ? noApps(registries.length, scope) : appList({ catalogue, query, path: 'apps', defaultFilter: 'visible', registries, now })}
    </div>`;
  return { title: 'Apps', section: 'apps', body, refreshAfter: 60 };
}

function totalText({ totals }: Catalogue, { search, registry }: AppListQuery, registries: number): string {
  if (search !== '' || registry !== null || totals.all === 0)
    return 'What your organization can install from its registries.';
  return `${counted(totals.visible, 'app')} can be installed, from ${counted(registries, 'registry', 'registries')}.`;
}

function noApps(registries: number, scope: Scope): Html {
  return registries === 0
    ? emptyState('No apps yet', 'Apps come from registries. Subscribe to one by its URL.', subscribeLink(scope))
    : emptyState(
        'No apps yet',
        'Your registries list none, or they have not been read yet.',
        html`<a class="button" href="settings/registries">App Registries</a>`,
      );
}

export interface RegistryAppsPage extends RegistryFrame {
  catalogue: Catalogue;
  query: AppListQuery;
}

export function registryAppsPage(view: RegistryAppsPage): Screen {
  const { subscription, catalogue, query, now } = view;
  const isBare = subscription.apps === 0;
  const content = html`<section id="apps" aria-labelledby="apps-title" data-shape="${isBare ? 'bare' : 'list'}">
    <h2 class="unseen" id="apps-title">Apps</h2>
    ${
      isBare
        ? noAppsOfRegistry(subscription)
        : appList({
            catalogue,
            query,
            path: registryPath(subscription.id),
            defaultFilter: 'all',
            registries: null,
            now,
          })
    }
  </section>`;
  return registryScreen(view, 'apps', content);
}

function noAppsOfRegistry(subscription: SubscriptionView): Html {
  if (isBusy(subscription))
    return emptyState(
      'Reading the registry',
      'The manifest is being read. Apps appear here as soon as they are known.',
    );
  return subscription.goodAt === null
    ? emptyState('No apps known', 'The registry could not be read yet. See “Health” for the reasons.')
    : emptyState('No apps in this registry', 'Its manifest lists no apps. New apps appear after the next check.');
}

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

/** Reads the filters of a list of apps from the query of its page. */
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
