import { EVENT_TYPES } from './events.ts';
import type { Service } from '../context.ts';
import { taggedJson } from '../http/conditions.ts';
import { pathParameter, choiceIn, ID_PAGE_QUERY, queryIn } from '../http/query.ts';
import { notFound } from '../http/problems.ts';
import type { Route, WebContext } from '../http/routes.ts';
import type { Db } from '../database/database.ts';
import { listEvents } from './store.ts';
import { AUDIT_ACTIONS } from './audit-actions.ts';
import { listAuditEntries } from './audit-store.ts';

/** The history of registries. */
export function eventRoutes({ db }: Service): Route[] {
  return [
    {
      method: 'GET',
      path: '/api/events',
      access: 'organization',
      scope: 'read',
      handle: (c, { id }) => getEvents(c, db, id, null),
    },
    {
      method: 'GET',
      path: '/api/registries/{id}/events',
      access: 'organization',
      scope: 'read',
      handle: (c, { id }) => getEvents(c, db, id, pathParameter(c, 'id')),
    },
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
  const events = await listEvents(db, organizationId, query);
  if (events === null) throw notFound('registry');
  return taggedJson(c, events);
}

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
