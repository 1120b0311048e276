import type { LookupFunction } from 'node:net';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type NewEvent, registryEvent } from '../../src/domain/events.ts';
import { DatabaseMonitor } from '../../src/db/monitor.ts';
import { openLog } from '../../src/log.ts';
import { openMetrics } from '../../src/metrics.ts';
import { openAddressPolicy } from '../../src/config/outbound.ts';
import { listAuditEntries } from '../../src/db/audit.ts';
import { listEvents, recordEvents } from '../../src/db/events.ts';
import { listDeliveries, PENDING_LIMIT } from '../../src/db/deliveries.ts';
import { webhookOf } from '../../src/db/webhooks.ts';
import { type DeliveryView } from '../../src/domain/webhooks.ts';
import { newWebhookSecret, withNewSecret } from '../../src/domain/webhook-secrets.ts';
import { probeWrite } from '../../src/db/database.ts';
import { startWebhookSender, type WebhookSender } from '../../src/jobs/deliver-webhooks.ts';
import { openWebhookReceiver, type WebhookReceiver } from '../../../test/support/webhook-receiver.ts';
import { addWebhook } from '../api/access-fixture.ts';
import {
  addOrganization,
  addRegistry,
  addSubscription,
  openTestDatabase,
  type TestDatabase,
} from '../database-fixture.ts';
import { settingsFor } from '../refresh/refresh-harness.ts';

/** What webhooks receive: signed events, at least once, and only from addresses that may be requested. */

let database: TestDatabase;
let receiver: WebhookReceiver;
const senders: WebhookSender[] = [];
const lines: string[] = [];
beforeAll(async () => {
  database = await openTestDatabase();
  receiver = await openWebhookReceiver();
});
afterEach(async () => {
  await Promise.all(senders.splice(0).map((sender) => sender.stop()));
  await database.db.deleteFrom('organizations').execute();
});
afterAll(async () => {
  await receiver.close();
  await database.stop();
});

/** Every name but localhost has a private address. */
const lookup: LookupFunction = (host, _, callback) =>
  callback(null, [{ address: host === 'localhost' ? '127.0.0.1' : '10.0.0.1', family: 4 }]);

/** @param attemptTimeout milliseconds */
function start(attemptTimeout = 15_000): void {
  const settings = settingsFor(database.url);
  const guard = openAddressPolicy({ ...settings, ownPorts: () => [] });
  const log = openLog((line) => void lines.push(line));
  const outbound = { guard, lookup, subscribeTimeout: 0 };
  const { db } = database;
  const available = new DatabaseMonitor(() => probeWrite(db, false), log);
  senders.push(
    startWebhookSender({ settings, db, database: available, log, metrics: openMetrics(), outbound }, attemptTimeout),
  );
}

interface Subscriber {
  organization: string;
  registryId: number;
  subscription: string;
}

let count = 0;
/** An organization with a subscription, to a registry of its own by default. */
async function subscriber(shared?: number): Promise<Subscriber> {
  const organization = await addOrganization(database.db);
  count += 1;
  const registryId = shared ?? (await addRegistry(database.db, `https://${count}.example.com/registry.json`));
  return { organization, registryId, subscription: await addSubscription(database.db, organization, registryId) };
}

const failing = registryEvent('failing', { rule: 'unreachable' });
const listed: NewEvent = { type: 'app-listed', app: 'mail', version: null, data: { name: 'Mail' } };

const listedAt = (artifactUrl: string): NewEvent => ({
  type: 'version-listed',
  app: 'mail',
  version: '1.0.0',
  data: { checksum: 'sha256:', artifactUrl },
});

function record(registryId: number, ...events: NewEvent[]): Promise<void> {
  return database.db.transaction().execute((tx) =>
    recordEvents(
      tx,
      events.map((event) => ({ ...event, registryId, at: new Date() })),
    ),
  );
}

async function deliveries({ organization }: Subscriber, webhook: string): Promise<DeliveryView[]> {
  const page = { limit: 500, after: null };
  return (await listDeliveries(database.db, organization, webhook, page))!.deliveries;
}

