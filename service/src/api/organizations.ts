import { type Service } from '../context.ts';
import { type Route, organizationRoute, type WebContext } from '../http/routes.ts';
import {
  createOrganization,
  listOrganizations,
  organizationSummary,
  deleteOrganization,
  setSuspended,
} from '../db/organizations.ts';
import { Refusal, json, orNotFound, NotFound } from '../http/problems.ts';
import { subscribeOfficial } from '../actions/subscribe.ts';
import { rotateToken, type NewToken } from '../db/tokens.ts';
import { nameIn, readBody } from '../http/body.ts';
import { taggedJson } from '../http/conditions.ts';
import { queryIn, searchIn, ID_PAGE_QUERY, pathParameter } from '../http/query.ts';
import { type Actor } from '../domain/audit.ts';
import { addToken } from '../actions/tokens.ts';
import { type Db } from '../db/database.ts';
import { auditQueryIn, ACTION } from './audit.ts';
import { isUuid, LONGEST_SEARCH } from '../db/page.ts';
import { listAuditEntries } from '../db/audit.ts';
import * as shape from '../domain/shape.ts';
import { organization, summary } from '../domain/organizations.ts';
import * as openapi from '../http/operations.ts';

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

/** Actions of the operator on organizations. */
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

export const organizationSchemas: Record<string, shape.Schema> = {
  Organization: organization,
  NewOrganization: shape.strictObject('An organization, with its token.', {
    organization: shape.ref('Organization'),
    token: shape.withDescription(
      shape.orNull({ type: 'string', pattern: '^apr_[A-Za-z0-9_-]{43}$' }),
      'Shown only once; null if the request was repeated.',
    ),
  }),
  Token: shape.strictObject(
    'The new value of a token, which is shown only once. The previous value is no longer valid.',
    {
      token: { type: 'string', pattern: '^apr_[A-Za-z0-9_-]{43}$' },
    },
  ),
};

export const summarySchemas: Record<string, shape.Schema> = {
  OrganizationSummary: summary,
  Organizations: shape.strictObject('A page of organizations, in order of creation.', {
    organizations: shape.list(shape.ref('OrganizationSummary')),
    next: shape.next,
  }),
};

const ORGANIZATION = openapi.parameter('organization', 'path', 'Id of the organization.', shape.id);
const SEARCH = openapi.parameter('search', 'query', 'Part of the name.', { type: 'string', maxLength: LONGEST_SEARCH });

const listOrganizationsOperation = openapi.forOperator(
  'listOrganizations',
  'All organizations',
  openapi.pageResponses('Organizations'),
  {
    parameters: [SEARCH, ...openapi.PAGE, openapi.IF_NONE_MATCH],
  },
);

/** Organizations and their tokens. */
export const organizationsPaths: Record<string, openapi.OpenApiObject> = {
  '/api/organizations': {
    get: listOrganizationsOperation,
    post: {
      operationId: 'createOrganization',
      summary: 'Create an organization, subscribed to the official registries',
      description: 'Requires the operator token, unless sign-up is open.',
      security: [{ operator: [] }, {}],
      parameters: [
        openapi.parameter('Idempotency-Key', 'header', 'A random UUID, so that the request can be retried.', {
          type: 'string',
          minLength: 16,
          maxLength: 255,
        }),
      ],
      ...openapi.body({ name: shape.ref('Name') }),
      responses: {
        200: openapi.response('The organization that was created with this Idempotency-Key.', 'NewOrganization'),
        201: openapi.response('Created.', 'NewOrganization'),
        ...openapi.BAD_BODY,
        401: openapi.refusal('The operator token is missing or not valid.', ['WWW-Authenticate']),
        403: openapi.refusal('Creating organizations is disabled.'),
        422: openapi.refusal('The Idempotency-Key was used for another name.'),
        ...openapi.TOO_MANY_REQUESTS,
        ...openapi.SERVER_ERROR,
      },
    },
  },
  '/api/organization': {
    get: openapi.forOrganization('getOrganization', 'The organization of the token', {
      200: openapi.response('The organization.', 'Organization', 'application/json', openapi.RATE_LIMIT_HEADERS),
    }),
  },
  '/api/organization/token': {
    post: openapi.forOrganization(
      'rotateToken',
      'Rotate the token of the request: its previous value and its sessions become invalid',
      { 200: openapi.response('The new value of the token.', 'Token') },
      openapi.requiresScope('admin'),
    ),
  },
};

/** Actions of the operator on organizations. */
export const operatorPaths: Record<string, openapi.OpenApiObject> = {
  '/api/organizations/{organization}': {
    parameters: [ORGANIZATION],
    get: openapi.forOperator('getOrganizationSummary', 'One organization', {
      200: openapi.response('The organization.', 'OrganizationSummary'),
      ...openapi.NOT_FOUND,
    }),
    delete: openapi.forOperator('deleteOrganization', 'Delete an organization and all its data', {
      204: { description: 'Deleted.' },
      ...openapi.NOT_FOUND,
    }),
  },
  '/api/organizations/{organization}/suspend': {
    parameters: [ORGANIZATION],
    post: openapi.forOperator('suspendOrganization', 'Suspend an organization: its tokens and sessions are refused', {
      200: openapi.response('The organization is suspended.', 'OrganizationSummary'),
      ...openapi.NOT_FOUND,
    }),
  },
  '/api/organizations/{organization}/resume': {
    parameters: [ORGANIZATION],
    post: openapi.forOperator(
      'resumeOrganization',
      'Resume an organization: its tokens and sessions are accepted again',
      {
        200: openapi.response('The organization is not suspended.', 'OrganizationSummary'),
        ...openapi.NOT_FOUND,
      },
    ),
  },
  '/api/organizations/{organization}/token': {
    parameters: [ORGANIZATION],
    post: openapi.forOperator(
      'issueToken',
      'Create a token with the scope admin for an organization that has lost its own',
      {
        201: openapi.response('The token. The other tokens remain valid.', 'NewToken'),
        ...openapi.NOT_FOUND,
      },
    ),
  },
  '/api/organizations/{organization}/audit': {
    parameters: [ORGANIZATION],
    get: openapi.forOperator(
      'listAuditOfOrganization',
      'The audit log of an organization; if it was deleted, only the actions of the operator',
      { ...openapi.pageResponses('AuditEntries'), ...openapi.NOT_FOUND },
      { parameters: [ACTION, ...openapi.PAGE, openapi.IF_NONE_MATCH] },
    ),
  },
};
