import { LONGEST_SEARCH } from '../database/page.ts';
import * as api from '../http/openapi.ts';
import { ACTION } from '../history/audit.ts';

/** The schemas of organizations, and their part of the API. */

const organization = api.strictObject('A subscriber.', {
  id: api.id,
  name: api.text,
  createdAt: api.dateTime,
  tokenSince: api.withDescription(api.dateTime, 'When the token got its current value.'),
});
export type OrganizationView = api.ValueOf<typeof organization>;

export const organizationSchemas: Record<string, api.Schema> = {
  Organization: organization,
  NewOrganization: api.strictObject('An organization, with its token.', {
    organization: api.ref('Organization'),
    token: api.withDescription(
      api.orNull({ type: 'string', pattern: '^apr_[A-Za-z0-9_-]{43}$' }),
      'Shown only once; null if the request was repeated.',
    ),
  }),
  Token: api.strictObject(
    'The new value of a token, which is shown only once. The previous value is no longer valid.',
    {
      token: { type: 'string', pattern: '^apr_[A-Za-z0-9_-]{43}$' },
    },
  ),
};

const summary = api.strictObject('An organization as the operator sees it.', {
  id: api.id,
  name: api.text,
  createdAt: api.dateTime,
  suspendedAt: api.withDescription(api.orNull(api.dateTime), 'When the organization was suspended; null if it is not.'),
  subscriptions: api.count,
  tokens: api.count,
  webhooks: api.count,
  lastUsedAt: api.withDescription(api.orNull(api.dateTime), 'The last use of any of its tokens, accurate to a minute.'),
});
export type OrganizationSummary = api.ValueOf<typeof summary>;

export const summarySchemas: Record<string, api.Schema> = {
  OrganizationSummary: summary,
  Organizations: api.strictObject('A page of organizations, in order of creation.', {
    organizations: api.list(api.ref('OrganizationSummary')),
    next: api.next,
  }),
};

const ORGANIZATION = api.parameter('organization', 'path', 'Id of the organization.', api.id);
const SEARCH = api.parameter('search', 'query', 'Part of the name.', { type: 'string', maxLength: LONGEST_SEARCH });

const listOrganizationsOperation = api.forOperator(
  'listOrganizations',
  'All organizations',
  api.pageResponses('Organizations'),
  {
    parameters: [SEARCH, ...api.PAGE, api.IF_NONE_MATCH],
  },
);

/** Organizations and their tokens. */
export const organizationsPaths: Record<string, api.OpenApiObject> = {
  '/api/organizations': {
    get: listOrganizationsOperation,
    post: {
      operationId: 'createOrganization',
      summary: 'Create an organization, subscribed to the official registries',
      description: 'Requires the operator token, unless sign-up is open.',
      security: [{ operator: [] }, {}],
      parameters: [
        api.parameter('Idempotency-Key', 'header', 'A random UUID, so that the request can be retried.', {
          type: 'string',
          minLength: 16,
          maxLength: 255,
        }),
      ],
      ...api.body({ name: api.ref('Name') }),
      responses: {
        200: api.response('The organization that was created with this Idempotency-Key.', 'NewOrganization'),
        201: api.response('Created.', 'NewOrganization'),
        ...api.BAD_BODY,
        401: api.refusal('The operator token is missing or not valid.', ['WWW-Authenticate']),
        403: api.refusal('Creating organizations is disabled.'),
        422: api.refusal('The Idempotency-Key was used for another name.'),
        ...api.TOO_MANY_REQUESTS,
        ...api.SERVER_ERROR,
      },
    },
  },
  '/api/organization': {
    get: api.forOrganization('getOrganization', 'The organization of the token', {
      200: api.response('The organization.', 'Organization', 'application/json', api.RATE_LIMIT_HEADERS),
    }),
  },
  '/api/organization/token': {
    post: api.forOrganization(
      'rotateToken',
      'Rotate the token of the request: its previous value and its sessions become invalid',
      { 200: api.response('The new value of the token.', 'Token') },
      api.requiresScope('admin'),
    ),
  },
};

/** What the operator does with organizations. */
export const operatorPaths: Record<string, api.OpenApiObject> = {
  '/api/organizations/{organization}': {
    parameters: [ORGANIZATION],
    get: api.forOperator('getOrganizationSummary', 'One organization', {
      200: api.response('The organization.', 'OrganizationSummary'),
      ...api.NOT_FOUND,
    }),
    delete: api.forOperator('deleteOrganization', 'Delete an organization and all its data', {
      204: { description: 'Deleted.' },
      ...api.NOT_FOUND,
    }),
  },
  '/api/organizations/{organization}/suspend': {
    parameters: [ORGANIZATION],
    post: api.forOperator('suspendOrganization', 'Suspend an organization: its tokens and sessions are refused', {
      200: api.response('The organization is suspended.', 'OrganizationSummary'),
      ...api.NOT_FOUND,
    }),
  },
  '/api/organizations/{organization}/resume': {
    parameters: [ORGANIZATION],
    post: api.forOperator('resumeOrganization', 'Resume an organization: its tokens and sessions are accepted again', {
      200: api.response('The organization is not suspended.', 'OrganizationSummary'),
      ...api.NOT_FOUND,
    }),
  },
  '/api/organizations/{organization}/token': {
    parameters: [ORGANIZATION],
    post: api.forOperator(
      'issueToken',
      'Create a token with the scope admin for an organization that has lost its own',
      {
        201: api.response('The token. The other tokens remain valid.', 'NewToken'),
        ...api.NOT_FOUND,
      },
    ),
  },
  '/api/organizations/{organization}/audit': {
    parameters: [ORGANIZATION],
    get: api.forOperator(
      'listAuditOfOrganization',
      'The audit log of an organization; if it was deleted, only the actions of the operator',
      { ...api.pageResponses('AuditEntries'), ...api.NOT_FOUND },
      { parameters: [ACTION, ...api.PAGE, api.IF_NONE_MATCH] },
    ),
  },
};

/** Of `/api/organizations`, where organizations are created, too. */
