import {
  response,
  forOrganization,
  headersOf,
  NOT_FOUND,
  NOT_MODIFIED,
  pageResponses,
  parameter,
  type OpenApiObject,
  ID,
  PAGE,
  IF_NONE_MATCH,
} from '../http/openapi.ts';
import { LONGEST_SEARCH } from '../database/page.ts';

const KEY = parameter('key', 'path', 'App key.', { type: 'string' });
const SEARCH = parameter('search', 'query', 'Words to search for: each must occur in the key, name or description.', {
  type: 'string',
  maxLength: LONGEST_SEARCH,
});
const VISIBLE = parameter('visible', 'query', 'Only apps that can be installed, or only those that cannot.', {
  type: 'boolean',
});

/** Apps, versions and icons. */
export const appsPaths: Record<string, OpenApiObject> = {
  '/api/registries/{id}/apps': {
    parameters: [ID],
    get: forOrganization(
      'listApps',
      'The apps of a registry',
      { ...pageResponses('Apps'), ...NOT_FOUND },
      { parameters: [SEARCH, VISIBLE, ...PAGE, IF_NONE_MATCH] },
    ),
  },
  '/api/registries/{id}/apps/{key}': {
    parameters: [ID, KEY],
    get: forOrganization('getApp', 'One app, even if it is no longer in the manifest', {
      200: response('The app.', 'App'),
      ...NOT_FOUND,
    }),
  },
  '/api/registries/{id}/apps/{key}/versions': {
    parameters: [ID, KEY],
    get: forOrganization(
      'listVersions',
      'All versions of an app that were ever listed',
      { ...pageResponses('Versions'), ...NOT_FOUND },
      { parameters: [...PAGE, IF_NONE_MATCH] },
    ),
  },
  '/api/apps': {
    get: forOrganization(
      'listInstallable',
      'All apps that can be installed, from all registries',
      pageResponses('InstallableApps'),
      { parameters: [SEARCH, ...PAGE, IF_NONE_MATCH] },
    ),
  },
  '/api/icons/{sha256}': {
    parameters: [parameter('sha256', 'path', '“icon” of an app.', { type: 'string', pattern: '^[0-9a-f]{64}$' })],
    get: forOrganization(
      'getIcon',
      'An icon',
      {
        200: {
          description: 'The image.',
          content: { 'image/png': {}, 'image/svg+xml': {} },
          headers: headersOf(['ETag']),
        },
        ...NOT_MODIFIED,
        ...NOT_FOUND,
      },
      { parameters: [IF_NONE_MATCH] },
    ),
  },
};
