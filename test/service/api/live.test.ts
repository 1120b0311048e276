import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLog } from '../../../src/service/log.ts';
import { type Running, startService } from '../../../src/service/start.ts';
import { startDatabase } from '../../support/database.ts';
import { answer, type Behaviour, delayed, type FaultHost, json, openFaultHost } from '../../support/fault-host.ts';
import { type Live, putRegistry, SVG } from '../../support/live-registry.ts';
import { settingsFor } from '../refresh/refresh-harness.ts';

/** The whole service on one node, as a client of the API sees it. */

let database: { url: string; stop(): Promise<void> };
let host: FaultHost;
let live: Live;
let node: Running;
const log: string[] = [];
beforeAll(async () => {
  database = await startDatabase();
  host = await openFaultHost();
  live = putRegistry(host);
  node = await startService(
    settingsFor(database.url),
    openLog((line) => void log.push(line)),
  );
});
afterAll(async () => {
  await node.stop();
  await host.close();
  await database.stop();
});

let token = '';
async function request(method: string, path: string, body?: unknown): Promise<{ status: number; json: any }> {
  const headers = {
    authorization: `Bearer ${token}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await fetch(`${node.url}api/${path}`, init);
  const text = await response.text();
  return { status: response.status, json: text === '' ? null : JSON.parse(text) };
}

test(
  'an organization subscribes to a registry, reads its verified apps, and unsubscribes',
  { timeout: 90_000 },
  async () => {
    const created = await request('POST', 'organizations', { name: 'Acme' });
    ({ token } = created.json);
    const nothing = await request('POST', 'registries/subscribe', { url: `${host.origin}/none.json`, name: 'None' });
    expect(nothing.status).toBe(422);
    expect(nothing.json.findings.map(({ rule }: { rule: string }) => rule)).toContain('unreachable');
    expect((await request('GET', 'registries')).json.registries).toEqual([]);

    const made = await request('POST', 'registries/subscribe', { url: live.url, name: 'Live' });
    expect(made.status).toBe(201);
    expect(made.json.apps).toMatchObject([{ key: 'app-a', name: 'App A' }]);
    const { id } = made.json.subscription;
    const app = async (): Promise<any> => (await request('GET', `registries/${id}/apps/app-a`)).json;
    await expect
      .poll(app, { timeout: 30_000, interval: 200 })
      .toMatchObject({ visible: true, latest: '2.0.0', offered: 2 });
    await expect
      .poll(async () => (await request('GET', `registries/${id}`)).json.state, { timeout: 30_000, interval: 200 })
      .not.toMatch(/new|checking/);
    const { icon } = await app();
    const shown = await fetch(`${node.url}api/icons/${icon}`, { headers: { authorization: `Bearer ${token}` } });
    expect([shown.headers.get('content-type'), await shown.text()]).toEqual(['image/svg+xml', SVG]);
    expect((await request('GET', 'apps')).json.apps).toMatchObject([{ key: 'app-a', registry: { id, name: 'Live' } }]);
    expect((await request('GET', `registries/${id}/report`)).json.apps).toMatchObject([
      { key: 'app-a', visible: true },
    ]);

    const again = await request('POST', 'registries/subscribe', { url: live.url, name: 'Again' });
    expect([again.status, again.json.subscription.id]).toEqual([409, id]);
    const both = await Promise.all(
      ['one', 'two'].map((name) => request('POST', 'registries/subscribe', { url: `${live.url}?v=2`, name })),
    );
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409]);

    // It was checked a moment ago, but its artifacts may have changed since then: it is checked again, once.
    const asked = host.requestsFor('/2.tar.gz').length;
    const refreshes = [
      await request('POST', `registries/${id}/refresh`),
      await request('POST', `registries/${id}/refresh`),
    ];
    expect(refreshes.map(({ json: { requested, registry } }) => [requested, registry.checking])).toEqual([
      [true, true],
      [false, true],
    ]);
    await expect.poll(() => host.requestsFor('/2.tar.gz').length, { timeout: 20_000 }).toBeGreaterThan(asked);

    // The host no longer serves the registry: its last state is preserved.
    live.serve('registry.json', answer({ status: 404 }));
    const other = await request('POST', 'organizations', { name: 'Other' });
    const mine = token;
    ({ token } = other.json);
    const joined = await request('POST', 'registries/subscribe', { url: live.url, name: 'Known' });
    expect([joined.status, joined.json.apps[0].visible]).toEqual([201, true]);
    expect((await request('GET', `registries/${id}`)).status).toBe(404);
    token = mine;

    expect((await request('DELETE', `registries/${id}`)).status).toBe(204);
    expect((await request('GET', `registries/${id}/apps`)).status).toBe(404);
    expect((await fetch(`${node.url}api/icons/${icon}`)).status).toBe(401);
    for (const secret of [mine, other.json.token]) expect(log.join('\n')).not.toContain(secret);
  },
);

test('subscribing to many slow registries at once does not block other clients', { timeout: 60_000 }, async () => {
  let inside = 0;
  let most = 0;
  const body = delayed(4000, json({ nothing: true }));
  const slow: Behaviour = async (request, socket) => {
    // An observation sends several requests at the same time; this is the one of the service.
    if (request.method !== 'GET' || request.headers['origin'] || request.headers['if-none-match'])
      return body(request, socket);
    most = Math.max(most, (inside += 1));
    await body(request, socket);
    inside -= 1;
  };
  for (let i = 0; i < 12; i += 1) host.on(`/slow-${i}.json`, slow);
  ({ token } = (await request('POST', 'organizations', { name: 'Greedy' })).json);
  const many = Array.from({ length: 12 }, (_, i) =>
    request('POST', 'registries/subscribe', { url: `${host.origin}/slow-${i}.json`, name: 'Slow' }),
  );
  ({ token } = (await request('POST', 'organizations', { name: 'Modest' })).json);
  live.serve('registry.json', json({ apps: {} }));
  const begun = Date.now();
  expect((await request('POST', 'registries/subscribe', { url: `${live.url}?v=3`, name: 'Mine' })).status).toBe(201);
  expect(Date.now() - begun).toBeLessThan(12_000);
  const statuses = (await Promise.all(many)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([422, 429]));
  expect(most).toBeLessThanOrEqual(2);
});
