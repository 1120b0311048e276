import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { answer, CORS, openFaultHost, silent } from '../../../test/support/fault-host.ts';
import { putRegistry } from '../../../test/support/live-registry.ts';
import { pack } from '../../src/db/packed.ts';
import { webApp } from '../../src/web-app.ts';
import { addApp, addIcon, addRegistry, addSubscription } from '../database-fixture.ts';
import { openAddressPolicy } from '../../src/config/outbound.ts';
import { listTokens } from '../../src/db/tokens.ts';
import { accessCases } from './access-cases.ts';
import { addAccess, addWebhook } from './access-fixture.ts';
import { appCases } from './app-cases.ts';
import { attestationCases } from './attestation-cases.ts';
import { policyCases } from './policy-cases.ts';
import { artifactCases } from './artifact-cases.ts';
import { type KeptArtifacts, openKeptArtifacts } from '../kept-artifacts.ts';
import { callApi, OPERATIONS, reachedResponses } from './contract.ts';
import { type ContractIds, REGISTRY_URL, registryPath, UNKNOWN_ID } from './contract-case.ts';
import { recordEvents } from '../../src/db/events.ts';
import { EVENTS, eventCases } from './event-cases.ts';
import { refusalTests } from './contract-refusals.ts';
import { organizationCases } from './organization-cases.ts';
import { privateRegistryCases } from './private-registry-cases.ts';
import { webhookCases } from './webhook-cases.ts';
import { allowing, OPERATOR, openWebFixture, reportOn, type WebFixture } from '../web-fixture.ts';
import { DatabaseMonitor } from '../../src/db/monitor.ts';

/** Every route returns every response that the OpenAPI document describes for it, and no other. */

// Some make a hundred requests.
vi.setConfig({ testTimeout: 120_000 });

