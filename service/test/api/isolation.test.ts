import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { pack } from '../../src/db/packed.ts';
import { addApp, addIcon, addRegistry, addSubscription } from '../database-fixture.ts';
import { bodyOf, callApi, type ApiRequest, type Operation, OPERATIONS } from './contract.ts';
import { type KeptArtifacts, openKeptArtifacts } from '../kept-artifacts.ts';
import { addAccess } from './access-fixture.ts';
import { UNKNOWN_ID } from './contract-case.ts';
import { allowing, OPERATOR, openWebFixture, reportOn, type WebFixture } from '../web-fixture.ts';

/**
 * An organization cannot read or change data of another one on any route. The cases are made from the OpenAPI document: a
 * route with a parameter or a field that this file does not know fails.
 */

interface World {
  id: string;
  token: string;
  subscription: string;
  /** Values of path parameters. */
  values: Record<string, string>;
}

let web: WebFixture;
let kept: KeptArtifacts;
let app: ReturnType<WebFixture['app']>;
let ownWorld: World;
let otherWorld: World;
beforeAll(async () => {
  web = await openWebFixture();
  kept = await openKeptArtifacts(web.service);
  web.service.artifacts = kept.keeper;
  app = web.app({}, allowing(10_000));
  ownWorld = await world('mine');
  otherWorld = await world('theirs');
  // Both are subscribed to this registry, under different names.
  const shared = await addRegistry(web.db, 'https://shared.example.com/registry.json');
  await addApp(web.db, shared, 'shared');
  await addSubscription(web.db, ownWorld.id, shared, { name: 'shared' });
  await addSubscription(web.db, otherWorld.id, shared, { name: 'canary-theirs shared' });
});
afterAll(async () => {
  await web.stop();
  kept.remove();
});

async function world(whose: string): Promise<World> {
  const { id, token } = await web.join(`canary-${whose} organization`);
  const report = await pack(reportOn(`https://canary-${whose}.example.com/registry.json`));
  const registry = await addRegistry(web.db, `https://canary-${whose}.example.com/registry.json`, { report });
  const subscription = await addSubscription(web.db, id, registry, { name: `canary-${whose} registry` });
  const icon = await addIcon(web.db, Buffer.from(`<svg id="canary-${whose}"/>`), 'image/svg+xml');
  const key = `canary-${whose}`;
  await addApp(web.db, registry, key, { name: `canary-${whose} app`, icon });
  await kept.add(registry, key, '1.0.0');
  const { tokenId, webhook, delivery } = await addAccess(web.db, id, `https://canary-${whose}.example.com/hook`);
  return {
    id,
    token,
    subscription,
    values: {
      id: subscription,
      key,
      version: '1.0.0',
      sha256: icon.toString('hex'),
      token: tokenId,
      webhook,
      delivery,
      organization: id,
    },
  };
}

const NOTHING: Record<string, string> = {
  id: UNKNOWN_ID,
  key: 'nothing',
  version: '1.0.0',
  sha256: '0'.repeat(64),
  token: UNKNOWN_ID,
  webhook: UNKNOWN_ID,
  delivery: UNKNOWN_ID,
  organization: UNKNOWN_ID,
};
function valueOf(values: Record<string, string>, name: string): string {
  const value = values[name];
  if (value === undefined) throw new Error(`this test has no value for “${name}”`);
  return value;
}

function request(operation: Operation, values: Record<string, string>): [string, ApiRequest] {
  const real = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => valueOf(values, name));
  return [real, bodyOf(operation)];
}

/** All rows of an organization, and of the registry that only it is subscribed to. */
async function stateOf({ id, subscription }: World): Promise<string> {
  const { db } = web;
  const registryId = db.selectFrom('subscriptions').select('registryId').where('id', '=', subscription);
  const webhookIds = db.selectFrom('webhooks').select('id').where('organizationId', '=', id);
  const rows = [
    await db.selectFrom('organizations').selectAll().where('id', '=', id).execute(),
    await db.selectFrom('subscriptions').selectAll().where('organizationId', '=', id).orderBy('id').execute(),
    await db.selectFrom('tokens').selectAll().where('organizationId', '=', id).orderBy('id').execute(),
    await db.selectFrom('webhooks').selectAll().where('organizationId', '=', id).orderBy('id').execute(),
    await db.selectFrom('auditEntries').selectAll().where('organizationId', '=', id).orderBy('id').execute(),
    await db.selectFrom('webhookDeliveries').selectAll().where('webhookId', 'in', webhookIds).orderBy('id').execute(),
    await db.selectFrom('registries').selectAll().where('id', 'in', registryId).execute(),
    await db.selectFrom('apps').selectAll().where('registryId', 'in', registryId).execute(),
  ];
  return JSON.stringify([rows, web.refreshes]);
}

