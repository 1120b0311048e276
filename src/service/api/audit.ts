import { AUDIT_ACTIONS, type AuditAction } from '../audit-actions.ts';
import type { Service } from '../context.ts';
import { taggedJson } from '../http/conditions.ts';
import type { Route, WebContext } from '../http/routes.ts';
import { isAuditId, listAuditEntries } from '../storage/audit.ts';
import { invalidParameter, pageQueryIn } from './query.ts';

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
  return { ...pageQueryIn(c, isAuditId), action: actionIn(c) };
}

function actionIn(c: WebContext): AuditAction | null {
  const text = c.req.query('action');
  if (text === undefined) return null;
  const action = AUDIT_ACTIONS.find((one) => one === text);
  if (action === undefined) throw invalidParameter('action', 'is not an action of the audit log.');
  return action;
}
