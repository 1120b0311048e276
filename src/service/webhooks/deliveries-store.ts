import { type Selectable, sql } from 'kysely';
import type { Actor } from '../history/audit.ts';
import type { DeliveryView, WebhookEventType, WebhookView } from './schema.ts';

import { maskedWebhookUrl } from './secrets.ts';
import { recordAudit } from '../history/audit-store.ts';
import type { Db } from '../database/database.ts';
import { storableJson } from '../database/packed.ts';
import { isUuid, pageById, type PageQuery } from '../database/page.ts';
import type { WebhookDeliveryRow } from '../database/organization-tables.ts';
import { webhookOf } from './store.ts';
import { groupBy } from '../../report/words.ts';
import { eventView, type RecordedEvent } from '../history/events.ts';
import { CONFIRMED, COUNT } from '../database/sql-fragments.ts';

/** The deliveries of webhooks: for their organization, and how they are queued. */

/** The newest first. @param after the id of one of them @returns null if the organization does not have the webhook */
export async function listDeliveries(
  db: Db,
  organizationId: string,
  webhookId: string,
  wanted: PageQuery,
): Promise<{ deliveries: DeliveryView[]; next: string | null } | null> {
  if ((await webhookOf(db, organizationId, webhookId)) === null) return null;
  const query = db.selectFrom('webhookDeliveries').selectAll().where('webhookId', '=', webhookId);
  const { page, next } = await pageById(query, wanted, {
    table: 'webhookDeliveries',
    newestOf: ['webhookId', webhookId],
  });
  return { deliveries: page.map(deliveryView), next };
}

/**
 * Queues a test event for one webhook.
 * @returns null if the organization does not have it, `disabled` if it is not sent anything
 */
export async function queueTest(
  db: Db,
  organizationId: string,
  id: string,
  actor: Actor,
): Promise<DeliveryView | 'disabled' | null> {
  return db.transaction().execute(async (tx) => {
    const webhook = await heldWebhook(tx, organizationId, id);
    if (webhook === null) return null;
    if (!webhook.enabled) return 'disabled';
    const data = { webhook: { id, url: maskedWebhookUrl(webhook.url) }, message: 'This is a test of the webhook.' };
    const row = await tx
      .insertInto('webhookDeliveries')
      .values({ webhookId: id, type: 'test', body: webhookBody('test', new Date(), data) })
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordAudit(tx, {
      organizationId,
      actor,
      action: 'webhook-tested',
      target: { id, name: maskedWebhookUrl(webhook.url) },
    });
    return deliveryView(row);
  });
}

/**
 * Queues a finished delivery again, with the same id.
 * @returns null if it does not exist; why it cannot be queued
 */
export async function redeliver(
  db: Db,
  organizationId: string,
  webhookId: string,
  id: string,
  actor: Actor,
): Promise<DeliveryView | 'disabled' | 'pending' | null> {
  if (!isUuid(id)) return null;
  return db.transaction().execute(async (tx) => {
    const webhook = await heldWebhook(tx, organizationId, webhookId);
    if (webhook === null) return null;
    const row = await tx
      .selectFrom('webhookDeliveries')
      .where('webhookId', '=', webhookId)
      .where('id', '=', id)
      .select('state')
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined) return null;
    if (!webhook.enabled) return 'disabled';
    if (row.state === 'pending') return 'pending';
    const queued = await tx
      .updateTable('webhookDeliveries')
      .set({ state: 'pending', attempts: 0, claim: sql`claim + 1`, nextAttemptAt: sql<Date>`now()`, finishedAt: null })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirstOrThrow();
    const target = { id: webhookId, name: maskedWebhookUrl(webhook.url) };
    await recordAudit(tx, { organizationId, actor, action: 'webhook-redelivered', target, details: { delivery: id } });
    return deliveryView(queued);
  });
}

/** A webhook that is neither deleted nor disabled until the end of the transaction; null if it does not exist. */
async function heldWebhook(tx: Db, organizationId: string, id: string): Promise<WebhookView | null> {
  if (!isUuid(id)) return null;
  const webhooks = tx.selectFrom('webhooks').where('organizationId', '=', organizationId).where('id', '=', id);
  await webhooks.select('id').forShare().execute();
  return webhookOf(tx, organizationId, id);
}

function deliveryView(row: Selectable<WebhookDeliveryRow>): DeliveryView {
  return {
    id: row.id,
    type: row.type,
    createdAt: row.createdAt.toISOString(),
    state: row.state,
    attempts: row.attempts,
    lastAttemptAt: row.lastAttemptAt?.toISOString() ?? null,
    nextAttemptAt: row.state === 'pending' ? row.nextAttemptAt.toISOString() : null,
    status: row.status,
    error: row.error,
  };
}

/** Queues what happens for the webhooks that want it, in the transaction of the event. */

