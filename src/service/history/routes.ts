import { EVENT_TYPES } from './event-types.ts';
import type { Service } from '../context.ts';
import { taggedJson } from '../http/conditions.ts';
import { pathParameter, choiceIn, ID_PAGE_QUERY, queryIn } from '../http/query.ts';
import { orNotFound } from '../http/problems.ts';
import { organizationRoute, type Route, type WebContext } from '../http/routes.ts';
import type { Db } from '../database/database.ts';
import { listEvents } from './store.ts';
import { AUDIT_ACTIONS } from './audit.ts';
import { listAuditEntries } from './audit-store.ts';

/** The history of registries. */
export function eventRoutes({ db }: Service): Route[] {
  return [
    organizationRoute('GET', '/api/events', 'read', (c, { id }) => getEvents(c, db, id, null)),
    organizationRoute('GET', '/api/registries/{id}/events', 'read', (c, { id }) =>
      getEvents(c, db, id, pathParameter(c, 'id')),
    ),
  ];
}

async function getEvents(
  c: WebContext,
  db: Db,
  organizationId: string,
  subscriptionId: string | null,
): Promise<Response> {
  const page = queryIn(c, { type: choiceIn('type', EVENT_TYPES), ...ID_PAGE_QUERY });
  const query = { subscriptionId, appKey: c.req.query('app') ?? null, ...page };
  return taggedJson(c, orNotFound(await listEvents(db, organizationId, query), 'registry'));
}

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
