import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { SCOPES, type Scope } from '../../src/domain/scopes.ts';
import { listAuditEntries } from '../../src/db/audit.ts';
import { createToken } from '../../src/db/tokens.ts';
import { apiRoutes } from '../../src/web-app.ts';
import { openWebFixture, type WebFixture } from '../web-fixture.ts';
import { type ApiRequest, callApi, OPERATIONS } from './contract.ts';
import { UNKNOWN_ID } from './contract-case.ts';

/** Each route is refused to tokens without its scope, and the OpenAPI document names that scope. */

let web: WebFixture;
let app: ReturnType<WebFixture['app']>;
let organization: string;
const tokens = new Map<Scope, string>();
beforeAll(async () => {
  web = await openWebFixture();
  app = web.app();
  organization = (await web.join()).id;
  for (const scope of SCOPES) {
    const created = await createToken(web.db, organization, { name: scope, scope, expiresAt: null }, SERVICE_ACTOR);
    tokens.set(scope, created!.secret);
  }
});
afterAll(() => web.stop());

const scoped = OPERATIONS.filter(({ security }) => security.some((way) => 'token' in way));
const scopeOf = ({ security }: (typeof OPERATIONS)[number]): unknown =>
  (security.find((way) => 'token' in way)!['token'] as unknown[])[0];

/** The body is malformed, so that a request that is not refused changes nothing. */
function requestOf({ method }: (typeof OPERATIONS)[number], token: string): ApiRequest {
  return method === 'GET' ? { token } : { token, body: '{' };
}

test('the OpenAPI document names the scope that each route declares', () => {
  const declared = apiRoutes(web.service).flatMap((route) =>
    route.access === 'organization' ? [`${route.method} ${route.path} ${route.scope}`] : [],
  );
  const documented = scoped.map((operation) => `${operation.method} ${operation.path} ${String(scopeOf(operation))}`);
  expect(documented.toSorted()).toEqual(declared.toSorted());
});

test('every route that changes something needs more than the scope read', () => {
  const changing = scoped.filter(({ method }) => method !== 'GET');
  expect(changing.length).toBeGreaterThan(4);
  expect(changing.filter((operation) => scopeOf(operation) === 'read')).toEqual([]);
});

describe.each(scoped.map((operation) => [operation.operationId, operation] as const))('%s', (_, operation) => {
  const path = operation.path.replace(/\{\w+\}/g, UNKNOWN_ID);
  test('is refused exactly to the scopes below its own, before anything is read or changed', async () => {
    const needed = SCOPES.findIndex((scope) => scope === scopeOf(operation));
    for (const [rank, scope] of SCOPES.entries()) {
      if (operation.operationId === 'rotateToken' && scope === 'admin') continue;
      const response = await callApi(app, operation.method, path, requestOf(operation, tokens.get(scope)!));
      if (rank >= needed) expect(response.json?.type ?? '').not.toContain('insufficient-scope');
      else {
        expect(response.json).toMatchObject({ type: 'urn:appreg:problem:insufficient-scope' });
        expect(response.headers.get('www-authenticate')).toContain(`scope="${SCOPES[needed]}"`);
      }
    }
  });

  test('is refused to the tokens of a suspended organization', async () => {
    const { id, token } = await web.join();
    await web.db.updateTable('organizations').set({ suspendedAt: new Date() }).where('id', '=', id).execute();
    const response = await callApi(app, operation.method, path, requestOf(operation, token));
    expect([response.status, response.json.type]).toEqual([403, 'urn:appreg:problem:organization-suspended']);
  });
});

test('refused requests are in the audit log, with the token', async () => {
  const { entries } = await listAuditEntries(web.db, organization, {
    action: 'request-refused',
    limit: 500,
    after: null,
  });
  const unsubscribing = entries.filter(({ target }) => target.name === 'DELETE /api/registries/{id}');
  expect(unsubscribing).toMatchObject([
    {
      actor: { type: 'token', token: { name: 'read' } },
      outcome: 'refused',
      details: { scope: 'read', needed: 'manage' },
    },
  ]);
});
