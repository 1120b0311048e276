import type { Service } from '../context.ts';
import { isEventType } from './event-types.ts';
import { listEvents } from './store.ts';
import { type History, historyPage, organizationHistoryPage } from './page.ts';
import type { PageRoute } from '../pages/mount.ts';
import { orNotFound } from '../http/problems.ts';
import { registryFrame, requestedSubscription } from '../registries/page-routes.ts';
import { cursorIn, type MemberRequest } from '../pages/request.ts';
import { AUDIT_ACTIONS } from './audit.ts';
import { listAuditEntries } from './audit-store.ts';
import { auditPage } from './audit-page.ts';

/** The history of a registry, and of an organization. */
export const historyRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/settings/registries/:id/history', access: 'member', handle: showHistory },
  { method: 'GET', path: '/settings/history', access: 'member', handle: showOrganizationHistory },
];

const PAGE_SIZE = 50;

async function showHistory(request: MemberRequest, service: Service) {
  const subscription = await requestedSubscription(request, service);
  const history = await historyOf(request, service, subscription.id);
  return request.show(historyPage({ ...registryFrame(request, subscription), history }));
}

async function showOrganizationHistory(request: MemberRequest, service: Service) {
  return request.show(organizationHistoryPage(await historyOf(request, service, null)));
}

/** The requested page of events. @param subscriptionId null for all */
async function historyOf(request: MemberRequest, { db }: Service, subscriptionId: string | null): Promise<History> {
  const { organization, now, query } = request;
  const [app, after] = [query('app'), cursorIn(request)];
  // Of a registry, the checks summarize what changed.
  const defaultType = subscriptionId !== null && app === null ? 'checked' : 'all';
  const text = query('type') ?? defaultType;
  const type = isEventType(text) ? text : 'all';
  const wanted = { subscriptionId, appKey: app, type: type === 'all' ? null : type, limit: PAGE_SIZE, after };
  const page = orNotFound(await listEvents(db, organization.id, wanted), 'registry');
  return { ...page, after, type, defaultType, app, now };
}

/** Settings → Audit log. */
export const auditRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/settings/audit', access: 'member', scope: 'admin', handle: showAudit },
];

async function showAudit(request: MemberRequest, { db }: Service) {
  const { organization, now, query, show } = request;
  const action = AUDIT_ACTIONS.find((name) => name === query('action')) ?? null;
  const after = cursorIn(request);
  const page = await listAuditEntries(db, organization.id, { action, limit: PAGE_SIZE, after });
  return show(auditPage({ ...page, after, action, now }));
}
