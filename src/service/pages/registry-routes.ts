import type { Service } from '../context.ts';
import { iconAnswer } from '../http/icon.ts';
import { appOf, listApps, listInstallable } from '../storage/apps.ts';
import { reportOf } from '../storage/registries.ts';
import { listSubscriptions } from '../storage/subscriptions.ts';
import { versionsOf } from '../storage/versions.ts';
import { refreshNow } from '../subscribe/refresh-now.ts';
import type { SubscriptionView } from '../views.ts';
import { appPage, cataloguePage } from './app-page.ts';
import { findingsOf } from './findings.ts';
import { ICON_HEADERS } from './headers.ts';
import type { PageRoute } from './mount.ts';
import { orNotFound } from './page-error.ts';
import { APP_FILTERS, registryPage, reportPage } from './registry-page.ts';
import type { MemberRequest, PageRequest } from './request.ts';
import { requestedSubscription } from './settings-routes.ts';

/** A registry, its apps and its report; the apps of all registries; their icons. */

const LIST = '/settings/registries';
const PAGE_SIZE = 100;
/** Milliseconds that a page waits for a requested check. */
const CHECK_TIMEOUT = 120_000;

export const registryRoutes: readonly PageRoute[] = [
  { method: 'GET', path: `${LIST}/:id`, access: 'member', answer: showRegistry },
  { method: 'POST', path: `${LIST}/:id/refresh`, access: 'member', answer: submitRefresh },
  { method: 'GET', path: `${LIST}/:id/report`, access: 'member', answer: showReport },
  { method: 'GET', path: `${LIST}/:id/app`, access: 'member', answer: showApp },
  { method: 'GET', path: '/apps', access: 'member', answer: showInstallable },
  { method: 'GET', path: '/icons/:digest', access: 'anyone', answer: sendIcon },
];

/** Confirmations of the last action, by the parameter `done`. */
const CONFIRMATIONS = new Map([
  ['subscribed', 'You are subscribed. Its apps become available for installation as they are verified.'],
  ['renamed', 'The registry has its new name.'],
]);

async function showRegistry(request: MemberRequest, service: Service) {
  const { organization, now, query, show } = request;
  const { db } = service;
  const subscription = await requestedSubscription(request, service);
  const [search, after] = [searchOf(request), query('after')];
  const filter = APP_FILTERS.find((name) => name === query('show')) ?? 'all';
  const visible = filter === 'all' ? null : filter === 'visible';
  const [report, apps] = await Promise.all([
    reportOf(db, organization.id, subscription.id),
    listApps(db, organization.id, subscription.id, { search, visible, limit: PAGE_SIZE, after }),
  ]);
  const page = orNotFound(apps, 'registry');
  const waiting = isWaiting(subscription, query('requested'), now);
  const done = CONFIRMATIONS.get(query('done') ?? '') ?? null;
  return show(registryPage({ subscription, report, ...page, after, search, show: filter, waiting, done, now }));
}

/** Whether a check was requested recently and has not completed. @param requested when, in milliseconds since 1970 */
function isWaiting({ checkedAt }: SubscriptionView, requested: string | null, now: Date): boolean {
  if (requested === null) return false;
  const since = Number(requested);
  const isRecent = now.getTime() - since < CHECK_TIMEOUT && since <= now.getTime();
  return isRecent && Date.parse(checkedAt ?? '1970') < since;
}

function searchOf({ query }: PageRequest): string {
  return (query('q') ?? '').trim().slice(0, 200);
}

async function submitRefresh({ organization, member, now, parameter, goTo }: MemberRequest, service: Service) {
  const id = parameter('id');
  orNotFound(await refreshNow(service, organization.id, id, member.actor), 'registry');
  return goTo(`${LIST}/${id}?requested=${now.getTime()}`);
}

async function showReport(request: MemberRequest, service: Service) {
  const { organization, now, show } = request;
  const subscription = await requestedSubscription(request, service);
  return show(reportPage(subscription, await reportOf(service.db, organization.id, subscription.id), now));
}

async function showApp(request: MemberRequest, service: Service) {
  const { organization, now, query, show } = request;
  const { db } = service;
  const subscription = await requestedSubscription(request, service);
  // A key may be any text, including one that would change the path.
  const key = query('key') ?? '';
  const after = query('after');
  const [app, versions, report] = await Promise.all([
    appOf(db, organization.id, subscription.id, key),
    versionsOf(db, organization.id, subscription.id, key, { limit: PAGE_SIZE, after }),
    reportOf(db, organization.id, subscription.id),
  ]);
  const findings = report === null ? [] : findingsOf(report, key);
  return show(
    appPage({ subscription, app: orNotFound(app, 'app'), ...orNotFound(versions, 'app'), after, findings, now }),
  );
}

async function showInstallable(request: MemberRequest, { db }: Service) {
  const { organization, query, show } = request;
  const [search, after] = [searchOf(request), query('after')];
  const [apps, registries] = await Promise.all([
    listInstallable(db, organization.id, { search, limit: PAGE_SIZE, after }),
    listSubscriptions(db, organization.id),
  ]);
  return show(cataloguePage({ ...apps, after, search, registries: registries.length }));
}

async function sendIcon({ c, organization, parameter }: PageRequest, { db }: Service): Promise<Response> {
  if (organization === null) return c.body(null, 404);
  const response = await iconAnswer(c, db, organization.id, parameter('digest'));
  for (const [name, value] of Object.entries(ICON_HEADERS)) response.headers.set(name, value);
  return response;
}
