// Scenario: two nodes wait for hosts that refuse, or that answer nothing.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openLog } from '../../src/log.ts';
import { type RunningService, startService } from '../../src/start.ts';
import {
  answer,
  type Behaviour,
  CORS,
  delayed,
  type FaultHost,
  json,
  openFaultHost,
  redirect,
  silent,
} from '../../../test/support/fault-host.ts';
import { type Live, putRegistry } from '../../../test/support/live-registry.ts';
import { openTestDatabase, type TestDatabase } from '../database-fixture.ts';
import { settingsFor } from '../refresh/refresh-harness.ts';
import { folder } from '../../../test/support/folders.ts';

/**
 * A signed URL is the protection of a registry. Once the host refuses it, a new subscription sees nothing of what the
 * service has stored for earlier ones, on two nodes with one database.
 */

const REFUSED: Behaviour = answer({ status: 403, headers: CORS, body: 'Request has expired' });

let database: TestDatabase;
let host: FaultHost;
let live: Live;
let nodes: RunningService[];
let official: string;
beforeAll(async () => {
  database = await openTestDatabase();
  host = await openFaultHost();
  live = putRegistry(host);
  official = `${live.url}?official=1`;
  const artifacts = { place: { type: 'directory', folder: folder() } as const, limit: 1e9 };
  const settings = settingsFor(database.url, { artifacts, coreRegistryUrl: official });
  nodes = [];
  for (let i = 0; i < 2; i += 1)
    nodes.push(
      await startService(
        settings,
        openLog(() => {}),
      ),
    );
}, 60_000);
afterAll(async () => {
  for (const node of nodes) await node.stop();
  await host.close();
  await database.stop();
});

interface Answer {
  status: number;
  json: any;
}
type Client = (method: string, path: string, body?: unknown, node?: number) => Promise<Answer>;

async function send(token: string | null, method: string, path: string, body: unknown, node: number): Promise<Answer> {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const headers = { ...type, ...(token === null ? {} : { authorization: `Bearer ${token}` }) };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await fetch(`${nodes[node]!.url}api/${path}`, init);
  const text = await response.text();
  return {
    status: response.status,
    json: /json/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : text,
  };
}

async function organization(): Promise<Client> {
  const { json: made } = await send(null, 'POST', 'organizations', { name: 'Acme' }, 0);
  return (method, path, body, node = 0) => send(made.token, method, path, body, node);
}

const state = async (client: Client, id: string): Promise<string> =>
  (await client('GET', `registries/${id}`)).json.state;

const officialOf = async (client: Client): Promise<string> => (await client('GET', 'registries')).json.registries[0].id;

/** What can be had of a registry with stored apps. */
async function seenBy(client: Client, id: string): Promise<unknown[]> {
  const apps = (await client('GET', `registries/${id}/apps`)).json.apps.length;
  const all = (await client('GET', 'apps')).json.apps.filter((app: any) => app.registry.id === id).length;
  const app = (await client('GET', `registries/${id}/apps/app-a`)).status;
  const versions = (await client('GET', `registries/${id}/apps/app-a/versions`)).status;
  const artifact = (await client('GET', `registries/${id}/apps/app-a/versions/2.0.0/artifact`)).status === 200;
  return [apps, all, app, versions, artifact];
}
const NOTHING = [0, 0, 404, 404, false];
const ALL = [1, 1, 200, 200, true];

let url: string;
let count = 0;
let first: Client;
let firstId: string;
/** A registry that one organization has subscribed to with a signed URL, and that is verified. */
beforeEach(async () => {
  putRegistry(host);
  url = `${live.url}?signature=${(count += 1)}`;
  first = await organization();
  const made = await first('POST', 'registries/subscribe', { url, name: 'First' });
  expect(made.status).toBe(201);
  firstId = made.json.subscription.id;
  await expect.poll(() => seenBy(first, firstId), { interval: 300 }).toEqual(ALL);
}, 60_000);

test.each([0, 1])('a URL that the host refuses is not subscribed to, on node %d', { timeout: 60_000 }, async (node) => {
  live.serve('registry.json', REFUSED);
  const stranger = await organization();
  const before = host.requests.length;
  const refused = await stranger('POST', 'registries/subscribe', { url, name: 'Stranger' }, node);
  expect([refused.status, refused.json.type]).toEqual([422, 'urn:appreg:problem:registry-unusable']);
  expect(host.requests.length).toBeGreaterThan(before);
  expect(JSON.stringify(refused.json)).not.toMatch(/app-a|App A/);
  // What is stored stays valid for those that it was served for.
  expect(await seenBy(first, firstId)).toEqual(ALL);
});

