import type { Service } from '../context.ts';
import {
  createOrganization,
  deleteOrganization,
  listOrganizations,
  organizationSummary,
  setSuspended,
} from './store.ts';
import { rotateToken, type NewToken } from '../tokens/store.ts';
import { subscribeOfficial } from '../registries/subscribe.ts';
import { nameIn, readBody } from '../http/fields.ts';
import { json, Refusal, NotFound, orNotFound } from '../http/problems.ts';
import { organizationRoute, type Route, type WebContext } from '../http/routes.ts';
import type { Actor } from '../history/audit.ts';
import { taggedJson } from '../http/conditions.ts';
import { pathParameter, ID_PAGE_QUERY, queryIn, searchIn } from '../http/query.ts';
import { listAuditEntries } from '../history/audit-store.ts';
import type { Db } from '../database/database.ts';
import { addToken } from '../tokens/tokens.ts';
import { isUuid } from '../database/page.ts';
import { auditQueryIn } from '../history/routes.ts';

/** Creating organizations, and their tokens. */
export function organizationRoutes(service: Service): Route[] {
  const { db, log } = service;
  return [
    {
      method: 'POST',
      path: '/api/organizations',
      access: 'sign-up',
      async handle(c, actor) {
        const { key, name } = await newOrganizationIn(c);
        const { organization, token } = await createOrganization(db, name, key, actor);
        if (organization.name !== name)
          throw new Refusal('idempotency-key-reused', 'It was already used with a different name. Send a new key.');
        // Repeated for a retried request: the first attempt may have failed between the two steps.
        await subscribeOfficial(service, organization.id);
        if (token !== null) log('info', 'organization-created', { organization: organization.id });
        return json(c, { organization, token: token?.secret ?? null }, token === null ? 200 : 201);
      },
    },
    organizationRoute('GET', '/api/organization', 'read', async (c, { organization }) => json(c, organization)),
    organizationRoute('POST', '/api/organization/token', 'admin', async (c, { organization, tokenId, actor }) => {
      const { secret } = await rotateToken(db, organization, tokenId, actor);
      log('info', 'token-rotated', { organization: organization.id });
      return json(c, { token: secret });
    }),
  ];
}

/** @throws Refusal that lists every invalid field, and the key if it is invalid */
async function newOrganizationIn(c: WebContext): Promise<{ name: string; key: string | null }> {
  const key = c.req.header('idempotency-key') ?? null;
  const isKey = key === null || IDEMPOTENCY_KEY.test(key);
  return { name: nameIn(await readBody(c), isKey ? [] : [INVALID_KEY]), key };
}

/** Long, since guessing one reveals the organization that was created with it. */
const IDEMPOTENCY_KEY = /^[!-~]{16,255}$/;
const INVALID_KEY = {
  field: 'Idempotency-Key',
  detail: 'The Idempotency-Key is not 16 to 255 visible ASCII characters. Send a random UUID.',
};

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
        if (!(await deleteOrganization(db, idIn(c), actor))) throw new NotFound('organization');
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
    throw new NotFound('organization');
  return taggedJson(c, page);
}

function idIn(c: WebContext): string {
  return pathParameter(c, 'organization');
}