function states(of: Subscriber, webhook: string) {
  return expect.poll(async () => (await deliveries(of, webhook)).map(({ state }) => state), { timeout: 40_000 });
}

/** All waits are over. */
async function elapse(): Promise<void> {
  await database.db
    .updateTable('webhookDeliveries')
    .set({ nextAttemptAt: sql<Date>`now()` })
    .where('state', '=', 'pending')
    .execute();
}

test('an event is sent once to each webhook that wants it, signed, as the API lists it', async () => {
  const first = await subscriber();
  const second = await subscriber(first.registryId);
  const [old, secret] = [newWebhookSecret(), newWebhookSecret()];
  // A secret that was just replaced: each delivery can be verified with both.
  const stored = withNewSecret(old, secret, new Date());
  const all = await addWebhook(database.db, first.organization, `${receiver.origin}/all`, { secret: stored });
  await addWebhook(database.db, first.organization, `${receiver.origin}/some`, { events: ['app-listed'] });
  await addWebhook(database.db, second.organization, `${receiver.origin}/second`);
  start();
  await record(first.registryId, failing, listed);
  await states(first, all).toEqual(['delivered', 'delivered']);
  await expect.poll(() => receiver.at('/second').length).toBe(2);
  const sent = receiver.at('/all').map(({ body, headers }) => {
    expect(headers['content-type']).toBe('application/json');
    expect(headers['user-agent']).toMatch(/^appreg\//);
    new Webhook(old).verify(body, headers as Record<string, string>);
    return new Webhook(secret).verify(body, headers as Record<string, string>) as any;
  });
  const query = { subscriptionId: null, appKey: null, type: null, limit: 10, after: null };
  const { events } = (await listEvents(database.db, first.organization, query))!;
  expect(sent.map(({ data }) => data).toSorted((a, b) => a.type.localeCompare(b.type))).toEqual(
    events.filter(({ type }) => type !== 'subscribed').toSorted((a, b) => a.type.localeCompare(b.type)),
  );
  expect(sent.every(({ type, timestamp, data }) => type === data.type && timestamp === data.time)).toBe(true);
  const ids = (await deliveries(first, all)).map(({ id }) => id);
  expect(
    receiver
      .at('/all')
      .map(({ headers }) => headers['webhook-id'])
      .toSorted(),
  ).toEqual(ids.toSorted());
  expect(receiver.at('/some').map(({ body }) => JSON.parse(body).type)).toEqual(['app-listed']);
  const other = receiver.at('/second').map(({ body }) => JSON.parse(body).data.registry.id);
  expect(other).toEqual([second.subscription, second.subscription]);
  expect(() =>
    new Webhook(newWebhookSecret()).verify(
      receiver.at('/all')[0]!.body,
      receiver.at('/all')[0]!.headers as Record<string, string>,
    ),
  ).toThrow();
});

test('texts of registries are sent as the API lists them, also long ones', async () => {
  const own = await subscriber();
  await addWebhook(database.db, own.organization, `${receiver.origin}/texts`);
  const long = `https://h.test/${'a'.repeat(4000)}\u{1f600}`;
  const retired = { reason: 'unmaintained', message: 'b'.repeat(2000), use: '2.0.0', since: null } as const;
  await record(own.registryId, listedAt('https://h.test/a\0b\ud800c'), listedAt(long), {
    type: 'version-deprecated',
    app: 'mail',
    version: '1.0.0',
    data: retired,
  });
  const rows = await database.db.selectFrom('webhookDeliveries').select('body').orderBy('sequence', 'desc').execute();
  const sent = rows.map(({ body }) => JSON.parse(body) as { data: unknown });
  const query = { subscriptionId: null, appKey: null, type: null, limit: 10, after: null } as const;
  const { events } = (await listEvents(database.db, own.organization, query))!;
  expect(sent.map(({ data }) => data)).toEqual(events.filter(({ type }) => type !== 'subscribed'));
  expect(rows.filter(({ body }) => /\\ud[89a-f]/i.test(body))).toEqual([]);
});

test('an event whose transaction is rolled back is not sent', async () => {
  const own = await subscriber();
  const webhook = await addWebhook(database.db, own.organization, `${receiver.origin}/never`);
  const rolledBack = database.db.transaction().execute(async (tx) => {
    await recordEvents(tx, [{ ...failing, registryId: own.registryId, at: new Date() }]);
    throw new Error('rolled back');
  });
  await expect(rolledBack).rejects.toThrow('rolled back');
  expect(await deliveries(own, webhook)).toEqual([]);
});

test('an attempt that fails is repeated with the same id and body, within 30 seconds', async () => {
  const own = await subscriber();
  const webhook = await addWebhook(database.db, own.organization, `${receiver.origin}/flaky`);
  let responses = 0;
  receiver.on('/flaky', (response) => response.writeHead((responses += 1) < 3 ? 500 : 200).end('x'.repeat(100_000)));
  start();
  await record(own.registryId, failing);
  await expect.poll(() => receiver.at('/flaky').length).toBe(1);
  await expect.poll(async () => (await deliveries(own, webhook))[0]!.status).toBe(500);
  const [waiting] = await deliveries(own, webhook);
  expect(Date.parse(waiting!.nextAttemptAt!) - Date.now()).toBeLessThan(30_000);
  expect((await webhookOf(database.db, own.organization, webhook))!.failingSince).not.toBeNull();
  await elapse();
  await expect.poll(() => receiver.at('/flaky').length).toBe(2);
  await expect.poll(async () => (await deliveries(own, webhook))[0]!.attempts).toBe(2);
  await expect
    .poll(async () => (await deliveries(own, webhook))[0]!.nextAttemptAt! > waiting!.nextAttemptAt!)
    .toBe(true);
  await elapse();
  await states(own, webhook).toEqual(['delivered']);
  const sent = receiver.at('/flaky');
  expect(new Set(sent.map(({ headers, body }) => `${String(headers['webhook-id'])} ${body}`)).size).toBe(1);
  expect((await webhookOf(database.db, own.organization, webhook))!.failingSince).toBeNull();
});

test('410 disables the webhook, cancels what waits, and is reported to the other webhooks', async () => {
  const own = await subscriber();
  const gone = await addWebhook(database.db, own.organization, `${receiver.origin}/gone?signature=planted`);
  const other = await addWebhook(database.db, own.organization, `${receiver.origin}/other`, {
    events: ['webhook-disabled'],
  });
  receiver.on('/gone?signature=planted', (response) => response.writeHead(410).end());
  await record(own.registryId, failing);
  start();
  await states(own, gone).toEqual(['failed']);
  expect(await webhookOf(database.db, own.organization, gone)).toMatchObject({
    enabled: false,
    disabledReason: 'gone',
  });
  await states(own, other).toEqual(['delivered']);
  const { data } = JSON.parse(receiver.at('/other')[0]!.body);
  expect(data.webhook).toEqual({ id: gone, url: `${receiver.origin}/…`, reason: 'gone' });
  expect(receiver.at('/other')[0]!.body).not.toContain('planted');
  const { entries } = await listAuditEntries(database.db, own.organization, {
    action: 'webhook-disabled',
    limit: 1,
    after: null,
  });
  expect(entries).toMatchObject([{ actor: { type: 'service' }, target: { id: gone }, details: { reason: 'gone' } }]);
  await record(own.registryId, failing);
  expect(await deliveries(own, gone)).toHaveLength(1);
  expect(lines.join('\n')).not.toContain('planted');
});

test('a webhook without a successful delivery for three days is disabled', async () => {
  const own = await subscriber();
  const webhook = await addWebhook(database.db, own.organization, `${receiver.origin}/broken`);
  receiver.on('/broken', (response) => response.writeHead(404).end());
  await record(own.registryId, failing, listed);
  const { id } = (await deliveries(own, webhook))[1]!;
  await database.db.updateTable('webhookDeliveries').set({ attempts: 10 }).where('id', '=', id).execute();
  await sql`update webhooks set failing_since = now() - interval '70 hours'`.execute(database.db);
  await sql`update webhook_deliveries set next_attempt_at = now() + interval '1 hour' where id <> ${id}`.execute(
    database.db,
  );
  start();
  await states(own, webhook).toEqual(['cancelled', 'failed']);
  expect(await webhookOf(database.db, own.organization, webhook)).toMatchObject({ disabledReason: 'failing' });
});

test('redirects are not followed, and private addresses are not requested', async () => {
  const own = await subscriber();
  const redirected = await addWebhook(database.db, own.organization, `${receiver.origin}/moved`);
  const internal = await addWebhook(database.db, own.organization, 'https://intranet.example.com/');
  receiver.on('/moved', (response) => response.writeHead(307, { location: `${receiver.origin}/target` }).end());
  start();
  await record(own.registryId, failing);
  await expect.poll(async () => (await deliveries(own, redirected))[0]!.status).toBe(307);
  await expect.poll(async () => (await deliveries(own, internal))[0]!.error).toBe('unreachable');
  expect(receiver.at('/target')).toEqual([]);
});

test(
  'a receiver that never responds delays neither other organizations nor other webhooks',
  { timeout: 40_000 },
  async () => {
    const slow = await subscriber();
    const quick = await subscriber();
    const hanging = await addWebhook(database.db, slow.organization, `${receiver.origin}/hanging`);
    const sibling = await addWebhook(database.db, slow.organization, `${receiver.origin}/sibling`);
    const other = await addWebhook(database.db, quick.organization, `${receiver.origin}/quick`);
    receiver.on('/hanging', () => {});
    const many = Array.from({ length: 50 }, () => failing);
    await record(slow.registryId, ...many);
    await record(quick.registryId, ...many);
    start(6000);
    const started = performance.now();
    await states(quick, other).toEqual(Array(50).fill('delivered'));
    await states(slow, sibling).toEqual(Array(50).fill('delivered'));
    const timeouts = Math.floor((performance.now() - started) / 6000);
    expect(receiver.at('/hanging').length).toBeLessThanOrEqual(2 * (timeouts + 1));
    await expect
      .poll(async () => (await deliveries(slow, hanging)).some(({ error }) => error === 'timeout'))
      .toBe(true);
  },
);

test('two nodes send every delivery once', { timeout: 60_000 }, async () => {
  const own = await subscriber();
  const webhook = await addWebhook(database.db, own.organization, `${receiver.origin}/once`);
  receiver.on('/once', (response) => void setTimeout(() => response.writeHead(204).end(), 5));
  await record(own.registryId, ...Array.from({ length: 200 }, () => failing));
  start();
  start();
  await states(own, webhook).toEqual(Array(200).fill('delivered'));
  const ids = receiver.at('/once').map(({ headers }) => headers['webhook-id']);
  expect([ids.length, new Set(ids).size]).toEqual([200, 200]);
});

test('the deliveries of a suspended organization wait', async () => {
  const own = await subscriber();
  const webhook = await addWebhook(database.db, own.organization, `${receiver.origin}/suspended`);
  const other = await subscriber();
  const marker = await addWebhook(database.db, other.organization, `${receiver.origin}/marker`);
  await database.db
    .updateTable('organizations')
    .set({ suspendedAt: new Date() })
    .where('id', '=', own.organization)
    .execute();
  await record(own.registryId, failing);
  await record(other.registryId, failing);
  start();
  await states(other, marker).toEqual(['delivered']);
  expect((await deliveries(own, webhook))[0]).toMatchObject({ state: 'pending', attempts: 0 });
  await database.db
    .updateTable('organizations')
    .set({ suspendedAt: null })
    .where('id', '=', own.organization)
    .execute();
  await states(own, webhook).toEqual(['delivered']);
});

test('events beyond the limit of a webhook are counted, not queued', async () => {
  const own = await subscriber();
  const webhook = await addWebhook(database.db, own.organization, `${receiver.origin}/full`);
  await sql`insert into webhook_deliveries (webhook_id, type, body)
    select ${webhook}::uuid, 'checked', '{}' from generate_series(1, ${PENDING_LIMIT - 1})`.execute(database.db);
  await record(own.registryId, failing, listed, listed);
  expect(await webhookOf(database.db, own.organization, webhook)).toMatchObject({ pending: PENDING_LIMIT, dropped: 2 });
});
