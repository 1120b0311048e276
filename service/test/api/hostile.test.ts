import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DatabaseMonitor } from '../../src/db/monitor.ts';
import { storable } from '../../src/domain/storable.ts';
import { probeWrite } from '../../src/db/database.ts';
import { addApp, addRegistry, addSubscription } from '../database-fixture.ts';
import { callApi, OPERATIONS } from './contract.ts';
import { allowing, OPERATOR, openWebFixture, type WebFixture } from '../web-fixture.ts';

/** Malformed and harmful requests are refused with a reason, never with an internal error, and nothing is stored. */

// Hundreds of requests each.
vi.setConfig({ testTimeout: 120_000 });

let web: WebFixture;
let app: ReturnType<WebFixture['app']>;
let token: string;
let id: string;
beforeAll(async () => {
  web = await openWebFixture();
  app = web.app({}, allowing(1_000_000));
  const organization = await web.join();
  ({ token } = organization);
  const registry = await addRegistry(web.db, 'https://hostile.example.com/registry.json');
  await addApp(web.db, registry, 'a/b?c#d%e', { name: 'Not URL-safe' });
  id = await addSubscription(web.db, organization.id, registry, { name: 'Before' });
});
afterAll(() => web.stop());

const count = async (): Promise<unknown> =>
  Promise.all([
    web.db.selectFrom('organizations').select('id').execute(),
    web.db.selectFrom('subscriptions').select(['id', 'name']).execute(),
    web.db.selectFrom('registries').select('url').execute(),
  ]);

const BODIES = [
  ['POST', '/api/registries/subscribe', () => token],
  ['POST', '/api/organizations', () => OPERATOR],
  ['PATCH', () => `/api/registries/${id}`, () => token],
] as const;
const pathOf = (path: string | (() => string)): string => (typeof path === 'string' ? path : path());

describe.each(BODIES)('bodies of %s %s', (method, path, who) => {
  test('are refused if they are random bytes', async () => {
    const before = await count();
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (body) => {
        const response = await callApi(app, method, pathOf(path), { token: who(), body });
        expect(response.status).toBe(400);
      }),
      { numRuns: 30 },
    );
    expect(await count()).toEqual(before);
  });

  test('are refused if they are random JSON', async () => {
    const before = await count();
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), async (body) => {
        const response = await callApi(app, method, pathOf(path), { token: who(), body: JSON.stringify(body) });
        expect(response.status).toBe(400);
      }),
      { numRuns: 30 },
    );
    expect(await count()).toEqual(before);
  });

  test.each([
    ['an array', '[{"url":"https://x.example.com/r.json","name":"x"}]'],
    ['a string', '"name"'],
    ['null', 'null'],
    ['no bytes', ''],
    ['two objects', '{}{}'],
    ['JSON5', "{name:'x'}"],
    ['a byte order mark', '\ufeff{}'],
    ['fields in the prototype', '{"__proto__":{"url":"https://x.example.com/r.json","name":"x"}}'],
    ['fields of a constructor', '{"constructor":{"prototype":{"url":"x","name":"x"}}}'],
    ['deep nesting', '['.repeat(8000)],
    ['a field twice', '{"url":"https://x.example.com/r.json","name":"x","name":"y"}'],
    ['a number as a name', '{"url":"https://x.example.com/r.json","name":1e999}'],
    ['an object as a name', '{"url":"https://x.example.com/r.json","name":{"toString":"x"}}'],
    ['an array as a name', '{"url":["https://x.example.com/r.json"],"name":["x"]}'],
    ['NUL in a name', '{"url":"https://x.example.com/r.json","name":"a\\u0000b"}'],
    ['a lone surrogate', '{"url":"https://x.example.com/r.json","name":"a\\ud800b"}'],
    ['a name with a direction override', '{"url":"https://x.example.com/r.json","name":"a\\u202eb"}'],
    ['an invisible name', '{"url":"https://x.example.com/r.json","name":"\\u200b\\u3164"}'],
    ['a name with a line break', '{"url":"https://x.example.com/r.json","name":"a\\nb"}'],
    ['a very long name', `{"url":"https://x.example.com/r.json","name":"${'x'.repeat(10_000)}"}`],
  ])('are refused if they contain %s', async (_, body) => {
    const before = await count();
    const response = await callApi(app, method, pathOf(path), { token: who(), body });
    expect(response.status).toBe(400);
    expect(response.json.type).toMatch(/malformed-body|invalid-field/);
    expect(await count()).toEqual(before);
  });

  test.each([
    ['a missing Content-Type', { 'content-type': '' }],
    ['text/plain', { 'content-type': 'text/plain' }],
    ['multipart/form-data', { 'content-type': 'multipart/form-data; boundary=x' }],
    ['a type similar to JSON', { 'content-type': 'application/jsonp' }],
    ['another charset', { 'content-type': 'application/json; charset=utf-16' }],
    ['two types', { 'content-type': 'text/plain, application/json' }],
    ['a Content-Encoding', { 'content-type': 'application/json', 'content-encoding': 'gzip' }],
  ])('are refused with status 415 for %s', async (_, headers) => {
    const response = await callApi(app, method, pathOf(path), { token: who(), body: '{"name":"x"}', headers });
    expect(response.status).toBe(415);
  });

  test('may have a charset in their type and unknown fields', async () => {
    const headers = { 'content-type': 'Application/JSON;charset="UTF-8"' };
    const response = await callApi(app, method, pathOf(path), { token: who(), body: '{"more":1}', headers });
    expect(response.json.type).toBe('urn:appreg:problem:invalid-field');
  });
});