/** Maximum deliveries of one webhook that wait. */
export const PENDING_LIMIT = 10_000;
/** Rows per statement. */
const BATCH_SIZE = 1000;

interface NewDelivery {
  webhookId: string;
  type: WebhookEventType;
  body: string;
}

/**
 * A webhook that is being deleted is waited for: an event must not fail because its receiver is gone.
 * @param tx the transaction in which the events are recorded
 */
export async function queueEvents(tx: Db, events: readonly RecordedEvent[]): Promise<void> {
  const registryIds = [...new Set(events.map(({ registryId }) => registryId))];
  if (registryIds.length === 0) return;
  const receivers = await tx
    .selectFrom('webhooks')
    .innerJoin('subscriptions', 'subscriptions.organizationId', 'webhooks.organizationId')
    .innerJoin('registries', 'registries.id', 'subscriptions.registryId')
    .where('subscriptions.registryId', 'in', registryIds)
    .where('webhooks.enabled', '=', true)
    .select([
      'webhooks.id as webhookId',
      'webhooks.events',
      'subscriptions.id as subscriptionId',
      'subscriptions.name',
      'subscriptions.registryId',
      'subscriptions.createdAt',
      sql<boolean>`${CONFIRMED} OR registries.owner_id IS NOT NULL`.as('isShown'),
    ])
    .forKeyShare('webhooks')
    .execute();
  const deliveries = receivers.flatMap((receiver) =>
    events
      .filter((event) => isFor(event, receiver))
      .filter(({ type }) => receiver.events === null || receiver.events.includes(type))
      .map((event) => deliveryOf(event, receiver)),
  );
  await insertDeliveries(tx, deliveries);
}

/** A webhook, and a subscription of its organization. */
interface Receiver {
  webhookId: string;
  subscriptionId: string;
  name: string;
  registryId: number;
  createdAt: Date;
  /** Whether it sees the events of its registry: one of its own, or one that is confirmed for it. */
  isShown: boolean;
}

/** The same condition as for the list of events. */
function isFor(event: RecordedEvent, { registryId, subscriptionId, isShown }: Receiver): boolean {
  if (event.registryId !== registryId) return false;
  return event.subscriptionId === undefined ? isShown : event.subscriptionId === subscriptionId;
}

function deliveryOf(recorded: RecordedEvent, { webhookId, subscriptionId, name, createdAt }: Receiver): NewDelivery {
  const { id, registryId: _, subscriptionId: __, at, ...event } = recorded;
  const view = eventView(event, { id, at, registry: { id: subscriptionId, name }, since: createdAt });
  return { webhookId, type: event.type, body: webhookBody(event.type, new Date(view.time), view) };
}

/** Tells the other webhooks of the organization that one was disabled. */
export async function queueWebhookDisabled(
  tx: Db,
  organizationId: string,
  webhook: { id: string; url: string; reason: string },
): Promise<void> {
  const others = await tx
    .selectFrom('webhooks')
    .where('organizationId', '=', organizationId)
    .where('enabled', '=', true)
    .where(sql<boolean>`coalesce('webhook-disabled' = ANY(events), TRUE)`)
    .select('id')
    .forKeyShare()
    .execute();
  const type = 'webhook-disabled';
  const body = webhookBody(type, new Date(), { webhook, message: `The webhook ${webhook.url} was disabled.` });
  await insertDeliveries(
    tx,
    others.map(({ id }) => ({ webhookId: id, type, body })),
  );
}

/** Inserts deliveries as far as their webhooks have room, and counts the others. */
async function insertDeliveries(tx: Db, deliveries: readonly NewDelivery[]): Promise<void> {
  for (const [webhookId, list] of groupBy(deliveries, (delivery) => delivery.webhookId)) {
    const room = Math.max(0, PENDING_LIMIT - (await countPending(tx, webhookId)));
    const queued = list.slice(0, room);
    for (let start = 0; start < queued.length; start += BATCH_SIZE)
      await tx
        .insertInto('webhookDeliveries')
        .values(queued.slice(start, start + BATCH_SIZE))
        .execute();
    const dropped = list.length - queued.length;
    if (dropped > 0)
      await tx
        .updateTable('webhooks')
        .set({ dropped: sql<number>`dropped + ${dropped}` })
        .where('id', '=', webhookId)
        .execute();
  }
}

async function countPending(tx: Db, webhookId: string): Promise<number> {
  const { count } = await tx
    .selectFrom('webhookDeliveries')
    .where('webhookId', '=', webhookId)
    .where('state', '=', 'pending')
    .select(COUNT)
    .executeTakeFirstOrThrow();
  return count;
}

/** The body that is sent for an event: the same at every attempt. Its texts are those of the list of events. */
function webhookBody(type: WebhookEventType, at: Date, data: object): string {
  return storableJson({ type, timestamp: at.toISOString(), data });
}
