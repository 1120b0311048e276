import { LONGEST_SEARCH } from '../database/page.ts';
import {
  type OpenApiObject,
  response,
  refusal,
  NOT_FOUND,
  BAD_BODY,
  pageResponses,
  SERVER_ERROR,
  TOO_MANY_REQUESTS,
  RATE_LIMIT_HEADERS,
  forOrganization,
  requiresScope,
  forOperator,
  body,
  parameter,
  type Schema,
  type ValueOf,
  text,
  count,
  dateTime,
  id,
  orNull,
  list,
  ref,
  strictObject,
  withDescription,
  next,
  PAGE,
  IF_NONE_MATCH,
} from '../http/openapi.ts';
import { ACTION } from '../history/audit.ts';

/** The schemas of organizations, and their part of the API. */

const organization = strictObject('A subscriber.', {
  id,
  name: text,
  createdAt: dateTime,
  tokenSince: withDescription(dateTime, 'When the token got its current value.'),
});
export type OrganizationView = ValueOf<typeof organization>;

export const organizationSchemas: Record<string, Schema> = {
  Organization: organization,
  NewOrganization: strictObject('An organization, with its token.', {
    organization: ref('Organization'),
    token: withDescription(
      orNull({ type: 'string', pattern: '^apr_[A-Za-z0-9_-]{43}$' }),
      'Shown only once; null if the request was repeated.',
    ),
  }),
  Token: strictObject('The new value of a token, which is shown only once. The previous value is no longer valid.', {
    token: { type: 'string', pattern: '^apr_[A-Za-z0-9_-]{43}$' },
  }),
};

const summary = strictObject('An organization as the operator sees it.', {
  id,
  name: text,
  createdAt: dateTime,
  suspendedAt: withDescription(orNull(dateTime), 'When the organization was suspended; null if it is not.'),
  subscriptions: count,
  tokens: count,
  webhooks: count,
  lastUsedAt: withDescription(orNull(dateTime), 'The last use of any of its tokens, accurate to a minute.'),
});
export type OrganizationSummary = ValueOf<typeof summary>;

export const summarySchemas: Record<string, Schema> = {
  OrganizationSummary: summary,
  Organizations: strictObject('A page of organizations, in order of creation.', {
    organizations: list(ref('OrganizationSummary')),
    next,
  }),
};

const ORGANIZATION = parameter('organization', 'path', 'Id of the organization.', id);
const SEARCH = parameter('search', 'query', 'Part of the name.', { type: 'string', maxLength: LONGEST_SEARCH });

const listOrganizationsOperation = forOperator(
  'listOrganizations',
  'All organizations',
  pageResponses('Organizations'),
  {
    parameters: [SEARCH, ...PAGE, IF_NONE_MATCH],
  },
);

/** Organizations and their tokens. */
export const organizationsPaths: Record<string, OpenApiObject> = {
  '/api/organizations': {
    get: listOrganizationsOperation,
    post: {
      operationId: 'createOrganization',
      summary: 'Create an organization, subscribed to the official registries',
      description: 'Requires the operator token, unless sign-up is open.',
      security: [{ operator: [] }, {}],
      parameters: [
        parameter('Idempotency-Key', 'header', 'A random UUID, so that the request can be retried.', {
          type: 'string',
          minLength: 16,
          maxLength: 255,
        }),
      ],
      ...body({ name: ref('Name') }),
      responses: {
        200: response('The organization that was created with this Idempotency-Key.', 'NewOrganization'),
        201: response('Created.', 'NewOrganization'),
        ...BAD_BODY,
        401: refusal('The operator token is missing or not valid.', ['WWW-Authenticate']),
        403: refusal('Creating organizations is disabled.'),
        422: refusal('The Idempotency-Key was used for another name.'),
        ...TOO_MANY_REQUESTS,
        ...SERVER_ERROR,
      },
    },
  },
  '/api/organization': {
    get: forOrganization('getOrganization', 'The organization of the token', {
      200: response('The organization.', 'Organization', 'application/json', RATE_LIMIT_HEADERS),
    }),
  },
  '/api/organization/token': {
    post: forOrganization(
      'rotateToken',
      'Rotate the token of the request: its previous value and its sessions become invalid',
      { 200: response('The new value of the token.', 'Token') },
      requiresScope('admin'),
    ),
  },
};

/** What the operator does with organizations. */
export const operatorPaths: Record<string, OpenApiObject> = {
  '/api/organizations/{organization}': {
    parameters: [ORGANIZATION],
    get: forOperator('getOrganizationSummary', 'One organization', {
      200: response('The organization.', 'OrganizationSummary'),
      ...NOT_FOUND,
    }),
    delete: forOperator('deleteOrganization', 'Delete an organization and all its data', {
      204: { description: 'Deleted.' },
      ...NOT_FOUND,
    }),
  },
  '/api/organizations/{organization}/suspend': {
    parameters: [ORGANIZATION],
    post: forOperator('suspendOrganization', 'Suspend an organization: its tokens and sessions are refused', {
      200: response('The organization is suspended.', 'OrganizationSummary'),
      ...NOT_FOUND,
    }),
  },
  '/api/organizations/{organization}/resume': {
    parameters: [ORGANIZATION],
    post: forOperator('resumeOrganization', 'Resume an organization: its tokens and sessions are accepted again', {
      200: response('The organization is not suspended.', 'OrganizationSummary'),
      ...NOT_FOUND,
    }),
  },
  '/api/organizations/{organization}/token': {
    parameters: [ORGANIZATION],
    post: forOperator('issueToken', 'Create a token with the scope admin for an organization that has lost its own', {
      201: response('The token. The other tokens remain valid.', 'NewToken'),
      ...NOT_FOUND,
    }),
  },
  '/api/organizations/{organization}/audit': {
    parameters: [ORGANIZATION],
    get: forOperator(
      'listAuditOfOrganization',
      'The audit log of an organization; if it was deleted, only the actions of the operator',
      { ...pageResponses('AuditEntries'), ...NOT_FOUND },
      { parameters: [ACTION, ...PAGE, IF_NONE_MATCH] },
    ),
  },
};

/** Of `/api/organizations`, where organizations are created, too. */
