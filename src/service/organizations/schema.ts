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
  ref,
} from '../http/openapi.ts';
import { listOrganizationsOperation } from '../tokens/schema.ts';

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
