import * as shape from '../domain/shape.ts';
import { auditEntry, AUDIT_ACTIONS } from '../domain/audit.ts';
import * as openapi from '../http/operations.ts';
import { type Service } from '../context.ts';
import { type Route, organizationRoute, type WebContext } from '../http/routes.ts';
import { taggedJson } from '../http/conditions.ts';
import { listAuditEntries } from '../db/audit.ts';
import { queryIn, ID_PAGE_QUERY, choiceIn } from '../http/query.ts';

export const auditSchemas: Record<string, shape.Schema> = {
  AuditEntry: auditEntry,
  AuditEntries: shape.strictObject('A page of the audit log, newest entry first.', {
    entries: shape.list(shape.ref('AuditEntry')),
    next: shape.next,
  }),
};

export const ACTION = openapi.parameter('action', 'query', 'Only entries of this action.', { enum: AUDIT_ACTIONS });

/** The audit log. */
export const auditPaths: Record<string, openapi.OpenApiObject> = {
  '/api/audit': {
    get: openapi.forOrganization(
      'listAudit',
      'The audit log of the organization',
      openapi.pageResponses('AuditEntries'),
      {
        ...openapi.requiresScope('admin'),
        parameters: [ACTION, ...openapi.PAGE, openapi.IF_NONE_MATCH],
      },
    ),
  },
};

/** The audit log of an organization. */
export function auditRoutes({ db }: Service): Route[] {
  return [
    organizationRoute('GET', '/api/audit', 'admin', async (c, { id }) =>
      taggedJson(c, await listAuditEntries(db, id, auditQueryIn(c))),
    ),
  ];
}

/** @throws Refusal for an invalid parameter */
export function auditQueryIn(c: WebContext): Parameters<typeof listAuditEntries>[2] {
  return queryIn(c, { ...ID_PAGE_QUERY, action: choiceIn('action', AUDIT_ACTIONS) });
}
