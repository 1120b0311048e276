import { ACTOR_TYPES, AUDIT_ACTIONS, AUDIT_OUTCOMES } from '../history/audit-actions.ts';
import { SCOPES } from './scopes.ts';
import {
  count,
  withDescription,
  id,
  list,
  dateTime,
  next,
  orNull,
  ref,
  type Schema,
  text,
  strictObject,
  IF_NONE_MATCH,
  PAGE,
  response,
  BAD_BODY,
  body,
  forOperator,
  forOrganization,
  type OpenApiObject,
  requiresScope,
  NOT_FOUND,
  pageResponses,
  parameter,
  refusal,
} from '../http/openapi.ts';
import { LONGEST_SEARCH } from '../database/page.ts';

/** The schemas of tokens, of the audit log, and of organizations as the operator sees them. */

const token: Record<string, Schema> = {
  id,
  name: text,
  scope: ref('Scope'),
  createdAt: dateTime,
  expiresAt: withDescription(orNull(dateTime), 'When the token expires; null if it never does.'),
  lastUsedAt: withDescription(orNull(dateTime), 'Accurate to a minute; null if the token was never used.'),
};

export const accessSchemas: Record<string, Schema> = {
  Scope: {
    enum: SCOPES,
    description:
      'read: everything about registries and apps. manage: also subscriptions, their credentials and checks, and webhooks. admin: also tokens and the audit log.',
  },
  FutureTime: { type: ['string', 'null'], format: 'date-time', description: 'At most ten years ahead.' },
  TokenDetails: strictObject('A token, without its value.', token),
  Tokens: strictObject('A page of tokens, in order of creation.', { tokens: list(ref('TokenDetails')), next }),
  NewToken: strictObject('A token, with its value, which is shown only once.', {
    ...token,
    token: { type: 'string', pattern: '^apr_[A-Za-z0-9_-]{43}$' },
  }),
  AuditEntry: strictObject('An action that was done or refused.', {
    id,
    at: dateTime,
    actor: strictObject('Who did it.', {
      type: {
        enum: ACTOR_TYPES,
        description:
          'session: a person who signed in to the pages. visitor: a client without a token. service: the service itself.',
      },
      token: {
        description: 'The token of the request, or the token that was used to sign in.',
        anyOf: [strictObject('A token.', { id, name: text }), { type: 'null' }],
      },
      address: withDescription(orNull(text), 'The address of the client.'),
    }),
    action: { enum: AUDIT_ACTIONS },
    target: strictObject('The affected resource, with its name at that time.', {
      id: orNull(text),
      name: orNull(text),
    }),
    outcome: { enum: AUDIT_OUTCOMES, description: 'refused: the scope of the token does not include the action.' },
    details: {
      description: 'Depends on the action.',
      type: 'object',
      additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
    },
  }),
  AuditEntries: strictObject('A page of the audit log, newest entry first.', {
    entries: list(ref('AuditEntry')),
    next,
  }),
  OrganizationSummary: strictObject('An organization as the operator sees it.', {
    id,
    name: text,
    createdAt: dateTime,
    suspendedAt: withDescription(orNull(dateTime), 'When the organization was suspended; null if it is not.'),
    subscriptions: count,
    tokens: count,
    webhooks: count,
    lastUsedAt: withDescription(orNull(dateTime), 'The last use of any of its tokens, accurate to a minute.'),
  }),
  Organizations: strictObject('A page of organizations, in order of creation.', {
    organizations: list(ref('OrganizationSummary')),
    next,
  }),
};

const TOKEN = parameter('token', 'path', 'Id of the token.', id);
const ORGANIZATION = parameter('organization', 'path', 'Id of the organization.', id);
const ACTION = parameter('action', 'query', 'Only entries of this action.', { enum: AUDIT_ACTIONS });
const SEARCH = parameter('search', 'query', 'Part of the name.', { type: 'string', maxLength: LONGEST_SEARCH });

/** Tokens and the audit log. */
export const accessPaths: Record<string, OpenApiObject> = {
  '/api/tokens': {
    get: forOrganization('listTokens', 'The tokens of the organization', pageResponses('Tokens'), {
      ...requiresScope('admin'),
      parameters: [...PAGE, IF_NONE_MATCH],
    }),
    post: forOrganization(
      'createToken',
      'Create a token',
      { 201: response('The token.', 'NewToken'), ...BAD_BODY, 409: refusal('The organization has too many tokens.') },
      {
        ...requiresScope('admin'),
        ...body({ name: ref('Name'), scope: ref('Scope') }, { expiresAt: ref('FutureTime') }),
      },
    ),
  },
  '/api/tokens/{token}': {
    parameters: [TOKEN],
    delete: forOrganization(
      'deleteToken',
      'Delete a token and end its sessions',
      {
        204: { description: 'Deleted.' },
        ...NOT_FOUND,
        409: refusal('It is the last token with the scope admin.'),
      },
      requiresScope('admin'),
    ),
  },
  '/api/audit': {
    get: forOrganization('listAudit', 'The audit log of the organization', pageResponses('AuditEntries'), {
      ...requiresScope('admin'),
      parameters: [ACTION, ...PAGE, IF_NONE_MATCH],
    }),
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
export const listOrganizationsOperation = forOperator(
  'listOrganizations',
  'All organizations',
  pageResponses('Organizations'),
  {
    parameters: [SEARCH, ...PAGE, IF_NONE_MATCH],
  },
);
