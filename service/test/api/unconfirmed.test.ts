import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { registryEvent } from '../../src/domain/events.ts';
import { insertSubscription } from '../../src/db/new-subscriptions.ts';
import { pack } from '../../src/db/packed.ts';
import { recordEvents } from '../../src/db/events.ts';
import { addApp, addIcon, addRegistry, addSubscription } from '../database-fixture.ts';
import { type KeptArtifacts, openKeptArtifacts } from '../kept-artifacts.ts';
import { allowing, openWebFixture, reportOn, type WebFixture } from '../web-fixture.ts';
import { addAccess } from './access-fixture.ts';
import { bodyOf, callApi } from './contract.ts';
import { filled, OF_ORGANIZATIONS, readEverything, type Subscriber } from './subscriber-view.ts';

/**
 * What the service has stored about a registry is not shown to a subscription before the host has served the URL for it;
 * and nothing from before the subscription shows when others subscribed. The routes are those of the OpenAPI document and
 * of the application: one with a parameter that this file does not know fails.
 */

const LONG_AGO = new Date('2020-02-03T04:05:06.789Z');
/** A day before or after it, in the time zone of the reader. */
const BEFORE = /2020-02-0|Feb 2020/;
const URL_OF_REGISTRY = 'https://apps.example.com/registry.json?signature=known';

let web: WebFixture;
let kept: KeptArtifacts;
let app: ReturnType<WebFixture['app']>;
let registry: number;
let icon: Buffer;
beforeAll(async () => {
  web = await openWebFixture();
  kept = await openKeptArtifacts(web.service);
  web.service.artifacts = kept.keeper;
  app = web.app({}, allowing(10_000));
  const { db } = web;
  const report = await pack(reportOn('https://canary.example.com/registry.json'));
  const times = { checkedAt: LONG_AGO, goodAt: LONG_AGO };
  registry = await addRegistry(db, URL_OF_REGISTRY, { ...times, report, errors: 7, warnings: 9 });
  await addSubscription(db, (await web.join()).id, registry);
  icon = await addIcon(db, Buffer.from('<svg id="canary"/>'), 'image/svg+xml');
  const shown = { name: 'canary app', icon, failingSince: LONG_AGO };
  await addApp(db, registry, 'canary', shown, { '1.0.0': {}, '0.9.0': { withdrawnAt: LONG_AGO } });
  await db.updateTable('versions').set({ firstSeenAt: LONG_AGO, verifiedAt: LONG_AGO, triedAt: LONG_AGO }).execute();
  await db.updateTable('versions').set({ lostAt: LONG_AGO }).where('version', '=', '0.9.0').execute();
  await kept.add(registry, 'canary', '1.0.0');
  const data = { reasons: ['app-withdrawn'] };
  await recordEvents(db, [
    { type: 'app-hidden', app: 'canary', version: null, data, registryId: registry, at: LONG_AGO },
  ]);
});
afterAll(async () => {
  await web.stop();
  kept.remove();
});

let subscriber: Subscriber;
async function subscribeNow(confirmed: boolean): Promise<Subscriber> {
  const { id: organization, token } = await web.join();
  const request = { name: 'Mine', actor: SERVICE_ACTOR, confirmed };
  const { webhook, delivery, tokenId } = await addAccess(web.db, organization, 'https://hooks.example.com/x');
  const { id } = await insertSubscription(web.db, organization, registry, request);
  const sha256 = icon.toString('hex');
  const values = { id, organization, webhook, delivery, token: tokenId, key: 'canary', version: '1.0.0', sha256 };
  return { token, organization, id, values: { ...values, digest: sha256 } };
}

const everything = async (of: Subscriber): Promise<Map<string, string>> => readEverything(web.db, app, of);

/** A page repeats what was searched for. */
function withoutQuery(text: string): string {
  return text.replaceAll(/q=canary|value="canary"|<bdi>canary<\/bdi>/g, '');
}

