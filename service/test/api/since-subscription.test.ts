import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { type RefreshContext } from '../../src/refresh/plan.ts';
import { refreshRegistry } from '../../src/refresh/refresh.ts';
import { insertSubscription } from '../../src/db/new-subscriptions.ts';
import { type FaultHost, openFaultHost } from '../../../test/support/fault-host.ts';
import { putRegistry } from '../../../test/support/live-registry.ts';
import { addRegistry } from '../database-fixture.ts';
import { settingsFor } from '../refresh/refresh-harness.ts';
import { allowing, openWebFixture, type WebFixture } from '../web-fixture.ts';
import { addAccess } from './access-fixture.ts';
import { callApi } from './contract.ts';
import { readEverything, type Subscriber } from './subscriber-view.ts';

/**
 * What a second subscriber reads of a registry that was really checked before: no time from before its subscription, and
 * nothing that another organization requested.
 */

vi.setConfig({ testTimeout: 60_000 });

const DAY = 86_400_000;
const HOUR = 3_600_000;

let web: WebFixture;
let app: ReturnType<WebFixture['app']>;
let host: FaultHost;

let registry: number;
let first: Subscriber;
beforeAll(async () => {
  web = await openWebFixture();
  app = web.app({ interval: HOUR }, allowing(10_000));
  host = await openFaultHost();
  const live = putRegistry(host);
  registry = await addRegistry(web.db, live.url, { checkedAt: null, goodAt: null, nextCheckAt: new Date(0) });
  first = await subscriberOf();
  await refresh(-20 * HOUR);
  await refresh(-19 * HOUR);
  const { db } = web;
  const long = new Date(Date.now() - 3 * DAY);
  await db.updateTable('versions').set({ firstSeenAt: long }).execute();
  expect((await callApi(app, 'GET', `/api/registries/${first.id}`, first)).json.visible).toBe(1);
}, 60_000);
afterAll(async () => {
  await host.close();
  await web.stop();
});

async function refresh(ahead: number): Promise<void> {
  const settings = settingsFor(web.url);
  const context: RefreshContext = {
    ...web.service,
    settings,
    outbound: { ...web.service.outbound, subscribeTimeout: 0 },
    now: () => new Date(Date.now() + ahead),
    random: () => 0,
  };
  await web.db
    .updateTable('registries')
    .set({ nextCheckAt: new Date(0), unchangedToken: null })
    .execute();
  await refreshRegistry(context, registry, new AbortController().signal);
}

async function subscriberOf(): Promise<Subscriber> {
  const { id: organization, token } = await web.join();
  const { webhook, delivery, tokenId } = await addAccess(web.db, organization, 'https://hooks.example.com/x');
  const request = { name: 'Mine', actor: SERVICE_ACTOR, confirmed: true };
  const { id } = await insertSubscription(web.db, organization, registry, request);
  const sha256 = '0'.repeat(64);
  const values = { id, organization, webhook, delivery, token: tokenId, key: 'app-a', version: '2.0.0', sha256 };
  return { token, organization, id, values: { ...values, digest: sha256 } };
}

const TIME = /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?)?/g;

/** Times and dates from before, in all that the subscriber reads. */
async function earlierTimes(of: Subscriber, since: number): Promise<string[]> {
  const found: string[] = [];
  for (const [path, text] of await readEverything(web.db, app, of))
    for (const [time] of text.matchAll(TIME)) {
      const at = Date.parse(time.length > 10 ? `${time.replace(' ', 'T')}Z` : time);
      if (at < since - (time.length > 10 ? 60_000 : DAY)) found.push(`${path}: ${time}`);
    }
  return found;
}

async function scheduleOf(of: Subscriber): Promise<{ nextCheckAt: string; createdAt: string; checking: boolean }> {
  return (await callApi(app, 'GET', `/api/registries/${of.id}`, of)).json;
}

test('a second subscriber reads no time from before its subscription, also in the report of a check that reused facts', async () => {
  const since = Date.now();
  const second = await subscriberOf();
  expect(await earlierTimes(second, since)).toEqual([]);
  const later = await subscriberOf();
  await refresh(0);
  expect(await earlierTimes(second, since)).toEqual([]);
  expect(await earlierTimes(later, since)).toEqual([]);
  const report = await callApi(app, 'GET', `/api/registries/${second.id}/report`, second);
  expect(report.text).toContain('the facts of an earlier check were judged again');
  // The first one reads them: the test finds such times.
  await web.db
    .updateTable('subscriptions')
    .set({ registrySince: new Date(0) })
    .where('id', '=', first.id)
    .execute();
  expect(await earlierTimes(first, since)).not.toEqual([]);
});

test('a second subscriber does not see when the registry is due because of others', async () => {
  const until = new Date(Date.now() + 7 * 60_000);
  await web.db
    .updateTable('registries')
    .set({ nextCheckAt: until, checkedAt: new Date(Date.now() - 60_000) })
    .execute();
  const second = await subscriberOf();
  const { nextCheckAt, createdAt, checking } = await scheduleOf(second);
  expect([Date.parse(nextCheckAt) - Date.parse(createdAt), checking]).toEqual([HOUR, false]);
  for (const [path, text] of await readEverything(web.db, app, second))
    expect(text, path).not.toContain(until.toISOString().slice(0, 16));
  // After a check of its own it sees the schedule.
  await web.db.updateTable('registries').set({ checkedAt: new Date() }).execute();
  expect((await scheduleOf(second)).nextCheckAt).toBe(until.toISOString());
});

test('a second subscriber does not see what another one requested', async () => {
  const second = await subscriberOf();
  const request = async (of: Subscriber): Promise<[boolean, boolean]> => {
    const { json: result } = await callApi(app, 'POST', `/api/registries/${of.id}/refresh`, of);
    return [result.requested, result.registry.checking];
  };
  expect(await request(first)).toEqual([true, true]);
  expect((await scheduleOf(second)).checking).toBe(false);
  expect(await request(first)).toEqual([false, true]);
  expect(await request(second)).toEqual([true, true]);
  const audit = (await callApi(app, 'GET', '/api/audit?action=registry-refresh-requested', second)).json.entries;
  expect(audit).toHaveLength(1);
  // Once a check has started, a request is a new one.
  await refresh(0);
  expect(await request(second)).toEqual([true, true]);
});
