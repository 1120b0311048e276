import { type Service } from './context.ts';
import { RATE_LIMITS, openLimiters } from './http/rate-limits.ts';
import { Hono } from 'hono';
import { type Env, mountRoutes, type Route, type WebContext } from './http/routes.ts';
import { openClientDetection } from './http/client-address.ts';
import { openHostCheck } from './http/host.ts';
import { randomUUID } from 'node:crypto';
import { openAuthenticator } from './http/auth.ts';
import { pageRoutes } from './ui/pages.ts';
import { notFoundPage } from './ui/error-responses.ts';
import { problem, NotFound, Refusal, callerDeleted, unavailable, json } from './http/problems.ts';
import { isCallerDeleted } from './db/error.ts';
import { openApiDocument } from './api/document.ts';
import { organizationRoutes, operatorRoutes } from './api/organizations.ts';
import { registryRoutes, registryCredentialsRoutes } from './api/registries.ts';
import { attestationRoutes } from './api/attestations.ts';
import { policyRoutes } from './api/policies.ts';
import { appRoutes } from './api/apps.ts';
import { artifactRoutes } from './api/artifacts.ts';
import { eventRoutes } from './api/events.ts';
import { tokenRoutes } from './api/tokens.ts';
import { auditRoutes } from './api/audit.ts';
import { webhookRoutes } from './api/webhooks.ts';
import { openStoreState, storeStateOf } from './artifacts/state.ts';

/**
 * All HTTP endpoints of a node; a node without the web role only serves its health.
 * @param limits the rate limits
 */
export function webApp(service: Service, limits = RATE_LIMITS): Hono<Env> {
  const { settings, log, metrics } = service;
  const app = new Hono<Env>();
  const headers = Object.entries(HEADERS);
  const clientOf = openClientDetection(settings.trustProxy);
  const checkHost = openHostCheck(settings);
  if (settings.publicUrl?.startsWith('https:')) headers.push(['strict-transport-security', 'max-age=31536000']);

  app.use(async (c, next) => {
    const sent = c.req.header('x-request-id') ?? '';
    const requestId = /^[\w.-]{1,64}$/.test(sent) ? sent : randomUUID();
    c.set('requestId', requestId);
    c.set('client', clientOf(c));
    c.header('x-request-id', requestId);
    for (const [name, value] of headers) c.header(name, value);
    const started = performance.now();
    await next();
    const { method } = c.req;
    const route = c.get('route') ?? 'other';
    const seconds = (performance.now() - started) / 1000;
    metrics.requests.inc({ method: METHODS.has(method) ? method : 'other', route, status: String(c.res.status) });
    metrics.requestSeconds.observe({ method: METHODS.has(method) ? method : 'other', route }, seconds);
    log(method === 'GET' || method === 'HEAD' ? 'debug' : 'info', 'request', {
      request: c.get('requestId'),
      method,
      route,
      status: c.res.status,
      client: c.get('client').address,
      organization: c.get('organization')?.id,
      milliseconds: Math.round(seconds * 1000),
    });
  });

  app.use(async (c, next) => {
    checkHost(c);
    await next();
  });

  const isWeb = settings.roles.includes('web');
  const routes = isWeb ? [...apiRoutes(service), ...healthRoutes(service)] : healthRoutes(service);
  const limiters = openLimiters(limits);
  mountRoutes(app, routes, openAuthenticator(service, limiters));
  if (isWeb) app.route('/', pageRoutes(service, limiters));

  app.notFound((c) => (isWeb && isForPeople(c) ? notFoundPage(c, service) : problem(c, new NotFound('page'))));
  app.onError((error, c) => {
    if (error instanceof Refusal) return problem(c, error);
    if (isCallerDeleted(error)) return problem(c, callerDeleted(c));
    const request = c.get('requestId');
    const fault = service.database.report(error);
    if (fault !== null) return problem(c, unavailable(fault));
    log('error', 'defect', { request, route: c.get('route'), error });
    return problem(c, new Refusal('internal', 'The log of the service has the details under this requestId.'));
  });
  return app;
}

export function apiRoutes(service: Service): Route[] {
  const document = openApiDocument(service.settings.publicUrl);
  return [
    ...organizationRoutes(service),
    ...registryRoutes(service),
    ...registryCredentialsRoutes(service),
    ...attestationRoutes(service),
    ...policyRoutes(service),
    ...appRoutes(service),
    ...artifactRoutes(service),
    ...eventRoutes(service),
    ...tokenRoutes(service),
    ...auditRoutes(service),
    ...webhookRoutes(service),
    ...operatorRoutes(service),
    { method: 'GET', path: '/api/openapi.json', access: 'anyone', handle: (c) => json(c, document) },
  ];
}

function isForPeople(c: WebContext): boolean {
  return !c.req.path.startsWith('/api/') && /\btext\/html\b/.test(c.req.header('accept') ?? '');
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS', 'PUT']);

/** Unless the response overrides them. */
const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Milliseconds for the database to respond. */
const DATABASE_TIMEOUT = 2_000;

/** For health probes and Prometheus: about the node, never about a tenant. */
function healthRoutes({ artifacts, database, metrics, stopping, settings }: Service): Route[] {
  const { roles } = settings;
  const storeFigures = openStoreState(artifacts);
  return [
    {
      method: 'GET',
      path: '/healthz',
      access: 'anyone',
      async handle(c) {
        // A slow response of the database does not require a restart of the node.
        const [fault, store] = await Promise.all([
          database.checkWithin(DATABASE_TIMEOUT, database.fault()),
          storeStateOf(artifacts, storeFigures),
        ]);
        // A server is not part of this process: a restart of the node would not repair it.
        if (settings.databaseUrl === null && fault === 'unreachable') throw unavailable(fault);
        return json(c, { status: 'ok', roles, database: fault ?? 'available', artifacts: store });
      },
    },
    {
      method: 'GET',
      path: '/readyz',
      access: 'anyone',
      async handle(c) {
        if (stopping.aborted) throw new Refusal('unavailable', 'The node is shutting down.');
        const fault = await database.checkWithin(DATABASE_TIMEOUT, 'unreachable');
        if (fault !== null) throw unavailable(fault);
        return json(c, { status: 'ready', roles, database: 'available' });
      },
    },
    {
      method: 'GET',
      path: '/metrics',
      access: 'anyone',
      async handle(c) {
        return c.body(await metrics.registry.metrics(), 200, { 'content-type': metrics.registry.contentType });
      },
    },
  ];
}
