import { counted, grouped, safeJsonText } from 'appreg';
import { codeText, html, type Html, NO_MARKUP, reportTicket, untrusted } from 'appreg/node';
import { type SubscriptionView } from '../domain/registries.ts';
import { type Scope } from '../domain/scopes.ts';
import { type Screen } from './layout.ts';
import { subscribeLink } from './subscribe.ts';
import { doneNotice, emptyState, searchForm, table, chip, status, relativeTime } from './components.ts';
import { isBusy, byAttention, stateOf, stateDetails, nextCheckText, progressText } from './states.ts';
import { pathWithQuery, pageLinks, REGISTRY_TABS, registryPath } from './navigation.ts';
import { type PageRoute } from './mount.ts';
import { type MemberRequest, searchIn, pageNumberIn, PAGE_HEADERS } from './request.ts';
import { type Service } from '../context.ts';
import { requestedSubscription, registryFrame } from './registry-frame.ts';
import { appListQuery, catalogueQuery, registryAppsPage } from './apps.ts';
import { appCatalogue } from '../db/app-catalogue.ts';
import { reportOf, packedReportOf } from '../db/registries.ts';
import { healthPage } from './registry-health.ts';
import { orNotFound } from '../http/problems.ts';
import { unpackText } from '../db/packed.ts';
import { refreshNow } from '../actions/subscriptions.ts';

/** Settings → App Registries: the list of an organization's registries, those that need attention first. */

export interface RegistriesPage {
  /** All of them. */
  list: readonly SubscriptionView[];
  /** Words of their names and URLs; '' for all. */
  search: string;
  /** From 1. */
  page: number;
  /** The confirmation of the last action. */
  done: string | null;
  scope: Scope;
  now: Date;
}

const PATH = 'settings/registries';
const PAGE_SIZE = 100;
/** Shorter lists are read, not searched. */
const SEARCHABLE = 10;

export function registriesPage(view: RegistriesPage): Screen {
  const { list, done, scope } = view;
  const isEmpty = list.length === 0;
  const body = html`<div class="head">
      <div class="head-text">
        <h1>App Registries</h1>
        <p class="lead">The registries that the apps of your organization come from.</p>
      </div>
      ${isEmpty ? NO_MARKUP : subscribeLink(scope)}
    </div>
    ${doneNotice(done)}
    ${isEmpty ? emptyState('No registries yet', 'Subscribe to a registry by its URL, and its apps become available for installation.', subscribeLink(scope)) : registryList(view)}`;
  return { title: 'App Registries', section: 'registries', body, refreshAfter: refreshInterval(list) };
}

/** Seconds until the list should be fetched again; longer for long lists. */
function refreshInterval(list: readonly SubscriptionView[]): number | null {
  if (list.length === 0) return null;
  return list.some(isBusy) ? 2 + Math.floor(list.length / 50) : 30;
}

function registryList({ list, search, page, now }: RegistriesPage): Html {
  const words = search.toLowerCase().split(/\s+/);
  const matching = list.filter(({ name, url }) => words.every((word) => `${name} ${url}`.toLowerCase().includes(word)));
  const sorted = matching.toSorted(byAttention);
  const last = Math.max(1, Math.ceil(sorted.length / PAGE_SIZE));
  const current = Math.min(page, last);
  const shown = sorted.slice((current - 1) * PAGE_SIZE, current * PAGE_SIZE);
  const pagePath = (to: number): string => pathWithQuery(PATH, { q: search || null, page: String(to) });
  return html`${
      list.length < SEARCHABLE
        ? NO_MARKUP
        : html`<div class="tools">
            ${searchForm({ action: PATH, search, label: 'Search registries', results: 'registries' })}
          </div>`
    }
    <div id="registries" data-live>
      <p class="summary" ${search === '' ? NO_MARKUP : html`role="status"`}>
        ${search === '' ? overview(list) : html`${counted(sorted.length, 'registry', 'registries')} found`}
      </p>
      ${shown.length === 0 ? NO_MARKUP : registryTable(shown, now)}
      ${pageLinks({ page: current, pageSize: PAGE_SIZE, total: sorted.length }, pagePath)}
    </div>`;
}

/** `6 registries · 1 not refreshing · 2 with problems`. */
function overview(list: readonly SubscriptionView[]): Html {
  const failing = list.filter(({ failingSince }) => failingSince !== null).length;
  const states = list.filter(({ failingSince }) => failingSince === null).map((one) => stateOf(one).tone);
  const numberOf = (tone: string): number => states.filter((one) => one === tone).length;
  const parts = [
    html`${counted(list.length, 'registry', 'registries')}`,
    ...(failing > 0 ? [html`<span class="bad-text">${grouped(failing)} not refreshing</span>`] : []),
    ...(numberOf('bad') > 0 ? [html`<span class="bad-text">${grouped(numberOf('bad'))} with problems</span>`] : []),
    ...(numberOf('warn') > 0
      ? [html`<span class="warn-text">${grouped(numberOf('warn'))} with possible problems</span>`]
      : []),
  ];
  return html`${parts.map((part, i) => (i === 0 ? part : html` · ${part}`))}`;
}

