import { AUDIT_ACTIONS } from '../history/audit-actions.ts';
import { LONGEST_SEARCH } from '../database/page.ts';
import { IF_NONE_MATCH, PAGE } from '../http/openapi/parameters.ts';
import {
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
} from '../http/openapi/parts.ts';
import { id, ref } from '../http/openapi/schemas.ts';

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