describe('a subscription that is not confirmed', () => {
  beforeEach(async () => {
    subscriber = await subscribeNow(false);
  });

  test('shows nothing that is stored, on any route, page or webhook', async () => {
    const certificate = registryEvent('recovered', { failingSince: LONG_AGO.toISOString() });
    await recordEvents(web.db, [
      { ...certificate, registryId: registry, at: new Date() },
      {
        type: 'app-shown',
        app: 'canary',
        version: null,
        data: { latest: '1.0.0' },
        registryId: registry,
        at: new Date(),
      },
    ]);
    for (const [path, text] of await everything(subscriber)) {
      if (!path.includes('key')) expect(withoutQuery(text), path).not.toContain('canary');
      expect(text, path).not.toMatch(BEFORE);
      expect(text, path).not.toContain('had been unusable');
    }
  });

  test('is being checked, and has no apps', async () => {
    const { json } = await callApi(app, 'GET', `/api/registries/${subscriber.id}`, subscriber);
    const nothing = { checkedAt: null, goodAt: null, failingSince: null, progress: null, symptoms: [] };
    const none = { errors: 0, warnings: 0, apps: 0, visible: 0 };
    expect(json).toMatchObject({ state: 'checking', checking: true, ...nothing, ...none });
    const apps = await callApi(app, 'GET', `/api/registries/${subscriber.id}/apps`, subscriber);
    expect(apps.json).toEqual({ apps: [], next: null });
    const events = await callApi(app, 'GET', '/api/events', subscriber);
    expect(events.json.events.map(({ type }: { type: string }) => type)).toEqual(['subscribed']);
  });

  test.each(['canary', 'other'])(
    'responds the same for the artifact of a stored app and of any other: %s',
    async (key) => {
      for (const method of ['GET', 'HEAD'])
        expect(
          (
            await callApi(
              app,
              method,
              `/api/registries/${subscriber.id}/apps/${key}/versions/1.0.0/artifact`,
              subscriber,
            )
          ).status,
        ).toBe(409);
      const one = await callApi(app, 'GET', `/api/registries/${subscriber.id}/apps/${key}`, subscriber);
      expect(one.status).toBe(404);
    },
  );

  test('shows no events of the shared registry once it has credentials', async () => {
    const shown = { type: 'app-shown', app: 'canary', version: null, data: { latest: '1.0.0' } } as const;
    await recordEvents(web.db, [{ ...shown, registryId: registry, at: new Date() }]);
    const body = { type: 'bearer', token: 'any' };
    const path = `/api/registries/${subscriber.id}/auth`;
    expect((await callApi(app, 'PUT', path, { token: subscriber.token, body })).status).toBe(200);
    const { events } = (await callApi(app, 'GET', '/api/events', subscriber)).json;
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['subscribed']);
  });

  test('shows nothing in responses to changes', async () => {
    for (const operation of OF_ORGANIZATIONS.filter(({ method, path }) => method !== 'GET' && path.includes('{id}'))) {
      const of = await subscribeNow(false);
      const { text, status } = await callApi(app, operation.method, filled(operation.path, of), {
        ...bodyOf(operation),
        token: of.token,
      });
      expect(status, operation.operationId).toBeLessThan(300);
      expect(text, operation.operationId).not.toMatch(/canary|2020-02-0|Feb 2020/);
      for (const [path, shown] of await everything({ ...of }))
        expect(withoutQuery(shown), `${operation.operationId}, ${path}`).not.toMatch(
          /canary app|"canary"|2020-02-0|Feb 2020/,
        );
    }
  }, 60_000);
});

test('a webhook gets the events that are listed, of a registry that has credentials and was never served', async () => {
  const of = await subscribeNow(false);
  const owned = await addRegistry(web.db, 'https://own.example.com/', { ownerId: of.organization, checkedAt: null });
  const of2 = { name: 'Own', confirmedAt: null };
  const id = await addSubscription(web.db, of.organization, owned, of2);
  const failing = registryEvent('failing', { rule: 'unreachable' });
  await recordEvents(web.db, [{ ...failing, registryId: owned, at: new Date() }]);
  const listed = (await callApi(app, 'GET', `/api/registries/${id}/events`, of)).json.events;
  expect(listed.map(({ type }: { type: string }) => type)).toEqual(['failing', 'subscribed']);
  const rows = await web.db
    .selectFrom('webhookDeliveries')
    .where('webhookId', '=', of.values.webhook!)
    .select('body')
    .execute();
  const sent = rows.map(({ body }) => (JSON.parse(body) as { data?: { id: string } }).data?.id);
  expect(sent).toEqual(expect.arrayContaining(listed.map((event: { id: string }) => event.id)));
});

