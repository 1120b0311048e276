import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AppOrder, appCatalogue } from '../../src/db/app-catalogue.ts';
import {
  addApp,
  addOrganization,
  addRegistry,
  addSubscription,
  openTestDatabase,
  type TestDatabase,
} from '../database-fixture.ts';

/** The order of names on pages, for people. */

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.stop());

const KEYS = ['app 1978', 'app 198', 'App 2', 'zebra', 'Äpfel', 'Яблоко', 'app 02', 'app 10'];
const SORTED = ['Äpfel', 'app 02', 'app 2', 'app 10', 'app 198', 'app 1978', 'zebra', 'Яблоко'];

async function pagesOf(organization: string, order: AppOrder, pageSize: number): Promise<string[]> {
  const names: string[] = [];
  const query = { subscriptionId: null, search: '', filter: 'all', order, pageSize } as const;
  for (let page = 1; page <= Math.ceil(KEYS.length / pageSize); page += 1) {
    const { apps } = await appCatalogue(database.db, organization, { ...query, page });
    names.push(
      ...apps.map(({ name, registry }) => (order === 'registry' ? registry.name : name.replace('App', 'app'))),
    );
  }
  return names;
}

test('apps are sorted by name with numbers by their value, each on one page', async () => {
  const { db } = database;
  const organization = await addOrganization(db);
  const registry = await addRegistry(db, 'https://names.example.com/registry.json');
  await addSubscription(db, organization, registry);
  for (const [i, name] of KEYS.entries()) await addApp(db, registry, `key-${i}`, { name });
  for (const pageSize of [1, 3, 50]) expect(await pagesOf(organization, 'name', pageSize)).toEqual(SORTED);
});

test('registries are sorted by name with numbers by their value', async () => {
  const { db } = database;
  const organization = await addOrganization(db);
  for (const name of ['Registry 1978', 'registry 198', 'Registry 20']) {
    const registry = await addRegistry(db, `https://${name.replace(' ', '-')}.example.com/registry.json`);
    await addSubscription(db, organization, registry, { name });
    await addApp(db, registry, 'clock');
  }
  expect(await pagesOf(organization, 'registry', 50)).toEqual(['Registry 20', 'registry 198', 'Registry 1978']);
});
