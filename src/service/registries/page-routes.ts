import type { Service } from '../context.ts';
import { subscriptionOf } from './subscriptions-store.ts';
import type { SubscriptionView } from './schema.ts';
import { orNotFound } from '../http/problems.ts';
import { type MemberRequest, pageNumberIn, searchIn, PAGE_HEADERS } from '../pages/request.ts';
import { safeJsonText } from '../../core/text/text.ts';
import { reportTicket } from '../../report/ticket.ts';
import { appCatalogue } from '../apps/catalogue-store.ts';
import { unpackText } from '../database/packed.ts';
import { packedReportOf, reportOf } from './store.ts';
import { refreshNow } from './subscription-actions.ts';
import { appListQuery, catalogueQuery } from '../apps/page-routes.ts';
import { healthPage } from './health-page.ts';
import type { PageRoute } from '../pages/mount.ts';
import { registryAppsPage } from '../apps/list-page.ts';
import type { RegistryFrame } from './frame.ts';
import { REGISTRY_TABS, registryPath } from '../pages/navigation.ts';

/** The subscription in the path. @throws PageError if the organization does not have it */
export async function requestedSubscription(
  { organization, parameter }: MemberRequest,
  { db, settings }: Service,
): Promise<SubscriptionView> {
  return orNotFound(await subscriptionOf(db, organization.id, parameter('id'), settings.interval), 'registry');
}

/** A registry: its apps, its health and the report of the last check. */

const PATH = '/settings/registries/:id';
/** Milliseconds that a page waits for a requested check. */
const CHECK_TIMEOUT = 120_000;

export const registryRoutes: readonly PageRoute[] = [
  { method: 'GET', path: PATH, access: 'member', handle: showRegistryApps },
  { method: 'GET', path: `${PATH}/health`, access: 'member', handle: showHealth },
  { method: 'GET', path: `${PATH}/report.json`, access: 'member', handle: sendReport },
  { method: 'GET', path: `${PATH}/report.md`, access: 'member', handle: sendMarkdown },
  { method: 'POST', path: `${PATH}/refresh`, access: 'member', handle: submitRefresh },
];

/** Confirmations of the last action, by the parameter `done`. */
const CONFIRMATIONS = new Map([
  ['subscribed', 'You are subscribed. The apps of the registry become available as they are verified.'],
  ['accepted', 'You are subscribed. The registry responds slowly: its first check continues in the background.'],
  ['renamed', 'The registry was renamed.'],
  ['auth-set', 'The credentials were saved. The registry is now checked with them.'],
  ['auth-removed', 'The credentials were removed.'],
  ['policy-set', 'The policy was saved, and applies at once.'],
  ['policy-removed', 'The policy was removed.'],
  ['attestations-set', 'The attestations were saved. The registry is checked soon.'],
]);

/** What the query of a registry's page says about the last action. */
export function registryFrame({ member, query, now }: MemberRequest, subscription: SubscriptionView): RegistryFrame {
  return {
    subscription,
    isWaiting: isWaiting(subscription, query('requested'), now),
    done: CONFIRMATIONS.get(query('done') ?? '') ?? null,
    scope: member.scope,
    now,
  };
}

/** Whether a check was requested recently and has not completed. @param requested when, in milliseconds since 1970 */
function isWaiting({ checkedAt }: SubscriptionView, requested: string | null, now: Date): boolean {
  if (requested === null) return false;
  const since = Number(requested);
  const isRecent = now.getTime() - since < CHECK_TIMEOUT && since <= now.getTime();
  return isRecent && Date.parse(checkedAt ?? '1970') < since;
}

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
