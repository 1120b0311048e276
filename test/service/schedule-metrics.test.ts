import { setTimeout as sleep } from 'node:timers/promises';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { watchSchedule } from '../../src/service/schedule-metrics.ts';
import {
  addOrganization,
  addRegistry,
  addSubscription,
  openTestDatabase,
  type TestDatabase,
} from './database-fixture.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
}, 60_000);
afterAll(() => database.stop());

test('the metrics of the schedule count only registries with a subscription', async () => {
  const registry = new Registry();
  watchSchedule(registry, database.db);
  const values = async (): Promise<number[]> =>
    (await registry.getMetricsAsJSON()).map(({ values: [one] }) => Math.round(one!.value));
  expect(await values()).toEqual([0, 0, 0, 0]);
  const organization = await addOrganization(database.db);
  const past = new Date(Date.now() - 90_000);
  const urls = ['good', 'late', 'failing', 'unwanted'].map((name) => `https://${name}.example.com/registry.json`);
  const good = await addRegistry(database.db, urls[0]!);
  const late = await addRegistry(database.db, urls[1]!, { nextCheckAt: past });
  const failing = await addRegistry(database.db, urls[2]!, { failingSince: past });
  await addRegistry(database.db, urls[3]!, { failingSince: past, nextCheckAt: new Date(0) });
  for (const id of [good, late, failing]) await addSubscription(database.db, organization, id);
  await sleep(500);
  const [all, failed, overdue, seconds] = await values();
  expect([failed, overdue, all]).toEqual([1, 1, 3]);
  expect(seconds).toBeGreaterThanOrEqual(90);
});
