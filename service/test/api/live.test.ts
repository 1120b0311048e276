import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openLog } from '../../src/log.ts';
import { type RunningService, startService } from '../../src/start.ts';
import { answer, delayed, type FaultHost, json, openFaultHost } from '../../../test/support/fault-host.ts';
import { type Live, putRegistry, SVG } from '../../../test/support/live-registry.ts';
import { openTestDatabase, type TestDatabase } from '../database-fixture.ts';
import { settingsFor } from '../refresh/refresh-harness.ts';

/** The whole service on one node, as a client of the API sees it. */

let database: TestDatabase;
let host: FaultHost;
let live: Live;
let node: RunningService;
const log: string[] = [];
beforeAll(async () => {
  database = await openTestDatabase();
  host = await openFaultHost();
  node = await startService(
    settingsFor(database.url),
    openLog((line) => void log.push(line)),
  );
});
beforeEach(() => {
  live = putRegistry(host);
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
    await expect.poll(app, { interval: 200 }).toMatchObject({ visible: true, latest: '2.0.0', offered: 2 });
    await expect
      .poll(async () => (await request('GET', `registries/${id}`)).json.state, { interval: 200 })
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
    await expect.poll(() => host.requestsFor('/2.tar.gz').length).toBeGreaterThan(asked);

    // The host no longer serves the registry: its last state is preserved, and shown to no other organization.
    live.serve('registry.json', answer({ status: 404 }));
    const other = await request('POST', 'organizations', { name: 'Other' });
    const mine = token;
    ({ token } = other.json);
    const joined = await request('POST', 'registries/subscribe', { url: live.url, name: 'Known' });
    expect([joined.status, joined.json.apps]).toEqual([422, undefined]);
    expect((await request('GET', 'apps')).json.apps).toEqual([]);
    expect((await request('GET', `registries/${id}`)).status).toBe(404);
    token = mine;

    expect((await request('DELETE', `registries/${id}`)).status).toBe(204);
    expect((await request('GET', `registries/${id}/apps`)).status).toBe(404);
    expect((await fetch(`${node.url}api/icons/${icon}`)).status).toBe(401);
    for (const secret of [mine, other.json.token]) expect(log.join('\n')).not.toContain(secret);
  },
);

test('a registry that responds slowly is verified in the background', { timeout: 60_000 }, async () => {
  live.serve('registry.json', delayed(2500, json({ nothing: true })));
  ({ token } = (await request('POST', 'organizations', { name: 'Patient' })).json);
  const slow = await request('POST', 'registries/subscribe', { url: `${live.url}?slow`, name: 'Slow' });
  expect([slow.status, slow.json.subscription.checking]).toEqual([202, true]);
  const { id } = slow.json.subscription;
  const state = async (): Promise<unknown> => (await request('GET', `registries/${id}`)).json.state;
  // Unusable: the subscription stays, with the findings.
  await expect.poll(state, { timeout: 50_000, interval: 200 }).toBe('failing');
  const report = await request('GET', `registries/${id}/report`);
  expect(report.json.findings.map(({ rule }: { rule: string }) => rule)).toContain('schema-violation');
});
