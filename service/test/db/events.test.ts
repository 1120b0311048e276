import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EventToRecord, type NewEvent, registryEvent } from '../../src/domain/events.ts';
import { SERVICE_ACTOR as actor } from '../../src/domain/audit.ts';
import { secretsKeyIn } from '../../src/config/secrets-keys.ts';
import { confirmSubscriptions, databaseTime } from '../../src/db/confirmations.ts';
import { type EventQuery, listEvents, deleteOldEvents, recordEvents } from '../../src/db/events.ts';
import { removeCredentials, setCredentials } from '../../src/db/private-registries.ts';
import {
  addOrganization,
  addRegistry,
  addSubscription,
  openTestDatabase,
  type TestDatabase,
} from '../database-fixture.ts';

/** Which events an organization sees, in which order, and for how long. */

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.stop());

const DAY = 86_400_000;
const ALL: EventQuery = { subscriptionId: null, appKey: null, type: null, limit: 500, after: null };

function listed(app: string): NewEvent {
  return { type: 'app-listed', app, version: null, data: { name: app } };
}

async function record(registryId: number, events: readonly NewEvent[], daysAgo = 0): Promise<void> {
  const at = new Date(Date.now() - daysAgo * DAY);
  await recordEvents(
    database.db,
    events.map((event) => ({ ...event, registryId, at })),
  );
}

/** The events of the organization, each as its type and app. */
async function seen(organization: string, query: Partial<EventQuery> = {}): Promise<string[]> {
  const { events } = (await listEvents(database.db, organization, { ...ALL, ...query }))!;
  return events.map(({ type, app }) => (app === null ? type : `${type} ${app}`));
}

test('the events of all registries are paged in the order of recording, each once', async () => {
  const { db } = database;
  const mine = await addOrganization(db);
  const [one, two] = [await addRegistry(db, 'https://one.test/'), await addRegistry(db, 'https://two.test/')];
  await addSubscription(db, mine, one);
  await addSubscription(db, mine, two);
  for (const i of [0, 1, 2, 3]) await record(i % 2 === 0 ? one : two, [listed(`a${i}`), listed(`b${i}`)]);
  const pages: string[] = [];
  let after: string | null = null;
  do {
    const page: Awaited<ReturnType<typeof listEvents>> = await listEvents(db, mine, { ...ALL, limit: 3, after });
    expect(page!.events.length).toBeLessThanOrEqual(3);
    pages.push(...page!.events.map(({ app, type }) => app ?? type));
    after = page!.next;
  } while (after !== null);
  expect(pages).toEqual(['b3', 'a3', 'b2', 'a2', 'b1', 'a1', 'b0', 'a0', 'subscribed', 'subscribed']);
});

/** The host has served the URL of a registry. */
async function confirm(id: number): Promise<void> {
  const startedAt = await databaseTime(database.db);
  await confirmSubscriptions(database.db, { id, startedAt, hasUnconfirmed: true });
}

test('a subscription keeps its history when it gets credentials, and others see nothing of it', async () => {
  const { db } = database;
  const [mine, other] = [await addOrganization(db), await addOrganization(db)];
  const shared = await addRegistry(db, 'https://moves.test/');
  await record(shared, [listed('before')]);
  const subscriptionId = await addSubscription(db, mine, shared);
  await addSubscription(db, other, shared);
  await record(shared, [listed('a'), listed('b')]);
  const target = { organizationId: mine, subscriptionId, actor };
  const keys = [secretsKeyIn(Buffer.alloc(32).toString('base64'))!];
  const moved = await setCredentials(db, keys, { ...target, auth: { type: 'bearer', token: 'x' } }, () => null);
  const { registryId: own } = moved as { registryId: number };
  await record(own, [listed('private')]);
  await record(shared, [listed('public')]);
  expect(await seen(mine)).toEqual(['app-listed private', 'app-listed b', 'app-listed a', 'subscribed']);
  expect(await seen(other)).toEqual(['app-listed public', 'app-listed b', 'app-listed a', 'subscribed']);
  await removeCredentials(db, target);
  const old = ['app-listed private', 'app-listed b', 'app-listed a', 'subscribed'];
  // Until the host has served the URL without credentials.
  expect(await seen(mine)).toEqual(old);
  await confirm(shared);
  const all = ['app-listed public', 'app-listed private', 'app-listed b', 'app-listed a', 'subscribed'];
  expect(await seen(mine)).toEqual(all);
  expect(await seen(mine, { subscriptionId })).toEqual(all);
  expect(await seen(other)).not.toContain('app-listed private');
  // And when it gets credentials again, and loses them again.
  await record(shared, [listed('c')]);
  await setCredentials(db, keys, { ...target, auth: { type: 'bearer', token: 'y' } }, () => null);
  expect(await seen(mine)).toEqual(['app-listed c', ...all]);
  await record(own, [listed('d')]);
  await removeCredentials(db, target);
  expect(await seen(mine)).toEqual(['app-listed d', 'app-listed c', ...all]);
  expect(await seen(other)).toEqual(['c', 'public', 'b', 'a'].map((app) => `app-listed ${app}`).concat('subscribed'));
  const { events } = (await listEvents(db, mine, ALL))!;
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  const after = events.find(({ app }) => app === 'private')!.id;
  expect(await seen(mine, { after })).toEqual(['app-listed b', 'app-listed a', 'subscribed']);
  expect(await seen(other, { after })).toEqual([]);
});

