// Scenario: every route gets every odd body.
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { listen } from '../../src/http/listen.ts';
import { bodyOf, callApi, OPERATIONS } from '../api/contract.ts';
import { allowing, OPERATOR, openWebFixture, type WebFixture } from '../web-fixture.ts';
import { type OddBody, oddForms, oddJsonBodies } from './odd-bodies.ts';
import { type OddWorld, openOddWorld, pathIn } from './odd-world.ts';
import { parsePage } from '../pages/parsed-page.ts';

/** Every route of the service, with bodies that are deep, wide, long or in another form: never an internal error. */

// Hundreds of requests each.
vi.setConfig({ testTimeout: 120_000 });

let web: WebFixture;
let app: ReturnType<WebFixture['app']>;
beforeAll(async () => {
  web = await openWebFixture();
  app = web.app({ openSignUp: true }, allowing(10_000_000));
});
afterAll(async () => {
  expect(web.logged.filter(({ event }) => event === 'defect')).toEqual([]);
  await web.stop();
});

function apiRequest({ bytes, type, headers = {} }: OddBody, token: string | null) {
  return { token, body: new Uint8Array(bytes), headers: { 'content-type': type ?? '', ...headers } };
}

async function expectWorking({ token }: OddWorld): Promise<void> {
  expect((await callApi(app, 'GET', '/api/organization', { token })).status).toBe(200);
}

/** A GET request with a body is sent over a connection, below. */
const WRITES = OPERATIONS.filter(({ method }) => method !== 'GET');

describe.each(WRITES.map((operation) => [`${operation.method} ${operation.path}`, operation] as const))(
  '%s',
  (_, operation) => {
    const { method, path, security } = operation;
    const valid = (bodyOf(operation).body ?? {}) as Record<string, unknown>;
    const readsBody = operation.body !== null;
    const isForOperator = security.some((way) => 'operator' in way);

    test.each([
      ['a token', true],
      ['no token', false],
    ])('with %s', async (__, hasToken) => {
      let world = await openOddWorld(web);
      for (const body of oddJsonBodies(valid)) {
        const token = hasToken ? (isForOperator ? OPERATOR : world.token) : null;
        const response = await callApi(app, method, pathIn(world, path), apiRequest(body, token));
        const lowest = readsBody && body.mayBeAccepted !== true ? 400 : 200;
        const isExpected = response.status >= lowest && response.status < 500;
        expect([body.name, isExpected], `${response.status} ${response.text.slice(0, 300)}`).toEqual([body.name, true]);
        if (response.status >= 400) expect(response.headers.get('content-type')).toBe('application/problem+json');
        // A route that has no body may have done its work.
        else world = await openOddWorld(web);
      }
      await expectWorking(world);
    });
  },
);

/** A new name, with an unknown field. */
function nested(depth: number): string {
  return `{"name":"Apps","more":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
}

function wide(elements: number): string {
  return `{"name":"Apps","more":[${Array.from({ length: elements }, () => '0').join()}]}`;
}

test('the deep bodies are refused for their depth, and the wide ones for their number of values', async () => {
  const { token, ids } = await openOddWorld(web);
  const send = (body: string) => callApi(app, 'PATCH', `/api/registries/${ids['registries']}`, { token, body });
  expect((await send(nested(64))).status).toBe(200);
  expect((await send(nested(65))).json).toMatchObject({
    status: 400,
    type: 'urn:appreg:problem:malformed-body',
    detail: 'The body is nested more than 64 levels deep.',
  });
  expect((await send(wide(1_990))).status).toBe(200);
  expect((await send(wide(2_001))).json).toMatchObject({
    status: 413,
    type: 'urn:appreg:problem:body-too-large',
    detail: 'The body has more than 2000 members and array elements.',
  });
});

/** The routes of the web server that forms are sent to. */
function formRoutes(): string[] {
  return app.routes
    .filter(({ method, path }) => method === 'POST' && !path.startsWith('/api/'))
    .map(({ path }) => path);
}

const POLICY = '/settings/registries/:id/policy';

const OWN_PAGE = { 'sec-fetch-site': 'same-origin', origin: 'http://localhost', host: 'localhost' };

async function signIn(token: string): Promise<string> {
  const body = new URLSearchParams({ token }).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...OWN_PAGE };
  const response = await app.request('/sign-in', { method: 'POST', body, headers });
  return response.headers.get('set-cookie')!.split(';')[0]!;
}

/** The fields of all forms on the pages that a session, or a visitor, sees: by the path that they are sent to. */
async function formFields(world: OddWorld, cookie: string): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const { method, path } of app.routes) {
    if (method !== 'GET' || path.startsWith('/api/') || /\.(json|md)$/.test(path)) continue;
    for (const headers of [{ accept: 'text/html', cookie }, { accept: 'text/html' }]) {
      const response = await app.request(pathIn(world, path), { headers });
      if (!(response.headers.get('content-type') ?? '').startsWith('text/html')) continue;
      for (const { action, fields } of parsePage(await response.text(), 'http://localhost/').forms)
        found.set(action, [...new Set([...(found.get(action) ?? []), ...fields])]);
    }
  }
  return found;
}

describe('the forms of the pages', () => {
  test.each([
    ['a session', true],
    ['no session', false],
  ])('with %s', async (_, hasSession) => {
    const first = await openOddWorld(web);
    const fields = await formFields(first, await signIn(first.token));
    expect(fields.get(pathIn(first, POLICY))).toContain('policy');
    for (const path of formRoutes()) {
      let world = await openOddWorld(web);
      let cookie = await signIn(world.token);
      for (const { name, bytes, type, headers } of oddForms(fields.get(pathIn(first, path)) ?? ['name'])) {
        const response = await app.request(pathIn(world, path), {
          method: 'POST',
          body: new Uint8Array(bytes),
          headers: { ...OWN_PAGE, ...headers, 'content-type': type ?? '', ...(hasSession && { cookie }) },
        });
        expect([path, name, response.status < 500], `${response.status}`).toEqual([path, name, true]);
        if (type !== null && !/^application\/x-www-form-urlencoded(;|$)/.test(type))
          expect([path, name, response.status]).toEqual([path, name, 415]);
        // It may have done its work.
        if (response.status === 303 && hasSession) {
          world = await openOddWorld(web);
          cookie = await signIn(world.token);
        }
      }
      await expectWorking(world);
    }
  });
});

test('routes that only respond to GET ignore a body', async () => {
  const server = await listen({ host: '127.0.0.1', port: 0 }, app.fetch);
  const world = await openOddWorld(web);
  const deep = '['.repeat(10_000);
  for (const { method, path } of app.routes) {
    if (method !== 'GET') continue;
    const status = await new Promise<number>((done, fail) => {
      httpRequest(new URL(pathIn(world, path), server.url), {
        method,
        headers: {
          authorization: `Bearer ${world.token}`,
          'content-type': 'application/json',
          'content-length': deep.length,
        },
      })
        .on('response', (response) => {
          response.resume();
          done(response.statusCode!);
        })
        .on('error', fail)
        .end(deep);
    });
    expect([path, status === 500]).toEqual([path, false]);
  }
  await server.close();
});