test('all characters of a name are preserved', async () => {
  for (const name of [
    'École 42',
    'アプリ',
    '👩‍💻 apps',
    'نام‌ها',
    '__proto__',
    'a"b<c>&\\',
    "'; drop table organizations; --",
  ]) {
    const response = await callApi(app, 'PATCH', `/api/registries/${id}`, { token, body: { name } });
    expect(response.json.name).toBe(name);
  }
});

describe('paths and parameters', () => {
  const unusual = [
    '%00',
    '%ud800',
    '%ED%A0%80',
    '%',
    '%zz',
    '..%2f..',
    '%F0%9F%98%80',
    "'--",
    '*',
    'null',
    '-1',
    'x'.repeat(3000),
  ];

  test.each(unusual.map((text) => [text.slice(0, 20), text]))(
    '%s is not found in a path, and accepted or refused in a parameter',
    async (_, text) => {
      for (const path of [
        `/api/registries/${text}`,
        `/api/registries/${text}/apps`,
        `/api/registries/${id}/apps/${text}`,
        `/api/registries/${id}/apps/${text}/versions`,
        `/api/icons/${text}`,
        `/${text}`,
      ]) {
        const response = await callApi(app, 'GET', path, { token });
        expect([path, response.status]).toEqual([path, 404]);
        expect(response.json.type).toBe('urn:appreg:problem:not-found');
      }
      for (const query of [`search=${text}`, `after=${text}`, `limit=${text}`, `visible=${text}`, `${text}=1`]) {
        const response = await callApi(app, 'GET', `/api/registries/${id}/apps?${query}`, { token });
        expect([200, 400]).toContain(response.status);
      }
      for (const query of [
        `search=${text}`,
        `after=${id}.${text}`,
        `after=${text}.${text}`,
        `after=${'-'.repeat(36)}.a`,
      ]) {
        const response = await callApi(app, 'GET', `/api/apps?${query}`, { token });
        expect([200, 400]).toContain(response.status);
      }
      const versions = await callApi(app, 'GET', `/api/registries/${id}/apps/x/versions?after=${text}`, { token });
      expect(versions.status).toBe(404);
    },
  );

  test('an app whose key is not URL-safe can be read', async () => {
    const response = await callApi(app, 'GET', `/api/registries/${id}/apps/${encodeURIComponent('a/b?c#d%e')}`, {
      token,
    });
    expect(response.json).toMatchObject({ key: 'a/b?c#d%e', name: 'Not URL-safe' });
  });
});

test('responses to random requests match the OpenAPI document', async () => {
  // A rotated token would end this test.
  const paths = [...new Set(OPERATIONS.map(({ path }) => path))].filter((path) => !path.endsWith('/token'));
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 30 }), fc.constantFrom('', '.', '\0', '__proto__'));
  const query = fc.dictionary(fc.constantFrom('limit', 'after', 'search', 'visible'), text);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS'),
      fc.constantFrom(...paths),
      fc.array(text, { minLength: 4, maxLength: 4 }),
      query,
      fc.option(text),
      async (method, path, values, parameters, etag) => {
        let next = 0;
        const real = path.replace(/\{\w+\}/g, (name) => {
          const value = name === '{id}' && method !== 'DELETE' && values[0]!.length > 3 ? id : values[next++]!;
          // A URL parser removes the segments "." and "..".
          return encodeURIComponent(storable(/^\.\.?$/.test(value) ? `${value}.` : value));
        });
        const query = new URLSearchParams(parameters);
        const headers = etag === null ? {} : { 'if-none-match': encodeURIComponent(storable(etag)) };
        const response = await callApi(app, method, `${real}?${query.toString()}`, { token, headers });
        expect(response.status).toBeLessThan(500);
        if (method === 'DELETE') expect(response.status).not.toBe(204);
      },
    ),
    { numRuns: 300 },
  );
});

