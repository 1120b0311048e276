import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listApps } from '../../src/db/apps.ts';
import { listOrganizations } from '../../src/db/organizations.ts';
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
  // As in a PostgreSQL that was built without ICU.
  await sql`ALTER COLLATION pg_catalog."und-x-icu" RENAME TO "missing"`.execute(database.db);
  await sql`DROP COLLATION natural_order`.execute(database.db);
  await sql`CREATE COLLATION natural_order FROM "C"`.execute(database.db);
});
afterAll(() => database.stop());

test('apps and organizations can be searched without ICU', async () => {
  const { db } = database;
  const organization = await addOrganization(db, 'Acme');
  const registry = await addRegistry(db, 'https://apps.example.com/registry.json');
  const subscription = await addSubscription(db, organization, registry);
  await addApp(db, registry, 'clock', { name: 'Clock' });
  const query = { search: 'CLOCK', visible: null, limit: 10, after: null };
  expect((await listApps(db, organization, subscription, query))?.apps.map(({ key }) => key)).toEqual(['clock']);
  const { organizations } = await listOrganizations(db, { search: 'ACME', limit: 10, after: null });
  expect(organizations.map(({ name }) => name)).toEqual(['Acme']);
});
