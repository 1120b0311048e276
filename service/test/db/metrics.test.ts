import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerDatabaseMetrics } from '../../src/db/metrics.ts';
import { openDatabase } from '../../src/db/database.ts';
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

/** The value of every metric, rounded. */
async function valuesOf(registry: Registry): Promise<Record<string, number>> {
  const metrics = await registry.getMetricsAsJSON();
  return Object.fromEntries(metrics.map(({ name, values: [one] }) => [name, Math.round(one!.value)]));
}

test('the metrics count registries with a subscription, refused versions and due deliveries', async () => {
  const { db } = database;
  const registry = new Registry();
  registerDatabaseMetrics(registry, db, { fault: () => null });
  const { appreg_database_available: available, ...counts } = await valuesOf(registry);
  expect(available).toBe(1);
  expect(Object.keys(counts)).toHaveLength(8);
  expect(new Set(Object.values(counts))).toEqual(new Set([0]));

  const organization = await addOrganization(db);
  const past = new Date(Date.now() - 90_000);
  const urls = ['good', 'late', 'failing', 'unwanted'].map((name) => `https://${name}.example.com/registry.json`);
  const good = await addRegistry(db, urls[0]!);
  const late = await addRegistry(db, urls[1]!, { nextCheckAt: past });
  const failing = await addRegistry(db, urls[2]!, { failingSince: past });
  await addRegistry(db, urls[3]!, { failingSince: past, nextCheckAt: new Date(0) });
  for (const id of [good, late, failing]) await addSubscription(db, organization, id);
  const reason = { rule: 'checksum-mismatch', reason: 'Other bytes.' };
  await addApp(
    db,
    good,
    'clock',
    {},
    {
      '1.0.0': {},
      '1.1.0': { state: 'refused', ...reason },
      '1.2.0': { state: 'refused', ...reason, withdrawnAt: past },
    },
  );
  const webhook = {
    organizationId: organization,
    url: 'https://hooks.example.com/',
    events: null,
    secret: Buffer.alloc(32),
  };
  const { id: webhookId } = await db
    .insertInto('webhooks')
    .values({ ...webhook, disabledReason: null, failingSince: past })
    .returning('id')
    .executeTakeFirstOrThrow();
  const delivery = {
    webhookId,
    type: 'checked',
    body: '{}',
    lastAttemptAt: null,
    status: null,
    error: null,
    finishedAt: null,
  };
  await db
    .insertInto('webhookDeliveries')
    .values([
      { ...delivery, nextAttemptAt: past },
      { ...delivery, nextAttemptAt: new Date(Date.now() + 60_000) },
      { ...delivery, state: 'delivered', nextAttemptAt: past },
    ])
    .execute();
  // Figures are kept for a moment.
  await expect
    .poll(() => valuesOf(registry))
    .toMatchObject({
      appreg_registries: 3,
      appreg_registries_failing: 1,
      appreg_registries_overdue: 1,
      appreg_versions_refused: 1,
      appreg_webhook_deliveries_due: 1,
      appreg_webhooks_failing: 1,
    });
  const values = await valuesOf(registry);
  expect(values['appreg_registries_overdue_seconds']).toBeGreaterThanOrEqual(90);
  expect(values['appreg_webhook_deliveries_due_seconds']).toBeGreaterThanOrEqual(90);
});

test('the metrics leave out what waits for a suspended organization, and registries that are not checked', async () => {
  const { db } = database;
  await db.updateTable('organizations').set({ suspendedAt: new Date() }).execute();
  const registry = new Registry();
  registerDatabaseMetrics(registry, db, { fault: () => null });
  const suspended = await valuesOf(registry);
  await db.updateTable('organizations').set({ suspendedAt: null }).execute();
  expect(suspended).toMatchObject({
    appreg_registries: 0,
    appreg_versions_refused: 0,
    appreg_webhook_deliveries_due: 0,
    appreg_webhook_deliveries_due_seconds: 0,
  });
});

test('the metrics say that the database is not available', async () => {
  const refusing = openDatabase('postgres://appreg@127.0.0.1:1/none', 1, () => {});
  const registry = new Registry();
  registerDatabaseMetrics(registry, refusing.db, { fault: () => null });
  const values = await valuesOf(registry);
  expect(values).toMatchObject({ appreg_database_available: 0, appreg_registries: Number.NaN });
  const full = new Registry();
  registerDatabaseMetrics(full, database.db, { fault: () => 'disk-full' });
  expect(await valuesOf(full)).toMatchObject({ appreg_database_available: 0, appreg_versions_refused: 1 });
  await refusing.db.destroy();
});
