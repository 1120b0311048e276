import { LONGEST_URL } from '../http/fields.ts';
import {
  response,
  BAD_BODY,
  body,
  bodyOf,
  forOrganization,
  NO_CREDENTIALS,
  NOT_FOUND,
  NOT_MODIFIED,
  pageResponses,
  refusal,
  type OpenApiObject,
  ID,
  IF_NONE_MATCH,
  PAGE,
  ref,
} from '../http/openapi.ts';

const URL_FIELD = {
  type: 'string',
  maxLength: LONGEST_URL,
  description: 'URL of the registry manifest.',
  examples: ['https://apps.example.com/registry.json'],
};

/** Subscriptions to registries. */
export const registriesPaths: Record<string, OpenApiObject> = {
  '/api/registries/subscribe': {
    post: forOrganization(
      'subscribe',
      'Subscribe to a registry',
      {
        201: response('Subscribed.', 'Subscribed', 'application/json', ['Location']),
        202: response(
          'Subscribed, but the registry did not respond within two seconds: it is being checked. If it cannot be used, the subscription is kept with the state “failing”.',
          'Subscribed',
          'application/json',
          ['Location'],
        ),
        ...BAD_BODY,
        409: refusal('Already subscribed (type …:already-subscribed), or too many subscriptions.'),
        422: refusal(
          'The registry cannot be used, or refuses the credentials; “findings” gives the reasons. Nothing is stored.',
        ),
        ...NO_CREDENTIALS,
      },
      body({ url: URL_FIELD, name: ref('Name') }, { auth: ref('Auth') }),
    ),
  },
  '/api/registries': {
    get: forOrganization('listRegistries', 'The registries of the organization', pageResponses('Registries'), {
      parameters: [...PAGE, IF_NONE_MATCH],
    }),
  },
  '/api/registries/{id}': {
    parameters: [ID],
    get: forOrganization('getRegistry', 'One registry, with its state', {
      200: response('The registry.', 'Registry'),
      ...NOT_FOUND,
    }),
    patch: forOrganization(
      'renameRegistry',
      'Rename a registry',
      { 200: response('The registry.', 'Registry'), ...BAD_BODY, ...NOT_FOUND },
      body({ name: ref('Name') }),
    ),
    delete: forOrganization('unsubscribe', 'Unsubscribe from a registry', {
      204: { description: 'Unsubscribed.' },
      ...NOT_FOUND,
    }),
  },
  '/api/registries/{id}/auth': {
    parameters: [ID],
    put: forOrganization(
      'setAuth',
      'Set or replace the credentials of a registry, which is no longer shared with other organizations',
      {
        200: response('The registry, without the credentials. It is checked with them soon afterwards.', 'Registry'),
        ...BAD_BODY,
        ...NOT_FOUND,
        ...NO_CREDENTIALS,
      },
      bodyOf(ref('Auth')),
    ),
    delete: forOrganization('removeAuth', 'Remove the credentials of a registry', {
      204: { description: 'The registry no longer has credentials.' },
      ...NOT_FOUND,
    }),
  },
  '/api/registries/{id}/refresh': {
    parameters: [ID],
    post: forOrganization('refreshRegistry', 'Check a registry now', {
      202: response(
        'It is checked now, or five seconds after its last check: its documents and all listed artifacts.',
        'Refresh',
      ),
      ...NOT_FOUND,
    }),
  },
  '/api/registries/{id}/report': {
    parameters: [ID],
    get: forOrganization(
      'getReport',
      'The report of the last check',
      { 200: response('The report.', 'Report', 'application/json', ['ETag']), ...NOT_MODIFIED, ...NOT_FOUND },
      { parameters: [IF_NONE_MATCH] },
    ),
  },
};