function registryTable(list: readonly SubscriptionView[], now: Date): Html {
  return table({
    className: 'registries',
    caption: 'Registries, those that need attention first',
    columns: ['Registry', 'Status', { label: 'Apps', kind: 'number' }, 'Last check'],
    rows: list.map((subscription) => registryRow(subscription, now)),
  });
}

function registryRow(subscription: SubscriptionView, now: Date): Html {
  const { id, name, url, official, checkedAt, progress } = subscription;
  const { tone, word } = stateOf(subscription);
  return html`<tr role="row" class="linked">
    <th role="rowheader" scope="row">
      <span class="name-line"
        ><a class="stretch" href="${PATH}/${id}">${untrusted(name, 120)}</a>
        ${official ? chip('Official') : NO_MARKUP}</span
      >
      <span class="url">${codeText(url)}</span>
    </th>
    <td role="cell">${status(tone, word)} ${stateDetails(subscription, now)}</td>
    <td role="cell" class="number-cell">${appNumbers(subscription)}</td>
    <td role="cell">
      ${checkedAt === null ? NO_MARKUP : html`<span class="line">${relativeTime(checkedAt, now)}</span>`}
      <span class="line muted">${progress === null ? nextCheckText(subscription, now) : progressText(progress)}</span>
    </td>
  </tr>`;
}

/** The number of apps, and of those that cannot be installed. */
function appNumbers({ apps, visible, checkedAt }: SubscriptionView): Html {
  if (checkedAt === null && apps === 0) return html`<span class="muted">not known yet</span>`;
  return html`<span class="line">${grouped(apps)} <span class="unit">${apps === 1 ? 'app' : 'apps'}</span></span>
    ${visible < apps ? html`<span class="line muted">${grouped(visible)} installable</span>` : NO_MARKUP}`;
}

/** A registry: its apps, its health and the report of the last check. */

const REGISTRIES_PATH = '/settings/registries/:id';

export const registryRoutes: readonly PageRoute[] = [
  { method: 'GET', path: REGISTRIES_PATH, access: 'member', handle: showRegistryApps },
  { method: 'GET', path: `${REGISTRIES_PATH}/health`, access: 'member', handle: showHealth },
  { method: 'GET', path: `${REGISTRIES_PATH}/report.json`, access: 'member', handle: sendReport },
  { method: 'GET', path: `${REGISTRIES_PATH}/report.md`, access: 'member', handle: sendMarkdown },
  { method: 'POST', path: `${REGISTRIES_PATH}/refresh`, access: 'member', handle: submitRefresh },
];

async function showRegistryApps(request: MemberRequest, service: Service) {
  const subscription = await requestedSubscription(request, service);
  const query = { ...appListQuery(request, searchIn(request), 'all'), registry: null };
  const wanted = { ...catalogueQuery(query, pageNumberIn(request)), subscriptionId: subscription.id };
  const catalogue = await appCatalogue(service.db, request.organization.id, wanted);
  return request.show(registryAppsPage({ ...registryFrame(request, subscription), catalogue, query }));
}

async function showHealth(request: MemberRequest, service: Service) {
  const subscription = await requestedSubscription(request, service);
  const report = await reportOf(service.db, request.organization.id, subscription.id);
  return request.show(healthPage({ ...registryFrame(request, subscription), report }));
}

/** The report as in the API, for people without a token at hand. */
async function sendReport({ c, organization, parameter }: MemberRequest, { db }: Service) {
  const packed = orNotFound(await packedReportOf(db, organization.id, parameter('id')), 'report');
  return c.body(safeJsonText(await unpackText(packed)), 200, { ...PAGE_HEADERS, 'Content-Type': 'application/json' });
}

async function sendMarkdown(request: MemberRequest, service: Service) {
  const { c, organization } = request;
  const { id, checkedAt } = await requestedSubscription(request, service);
  const report = orNotFound(await reportOf(service.db, organization.id, id), 'report');
  return c.body(`${reportTicket(report, orNotFound(checkedAt, 'report'))}\n`, 200, {
    ...PAGE_HEADERS,
    'Content-Type': 'text/plain; charset=utf-8',
  });
}

async function submitRefresh(request: MemberRequest, service: Service) {
  const { organization, member, now, parameter, redirectTo, formField } = request;
  const id = parameter('id');
  orNotFound(await refreshNow(service, organization.id, id, member.actor), 'registry');
  const tab = REGISTRY_TABS.find((name) => name === formField('tab')) ?? 'apps';
  return redirectTo(`/${registryPath(id, tab)}?requested=${now.getTime()}`);
}
