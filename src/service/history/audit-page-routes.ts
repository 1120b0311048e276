import { AUDIT_ACTIONS } from './audit-actions.ts';
import type { Service } from '../context.ts';
import { listAuditEntries } from './audit-store.ts';
import { isUuid } from '../database/uuid.ts';
import { auditPage } from './audit-page.ts';
import type { PageRoute } from '../pages/mount.ts';
import type { MemberRequest } from '../pages/request.ts';

/** Settings → Audit log. */
export const auditRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/settings/audit', access: 'member', scope: 'admin', handle: showAudit },
];

const PAGE_SIZE = 50;

async function showAudit({ organization, now, query, show }: MemberRequest, { db }: Service) {
  const action = AUDIT_ACTIONS.find((name) => name === query('action')) ?? null;
  const cursor = query('after') ?? '';
  const after = isUuid(cursor) ? cursor : null;
  const page = await listAuditEntries(db, organization.id, { action, limit: PAGE_SIZE, after });
  return show(auditPage({ ...page, after, action, now }));
}
