import type { Service } from '../context.ts';
import type { Actor } from '../history/audit-actions.ts';
import { taggedJson } from '../http/conditions.ts';
import { pathParameter } from '../http/path-parameter.ts';
import { json, notFound, orNotFound } from '../http/problems.ts';
import type { Route, WebContext } from '../http/routes.ts';
import { listAuditEntries } from '../history/audit-store.ts';
import type { Db } from '../database/database.ts';
import { deleteOrganization, listOrganizations, organizationSummary, setSuspended } from './operator-store.ts';
import { addToken } from '../tokens/tokens.ts';
import type { NewToken } from '../tokens/store.ts';
import { isUuid } from '../database/uuid.ts';
import { auditQueryIn } from '../history/audit-routes.ts';
import { ID_PAGE_QUERY, queryIn, searchIn } from '../http/query.ts';

const ORGANIZATION_PATH = '/api/organizations/{organization}';

/** What the operator does with organizations. */
export function operatorRoutes(service: Service): Route[] {
  const { db, log } = service;
  return [
    {
      method: 'GET',
      path: '/api/organizations',
      access: 'operator',
      handle: async (c) =>
        taggedJson(c, await listOrganizations(db, queryIn(c, { search: searchIn, ...ID_PAGE_QUERY }))),
    },
    {
      method: 'GET',
      path: ORGANIZATION_PATH,
      access: 'operator',
      handle: async (c) => json(c, orNotFound(await organizationSummary(db, idIn(c)), 'organization')),
    },
    {
      method: 'DELETE',
      path: ORGANIZATION_PATH,
      access: 'operator',
      async handle(c, actor) {
        if (!(await deleteOrganization(db, idIn(c), actor))) throw notFound('organization');
        log('info', 'organization-deleted', { organization: idIn(c) });
        return c.body(null, 204);
      },
    },
    {
      method: 'POST',
      path: `${ORGANIZATION_PATH}/suspend`,
      access: 'operator',
      handle: (c, actor) => postSuspended(c, service, true, actor),
    },
    {
      method: 'POST',
      path: `${ORGANIZATION_PATH}/resume`,
      access: 'operator',
      handle: (c, actor) => postSuspended(c, service, false, actor),
    },
    {
      method: 'POST',
      path: `${ORGANIZATION_PATH}/token`,
      access: 'operator',
      handle: (c, actor) => postToken(c, service, actor),
    },
    {
      method: 'GET',
      path: `${ORGANIZATION_PATH}/audit`,
      access: 'operator',
      handle: (c) => getAudit(c, db),
    },
  ];
}

async function postSuspended(c: WebContext, { db, log }: Service, suspended: boolean, actor: Actor): Promise<Response> {
  const organization = orNotFound(await setSuspended(db, idIn(c), suspended, actor), 'organization');
  log('info', suspended ? 'organization-suspended' : 'organization-resumed', { organization: organization.id });
  return json(c, organization);
}

/** For an organization that has lost its tokens: the others stay valid. */
async function postToken(c: WebContext, service: Service, actor: Actor): Promise<Response> {
  const { id } = orNotFound(await organizationSummary(service.db, idIn(c)), 'organization');
  const wanted: NewToken = { name: 'Issued by the operator', scope: 'admin', expiresAt: null };
  const created = await addToken(service, id, wanted, actor);
  if (created === null) throw new Error('The operator can always issue a token.');
  return json(c, { ...created.token, token: created.secret }, 201);
}

/** Also of a deleted organization: what the operator did with it. */
async function getAudit(c: WebContext, db: Db): Promise<Response> {
  const id = idIn(c);
  const query = auditQueryIn(c);
  const page = isUuid(id) ? await listAuditEntries(db, id, query) : null;
  if (page === null || (page.entries.length === 0 && (await organizationSummary(db, id)) === null))
    throw notFound('organization');
  return taggedJson(c, page);
}

function idIn(c: WebContext): string {
  return pathParameter(c, 'organization');
}
