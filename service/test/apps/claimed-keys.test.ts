import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { otherRegistriesWith } from '../../src/db/claimed-keys.ts';
import { appOf } from '../../src/db/apps.ts';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { listEvents } from '../../src/db/events.ts';
import { writeListing } from '../../src/db/refreshed-apps.ts';
import { listedAppsIn } from '../../src/domain/listing.ts';
import { confirmSubscriptions, databaseTime } from '../../src/db/confirmations.ts';
import { insertSubscription } from '../../src/db/new-subscriptions.ts';
import {
  addOrganization,
  addRegistry,
  addSubscription,
  openTestDatabase,
  type TestDatabase,
} from '../database-fixture.ts';

/** Two registries of an organization that list the same app key. */

let database: TestDatabase;
let organization: string;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.stop());
beforeEach(async () => {
  organization = await addOrganization(database.db);
});

let registries = 0;
function registry(): Promise<number> {
  registries += 1;
  return addRegistry(database.db, `https://r${registries}.example/registry.json`);
}

/** Lists apps as a refresh does. */
async function list(id: number, name: string, ...keys: string[]): Promise<void> {
  const apps = Object.fromEntries(keys.map((key) => [key, { name: `${key} of ${name}` }]));
  await writeListing(database.db, { id, refreshNumber: 0, requests: 0 }, listedAppsIn(apps, 100), 100, new Date());
}

function subscribe(id: number, name: string, confirmedAt: Date | null = new Date()): Promise<string> {
  return addSubscription(database.db, organization, id, { name, confirmedAt });
}

/** The keys that are claimed, with the registry that lists them and the one that listed them first. */
async function claims(of = organization): Promise<string[]> {
  const query = { subscriptionId: null, appKey: null, type: 'app-key-claimed', limit: 50, after: null } as const;
  const { events } = (await listEvents(database.db, of, query))!;
  return events
    .flatMap((event) =>
      event.type === 'app-key-claimed'
        ? [`${event.app}: ${event.registry.name} after ${event.data.registry.name}`]
        : [],
    )
    .toSorted();
}

test('the registry that lists a key second has an event that names the first one, once', async () => {
  const [one, two] = [await registry(), await registry()];
  const ids = { one: await subscribe(one, 'One'), two: await subscribe(two, 'Two') };
  await list(one, 'One', 'clock', 'mail');
  expect(await claims()).toEqual([]);
  await list(two, 'Two', 'clock', 'radio');
  expect(await claims()).toEqual(['clock: Two after One']);
  await list(two, 'Two', 'clock', 'radio', 'mail');
  await list(one, 'One again', 'clock', 'mail');
  expect(await claims()).toEqual(['clock: Two after One', 'mail: Two after One']);
  // Each is addressed by its registry.
  expect((await appOf(database.db, organization, ids.one, 'clock'))?.name).toBe('clock of One again');
  expect((await appOf(database.db, organization, ids.two, 'clock'))?.name).toBe('clock of Two');
  expect(await otherRegistriesWith(database.db, organization, ids.one, 'clock')).toEqual([
    { id: ids.two, name: 'Two' },
  ]);
  expect(await otherRegistriesWith(database.db, organization, ids.two, 'clock')).toEqual([
    { id: ids.one, name: 'One' },
  ]);
  expect(await otherRegistriesWith(database.db, organization, ids.two, 'radio')).toEqual([]);
});

test('an organization learns nothing of the registries of others', async () => {
  const [one, two] = [await registry(), await registry()];
  const own = await subscribe(one, 'One');
  const other = await addOrganization(database.db);
  await addSubscription(database.db, other, two, { name: 'Two' });
  await list(one, 'One', 'clock');
  await list(two, 'Two', 'clock');
  expect([await claims(), await claims(other)]).toEqual([[], []]);
  expect(await otherRegistriesWith(database.db, organization, own, 'clock')).toEqual([]);
  expect(await otherRegistriesWith(database.db, other, own, 'clock')).toEqual([]);
});

test('a registry that no longer lists the key has no claim to it; one that lists it again is second', async () => {
  const [one, two] = [await registry(), await registry()];
  await subscribe(one, 'One');
  const id = await subscribe(two, 'Two');
  await list(one, 'One', 'clock');
  await list(one, 'One');
  await list(two, 'Two', 'clock');
  expect(await claims()).toEqual([]);
  expect(await otherRegistriesWith(database.db, organization, id, 'clock')).toEqual([]);
  await list(one, 'One', 'clock');
  expect(await claims()).toEqual(['clock: One after Two']);
});

test('a subscription to a registry that the service knows claims its keys when it is made', async () => {
  const [one, two] = [await registry(), await registry()];
  await list(one, 'One', 'clock');
  await list(two, 'Two', 'clock', 'mail');
  await subscribe(one, 'One');
  await insertSubscription(database.db, organization, two, { name: 'Two', actor: SERVICE_ACTOR, confirmed: true });
  expect(await claims()).toEqual(['clock: Two after One']);
});

test('a subscription claims nothing, and reveals nothing, until its host has served the URL', async () => {
  const [one, two] = [await registry(), await registry()];
  await subscribe(one, 'One');
  const id = await subscribe(two, 'Two', null);
  await list(one, 'One', 'clock');
  await list(two, 'Two', 'clock');
  expect(await claims()).toEqual([]);
  expect(await otherRegistriesWith(database.db, organization, id, 'clock')).toEqual([]);
  const startedAt = await databaseTime(database.db);
  const start = { id: two, startedAt, hasUnconfirmed: true };
  await confirmSubscriptions(database.db, start);
  await confirmSubscriptions(database.db, start);
  expect(await claims()).toEqual(['clock: Two after One']);
});
