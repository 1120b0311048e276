import { SEVERITIES, VERSION } from 'appreg';
import * as shape from '../domain/shape.ts';
import { eventSchemas, eventsPaths } from './events.ts';
import { tokenSchemas, tokensPaths } from './tokens.ts';
import { auditSchemas, auditPaths } from './audit.ts';
import { summarySchemas, organizationSchemas, organizationsPaths, operatorPaths } from './organizations.ts';
import { webhookSchemas, webhooksPaths } from './webhooks.ts';
import { LONGEST_NAME } from '../domain/fields.ts';
import { registrySchemas, registriesPaths } from './registries.ts';
import { appSchemas, appsPaths } from './apps.ts';
import { attestationSchemas, attestationsPaths } from './attestations.ts';
import { policySchemas, policiesPaths } from './policies.ts';
import * as openapi from '../http/operations.ts';
import { artifactsPaths } from './artifacts.ts';

const NODE_STATE = {
  roles: shape.list({ enum: ['web', 'worker'] }),
  database: {
    enum: ['available', 'unreachable', 'disk-full', 'read-only', 'disk-error', 'overloaded'],
    description: 'Whether the database responds and can be written; a ready node can.',
  },
};

const schemas: Record<string, shape.Schema> = {
  ...eventSchemas,
  ...tokenSchemas,
  ...auditSchemas,
  ...summarySchemas,
  ...webhookSchemas,
  Name: { type: 'string', minLength: 1, maxLength: LONGEST_NAME, examples: ['Internal apps'] },
  ...organizationSchemas,
  ...registrySchemas,
  ...appSchemas,
  ...attestationSchemas,
  ...policySchemas,
  Finding: {
    description: 'One violation of a rule.',
    type: 'object',
    required: ['rule', 'severity', 'symptom', 'message', 'advice', 'app', 'version', 'resource', 'url'],
    properties: { rule: shape.text, severity: { enum: SEVERITIES }, message: shape.text, advice: shape.text },
  },
  Report: {
    description: 'The report of the last check, as of `appreg verify --format json`.',
    type: 'object',
    required: ['schema', 'tool', 'target', 'outcome', 'summary', 'symptoms', 'apps', 'findings', 'notJudged'],
    properties: { schema: { const: 1 }, findings: shape.list(shape.ref('Finding')) },
  },
  Problem: {
    description: 'Why a request was refused (RFC 9457).',
    type: 'object',
    required: ['type', 'title', 'status', 'detail', 'requestId'],
    properties: {
      type: { type: 'string', pattern: '^urn:appreg:problem:[a-z-]+$' },
      title: shape.text,
      status: { type: 'integer', minimum: 400, maximum: 599 },
      detail: shape.text,
      requestId: shape.withDescription(shape.text, 'The id of the request in the logs of the service.'),
      errors: shape.withDescription(
        shape.list({
          type: 'object',
          required: ['field', 'detail'],
          properties: {
            field: shape.withDescription(shape.text, 'The name of a field of the body, or of a parameter.'),
            pointer: shape.withDescription(shape.text, 'RFC 6901; only for a field of the body.'),
            detail: shape.withDescription(
              shape.text,
              'What is wrong, what is allowed, and the value unless it may be a secret.',
            ),
          },
        }),
        'All invalid fields or parameters of the request.',
      ),
      findings: shape.withDescription(shape.list(shape.ref('Finding')), 'Why a registry cannot be used.'),
      subscription: shape.withDescription(shape.ref('Registry'), 'The existing subscription.'),
    },
    additionalProperties: false,
  },
  Health: shape.strictObject('The state of the node.', {
    status: { const: 'ok' },
    ...NODE_STATE,
    artifacts: {
      enum: ['none', 'unknown', 'unavailable', 'write-failed', 'available', 'last-copies-at-risk', 'full'],
      description:
        'The store of artifacts. `unavailable`: its folder is not there, for example because its disk is not mounted. `write-failed`: the node could not write the last artifact, for example because the disk is full; its log says why. `last-copies-at-risk`: an organization has more artifacts that their hosts no longer have than its share. `full`: such artifacts leave no room for others.',
    },
  }),
  Status: shape.strictObject('The state of the node.', { status: { const: 'ready' }, ...NODE_STATE }),
};

/** The API as an OpenAPI 3.1 document. Tests validate every response against it. */

/** @param publicUrl the public URL of the service; null if unknown */
export function openApiDocument(publicUrl: string | null): openapi.OpenApiObject {
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
      ...attestationsPaths,
      ...policiesPaths,
      ...appsPaths,
      ...artifactsPaths,
      ...eventsPaths,
      ...tokensPaths,
      ...auditPaths,
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
function withScopes(paths: Record<string, openapi.OpenApiObject>): openapi.OpenApiObject {
  const scoped = Object.entries(paths).map(([path, item]) => {
    const operations = Object.entries(item).map(([name, operation]) =>
      METHODS.includes(name) && typeof operation === 'object'
        ? [name, { security: openapi.requiresScope(name === 'get' ? 'read' : 'manage').security, ...operation }]
        : [name, operation],
    );
    return [path, Object.fromEntries(operations)];
  });
  return Object.fromEntries(scoped);
}

/** The document itself, and the state of a node. */
const nodePaths: Record<string, openapi.OpenApiObject> = {
  '/api/openapi.json': {
    get: openapi.publicOperation('getDocument', 'This document', {
      200: openapi.plainResponse('The OpenAPI document.', 'application/json'),
    }),
  },
  '/healthz': {
    get: openapi.publicOperation('isAlive', 'Whether the node is running', {
      200: openapi.response('The node is running.', 'Health'),
      503: openapi.refusal('The embedded PostgreSQL does not respond and is being restarted. Never with DATABASE_URL.'),
    }),
  },
  '/readyz': {
    get: openapi.publicOperation('isReady', 'Whether the node can handle requests', {
      200: openapi.response('The node is ready.', 'Status'),
      503: openapi.refusal('The node is stopping, or its database does not respond or cannot be written.'),
    }),
  },
  '/metrics': {
    get: openapi.publicOperation('getMetrics', 'Metrics for Prometheus', {
      200: openapi.plainResponse('Metrics in the text format of Prometheus.', 'text/plain'),
    }),
  },
};
