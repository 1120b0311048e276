import {
  response,
  BAD_BODY,
  body,
  SERVER_ERROR,
  forOrganization,
  RATE_LIMIT_HEADERS,
  requiresScope,
  TOO_MANY_REQUESTS,
  parameter,
  refusal,
  type OpenApiObject,
} from './parts.ts';
import { listOrganizationsOperation } from './paths-access.ts';
import { ref } from './schema-parts.ts';

/** Organizations and their tokens. */
export const organizationsPaths: Record<string, OpenApiObject> = {
  '/api/organizations': {
    get: listOrganizationsOperation,
    post: {
      operationId: 'createOrganization',
      summary: 'Create an organization, subscribed to the official registries',
      description: 'By the operator’s token; by anyone if sign-up is open.',
      security: [{ operator: [] }, {}],
      parameters: [
        parameter('Idempotency-Key', 'header', 'A random UUID, so that a request can be tried again.', {
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
        401: refusal('Without the operator’s token.', ['WWW-Authenticate']),
        403: refusal('Creating organizations is disabled.'),
        422: refusal('The Idempotency-Key was used for another name.'),
        ...TOO_MANY_REQUESTS,
        ...SERVER_ERROR,
      },
    },
  },
  '/api/organization': {
    get: forOrganization('getOrganization', 'The organization whose token it is', {
      200: response('The organization.', 'Organization', 'application/json', RATE_LIMIT_HEADERS),
    }),
  },
  '/api/organization/token': {
    post: forOrganization(
      'rotateToken',
      'Give the token of the request a new value; the old one and its sessions become invalid',
      { 200: response('The new value.', 'Token') },
      requiresScope('admin'),
    ),
  },
};
