import type { Hono } from 'hono';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Env } from '../src/http/routes.ts';
import { answer, CORS } from '../../test/support/fault-host.ts';
import { type Live, putRegistry } from '../../test/support/live-registry.ts';
import { addAccess } from './api/access-fixture.ts';
import { bodyOf, callApi } from './api/contract.ts';
import { UNKNOWN_ID } from './api/contract-case.ts';
import { OF_ORGANIZATIONS } from './api/subscriber-view.ts';
import { startTwoNodes, type TwoNodes } from './two-nodes.ts';
import { openWebFixture } from './web-fixture.ts';

/**
 * The attacks of other organizations and of strangers, on two nodes with one database and one store of artifacts: what
 * one node knows holds on the other. The routes are those of the OpenAPI document and of the application.
 */

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

interface Tenant {
  organization: string;
  token: string;
  /** Of a session that the first node has opened. */
  cookie: string;
  values: Record<string, string>;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const ADDRESSES_OF_FORMS = /\/(rename|auth|attestations|refresh|test|secret|enable|disable|:delivery)$/;
const SAME_ORIGIN = { 'sec-fetch-site': 'same-origin' };

/** Values that no organization has. */
const UNKNOWN = {
  ...Object.fromEntries(['id', 'organization', 'webhook', 'delivery', 'token'].map((name) => [name, UNKNOWN_ID])),
  key: 'nothing',
  version: '1.0.0',
  sha256: '0'.repeat(64),
};

/** The routes of the pages, from the application. */
let pages: { method: string; path: string }[];
beforeAll(async () => {
  const web = await openWebFixture();
  const routes = web
    .app({ openSignUp: true })
    .routes.filter(
      ({ method, path }) =>
        /^(GET|POST)$/.test(method) && !/^\/api\/|\*|^\/(assets\/:name|healthz|readyz|metrics)$/.test(path),
    );
  pages = [...new Map(routes.map(({ method, path }) => [`${method} ${path}`, { method, path }])).values()];
  await web.stop();
});

function filled(path: string, values: Record<string, string>): string {
  return path.replace(/\{(\w+)\}|:(\w+)/g, (_, name?: string, other?: string) => {
    const value = values[name ?? other ?? ''];
    if (value === undefined) throw new Error(`This test has no value for “${path}”.`);
    return encodeURIComponent(value);
  });
}

/** The values of a page's path: `:id` is a subscription, a webhook or a token. */
function pageValues(path: string, values: Record<string, string>): Record<string, string> {
  const section = /^\/settings\/(webhooks|tokens)\//.exec(path)?.[1];
  return section === undefined ? values : { ...values, id: values[section === 'webhooks' ? 'webhook' : 'token']! };
}

function bearer(token: string): { headers: Record<string, string> } {
  return { headers: { authorization: `Bearer ${token}` } };
}

function artifactOf(id: string): string {
  return `/api/registries/${id}/apps/app-a/versions/2.0.0/artifact`;
}

describe.each(['folder', 'bucket'] as const)('with a %s', (store) => {
  let two: TwoNodes;
  let live: Live;
  let victim: Tenant;
  let attacker: Tenant;
  beforeAll(async () => {
    two = await startTwoNodes(store);
    live = putRegistry(two.host);
    victim = await tenant('canary-victim', `${live.url}?signature=known`);
    attacker = await tenant('attacker', `${live.url}?other=1`);
  });
  afterAll(() => two.stop());
  beforeEach(() => {
    live = putRegistry(two.host);
  });

  const asApp = (node: number) => two.nodes[node] as unknown as Hono<Env>;

  /** An organization with a verified app, a webhook and a token. */
  async function tenant(name: string, url: string): Promise<Tenant> {
    const made = (await callApi(asApp(0), 'POST', '/api/organizations', { body: { name } })).json;
    const { token } = made;
    const organization: string = made.organization.id;
    const subscribed = await callApi(asApp(0), 'POST', '/api/registries/subscribe', { token, body: { url, name } });
    expect(subscribed.status).toBe(201);
    const id: string = subscribed.json.subscription.id;
    for (const node of [0, 1])
      await vi.waitFor(
        async () => expect((await two.nodes[node]!.request(artifactOf(id), bearer(token))).status).toBe(200),
        {
          timeout: 60_000,
          interval: 300,
        },
      );
    const { webhook, delivery, tokenId } = await addAccess(two.database.db, organization, `https://${name}.example/x`);
    const { icon } = (await callApi(asApp(0), 'GET', `/api/registries/${id}/apps/app-a`, { token })).json;
    const values = { id, organization, webhook, delivery, token: tokenId, key: 'app-a', version: '2.0.0' };
    const cookie = await signIn(0, token);
    return { organization, token, cookie, values: { ...values, sha256: icon, digest: icon } };
  }

  async function signIn(node: number, token: string): Promise<string> {
    const response = await two.nodes[node]!.request('/sign-in', {
      method: 'POST',
      headers: { ...FORM, ...SAME_ORIGIN },
      body: new URLSearchParams({ token }).toString(),
    });
    return response.headers.get('set-cookie')!.split(';')[0]!;
  }

  /** What the victim has stored, without the times that its own session and the checks write. */
  async function stateOf({ organization, values }: Tenant): Promise<unknown> {
    const { rows } = await sql`SELECT
        (SELECT json_agg(s ORDER BY s.id) FROM (SELECT id, name, registry_id FROM subscriptions
          WHERE organization_id = ${organization}) AS s) AS subscriptions,
        (SELECT json_agg(t ORDER BY t.id) FROM (SELECT id, name, scope, hash::text FROM tokens
          WHERE organization_id = ${organization}) AS t) AS tokens,
        (SELECT json_agg(w ORDER BY w.id) FROM (SELECT id, url, enabled, events FROM webhooks
          WHERE organization_id = ${organization}) AS w) AS webhooks,
        (SELECT count(*)::int FROM webhook_deliveries WHERE webhook_id = ${values['webhook']}) AS deliveries,
        (SELECT name FROM organizations WHERE id = ${organization}) AS name`.execute(two.database.db);
    return rows;
  }

  test.each([0, 1])('no route of the API shows or changes data of another organization, on node %d', async (node) => {
    const before = await stateOf(victim);
    const ofParameters = OF_ORGANIZATIONS.filter(({ path }) => path.includes('{'));
    expect(ofParameters.length).toBeGreaterThan(20);
    for (const operation of ofParameters) {
      // An icon belongs to everyone whose registry shows it.
      if (operation.path.includes('{sha256}')) continue;
      const answers = new Set<string>();
      const ownId = { ...victim.values, id: attacker.values['id']!, key: 'nothing' };
      for (const values of [victim.values, UNKNOWN, ...(operation.path.includes('{key}') ? [ownId] : [])]) {
        const request = { ...bodyOf(operation), token: attacker.token };
        const { status, json } = await callApi(asApp(node), operation.method, filled(operation.path, values), request);
        expect([operation.operationId, status]).toEqual([operation.operationId, 404]);
        answers.add(JSON.stringify({ ...json, requestId: null }));
      }
      expect(answers.size, operation.operationId).toBe(1);
    }
    expect(await stateOf(victim)).toEqual(before);
  });

  test.each([0, 1])('no page shows or changes data of another organization, on node %d', async (node) => {
    const before = await stateOf(victim);
    for (const { method, path } of pages) {
      if (!path.includes(':') || path.includes(':digest')) continue;
      const headers = {
        ...(method === 'POST' ? FORM : {}),
        ...SAME_ORIGIN,
        accept: 'text/html',
        cookie: attacker.cookie,
      };
      const init = { method, headers, ...(method === 'POST' ? { body: 'name=x&auth=none&sure=yes' } : {}) };
      const statuses: number[] = [];
      for (const values of [victim.values, UNKNOWN]) {
        const response = await two.nodes[node]!.request(filled(path, pageValues(path, values)), init);
        expect(await response.text(), path).not.toContain('canary');
        statuses.push(response.status);
      }
      // What is deleted already is deleted again without an error. The address of a form redirects to its page.
      const redirects = method === 'POST' ? /\/(unsubscribe|delete)$/ : ADDRESSES_OF_FORMS;
      const expected = redirects.test(path) ? 303 : 404;
      expect([method, path, ...statuses]).toEqual([method, path, expected, expected]);
    }
    for (const { method, path } of pages) {
      if (method !== 'GET' || path.includes(':')) continue;
      const headers = { accept: 'text/html', cookie: attacker.cookie };
      expect(await (await two.nodes[node]!.request(path, { headers })).text(), path).not.toContain('canary');
    }
    expect(await stateOf(victim)).toEqual(before);
  });

  test('a session of one node is one of the other, and forged forms are refused by both', async () => {
    const before = await stateOf(victim);
    const forged = [
      { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
      { 'sec-fetch-site': 'same-site', origin: two.nodes[0]!.url.slice(0, -1) },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      // The other node is another origin.
      { origin: two.nodes[0]!.url.slice(0, -1) },
      {},
    ];
    const { cookie, values } = victim;
    const own = await two.nodes[1]!.request('/settings/registries', { headers: { accept: 'text/html', cookie } });
    expect([own.status, await own.text()]).toEqual([200, expect.stringContaining('canary')]);
    for (const { method, path } of pages) {
      if (method !== 'POST') continue;
      for (const origin of forged) {
        const headers = { ...FORM, accept: 'text/html', cookie, ...origin };
        const target = filled(path, pageValues(path, values));
        const response = await two.nodes[1]!.request(target, { method, headers, body: 'name=x&auth=none&sure=yes' });
        await response.text();
        expect([path, origin, response.status]).toEqual([path, origin, 403]);
      }
    }
    expect(await stateOf(victim)).toEqual(before);
  });

  test.each([0, 1])('requests for other hosts are refused, on node %d', async (node) => {
    const { token } = victim;
    for (const host of ['evil.example', 'evil.example:80', '192.0.2.1', 'localhost.evil.example'])
      for (const path of ['/sign-in', '/api/registries', '/api/openapi.json'])
        expect([host, path, await two.sendTo(node, path, { host, ...bearer(token).headers })]).toEqual([
          host,
          path,
          421,
        ]);
    expect(await two.sendTo(node, '/sign-in', { host: 'localhost' })).toBe(200);
  });

  test('a signed URL that was revoked opens nothing on either node, and its artifact stays with its subscriber', async () => {
    const url = `${live.url}?signature=known`;
    live.serve('registry.json', answer({ status: 403, headers: CORS, body: 'Request has expired' }));
    for (const node of [0, 1]) {
      const body = { url, name: 'Known' };
      const { status, text } = await callApi(asApp(node), 'POST', '/api/registries/subscribe', {
        token: attacker.token,
        body,
      });
      expect(status).toBe(422);
      expect(text).not.toContain('app-a');
      expect((await two.nodes[node]!.request(artifactOf(victim.values['id']!), bearer(attacker.token))).status).toBe(
        404,
      );
      const kept = await two.nodes[node]!.request(artifactOf(victim.values['id']!), bearer(victim.token));
      expect(Buffer.from(await kept.arrayBuffer()).equals(live.artifact)).toBe(true);
    }
    if (two.bucket !== null) expect(two.bucket.objects.size).toBeGreaterThan(0);
  });
});
