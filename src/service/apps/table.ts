import { counted, grouped } from '../../core/text/text.ts';
import type { AppFilter, AppOrder, Catalogue, CatalogueApp } from './catalogue-store.ts';
import { pathWithQuery } from '../pages/path-with-query.ts';
import { appPath } from './path.ts';
import { reasons, installability } from './state.ts';
import { type Choice, searchForm, select } from '../pages/components.ts';
import { type Html, html, NOTHING } from '../pages/html.ts';
import { pageLinks, tabs } from '../pages/navigation.ts';
import { tile } from './tile.ts';
import { relativeTime } from '../pages/time.ts';
import { code, untrusted } from '../pages/untrusted-text.ts';
import { table } from '../pages/table.ts';

/** A list of apps that is searched, filtered, sorted and divided into pages: of one registry, or of all. */

export const PAGE_SIZE = 50;

/** What is requested of the list, as in the query of its page. */
export interface AppListQuery {
  search: string;
  filter: AppFilter;
  order: AppOrder;
  /** Id of a subscription; null for all. */
  registry: string | null;
}

export interface AppList {
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

export function appList(list: AppList): Html {
  const { catalogue, query, path, registries, now } = list;
  const { apps, page, totals } = catalogue;
  const total = totals[query.filter];
  const orders = registries === null ? (['name', 'newest'] as const) : (['name', 'newest', 'registry'] as const);
  const choices = html`${query.filter === list.defaultFilter ? NOTHING : html`<input type="hidden" name="show" value="${query.filter}" />`}
  ${registries === null ? NOTHING : select('registry', 'Registry', [{ value: '', label: 'All registries' }, ...registries], query.registry ?? '')}
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
      ${apps.length === 0 ? NOTHING : appTable(apps, registries !== null, now)}
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
    return total === 0 ? html`${filter === 'hidden' ? 'Every app can be installed.' : 'None.'}` : NOTHING;
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
  const { registry, key, name, description, latest, newestAt } = app;
  return html`<tr role="row" class="linked app">
    <th role="rowheader" scope="row">
      <span class="app-cell"
        >${tile(app)}
        <span class="app-text">
          <a class="stretch" href="${appPath(registry.id, key)}">${untrusted(name === '' ? key : name, 120)}</a>
          ${description === '' ? NOTHING : html`<span class="description">${untrusted(description, 200)}</span>`}
          ${reasons(app)}
        </span></span
      >
    </th>
    ${isOfAll ? html`<td role="cell" class="registry-cell">${untrusted(registry.name, 80)}</td>` : NOTHING}
    <td role="cell">
      ${latest === null ? installability(app) : html`<span class="line version">${code(latest, 60)}</span>`}
      ${newestAt === null ? NOTHING : html`<span class="line muted">${relativeTime(newestAt, now)}</span>`}
    </td>
    <td role="cell" class="number-cell">${shortCount(app)} <span class="unit">versions</span></td>
  </tr>`;
}

/** `4`, or `3 of 4`. */
function shortCount({ offered, versions }: CatalogueApp): string {
  return offered === versions ? grouped(versions) : `${grouped(offered)} of ${grouped(versions)}`;
}
