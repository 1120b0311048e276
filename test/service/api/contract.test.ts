import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pack } from '../../../src/service/storage/packed.ts';
import { addApp, addIcon, addRegistry, addSubscription } from '../database-fixture.ts';
import { ask, type Asked, DOCUMENT, OPERATIONS, reached, type Told } from './contract.ts';
import { allowing, OPERATOR, openWebFixture, reportOn, type WebFixture } from '../web-fixture.ts';

/** Every route reaches every answer that the OpenAPI document has for it, and no other. */

const KNOWN = 'https://known.example.com/registry.json';
const KEY = 'b1946ac9-2c1e-4b6e-9a51-4d6f3a1c0f10';
const NOBODY = '00000000-0000-4000-8000-000000000000';

let web: WebFixture;
let token: string;
let organization: string;
let registry: number;
let id: string;
let icon: string;
beforeAll(async () => {
  web = await openWebFixture();
  ({ id: organization, token } = await web.join('Acme'));
  const report = reportOn(KNOWN);
  registry = await addRegistry(web.db, KNOWN, {
    report: await pack(report),
    symptoms: JSON.stringify(report.symptoms),
    errors: report.summary.errors,
  });
  id = await addSubscription(web.db, organization, registry, { name: 'Known' });
  const digest = await addIcon(web.db, Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), 'image/svg+xml');
  icon = digest.toString('hex');
  await addApp(web.db, registry, 'mail', { name: 'Mail \u202e\u001b[2J', icon: digest }, { '1.0.0': {}, '1.1.0': {} });
  await addApp(web.db, registry, 'waiting', {}, { '1.0.0': { state: 'pending' } });
  await addApp(
    web.db,
    registry,
    'refused',
    {},
    { '1.0.0': { state: 'refused', rule: 'unreachable', reason: 'It answers with 404.' } },
  );
});
afterAll(() => web.stop());

/** A request that reaches an answer, and what else holds of it. */
type Case = [
  name: string,
  method: string,
  path: () => string,
  asked: () => Asked,
  status: number,
  then?: (told: Told) => void,
];
const mine =
  (more: Asked = {}) =>
  (): Asked => ({ token, ...more });
const type = (name: string) => (told: Told) => expect(told.json.type).toBe(`urn:appreg:problem:${name}`);
const fields =
  (...names: string[]) =>
  (told: Told) =>
    expect(told.json.errors.map(({ field }: { field: string }) => field)).toEqual(names);
const of =
  (rest = '') =>
  () =>
    `/api/registries/${id}${rest}`;
const at = (path: string) => () => path;

