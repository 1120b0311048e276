import { AUDIT_ACTIONS } from './audit-actions.ts';
import type { Service } from '../context.ts';
import { taggedJson } from '../http/conditions.ts';
import type { Route, WebContext } from '../http/routes.ts';
import { listAuditEntries } from './audit-store.ts';
import { choiceIn, ID_PAGE_QUERY, queryIn } from '../http/query.ts';

/** The audit log of an organization. */
export function auditRoutes({ db }: Service): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/audit',
      access: 'organization',
      scope: 'admin',
      handle: async (c, { id }) => taggedJson(c, await listAuditEntries(db, id, auditQueryIn(c))),
    },
  ];
}

/** @throws Refusal for an invalid parameter */
export function auditQueryIn(c: WebContext): Parameters<typeof listAuditEntries>[2] {
  return queryIn(c, { ...ID_PAGE_QUERY, action: choiceIn('action', AUDIT_ACTIONS) });
}
