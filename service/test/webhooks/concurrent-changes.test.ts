import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { registryEvent } from '../../src/domain/events.ts';
import { recordEvents } from '../../src/db/events.ts';
import { type Db } from '../../src/db/database.ts';
import { deleteOldDeliveries } from '../../src/db/deliveries.ts';
import { listDeliveries, queueTest, redeliver } from '../../src/db/deliveries.ts';
import { changeWebhook, deleteWebhook } from '../../src/db/webhooks.ts';
import { addWebhook } from '../api/access-fixture.ts';
import {
  addOrganization,
  addRegistry,
  addSubscription,
  openTestDatabase,
  type TestDatabase,
} from '../database-fixture.ts';

/** Webhooks that are deleted or disabled while something is queued for them. */

let database: TestDatabase;
let db: Db;
let organization: string;
let registry: number;
let webhook: string;

beforeAll(async () => {
  database = await openTestDatabase();
  ({ db } = database);
});
afterAll(() => database.stop());
beforeEach(async () => {
  await sql`TRUNCATE organizations, registries CASCADE`.execute(db);
  organization = await addOrganization(db);
  registry = await addRegistry(db, 'https://apps.example.com/registry.json');
  await addSubscription(db, organization, registry);
  webhook = await addWebhook(db, organization, 'https://hooks.example.com/');
});

const record = (tx: Db) =>
  recordEvents(tx, [{ ...registryEvent('failing', { rule: null }), registryId: registry, at: new Date() }]);

const states = async () => {
  const page = await listDeliveries(db, organization, webhook, { limit: 100, after: null });
  return page!.deliveries.map(({ type, state }) => `${type} ${state}`);
};

/** Starts `later` while a transaction has made a change that is not committed yet. */
async function whileUncommitted<Result>(change: (tx: Db) => Promise<unknown>, later: () => Promise<Result>) {
  let result: Promise<Result>;
  await db.transaction().execute(async (tx) => {
    await change(tx);
    result = later();
    result.catch(() => {});
    await expect.poll(isWaiting, { interval: 20 }).toBe(true);
  });
  return result!;
}

/** Whether a statement waits for the end of the transaction. */
async function isWaiting(): Promise<boolean> {
  const { rows } = await sql`SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`.execute(db);
  return rows.length > 0;
}

const deleted = (tx: Db) => tx.deleteFrom('webhooks').where('id', '=', webhook).execute();
const disabled = (tx: Db) => tx.updateTable('webhooks').set({ enabled: false }).where('id', '=', webhook).execute();

test('an event is recorded although its webhook is being deleted', async () => {
  await whileUncommitted(deleted, () => db.transaction().execute(record));
  const { count } = await db
    .selectFrom('events')
    .where('type', '=', 'failing')
    .select(sql<number>`count(*)::int`.as('count'))
    .executeTakeFirstOrThrow();
  expect(count).toBe(1);
});

const sendTest = () => queueTest(db, organization, webhook, SERVICE_ACTOR);

test('a test of a webhook that is being deleted or disabled is not queued', async () => {
  expect(await whileUncommitted(disabled, sendTest)).toBe('disabled');
  expect(await states()).toEqual([]);
  expect(await whileUncommitted(deleted, sendTest)).toBeNull();
});

test('a delivery is not queued again for a webhook that is being disabled', async () => {
  const { id } = (await sendTest()) as { id: string };
  await db.updateTable('webhookDeliveries').set({ state: 'failed' }).execute();
  const again = () => redeliver(db, organization, webhook, id, SERVICE_ACTOR);
  expect(await whileUncommitted(disabled, again)).toBe('disabled');
  expect(await states()).toEqual(['test failed']);
});

test.each(['enabling it', 'the daily maintenance'])(
  'an event that was queued while a webhook was being disabled is cancelled by %s',
  async (by) => {
    // As if its transaction had ended after the one that cancelled what was queued.
    await db.transaction().execute(record);
    await disabled(db);
    if (by === 'enabling it') await changeWebhook(db, organization, webhook, { enabled: true }, SERVICE_ACTOR);
    else await deleteOldDeliveries(db);
    expect(await states()).toEqual(['failing cancelled']);
  },
);

test('enabling a webhook that is enabled cancels nothing', async () => {
  await db.transaction().execute(record);
  await changeWebhook(db, organization, webhook, { enabled: true }, SERVICE_ACTOR);
  await deleteOldDeliveries(db);
  expect(await states()).toEqual(['failing pending']);
  await deleteWebhook(db, organization, webhook, SERVICE_ACTOR);
});