const CASES: Case[] = [
  [
    'an organization',
    'POST',
    at('/api/organizations'),
    () => ({ token: OPERATOR, body: { name: ' New ' } }),
    201,
    ({ json }) => {
      expect(json.organization.name).toBe('New');
    },
  ],
  [
    'an organization, once',
    'POST',
    at('/api/organizations'),
    () => ({ token: OPERATOR, body: { name: 'Once' }, headers: { 'idempotency-key': KEY } }),
    201,
  ],
  [
    'an organization, once more',
    'POST',
    at('/api/organizations'),
    () => ({ token: OPERATOR, body: { name: 'Once' }, headers: { 'idempotency-key': KEY } }),
    200,
    ({ json }) => expect(json.token).toBeNull(),
  ],
  [
    'the key of another one',
    'POST',
    at('/api/organizations'),
    () => ({ token: OPERATOR, body: { name: 'Other' }, headers: { 'idempotency-key': KEY } }),
    422,
  ],
  [
    'a key that is too short',
    'POST',
    at('/api/organizations'),
    () => ({ token: OPERATOR, body: { name: 'Other' }, headers: { 'idempotency-key': '1' } }),
    400,
    fields('Idempotency-Key'),
  ],
  ['no operator', 'POST', at('/api/organizations'), () => ({ body: { name: 'New' } }), 401],
  ['an organization’s token is no operator’s', 'POST', at('/api/organizations'), mine({ body: { name: 'New' } }), 401],
  [
    'a name that is too long',
    'POST',
    at('/api/organizations'),
    () => ({ token: OPERATOR, body: { name: 'x'.repeat(101) } }),
    400,
    fields('name'),
  ],
  [
    'a large body',
    'POST',
    at('/api/organizations'),
    () => ({ token: OPERATOR, body: { name: 'x'.repeat(20_000) } }),
    413,
  ],
  [
    'a form',
    'POST',
    at('/api/organizations'),
    () => ({ token: OPERATOR, body: 'name=x', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
    415,
  ],

  [
    'the organization',
    'GET',
    at('/api/organization'),
    mine(),
    200,
    ({ json }) => expect(json).toMatchObject({ id: organization, name: 'Acme' }),
  ],
  [
    'nobody',
    'GET',
    at('/api/organization'),
    () => ({}),
    401,
    ({ headers }) => expect(headers.get('www-authenticate')).toBe('Bearer realm="appreg"'),
  ],
  [
    'nobody rotates',
    'POST',
    at('/api/organization/token'),
    () => ({ token: `apr_${'x'.repeat(43)}` }),
    401,
    ({ headers }) => expect(headers.get('www-authenticate')).toContain('invalid_token'),
  ],

  [
    'subscribing',
    'POST',
    at('/api/registries/subscribe'),
    () => ({ token: other, body: { url: KNOWN, name: 'Mine' } }),
    201,
    ({ json, headers }) => {
      expect(json.subscription).toMatchObject({ name: 'Mine', url: KNOWN });
      expect(json.apps.map(({ key }: { key: string }) => key)).toEqual(['mail', 'refused', 'waiting']);
      expect(headers.get('location')).toBe(`/api/registries/${json.subscription.id}`);
    },
  ],
  [
    'subscribing again',
    'POST',
    at('/api/registries/subscribe'),
    mine({ body: { url: KNOWN, name: 'Again' } }),
    409,
    ({ json }) => {
      expect(json.type).toMatch(/already-subscribed$/);
      expect(json.subscription).toMatchObject({ id, name: 'Known' });
    },
  ],
  [
    'a registry that is not there',
    'POST',
    at('/api/registries/subscribe'),
    mine({ body: { url: 'https://unusable.invalid/registry.json', name: 'x' } }),
    422,
    ({ json }) => expect(json.findings).toBeInstanceOf(Array),
  ],
  [
    'no URL',
    'POST',
    at('/api/registries/subscribe'),
    mine({ body: { url: 'registry.json', name: 'x' } }),
    400,
    fields('url'),
  ],
  ['nothing', 'POST', at('/api/registries/subscribe'), mine({ body: {} }), 400, fields('url', 'name')],
  [
    'wrong types',
    'POST',
    at('/api/registries/subscribe'),
    mine({ body: { url: 1, name: null } }),
    400,
    fields('url', 'name'),
  ],
  ['no JSON', 'POST', at('/api/registries/subscribe'), mine({ body: '{' }), 400, type('malformed-body')],
  ['subscribing as nobody', 'POST', at('/api/registries/subscribe'), () => ({ body: { url: KNOWN, name: 'x' } }), 401],
  [
    'subscribing with a large body',
    'POST',
    at('/api/registries/subscribe'),
    mine({ body: { url: 'x'.repeat(20_000) } }),
    413,
  ],
  [
    'subscribing by a text',
    'POST',
    at('/api/registries/subscribe'),
    mine({ body: '{}', headers: { 'content-type': 'text/plain' } }),
    415,
  ],

  [
    'the registries',
    'GET',
    at('/api/registries'),
    mine(),
    200,
    ({ json }) => expect(json.registries).toMatchObject([{ id, state: 'problems', apps: 3, visible: 1 }]),
  ],
  ['the registries of nobody', 'GET', at('/api/registries'), () => ({}), 401],
  ['a registry', 'GET', of(), mine(), 200],
  ['a registry of nobody', 'GET', of(), () => ({}), 401],
  ['no registry', 'GET', at(`/api/registries/${NOBODY}`), mine(), 404],
  [
    'another name',
    'PATCH',
    of(),
    mine({ body: { name: '  Näme 👩‍💻 ' } }),
    200,
    ({ json }) => expect(json.name).toBe('Näme 👩‍💻'),
  ],
  ['no name', 'PATCH', of(), mine({ body: { name: '' } }), 400, fields('name')],
  ['a name for nobody', 'PATCH', of(), () => ({ body: { name: 'x' } }), 401],
  ['a name for no registry', 'PATCH', at(`/api/registries/${NOBODY}`), mine({ body: { name: 'x' } }), 404],
  ['a name of 20 kB', 'PATCH', of(), mine({ body: { name: 'x'.repeat(20_000) } }), 413],
  [
    'a name as a patch of another kind',
    'PATCH',
    of(),
    mine({ body: '[]', headers: { 'content-type': 'application/json-patch+json' } }),
    415,
  ],
  ['unsubscribing from nothing', 'DELETE', at(`/api/registries/${NOBODY}`), mine(), 404],
  ['unsubscribing as nobody', 'DELETE', of(), () => ({}), 401],

  ['a refresh, just after one', 'POST', of('/refresh'), mine(), 202, ({ json }) => expect(json.requested).toBe(true)],
  ['a refresh by nobody', 'POST', of('/refresh'), () => ({}), 401],
  ['a refresh of nothing', 'POST', at(`/api/registries/${NOBODY}/refresh`), mine(), 404],

  ['the report', 'GET', of('/report'), mine(), 200],
  ['the report of nobody', 'GET', of('/report'), () => ({}), 401],
  ['the report of nothing', 'GET', at(`/api/registries/${NOBODY}/report`), mine(), 404],

  [
    'the apps',
    'GET',
    of('/apps'),
    mine(),
    200,
    ({ json, text }) => {
      expect(json.apps).toHaveLength(3);
      expect(json.apps[0].name).toBe('Mail \u202e\u001b[2J');
      expect(text).toContain('Mail \\u202e\\u001b[2J');
    },
  ],
  [
    'a page of apps',
    'GET',
    of('/apps?visible=false&limit=1&search=The'),
    mine(),
    200,
    ({ json }) => expect(json).toMatchObject({ apps: [{ key: 'refused' }], next: 'refused' }),
  ],
  ['a page without end', 'GET', of('/apps?limit=501'), mine(), 400, fields('limit')],
  ['neither visible nor not', 'GET', of('/apps?visible=1'), mine(), 400, fields('visible')],
  ['a long search', 'GET', of(`/apps?search=${'x'.repeat(201)}`), mine(), 400, fields('search')],
  ['the apps of nobody', 'GET', of('/apps'), () => ({}), 401],
  ['the apps of nothing', 'GET', at(`/api/registries/${NOBODY}/apps`), mine(), 404],
  [
    'an app',
    'GET',
    of('/apps/mail'),
    mine(),
    200,
    ({ json }) => expect(json).toMatchObject({ key: 'mail', latest: '1.1.0', icon }),
  ],
  ['an app of nobody', 'GET', of('/apps/mail'), () => ({}), 401],
  ['no app', 'GET', of('/apps/none'), mine(), 404],
  [
    'the versions',
    'GET',
    of('/apps/mail/versions'),
    mine(),
    200,
    ({ json }) => expect(json.versions.map(({ version }: { version: string }) => version)).toEqual(['1.1.0', '1.0.0']),
  ],
  [
    'versions that are refused',
    'GET',
    of('/apps/refused/versions'),
    mine(),
    200,
    ({ json }) => expect(json.versions[0].reason).toEqual({ rule: 'unreachable', message: 'It answers with 404.' }),
  ],
  ['the versions of nobody', 'GET', of('/apps/mail/versions'), () => ({}), 401],
  ['no versions', 'GET', of('/apps/mail/versions?limit=0'), mine(), 400, fields('limit')],
  ['the versions of nothing', 'GET', of('/apps/none/versions'), mine(), 404],
  [
    'what can be installed',
    'GET',
    at('/api/apps?search=mail'),
    mine(),
    200,
    ({ json }) => expect(json.apps).toMatchObject([{ key: 'mail', registry: { id } }]),
  ],
  ['a page after nothing', 'GET', at('/api/apps?after=x'), mine(), 400, fields('after')],
  ['what nobody can install', 'GET', at('/api/apps'), () => ({}), 401],

  [
    'an icon',
    'GET',
    () => `/api/icons/${icon}`,
    mine(),
    200,
    ({ headers, text }) => {
      expect(text).toMatch(/^<svg/);
      expect(headers.get('content-security-policy')).toMatch(/default-src 'none'.*sandbox/);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toMatch(/^private/);
    },
  ],
  [
    'an icon that is known',
    'GET',
    () => `/api/icons/${icon}`,
    () => ({ token, headers: { 'if-none-match': `W/"${icon}"` } }),
    304,
  ],
  ['an icon for nobody', 'GET', () => `/api/icons/${icon}`, () => ({}), 401],
  ['no icon', 'GET', at(`/api/icons/${'0'.repeat(64)}`), mine(), 404],

  ['the document', 'GET', at('/api/openapi.json'), () => ({}), 200, ({ json }) => expect(json).toEqual(DOCUMENT)],
  ['alive', 'GET', at('/healthz'), () => ({}), 200],
  ['ready', 'GET', at('/readyz'), () => ({}), 200],
  [
    'metrics',
    'GET',
    at('/metrics'),
    () => ({}),
    200,
    ({ text }) => expect(text).toContain('appreg_http_requests_total'),
  ],
];

let other: string;
let app: ReturnType<WebFixture['app']>;
beforeAll(async () => {
  ({ token: other } = await web.join('Other'));
  app = web.app();
});

describe('every answer', () => {
  test.each(CASES)('%s', async (_, method, path, asked, status, then) => {
    const told = await ask(app, method, path(), asked());
    expect(told.status, told.text).toBe(status);
    then?.(told);
    if (status === 304 || told.headers.get('content-type')?.startsWith('image/')) return;
    expect(told.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
    expect(told.headers.get('x-content-type-options')).toBe('nosniff');
    expect(told.headers.get('referrer-policy')).toBe('no-referrer');
    expect(told.headers.get('cache-control')).toMatch(/no-store|no-cache/);
    expect(told.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('a report that is known is not sent again', async () => {
    const first = await ask(app, 'GET', of('/report')(), { token });
    const headers = { 'if-none-match': `"x", ${first.headers.get('etag')}` };
    expect((await ask(app, 'GET', of('/report')(), { token, headers })).status).toBe(304);
    const schema = JSON.parse(readFileSync('schemas/report.schema.json', 'utf8')) as object;
    expect(new Ajv({ strict: false }).validate(schema, first.json)).toBe(true);
    expect(first.json.findings.length).toBeGreaterThan(0);
  });

  test('a registry without a report says so', async () => {
    const fresh = await addRegistry(web.db, 'https://fresh.example.com/registry.json', { checkedAt: null });
    const path = `/api/registries/${await addSubscription(web.db, organization, fresh)}`;
    expect((await ask(app, 'GET', `${path}/report`, { token })).json.detail).toContain('not been checked');
    expect((await ask(app, 'GET', path, { token })).json.state).toBe('new');
    expect((await ask(app, 'DELETE', path, { token })).status).toBe(204);
    expect((await ask(app, 'GET', path, { token })).status).toBe(404);
  });

  test('an organization with a thousand registries takes no more', async () => {
    const full = await web.join();
    await sql`with made as (insert into registries (url)
        select 'https://' || i || '.full.example.com/' from generate_series(1, 1000) i returning id)
      insert into subscriptions (organization_id, registry_id, name) select ${full.id}::uuid, id, 'x' from made`.execute(
      web.db,
    );
    const body = { url: KNOWN, name: 'One more' };
    const told = await ask(app, 'POST', '/api/registries/subscribe', { token: full.token, body });
    expect([told.status, told.json.type]).toEqual([409, 'urn:appreg:problem:too-many-subscriptions']);
    expect((await ask(app, 'GET', '/api/registries', { token: full.token })).json.registries).toHaveLength(1000);
  });

  test('nobody creates organizations where the operator allows none', async () => {
    const closed = web.app({ operatorToken: null });
    const told = await ask(closed, 'POST', '/api/organizations', { body: { name: 'x' } });
    expect(told.json.type).toBe('urn:appreg:problem:sign-up-closed');
  });

  test('a token that was rotated is void', async () => {
    const { token: old } = await web.join();
    const { json } = await ask(app, 'POST', '/api/organization/token', { token: old });
    expect((await ask(app, 'GET', '/api/organization', { token: old })).status).toBe(401);
    expect((await ask(app, 'GET', '/api/organization', { token: json.token })).status).toBe(200);
  });

  test('a node that stops is not ready', async () => {
    const stopping = new AbortController();
    const service = { ...web.service, stopping: stopping.signal };
    const { webApp } = await import('../../../src/service/web-app.ts');
    const ending = webApp(service);
    expect((await ask(ending, 'GET', '/readyz')).status).toBe(200);
    stopping.abort();
    expect((await ask(ending, 'GET', '/readyz')).status).toBe(503);
    expect((await ask(ending, 'GET', '/healthz')).status).toBe(200);
  });

  test('a node without the web role tells how it fares, and nothing else', async () => {
    const worker = web.app({ roles: ['worker'] });
    expect((await ask(worker, 'GET', '/healthz')).json).toEqual({ status: 'ok', roles: ['worker'] });
    expect((await ask(worker, 'GET', '/readyz')).status).toBe(200);
    expect((await ask(worker, 'GET', '/metrics')).status).toBe(200);
    for (const path of ['/api/openapi.json', '/', '/sign-in'])
      expect((await worker.request(path, { headers: { accept: 'text/html' } })).status).toBe(404);
  });

  test('the user of this check too often waits', async () => {
    const limited = OPERATIONS.filter(({ responses }) => '429' in responses);
    for (const { method, path, operationId } of limited) {
      const strict = web.app({}, allowing(1));
      const busy = await web.join();
      const busyId = await addSubscription(web.db, busy.id, registry);
      const real = path.replace('{id}', busyId).replace('{key}', 'mail').replace('{sha256}', icon);
      const asked = { token: operationId === 'createOrganization' ? null : busy.token };
      const { json } = await ask(strict, method, real, asked);
      if (operationId === 'rotateToken') asked.token = (json as { token: string }).token;
      const told = await ask(strict, method, real, asked);
      expect([operationId, told.status]).toEqual([operationId, 429]);
      expect(told.headers.get('ratelimit-policy')).toMatch(/^"\w+";q=1;w=60$/);
      expect(Number(told.headers.get('retry-after'))).toBeGreaterThan(50);
    }
  });
});

test('every answer of the document was reached', () => {
  const documented = OPERATIONS.flatMap(({ operationId, responses }) =>
    Object.keys(responses)
      .filter((status) => status !== '5XX')
      .map((status) => `${operationId} ${status}`),
  );
  expect(documented.filter((one) => !reached.has(one))).toEqual([]);
});

test('the guide names every operation, and no other', () => {
  const guide = readFileSync('docs/service-api.md', 'utf8');
  const told = [...guide.matchAll(/^\| `([A-Z]+) (\/\S*)`/gm)].map(([, method, path]) => `${method} ${path}`);
  expect(told.toSorted()).toEqual(OPERATIONS.map(({ method, path }) => `${method} ${path}`).toSorted());
});

test('the document holds together', () => {
  const names = OPERATIONS.map(({ operationId }) => operationId);
  expect(new Set(names).size).toBe(names.length);
  const text = JSON.stringify(DOCUMENT);
  const { schemas } = DOCUMENT['components'] as { schemas: object };
  const referred = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map((match) => match[1]!);
  expect([...new Set(referred)].toSorted()).toEqual(Object.keys(schemas).toSorted());
  for (const { path, parameters } of OPERATIONS)
    expect(parameters.filter((one) => one.in === 'path').map(({ name }) => `{${name}}`)).toEqual(
      path.match(/\{\w+\}/g) ?? [],
    );
});