test.each<[string, Behaviour]>([
  ['a login page', answer({ headers: CORS, body: '<!doctype html><title>Log in</title>' })],
  ['a redirect to a login page', redirect('/login.html')],
  ['other JSON', json({ error: 'expired' })],
])('nor is one that answers with %s', { timeout: 60_000 }, async (_, behaviour) => {
  host.on('/login.html', answer({ headers: CORS, body: '<!doctype html><title>Log in</title>' }));
  live.serve('registry.json', behaviour);
  const stranger = await organization();
  expect((await stranger('POST', 'registries/subscribe', { url, name: 'Stranger' })).status).toBe(422);
});

test('slow subscriptions do not let another one join without a request', { timeout: 90_000 }, async () => {
  live.serve('registry.json', delayed(1500, REFUSED));
  const stranger = await organization();
  const slow = host.on('/slow.json', silent());
  const others = [0, 1, 2, 3].map((i) =>
    stranger('POST', 'registries/subscribe', { url: `${slow}?${i}`, name: 'Slow' }, i % 2),
  );
  const joined = await stranger('POST', 'registries/subscribe', { url, name: 'Stranger' });
  await Promise.all(others);
  if (joined.status === 422) return;
  expect(joined.status).toBe(202);
  expect(joined.json.apps).toEqual([]);
  const { id } = joined.json.subscription;
  expect(joined.json.subscription).toMatchObject({ state: 'checking', checkedAt: null, goodAt: null, apps: 0 });
  expect(await seenBy(stranger, id)).toEqual(NOTHING);
  await expect.poll(() => state(stranger, id)).toBe('failing');
  expect(await seenBy(stranger, id)).toEqual(NOTHING);
  const { json: failing } = await stranger('GET', `registries/${id}`);
  expect(failing.goodAt).toBeNull();
  expect(failing.failingSince >= failing.createdAt).toBe(true);
  const report = await stranger('GET', `registries/${id}/report`);
  expect(JSON.stringify(report.json)).not.toMatch(/app-a|App A/);
  expect(JSON.stringify((await stranger('GET', 'events')).json)).not.toMatch(/app-a|App A/);
  // The host serves it again: for this subscription as well.
  putRegistry(host);
  await stranger('POST', `registries/${id}/refresh`);
  await expect.poll(() => seenBy(stranger, id), { interval: 300 }).toEqual(ALL);
});

test('an organization that unsubscribed is a stranger', { timeout: 60_000 }, async () => {
  expect((await first('DELETE', `registries/${firstId}`)).status).toBe(204);
  live.serve('registry.json', REFUSED);
  expect((await first('POST', 'registries/subscribe', { url, name: 'Again' })).status).toBe(422);
  putRegistry(host);
  const again = await first('POST', 'registries/subscribe', { url, name: 'Again' }, 1);
  expect(again.status).toBe(201);
  expect(await seenBy(first, again.json.subscription.id)).toEqual(ALL);
});

test(
  'without its credentials, an organization sees what the host serves without them',
  { timeout: 90_000 },
  async () => {
    const second = await organization();
    const made = await second('POST', 'registries/subscribe', { url, name: 'Second' });
    const { id } = made.json.subscription;
    const auth = { type: 'bearer', token: 'secret' };
    expect((await second('PUT', `registries/${id}/auth`, auth)).status).toBe(200);
    expect(await seenBy(second, id)).toEqual(expect.arrayContaining([1, 200]));
    live.serve('registry.json', REFUSED);
    expect((await second('DELETE', `registries/${id}/auth`)).status).toBe(204);
    expect(await seenBy(second, id)).toEqual(NOTHING);
    await expect.poll(() => state(second, id)).toBe('failing');
    expect(await seenBy(second, id)).toEqual(NOTHING);
    // Nor does it see again what it once saw with credentials, with others.
    expect((await second('PUT', `registries/${id}/auth`, { type: 'bearer', token: 'wrong' })).status).toBe(200);
    expect(await seenBy(second, id)).toEqual(NOTHING);
  },
);

test(
  'a new organization sees the stored apps of an official registry once the host has served it',
  { timeout: 90_000 },
  async () => {
    const early = await organization();
    await expect.poll(async () => seenBy(early, await officialOf(early))).toEqual(ALL);
    live.serve('registry.json', REFUSED);
    const refused = await organization();
    expect(await seenBy(refused, await officialOf(refused))).toEqual(NOTHING);
    putRegistry(host);
    const served = await organization();
    // A refresh may have seen the refusal, and another one has to end first.
    const id = await officialOf(served);
    await expect.poll(() => seenBy(served, id), { interval: 300 }).toEqual(ALL);
  },
);