describe('methods', () => {
  test('that are not allowed receive status 405 with the allowed methods', async () => {
    for (const [method, path, allow] of [
      ['GET', '/api/organization/token', 'POST, OPTIONS'],
      ['DELETE', '/api/registries', 'GET, HEAD, OPTIONS'],
      // The path matches /api/registries/{id} as well.
      ['GET', '/api/registries/subscribe', 'POST, OPTIONS'],
      ['DELETE', '/api/registries/subscribe', 'POST, OPTIONS'],
      ['PUT', `/api/registries/${id}`, 'GET, PATCH, DELETE, HEAD, OPTIONS'],
      ['POST', '/healthz', 'GET, HEAD, OPTIONS'],
      ['PROPFIND', '/api/apps', 'GET, HEAD, OPTIONS'],
    ] as const) {
      const response = await callApi(app, method, path);
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe(allow);
      expect(response.json.type).toBe('urn:appreg:problem:method-not-allowed');
    }
  });

  test('are listed by OPTIONS without a token, and without CORS headers', async () => {
    const response = await callApi(app, 'OPTIONS', '/api/registries/subscribe', {
      headers: { origin: 'https://elsewhere.example.com', 'access-control-request-method': 'POST' },
    });
    expect([response.status, response.headers.get('allow'), response.text]).toEqual([204, 'POST, OPTIONS', '']);
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  test('include HEAD, which returns the response of GET without its body', async () => {
    const response = await callApi(app, 'HEAD', '/api/registries', { token });
    expect([response.status, response.text, response.headers.get('content-type')]).toEqual([
      200,
      '',
      'application/json',
    ]);
    expect((await callApi(app, 'HEAD', '/api/registries')).status).toBe(401);
  });

  test('on unknown paths receive a problem document', async () => {
    for (const path of ['/api', '/api/', '/api/none', '/api/registries/', '/API/registries', '/.env', '//api/apps']) {
      const response = await callApi(app, 'GET', path, { token });
      expect([path, response.status, response.headers.get('content-type')]).toEqual([
        path,
        404,
        'application/problem+json',
      ]);
    }
  });
});

test('each request has an id, which the client can set', async () => {
  const given = await callApi(app, 'GET', '/api/none', { headers: { 'x-request-id': 'from-the.proxy_1' } });
  expect([given.headers.get('x-request-id'), given.json.requestId]).toEqual(['from-the.proxy_1', 'from-the.proxy_1']);
  const invalid = await callApi(app, 'GET', '/api/none', { headers: { 'x-request-id': 'a b"c' } });
  expect(invalid.json.requestId).toMatch(/^[0-9a-f-]{36}$/);
});

test('over HTTPS, responses have Strict-Transport-Security', async () => {
  const secure = web.app({ publicUrl: 'https://apps.example.com/' });
  expect((await callApi(secure, 'GET', '/healthz')).headers.get('strict-transport-security')).toMatch(/max-age=\d+/);
  expect((await callApi(app, 'GET', '/healthz')).headers.get('strict-transport-security')).toBeNull();
});

test('the response to an internal error contains only its id, and the log contains the details', async () => {
  const broken = { ...web.service, db: null as never };
  const { webApp } = await import('../../src/web-app.ts');
  const response = await callApi(webApp(broken), 'GET', '/api/registries', { token });
  expect(response.status).toBe(500);
  expect(response.json.type).toBe('urn:appreg:problem:internal');
  expect(response.text).not.toMatch(/TypeError|null|stack|\.ts/);
  const line = web.logged.find(({ event, request }) => event === 'defect' && request === response.json.requestId);
  expect(JSON.stringify(line)).toContain('TypeError');
});

test('an unreachable database results in status 503', async () => {
  const { openDatabase } = await import('../../src/db/database.ts');
  const { db } = openDatabase('postgres://x@127.0.0.1:9/x', 1, () => {});
  const { webApp } = await import('../../src/web-app.ts');
  const database = new DatabaseMonitor(() => probeWrite(db, false), web.service.log);
  const settings = { ...web.service.settings, databaseUrl: 'postgres://x@127.0.0.1:9/x' };
  const gone = webApp({ ...web.service, settings, db, database });
  const own = webApp({ ...web.service, db, database });
  const defects = web.logged.filter(({ event }) => event === 'defect').length;
  const response = await callApi(gone, 'GET', '/api/registries', { token });
  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  expect((await callApi(gone, 'GET', '/readyz')).status).toBe(503);
  const alive = await callApi(gone, 'GET', '/healthz');
  expect([alive.status, alive.json.database]).toEqual([200, 'unreachable']);
  // Its own PostgreSQL is a part of the node.
  expect((await callApi(own, 'GET', '/healthz')).status).toBe(503);
  const page = await gone.request('/settings/registries', { headers: { cookie: `appreg=${'x'.repeat(43)}` } });
  expect([page.status, page.headers.get('content-type')]).toEqual([503, 'text/html; charset=UTF-8']);
  expect(web.logged.filter(({ event }) => event === 'defect')).toHaveLength(defects);
  database.stop();
  await db.destroy();
});