let web: WebFixture;
let app: ReturnType<WebFixture['app']>;
let registry: number;
let ids: ContractIds;
let kept: KeptArtifacts;
beforeAll(async () => {
  // Another test file may have run in this process.
  reachedResponses.clear();
  web = await openWebFixture();
  kept = await openKeptArtifacts(web.service);
  web.service.artifacts = kept.keeper;
  const guard = openAddressPolicy({ allowHosts: [], allowHttp: false, ownPorts: () => [] });
  app = webApp({ ...web.service, outbound: { ...web.service.outbound, guard } });
  const { id: organization, token } = await web.join('Acme');
  const report = reportOn(REGISTRY_URL);
  registry = await addRegistry(web.db, REGISTRY_URL, {
    report: await pack(report),
    symptoms: JSON.stringify(report.symptoms),
    errors: report.summary.errors,
  });
  const id = await addSubscription(web.db, organization, registry, { name: 'Known' });
  const digest = await addIcon(web.db, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml');
  const icon = digest.toString('hex');
  const { token: otherToken } = await web.join('Other');
  await addApp(web.db, registry, 'mail', { name: 'Mail \u202e\u001b[2J', icon: digest }, { '1.0.0': {}, '1.1.0': {} });
  await kept.add(registry, 'mail', '1.0.0');
  await addApp(web.db, registry, 'waiting', {}, { '1.0.0': { state: 'pending' } });
  await addApp(
    web.db,
    registry,
    'refused',
    {},
    { '1.0.0': { state: 'refused', rule: 'unreachable', reason: 'It answers with 404.' } },
  );
  await recordEvents(
    web.db,
    EVENTS.map((event) => ({ ...event, registryId: registry, at: new Date() })),
  );
  const firstTokenId = (await listTokens(web.db, organization, { limit: 1, after: null })).tokens[0]!.id;
  const access = await addAccess(web.db, organization, 'https://hooks.example.com/');
  const { id: spare } = await web.join('Spare');
  ids = { organization, token, otherToken, id, icon, firstTokenId, spare, ...access };
});
afterAll(async () => {
  await web.stop();
  kept.remove();
});

const LISTS = [
  '/api/tokens',
  '/api/audit',
  '/api/webhooks',
  '/api/registries',
  '/api/apps',
  '/api/events',
  '/apps',
  '/apps/mail/versions',
  '/events',
];

describe('responses', () => {
  // A case may have removed the credentials: as if the host had served the URL without them since.
  beforeEach(async () => {
    await web.db
      .updateTable('subscriptions')
      .set({ registrySince: new Date(0), confirmedAt: new Date(0) })
      .execute();
  });

  test.each([
    ...organizationCases,
    ...appCases,
    ...eventCases,
    ...accessCases,
    ...webhookCases,
    ...attestationCases,
    ...policyCases,
    ...artifactCases,
    ...privateRegistryCases,
  ])('$name', async ({ method, path, send, status, check }) => {
    const response = await callApi(app, method, typeof path === 'string' ? path : path(ids), send?.(ids));
    expect(response.status, response.text).toBe(status);
    check?.(response, ids);
    if (status === 304 || /^(image|application\/gzip)/.test(response.headers.get('content-type') ?? '')) return;
    expect(response.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(response.headers.get('cache-control')).toMatch(/no-store|no-cache/);
    expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('a report with the known ETag is not sent again', async () => {
    const first = await callApi(app, 'GET', registryPath('/report')(ids), { token: ids.token });
    const headers = { 'if-none-match': `"x", ${first.headers.get('etag')}` };
    expect((await callApi(app, 'GET', registryPath('/report')(ids), { token: ids.token, headers })).status).toBe(304);
    const schema = JSON.parse(readFileSync('schemas/report.schema.json', 'utf8')) as object;
    expect(new Ajv({ strict: false }).validate(schema, first.json)).toBe(true);
    expect(first.json.findings.length).toBeGreaterThan(0);
  });

  test.each(LISTS)('the list %s with the known ETag is not sent again', async (list) => {
    const path = list.startsWith('/api') ? list : registryPath(list)(ids);
    const first = await callApi(app, 'GET', path, { token: ids.token });
    const headers = { 'if-none-match': first.headers.get('etag')! };
    expect((await callApi(app, 'GET', path, { token: ids.token, headers })).status).toBe(304);
    const other = { token: ids.otherToken, headers };
    expect((await callApi(app, 'GET', path, other)).status).toBe(list.startsWith('/api') ? 200 : 404);
  });

  test('lists of one webhook, and those for the operator, with the known ETag are not sent again', async () => {
    const webhook = await addWebhook(web.db, ids.organization, 'https://hooks.example.com/');
    const lists = [
      [`/api/webhooks/${webhook}/deliveries`, ids.token],
      ['/api/organizations', OPERATOR],
      [`/api/organizations/${ids.organization}/audit`, OPERATOR],
    ] as const;
    for (const [path, token] of lists) {
      const first = await callApi(app, 'GET', path, { token });
      const headers = { 'if-none-match': first.headers.get('etag')! };
      expect((await callApi(app, 'GET', path, { token, headers })).status).toBe(304);
    }
  });

  test('an organization has at most ten webhooks and a hundred tokens', async () => {
    const { token } = await web.join('Many');
    const add = (path: string, body: object) => callApi(app, 'POST', path, { token, body });
    const webhooks = [];
    for (let i = 0; i < 11; i++) webhooks.push(await add('/api/webhooks', { url: 'https://hooks.example.com/' }));
    expect(webhooks.map(({ status }) => status)).toEqual([...Array<number>(10).fill(201), 409]);
    const tokens = [];
    // The last ones exceed the limit at the same time.
    for (const length of [15, 15, 15, 15, 15, 15, 12])
      tokens.push(
        ...(await Promise.all(Array.from({ length }, () => add('/api/tokens', { name: 'One more', scope: 'read' })))),
      );
    expect(tokens.filter(({ status }) => status === 201)).toHaveLength(99);
    expect(tokens.filter(({ status }) => status === 409)).toHaveLength(3);
  });

  test('the report of a new registry is a problem document that states that it has not been checked', async () => {
    const fresh = await addRegistry(web.db, 'https://fresh.example.com/registry.json', { checkedAt: null });
    const path = `/api/registries/${await addSubscription(web.db, ids.organization, fresh)}`;
    expect((await callApi(app, 'GET', `${path}/report`, { token: ids.token })).json.detail).toContain(
      'not been checked',
    );
    expect((await callApi(app, 'GET', path, { token: ids.token })).json.state).toBe('new');
    expect((await callApi(app, 'DELETE', path, { token: ids.token })).status).toBe(204);
    expect((await callApi(app, 'GET', path, { token: ids.token })).status).toBe(404);
  });

  test('a service without SECRETS_KEY takes no credentials', async () => {
    const keyless = web.app({ secretsKeys: [] });
    const auth = { type: 'bearer', token: 'contract-credential' };
    const put = await callApi(keyless, 'PUT', registryPath('/auth')(ids), { token: ids.token, body: auth });
    expect([put.status, put.json.type]).toEqual([501, 'urn:appreg:problem:credentials-not-supported']);
    const body = { url: 'https://private.example.com/', name: 'x', auth };
    const post = await callApi(keyless, 'POST', '/api/registries/subscribe', { token: ids.token, body });
    expect([post.status, post.json.detail]).toEqual([501, expect.stringContaining('SECRETS_KEY')]);
  });

  test('a service without --artifacts sends no artifacts', async () => {
    const without = webApp({ ...web.service, artifacts: null });
    const path = registryPath('/apps/mail/versions/1.0.0/artifact')(ids);
    const response = await callApi(without, 'GET', path, { token: ids.token });
    expect([response.status, response.json.type]).toEqual([501, 'urn:appreg:problem:artifacts-not-kept']);
  });

  test('subscribing returns the subscription with its apps', async () => {
    const host = await openFaultHost();
    try {
      const { url } = putRegistry(host);
      const known = await addRegistry(web.db, url);
      for (const key of ['mail', 'chat']) await addApp(web.db, known, key);
      const { token } = await web.join();
      const request = { token, body: { url, name: 'Mine' } };
      const { status, json, headers } = await callApi(
        webApp(web.service),
        'POST',
        '/api/registries/subscribe',
        request,
      );
      expect([status, json.subscription.name, json.subscription.url]).toEqual([201, 'Mine', url]);
      expect(json.apps.map(({ key }: { key: string }) => key)).toEqual(['chat', 'mail']);
      expect(headers.get('location')).toBe(`/api/registries/${json.subscription.id}`);
    } finally {
      await host.close();
    }
  });

  test('a registry that requires credentials is refused with advice for the subscriber', async () => {
    const host = await openFaultHost();
    const outbound = { ...web.service.outbound, subscribeTimeout: 8000 };
    try {
      const body = { url: host.on('/r.json', answer({ status: 401, headers: CORS, body: 'no' })), name: 'Private' };
      const local = webApp({ ...web.service, outbound });
      const { status, json } = await callApi(local, 'POST', '/api/registries/subscribe', { token: ids.token, body });
      const detail = `${json.findings[0].message} If the registry is private, subscribe with its credentials.`;
      expect([status, json.type, json.detail]).toEqual([422, 'urn:appreg:problem:registry-unusable', detail]);
    } finally {
      await host.close();
    }
  });

  test('a registry that does not respond is accepted within two seconds, and is being checked', async () => {
    const host = await openFaultHost();
    const guard = openAddressPolicy({ allowHosts: ['localhost'], allowHttp: false, ownPorts: () => [] });
    const local = webApp({ ...web.service, outbound: { ...web.service.outbound, guard } });
    try {
      const body = { url: host.on('/slow.json', silent()), name: 'Slow' };
      const started = performance.now();
      const response = await callApi(local, 'POST', '/api/registries/subscribe', { token: ids.token, body });
      // Waiting for the response to end takes fifteen seconds.
      expect(performance.now() - started).toBeLessThan(8000);
      expect(response.status).toBe(202);
      expect(response.json).toMatchObject({ subscription: { state: 'checking', checking: true }, apps: [] });
      const { id } = response.json.subscription;
      expect(response.headers.get('location')).toBe(`/api/registries/${id}`);
      const again = await callApi(local, 'POST', '/api/registries/subscribe', { token: ids.token, body });
      expect([again.status, again.json.subscription.id]).toEqual([409, id]);
      expect((await callApi(app, 'DELETE', `/api/registries/${id}`, { token: ids.token })).status).toBe(204);
    } finally {
      await host.close();
    }
  });

  test('an organization has at most a thousand registries', async () => {
    const full = await web.join();
    await sql`with made as (insert into registries (url)
        select 'https://' || i || '.full.example.com/' from generate_series(1, 1000) i returning id)
      insert into subscriptions (organization_id, registry_id, name) select ${full.id}::uuid, id, 'x' from made`.execute(
      web.db,
    );
    const body = { url: REGISTRY_URL, name: 'One more' };
    const response = await callApi(app, 'POST', '/api/registries/subscribe', { token: full.token, body });
    expect([response.status, response.json.type]).toEqual([409, 'urn:appreg:problem:too-many-subscriptions']);
    const ids = new Set<string>();
    let next: string | null = null;
    do {
      const query = next === null ? '' : `&after=${next}`;
      const { json } = await callApi(app, 'GET', `/api/registries?limit=499${query}`, { token: full.token });
      for (const { id } of json.registries as { id: string }[]) ids.add(id);
      next = json.next as string | null;
    } while (next !== null);
    expect(ids.size).toBe(1000);
  });

  test('without an operator token, organizations cannot be created', async () => {
    const closed = web.app({ operatorToken: null });
    const response = await callApi(closed, 'POST', '/api/organizations', { body: { name: 'x' } });
    expect(response.json.type).toBe('urn:appreg:problem:sign-up-closed');
  });

  test('a rotated token is invalid', async () => {
    const { token: old } = await web.join();
    const { json } = await callApi(app, 'POST', '/api/organization/token', { token: old });
    expect((await callApi(app, 'GET', '/api/organization', { token: old })).status).toBe(401);
    expect((await callApi(app, 'GET', '/api/organization', { token: json.token })).status).toBe(200);
  });

  test('a node that stops is not ready', async () => {
    const stopping = new AbortController();
    const service = { ...web.service, stopping: stopping.signal };
    const ending = webApp(service);
    expect((await callApi(ending, 'GET', '/readyz')).status).toBe(200);
    stopping.abort();
    expect((await callApi(ending, 'GET', '/readyz')).status).toBe(503);
    expect((await callApi(ending, 'GET', '/healthz')).status).toBe(200);
  });

  test('a node whose own PostgreSQL does not respond is not alive', async () => {
    const { webApp } = await import('../../src/web-app.ts');
    const database = new DatabaseMonitor(
      () => Promise.reject(new Error('no connection')),
      () => {},
    );
    const response = await callApi(webApp({ ...web.service, database }), 'GET', '/healthz');
    database.stop();
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  });

  test('a node without the web role serves only health checks and metrics', async () => {
    const worker = web.app({ roles: ['worker'] });
    expect((await callApi(worker, 'GET', '/healthz')).json).toEqual({
      status: 'ok',
      roles: ['worker'],
      database: 'available',
      artifacts: 'available',
    });
    expect((await callApi(worker, 'GET', '/readyz')).status).toBe(200);
    expect((await callApi(worker, 'GET', '/metrics')).status).toBe(200);
    for (const path of ['/api/openapi.json', '/', '/sign-in'])
      expect((await worker.request(path, { headers: { accept: 'text/html' } })).status).toBe(404);
  });

  test('a token without the scope, or of a suspended organization, receives status 403', async () => {
    const { id, token } = await web.join('Suspended');
    await web.db.updateTable('organizations').set({ suspendedAt: new Date() }).where('id', '=', id).execute();
    for (const { method, path, operationId } of OPERATIONS.filter(({ security }) =>
      security.some((way) => 'token' in way),
    )) {
      const response = await callApi(app, method, path.replace(/\{\w+\}/g, UNKNOWN_ID), { token });
      expect([operationId, response.status]).toEqual([operationId, 403]);
    }
  });

  test('a client above the rate limit receives status 429', async () => {
    const limited = OPERATIONS.filter(({ responses }) => '429' in responses);
    for (const { method, path, operationId } of limited) {
      const strict = web.app({}, allowing(1));
      const busy = await web.join();
      const busyId = await addSubscription(web.db, busy.id, registry);
      const real = path.replace('{id}', busyId).replace('{key}', 'mail').replace('{sha256}', ids.icon);
      const request = { token: operationId === 'createOrganization' ? null : busy.token };
      const { json } = await callApi(strict, method, real, request);
      if (operationId === 'rotateToken') request.token = (json as { token: string }).token;
      const response = await callApi(strict, method, real, request);
      expect([operationId, response.status]).toEqual([operationId, 429]);
      expect(response.headers.get('ratelimit-policy')).toMatch(/^"\w+";q=1;w=60$/);
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(50);
    }
  });
});

refusalTests(() => ({ web, token: ids.token }));

test('every response of the OpenAPI document was reached', () => {
  const documented = OPERATIONS.flatMap(({ operationId, responses }) =>
    Object.keys(responses)
      .filter((status) => status !== '5XX')
      .map((status) => `${operationId} ${status}`),
  );
  expect(documented.filter((one) => !reachedResponses.has(one))).toEqual([]);
});