const guarded = OPERATIONS.filter(({ security }) => !security.some((way) => Object.keys(way).length === 0));
const isForOperator = ({ security }: Operation): boolean => security.some((way) => 'operator' in way);
const ofOrganizations = guarded.filter((operation) => !isForOperator(operation));
const ofParameters = ofOrganizations.filter(({ path }) => path.includes('{'));

test('every route except the public ones requires a token', () => {
  const open = OPERATIONS.filter((operation) => !guarded.includes(operation)).map(({ operationId }) => operationId);
  expect(open).toEqual(['createOrganization', 'getDocument', 'isAlive', 'isReady', 'getMetrics']);
});

describe.each(guarded.map((operation) => [operation.operationId, operation] as const))('%s', (_, operation) => {
  test('is refused without a valid bearer token, also if a token is sent elsewhere', async () => {
    const before = await stateOf(otherWorld);
    const [path, options] = request(operation, otherWorld.values);
    const hash = createHash('sha256').update(otherWorld.token).digest('hex');
    const attempts: (ApiRequest & { query?: string })[] = [
      {},
      { token: isForOperator(operation) ? ownWorld.token : OPERATOR },
      { token: `apr_${'A'.repeat(43)}` },
      { token: `${otherWorld.token}A` },
      { token: otherWorld.token.slice(0, -1) },
      { token: otherWorld.token.toLowerCase() },
      { token: hash },
      { headers: { authorization: `Basic ${btoa(`:${otherWorld.token}`)}` } },
      { headers: { authorization: otherWorld.token } },
      { headers: { cookie: `session=${otherWorld.token}; token=${otherWorld.token}` } },
      { headers: { 'x-api-key': otherWorld.token, 'x-organization': otherWorld.id } },
      { query: `?access_token=${otherWorld.token}&token=${otherWorld.token}` },
    ];
    for (const { query = '', ...attempt } of attempts) {
      const response = await callApi(app, operation.method, path + query, { ...options, ...attempt });
      expect(response.status, JSON.stringify(attempt)).toBe(401);
      expect(response.text).not.toContain('canary');
    }
    expect(await stateOf(otherWorld)).toBe(before);
  });

  test.skipIf(isForOperator(operation))('returns and changes no data of another organization', async () => {
    const before = await stateOf(otherWorld);
    const [path, options] = request(operation, otherWorld.values);
    const { token } = operation.operationId === 'rotateToken' ? await web.join() : ownWorld;
    const response = await callApi(app, operation.method, path, { ...options, token });
    expect(response.text).not.toContain('canary-theirs');
    for (const value of [otherWorld.id, otherWorld.subscription, otherWorld.token])
      expect(response.text).not.toContain(value);
    expect(await stateOf(otherWorld)).toBe(before);
  });
});

test.each(ofParameters.map((operation) => [operation.operationId, operation] as const))(
  '%s returns the same 404 for data of another organization as for unknown data',
  async (_, operation) => {
    const before = await stateOf(otherWorld);
    const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
    const answers: string[] = [];
    // Also each parameter alone: the app key of another organization below its own registry.
    const mixed = names.slice(0, -1).map((name) => ({ ...otherWorld.values, ...onlyValue(ownWorld.values, name) }));
    for (const values of [otherWorld.values, NOTHING, ...mixed]) {
      const [path, options] = request(operation, values);
      const response = await callApi(app, operation.method, path, { ...options, token: ownWorld.token });
      expect(response.status).toBe(404);
      answers.push(JSON.stringify({ ...response.json, requestId: null }));
    }
    expect(new Set(answers).size).toBe(1);
    expect(await stateOf(otherWorld)).toBe(before);
  },
);

test('every route succeeds with the data of its own organization', async () => {
  for (const operation of ofParameters.toSorted(
    (a, b) =>
      Number(a.method === 'DELETE') - Number(b.method === 'DELETE') ||
      b.path.split('/').length - a.path.split('/').length,
  )) {
    const [path, options] = request(operation, ownWorld.values);
    const response = await callApi(app, operation.method, path, { ...options, token: ownWorld.token });
    expect([operation.operationId, Math.floor(response.status / 100)]).toEqual([operation.operationId, 2]);
  }
});

test('metrics and logs contain no data of an organization', async () => {
  const { text } = await callApi(app, 'GET', '/metrics');
  expect(text).toContain('/api/registries/{id}');
  for (const secret of ['canary', ownWorld.id, ownWorld.subscription, ownWorld.token, otherWorld.token])
    expect(text).not.toContain(secret);
  const log = JSON.stringify(web.logged);
  expect(web.logged.length).toBeGreaterThan(5);
  for (const secret of ['canary', ownWorld.token, otherWorld.token, OPERATOR, 'apr_'])
    expect(log).not.toContain(secret);
});

function onlyValue(values: Record<string, string>, name: string): Record<string, string> {
  return { [name]: values[name]! };
}