describe('a confirmed subscription', () => {
  beforeEach(async () => {
    subscriber = await subscribeNow(true);
  });

  test('shows the apps, and no time from before it', async () => {
    const recovered = registryEvent('recovered', { failingSince: LONG_AGO.toISOString() });
    await recordEvents(web.db, [{ ...recovered, registryId: registry, at: LONG_AGO }]);
    const texts = await everything(subscriber);
    for (const [path, text] of texts) expect(text, path).not.toMatch(BEFORE);
    expect(texts.get('deliveries')).toContain('recovered');
    const { json } = await callApi(app, 'GET', `/api/registries/${subscriber.id}`, subscriber);
    const since = json.createdAt;
    expect(json).toMatchObject({ state: 'problems', checkedAt: since, goodAt: since, errors: 7, apps: 1, visible: 1 });
    const path = `/api/registries/${subscriber.id}/apps/canary`;
    expect((await callApi(app, 'GET', path, subscriber)).json).toMatchObject({ failingSince: since });
    const { versions } = (await callApi(app, 'GET', `${path}/versions`, subscriber)).json;
    expect(versions).toMatchObject([
      { version: '1.0.0', firstSeenAt: since, verifiedAt: since },
      { version: '0.9.0', lostAt: since, withdrawnAt: since },
    ]);
    expect((await callApi(app, 'GET', `${path}/versions/1.0.0/artifact`, subscriber)).status).toBe(200);
    expect((await callApi(app, 'GET', `/api/icons/${icon.toString('hex')}`, subscriber)).status).toBe(200);
  });

  test('does not show that the registry was failing before', async () => {
    await web.db.updateTable('registries').set({ failingSince: LONG_AGO }).where('id', '=', registry).execute();
    const { json } = await callApi(app, 'GET', `/api/registries/${subscriber.id}`, subscriber);
    expect(json).toMatchObject({ failingSince: null, checkedAt: null, errors: 0, apps: 1 });
    expect(['checking', 'new']).toContain(json.state);
    expect((await callApi(app, 'GET', `/api/registries/${subscriber.id}/report`, subscriber)).status).toBe(404);
    const now = new Date();
    await web.db.updateTable('registries').set({ checkedAt: now }).where('id', '=', registry).execute();
    const later = (await callApi(app, 'GET', `/api/registries/${subscriber.id}`, subscriber)).json;
    expect(later).toMatchObject({ state: 'failing', failingSince: later.createdAt, checkedAt: now.toISOString() });
    const before = { failingSince: null, checkedAt: LONG_AGO };
    await web.db.updateTable('registries').set(before).where('id', '=', registry).execute();
  });
});

test('ids do not count what others do', async () => {
  const one = await subscribeNow(true);
  const ids: string[] = [];
  for (let i = 0; i < 3; i += 1) {
    await callApi(app, 'PATCH', `/api/registries/${one.id}`, { token: one.token, body: { name: `Name ${i}` } });
    await subscribeNow(true);
  }
  let after = '';
  for (;;) {
    const { json } = await callApi(app, 'GET', `/api/audit?limit=1${after}`, one);
    ids.push(...json.entries.map(({ id, target }: { id: string; target: { name: string } }) => `${id} ${target.name}`));
    if (json.next === null) break;
    after = `&after=${json.next}`;
  }
  expect(ids.filter((id) => id.includes(' Name ')).map((id) => id.slice(-1))).toEqual(['2', '1', '0']);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12} /);
  const foreign = await subscribeNow(true);
  const next = ids.at(-1)!.slice(0, 36);
  expect((await callApi(app, 'GET', `/api/audit?after=${next}`, foreign)).json).toEqual({ entries: [], next: null });
  // No number in any response is a counter: values are the same for an organization that came later.
  for (const [path, text] of await everything(foreign))
    expect(text, path).not.toMatch(/"(sequence|registryId|refreshNumber)"/);
});
