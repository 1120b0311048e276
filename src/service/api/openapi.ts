import { VERSION } from '../../core/tool-version.ts';
import { PAGE_LIMIT } from '../storage/page.ts';
import {
  answer,
  BAD_BODY,
  BAD_PARAMETER,
  body,
  DEFECT,
  forOrganization,
  headersOf,
  type Json,
  LIMITED,
  NOT_FOUND,
  NOT_MODIFIED,
  OFTEN,
  open,
  parameter,
  plain,
  refusal,
} from './openapi-parts.ts';
import { ref, schemas } from './openapi-schemas.ts';

/** The API as an OpenAPI 3.1 document. Tests validate every response against it. */

/** @param publicUrl the public URL of the service; null if unknown */
export function openApiDocument(publicUrl: string | null): Json {
  return {
    openapi: '3.1.0',
    info: {
      title: 'appreg subscriber service',
      version: VERSION,
      description:
        'Subscribes organizations to app registries, checks these hourly, and lists what they offer. Refusals are problem details (RFC 9457). Limits of requests count per node; RateLimit and Retry-After report the limits of the client. HEAD is answered wherever GET is.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl ?? '/' }],
    security: [{ token: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'The token of an organization: apr_…' },
        operator: { type: 'http', scheme: 'bearer', description: 'OPERATOR_TOKEN of the service.' },
      },
    },
  };
}

const URL_FIELD = {
  type: 'string',
  maxLength: 2048,
  description: 'URL of the registry manifest.',
  examples: ['https://apps.example.com/registry.json'],
};

const ID = parameter('id', 'path', 'Of the subscription.', { type: 'string', format: 'uuid' });
const KEY = parameter('key', 'path', 'App key.', { type: 'string' });
const SEARCH = parameter('search', 'query', 'Words that all occur in key, name or description.', {
  type: 'string',
  maxLength: 200,
});
const VISIBLE = parameter('visible', 'query', 'Only apps that can be installed, or only those that cannot.', {
  type: 'boolean',
});
const PAGE = [
  parameter('limit', 'query', 'Largest number of entries.', {
    type: 'integer',
    minimum: 1,
    maximum: PAGE_LIMIT,
    default: 100,
  }),
  parameter('after', 'query', '“next” of the page before.', { type: 'string' }),
];
const IF_NONE_MATCH = parameter('If-None-Match', 'header', 'ETag of what the client has.', { type: 'string' });

const paths: Json = {
  '/api/organizations': {
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
        200: answer('The organization that was created with this Idempotency-Key.', 'NewOrganization'),
        201: answer('Created.', 'NewOrganization'),
        ...BAD_BODY,
        401: refusal('Without the operator’s token.', ['WWW-Authenticate']),
        403: refusal('Creating organizations is disabled.'),
        422: refusal('The Idempotency-Key was used for another name.'),
        ...OFTEN,
        ...DEFECT,
      },
    },
  },
  '/api/organization': {
    get: forOrganization('getOrganization', 'The organization whose token it is', {
      200: answer('The organization.', 'Organization', 'application/json', LIMITED),
    }),
  },
  '/api/organization/token': {
    post: forOrganization('rotateToken', 'Create a new token; the old one and all sessions become invalid', {
      200: answer('The new token.', 'Token'),
    }),
  },
  '/api/registries/subscribe': {
    post: forOrganization(
      'subscribe',
      'Subscribe to a registry',
      {
        201: answer('Subscribed.', 'Subscribed', 'application/json', ['Location']),
        ...BAD_BODY,
        409: refusal('Already subscribed (type …:already-subscribed), or too many subscriptions.'),
        422: refusal('The registry cannot be used; “findings” say why. Nothing is stored.'),
      },
      body({ url: URL_FIELD, name: ref('Name') }),
    ),
  },
  '/api/registries': {
    get: forOrganization('listRegistries', 'The registries of the organization', {
      200: answer('All of them.', 'Registries'),
    }),
  },
  '/api/registries/{id}': {
    parameters: [ID],
    get: forOrganization('getRegistry', 'One registry, with its state', {
      200: answer('The registry.', 'Registry'),
      ...NOT_FOUND,
    }),
    patch: forOrganization(
      'renameRegistry',
      'Give a registry another name',
      { 200: answer('The registry.', 'Registry'), ...BAD_BODY, ...NOT_FOUND },
      body({ name: ref('Name') }),
    ),
    delete: forOrganization('unsubscribe', 'Unsubscribe from a registry', {
      204: { description: 'Unsubscribed.' },
      ...NOT_FOUND,
    }),
  },
  '/api/registries/{id}/refresh': {
    parameters: [ID],
    post: forOrganization('refreshRegistry', 'Check a registry now', {
      202: answer('It is checked soon, or was checked less than a minute ago.', 'Refresh'),
      ...NOT_FOUND,
    }),
  },
  '/api/registries/{id}/report': {
    parameters: [ID],
    get: forOrganization(
      'getReport',
      'What the last check found',
      { 200: answer('The report.', 'Report', 'application/json', ['ETag']), ...NOT_MODIFIED, ...NOT_FOUND },
      { parameters: [IF_NONE_MATCH] },
    ),
  },
  '/api/registries/{id}/apps': {
    parameters: [ID],
    get: forOrganization(
      'listApps',
      'The apps of a registry',
      { 200: answer('A page of them.', 'Apps'), ...BAD_PARAMETER, ...NOT_FOUND },
      { parameters: [SEARCH, VISIBLE, ...PAGE] },
    ),
  },
  '/api/registries/{id}/apps/{key}': {
    parameters: [ID, KEY],
    get: forOrganization('getApp', 'One app, even if it is no longer in the manifest', {
      200: answer('The app.', 'App'),
      ...NOT_FOUND,
    }),
  },
  '/api/registries/{id}/apps/{key}/versions': {
    parameters: [ID, KEY],
    get: forOrganization(
      'listVersions',
      'The versions of an app that were ever seen',
      { 200: answer('A page of them.', 'Versions'), ...BAD_PARAMETER, ...NOT_FOUND },
      { parameters: PAGE },
    ),
  },
  '/api/apps': {
    get: forOrganization(
      'listInstallable',
      'All apps that can be installed, over all registries',
      { 200: answer('A page of them.', 'InstallableApps'), ...BAD_PARAMETER },
      { parameters: [SEARCH, ...PAGE] },
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
  '/api/openapi.json': {
    get: open('getDocument', 'This document', { 200: plain('The document.', 'application/json') }),
  },
  '/healthz': { get: open('isAlive', 'Whether the node runs', { 200: answer('It does.', 'Status') }) },
  '/readyz': {
    get: open('isReady', 'Whether the node can answer', {
      200: answer('It can.', 'Status'),
      503: refusal('It is stopping, or its database does not answer.'),
    }),
  },
  '/metrics': { get: open('getMetrics', 'What Prometheus collects', { 200: plain('Its text format.', 'text/plain') }) },
};