test('a new subscription does not see what was before it with credentials', async () => {
  const { db } = database;
  const mine = await addOrganization(db);
  const shared = await addRegistry(db, 'https://again.test/');
  const subscriptionId = await addSubscription(db, mine, shared);
  const target = { organizationId: mine, subscriptionId, actor };
  const keys = [secretsKeyIn(Buffer.alloc(32).toString('base64'))!];
  const moved = await setCredentials(db, keys, { ...target, auth: { type: 'bearer', token: 'x' } }, () => null);
  await record((moved as { registryId: number }).registryId, [listed('private')]);
  await removeCredentials(db, target);
  await db.deleteFrom('subscriptions').where('id', '=', subscriptionId).execute();
  await addSubscription(db, mine, shared);
  await record(shared, [listed('a')]);
  expect(await seen(mine)).toEqual(['app-listed a', 'subscribed']);
});

test('an organization sees neither the subscriptions of others nor what was before its own', async () => {
  const { db } = database;
  const [early, late, none] = [await addOrganization(db), await addOrganization(db), await addOrganization(db)];
  const shared = await addRegistry(db, 'https://shared.test/');
  const subscription = await addSubscription(db, early, shared);
  await record(shared, [listed('a')]);
  await addSubscription(db, late, shared);
  await record(shared, [listed('b')]);
  expect(await seen(early)).toEqual(['app-listed b', 'app-listed a', 'subscribed']);
  expect(await seen(late)).toEqual(['app-listed b', 'subscribed']);
  expect(await seen(none)).toEqual([]);
  expect(await listEvents(db, late, { ...ALL, subscriptionId: subscription })).toBeNull();
  const [first] = (await listEvents(db, early, { ...ALL, appKey: 'a' }))!.events;
  expect(await seen(late, { after: first!.id })).toEqual([]);
});

test('events are deleted with their subscription, their organization and their registry', async () => {
  const { db } = database;
  const organization = await addOrganization(db);
  const registry = await addRegistry(db, 'https://deleted.test/');
  const count = async (): Promise<number> =>
    (await db.selectFrom('events').where('registryId', '=', registry).select('id').execute()).length;
  await addSubscription(db, organization, registry);
  await record(registry, [listed('a')]);
  expect(await count()).toBe(2);
  await db.deleteFrom('organizations').where('id', '=', organization).execute();
  expect(await count()).toBe(1);
  await db.deleteFrom('registries').where('id', '=', registry).execute();
  expect(await count()).toBe(0);
});

test('old and excess events are deleted, but not the start of a subscription', async () => {
  const { db } = database;
  const organization = await addOrganization(db);
  const [old, busy] = [await addRegistry(db, 'https://old.test/'), await addRegistry(db, 'https://busy.test/')];
  await addSubscription(db, organization, old);
  await record(old, [listed('a')], 40);
  await record(old, [listed('b')], 20);
  await addSubscription(db, organization, busy);
  await record(busy, ['c', 'd', 'e', 'f'].map(listed));
  await deleteOldEvents(db, { days: 30, perRegistry: 3 });
  expect(await seen(organization)).toEqual([
    'app-listed f',
    'app-listed e',
    'app-listed d',
    'subscribed',
    'app-listed b',
    'subscribed',
  ]);
});

test('events of one subscription are deleted like those of its registry, and do not displace them', async () => {
  const { db } = database;
  const organization = await addOrganization(db);
  const registry = await addRegistry(db, 'https://held.test/');
  const subscriptionId = await addSubscription(db, organization, registry);
  await record(registry, [listed('a')]);
  const data = { checksum: 'sha256:', rule: null, cause: null };
  const held = (version: string, daysAgo: number): EventToRecord => {
    const at = new Date(Date.now() - daysAgo * DAY);
    return { type: 'version-held', app: 'a', version, data, registryId: registry, subscriptionId, at };
  };
  await recordEvents(db, [
    held('1.0.0', 40),
    ...['1.1.0', '1.2.0', '1.3.0', '1.4.0'].map((version) => held(version, 1)),
  ]);
  await deleteOldEvents(db, { days: 30, perRegistry: 3 });
  const { events } = (await listEvents(db, organization, ALL))!;
  expect(events.map(({ version, type }) => version ?? type)).toEqual([
    '1.4.0',
    '1.3.0',
    '1.2.0',
    'app-listed',
    'subscribed',
  ]);
});

test('events are not recorded if the change fails, and a first check of many apps records them in batches', async () => {
  const { db } = database;
  const organization = await addOrganization(db);
  const registry = await addRegistry(db, 'https://large.test/');
  await addSubscription(db, organization, registry);
  const change = db.transaction().execute(async (trx) => {
    await recordEvents(trx, [{ ...registryEvent('failing', { rule: null }), registryId: registry, at: new Date() }]);
    throw new Error('the change failed');
  });
  await expect(change).rejects.toThrow('the change failed');
  expect(await seen(organization)).toEqual(['subscribed']);
  await record(
    registry,
    Array.from({ length: 5001 }, (_, i) => listed(`app-${i}`)),
  );
  expect(await seen(organization, { limit: 2 })).toEqual(['app-listed app-5000', 'app-listed app-4999']);
});
