import { afterAll, beforeAll, expect, test } from 'vitest';
import { claimUnkeptArtifacts } from '../../src/db/unkept-artifacts.ts';
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
}, 60_000);
afterAll(() => database.stop());

test('artifacts are not fetched for a suspended organization alone', async () => {
  const { db } = database;
  const registry = await addRegistry(db, 'https://apps.example.com/registry.json');
  await addApp(db, registry, 'clock', {}, { '1.0.0': {} });
  const suspended = await addOrganization(db);
  await addSubscription(db, suspended, registry);
  await db.updateTable('organizations').set({ suspendedAt: new Date() }).execute();
  expect(await claimUnkeptArtifacts(db, 'store', 4, false)).toEqual([]);
  await addSubscription(db, await addOrganization(db), registry);
  expect(await claimUnkeptArtifacts(db, 'store', 4, false)).toMatchObject([{ registryId: registry }]);
});
