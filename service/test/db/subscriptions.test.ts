import { afterAll, beforeAll, expect, test } from 'vitest';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import {
  listSubscriptions,
  registryOf,
  removeSubscription,
  renameSubscription,
  subscriptionOf,
} from '../../src/db/subscriptions.ts';
import {
  addApp,
  addOrganization,
  addRegistry,
  addSubscription,
  openTestDatabase,
  type TestDatabase,
} from '../database-fixture.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.stop());

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const minutesAgo = (minutes: number): Date => new Date(Date.now() - minutes * MINUTE);

test('official registries are listed first, then the others in their order', async () => {
  const { db } = database;
  const [mine, theirs] = [await addOrganization(db), await addOrganization(db)];
  const registries = [];
  for (const name of ['own', 'core', 'community'])
    registries.push(await addRegistry(db, `https://order.example.com/${name}.json`));
  await addSubscription(db, mine, registries[0]!, { name: 'own' });
  await addSubscription(db, mine, registries[1]!, { name: 'core', official: true });
  await addSubscription(db, mine, registries[2]!, { name: 'community', official: true });
  await addSubscription(db, theirs, registries[0]!, { name: 'theirs' });
  const names = async (id: string): Promise<string[]> =>
    (await listSubscriptions(db, id, HOUR)).map(({ name }) => name);
  expect(await names(mine)).toEqual(['core', 'community', 'own']);
  expect(await names(theirs)).toEqual(['theirs']);
});

const UNAUTHORIZED = { unauthorized: true, failingSince: minutesAgo(90) };

test.each([
  ['that was never checked', { checkedAt: null, goodAt: null, nextCheckAt: minutesAgo(0.1) }, 'checking', true],
  ['that no worker checks', { checkedAt: null, goodAt: null, nextCheckAt: minutesAgo(30) }, 'new', false],
  ['that is due', { nextCheckAt: minutesAgo(1) }, 'good', true],
  ['that has been due for a long time', { nextCheckAt: minutesAgo(30) }, 'good', false],
  ['without errors', { warnings: 2 }, 'good', false],
  ['with errors', { errors: 1 }, 'problems', false],
  ['with errors that is due', { errors: 1, nextCheckAt: minutesAgo(1) }, 'problems', true],
  ['that fails and has errors', { errors: 1, failingSince: minutesAgo(90) }, 'failing', false],
  ['that fails and is due', { failingSince: minutesAgo(90), nextCheckAt: minutesAgo(1) }, 'failing', true],
  ['whose host refuses the credentials', UNAUTHORIZED, 'unauthorized', false],
  ['of the same host that is due', { ...UNAUTHORIZED, nextCheckAt: minutesAgo(1) }, 'unauthorized', true],
] as const)('a registry %s has the right state', async (what, values, state, checking) => {
  const { db } = database;
  const organization = await addOrganization(db);
  const registry = await addRegistry(db, `https://states.example.com/${encodeURIComponent(what)}`, values);
  const id = await addSubscription(db, organization, registry);
  expect(await subscriptionOf(db, organization, id, HOUR)).toMatchObject({ id, state, checking });
});

test('a subscription counts the apps of the manifest and those that can be installed', async () => {
  const { db } = database;
  const organization = await addOrganization(db);
  const registry = await addRegistry(db, 'https://counts.example.com/registry.json?token=s3cret-of-the-url', {
    symptoms: JSON.stringify([{ id: 'checksum-mismatch', status: 'clear', rules: [] }]),
  });
  const id = await addSubscription(db, organization, registry, { name: 'Mine' });
  await addApp(db, registry, 'good');
  await addApp(db, registry, 'waiting', {}, { '1.0.0': { state: 'pending' } });
  await addApp(db, registry, 'gone', { listed: false });
  await addApp(db, registry, 'hidden', { visible: false, because: ['schema-violation'] });
  await addApp(db, registry, 'failing', { visible: false, because: ['unreachable'], failingSince: minutesAgo(70) });
  expect(await subscriptionOf(db, organization, id, HOUR)).toEqual({
    id,
    url: 'https://counts.example.com/registry.json?token=REDACTED',
    name: 'Mine',
    official: false,
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    auth: null,
    state: 'good',
    checking: false,
    progress: null,
    checkedAt: expect.stringMatching(/Z$/) as string,
    goodAt: expect.stringMatching(/Z$/) as string,
    failingSince: null,
    nextCheckAt: expect.stringMatching(/Z$/) as string,
    errors: 0,
    warnings: 0,
    symptoms: [{ id: 'checksum-mismatch', status: 'clear', rules: [] }],
    apps: 4,
    visible: 2,
  });
});

test('the subscription of another organization cannot be read or changed', async () => {
  const { db } = database;
  const [mine, theirs] = [await addOrganization(db), await addOrganization(db)];
  const registry = await addRegistry(db, 'https://isolated.example.com/registry.json');
  const id = await addSubscription(db, theirs, registry, { name: 'Theirs' });
  expect(await subscriptionOf(db, mine, id, HOUR)).toBeNull();
  expect(await registryOf(db, mine, id)).toBeNull();
  expect(await renameSubscription(db, mine, id, 'Mine', SERVICE_ACTOR)).toBe(false);
  expect(await removeSubscription(db, mine, id, SERVICE_ACTOR)).toBe(false);
  expect(await subscriptionOf(db, theirs, id, HOUR)).toMatchObject({ name: 'Theirs' });
  expect(await registryOf(db, theirs, id)).toMatchObject({ id: registry });
});

test.each(['', '1', 'null', `${'0'.repeat(8)}-0000-0000-0000-000000000000`, '\0', '%'])(
  'the invalid id %j matches no subscription',
  async (id) => {
    const { db } = database;
    const organization = await addOrganization(db);
    expect(await subscriptionOf(db, organization, id, HOUR)).toBeNull();
    expect(await registryOf(db, organization, id)).toBeNull();
    expect(await renameSubscription(db, organization, id, 'x', SERVICE_ACTOR)).toBe(false);
    expect(await removeSubscription(db, organization, id, SERVICE_ACTOR)).toBe(false);
  },
);

test('a subscription is renamed and removed, and the data of its registry is preserved', async () => {
  const { db } = database;
  const organization = await addOrganization(db);
  const registry = await addRegistry(db, 'https://removed.example.com/registry.json');
  const id = await addSubscription(db, organization, registry);
  await addApp(db, registry, 'kept');
  expect(await renameSubscription(db, organization, id, 'Näme 👩‍💻', SERVICE_ACTOR)).toBe(true);
  expect(await subscriptionOf(db, organization, id, HOUR)).toMatchObject({ id, name: 'Näme 👩‍💻' });
  expect(await removeSubscription(db, organization, id, SERVICE_ACTOR)).toBe(true);
  expect(await removeSubscription(db, organization, id, SERVICE_ACTOR)).toBe(false);
  expect(await listSubscriptions(db, organization, HOUR)).toEqual([]);
  expect(await db.selectFrom('versions').select('appKey').where('registryId', '=', registry).execute()).toEqual([
    { appKey: 'kept' },
  ]);
});
