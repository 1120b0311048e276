import { VERSION } from '../core/tool-version.ts';
import {
  type OpenApiObject,
  requiresScope,
  response,
  publicOperation,
  plainResponse,
  refusal,
} from './http/openapi.ts';
import { schemas } from './api-schemas.ts';
import { accessPaths, operatorPaths } from './tokens/schema.ts';
import { webhooksPaths } from './webhooks/schema.ts';
import { appsPaths } from './apps/schema.ts';
import { artifactsPaths } from './artifacts/schema.ts';
import { eventsPaths } from './history/schema.ts';
import { organizationsPaths } from './organizations/schema.ts';
import { registriesPaths } from './registries/schema.ts';

/** The API as an OpenAPI 3.1 document. Tests validate every response against it. */

/** @param publicUrl the public URL of the service; null if unknown */
export function openApiDocument(publicUrl: string | null): OpenApiObject {
  return {
    openapi: '3.1.0',
    info: {
      title: 'appreg subscriber service',
      version: VERSION,
      description:
        'Subscribes organizations to app registries, checks the registries hourly, and lists their apps. Errors are problem details (RFC 9457). Rate limits apply per client and node; RateLimit and Retry-After report them. Every resource that supports GET also supports HEAD. A request for another host is refused with 421.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: publicUrl ?? '/' }],
    security: [{ token: [] }],
    paths: withScopes({
      ...organizationsPaths,
      ...registriesPaths,
      ...appsPaths,
      ...artifactsPaths,
      ...eventsPaths,
      ...accessPaths,
      ...operatorPaths,
      ...webhooksPaths,
      ...nodePaths,
    }),
    components: {
      schemas,
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            'A token of an organization: apr_… The roles are scopes: `manage` includes `read`, and `admin` includes both.',
        },
        operator: { type: 'http', scheme: 'bearer', description: 'The OPERATOR_TOKEN of the service.' },
      },
    },
  };
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** States the scope of every operation that does not state another security. */
function withScopes(paths: Record<string, OpenApiObject>): OpenApiObject {
  const scoped = Object.entries(paths).map(([path, item]) => {
    const operations = Object.entries(item).map(([name, operation]) =>
      METHODS.includes(name) && typeof operation === 'object'
        ? [name, { security: requiresScope(name === 'get' ? 'read' : 'manage').security, ...operation }]
        : [name, operation],
    );
    return [path, Object.fromEntries(operations)];
  });
  return Object.fromEntries(scoped);
}

/** The document itself, and the state of a node. */
const nodePaths: Record<string, OpenApiObject> = {
  '/api/openapi.json': {
    get: publicOperation('getDocument', 'This document', {
      200: plainResponse('The OpenAPI document.', 'application/json'),
    }),
  },
  '/healthz': {
    get: publicOperation('isAlive', 'Whether the node is running', {
      200: response('The node is running.', 'Health'),
      503: refusal('The embedded PostgreSQL does not respond and is being restarted. Never with DATABASE_URL.'),
    }),
  },
  '/readyz': {
    get: publicOperation('isReady', 'Whether the node can handle requests', {
      200: response('The node is ready.', 'Status'),
      503: refusal('The node is stopping, or its database does not respond or cannot be written.'),
    }),
  },
  '/metrics': {
    get: publicOperation('getMetrics', 'Metrics for Prometheus', {
      200: plainResponse('Metrics in the text format of Prometheus.', 'text/plain'),
    }),
  },
};
