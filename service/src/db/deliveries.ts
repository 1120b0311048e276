import { groupBy } from 'appreg/node';
import { type StoredWebhookSecret, type StoredWebhookUrl, maskedWebhookUrl } from '../domain/webhook-secrets.ts';
import { type Db } from './database.ts';
import { sql, type Selectable } from 'kysely';
import { SENDS, CONFIRMED, COUNT } from './conditions.ts';
import {
  type DeliveryError,
  type WebhookDisabledReason,
  type DeliveryView,
  type WebhookView,
  type WebhookEventType,
} from '../domain/webhooks.ts';
import { disableWebhook, webhookOf } from './webhooks.ts';
import { SERVICE_ACTOR, type Actor } from '../domain/audit.ts';
import { type PageQuery, pageById, isUuid } from './page.ts';
import { recordAudit } from './audit.ts';
import { type WebhookDeliveryRow } from './tables/organizations.ts';
import { type RecordedEvent, eventView } from '../domain/events.ts';
import { storableJson } from '../domain/storable.ts';

/**
 * The deliveries that the nodes send: claimed by one node at a time, and released by time if that node is killed; and
 * the deletion of old ones.
 */

/** Seconds after which another node may repeat an attempt that did not end. */
export const CLAIM_SECONDS = 25;
/** Hours without a successful delivery after which a delivery that is given up disables the webhook. */
const FAILING_HOURS = 60;

/** A delivery that this node sends. */
export interface ClaimedDelivery extends StoredWebhookSecret, StoredWebhookUrl {
  id: string;
  /** Only the latest claim of a delivery may write its outcome. */
  claim: number;
  /** Including this one. */
  attempts: number;
  body: string;
  webhookId: string;
  organizationId: string;
  /** True if the previous delivery of the webhook failed. */
  failing: boolean;
}

interface ClaimOptions {
  limit: number;
  /** Organizations and webhooks that have enough attempts in progress on this node. */
  busyOrganizations: readonly string[];
  busyWebhooks: readonly string[];
  /** True if webhooks whose last delivery failed are included. */
  includeFailing: boolean;
}

/** Claims due deliveries: at most one for each organization, so that a long queue does not delay those of others. */
export async function claimDeliveries(db: Db, options: ClaimOptions): Promise<ClaimedDelivery[]> {
  const { limit, busyOrganizations, busyWebhooks, includeFailing } = options;
  const { rows } = await sql<ClaimedDelivery>`
    WITH due AS (
      SELECT DISTINCT ON (webhooks.organization_id) first_due.id, first_due.next_attempt_at
      FROM webhooks
        JOIN organizations ON organizations.id = webhooks.organization_id
        CROSS JOIN LATERAL (
          SELECT id, next_attempt_at FROM webhook_deliveries
          WHERE webhook_id = webhooks.id AND state = 'pending' AND next_attempt_at <= now()
          ORDER BY next_attempt_at, sequence LIMIT 1) AS first_due
      WHERE ${SENDS}
        AND webhooks.organization_id <> ALL(${busyOrganizations}::uuid[])
        AND webhooks.id <> ALL(${busyWebhooks}::uuid[])
        AND (${includeFailing} OR webhooks.failing_since IS NULL)
      ORDER BY webhooks.organization_id, first_due.next_attempt_at
    ), unclaimed AS (
      SELECT id FROM webhook_deliveries
      WHERE id IN (SELECT id FROM due ORDER BY next_attempt_at LIMIT ${limit})
        AND state = 'pending' AND next_attempt_at <= now()
      FOR UPDATE SKIP LOCKED
    )
    UPDATE webhook_deliveries
    SET claim = webhook_deliveries.claim + 1, attempts = webhook_deliveries.attempts + 1, last_attempt_at = now(),
      next_attempt_at = now() + make_interval(secs => ${CLAIM_SECONDS})
    FROM unclaimed, webhooks
    WHERE webhook_deliveries.id = unclaimed.id AND webhooks.id = webhook_deliveries.webhook_id
    RETURNING webhook_deliveries.id, webhook_deliveries.claim, webhook_deliveries.attempts, webhook_deliveries.body,
      webhook_deliveries.webhook_id, webhooks.organization_id, webhooks.url, webhooks.url_key_id, webhooks.sealed_url,
      webhooks.key_id, webhooks.secret,
      webhooks.failing_since IS NOT NULL AS failing`.execute(db);
  return rows;
}

export interface AttemptResult {
  /** The status of the response; null if there was none. */
  status: number | null;
  error: DeliveryError | null;
}

type DeliveryClaim = Pick<ClaimedDelivery, 'id' | 'claim' | 'webhookId'>;

/** The delivery succeeded. @returns false if another node has claimed it in the meantime */
export async function endDelivered(db: Db, claim: DeliveryClaim, { status }: AttemptResult): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await claimed(tx, claim)
      .set({ state: 'delivered', status, error: null, finishedAt: sql<Date>`now()` })
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    await tx
      .updateTable('webhooks')
      .set({ failingSince: null })
      .where('id', '=', claim.webhookId)
      .where('failingSince', 'is not', null)
      .execute();
    return true;
  });
}

/**
 * Consequence of a failed attempt: another one after a number of milliseconds, or none, since the receiver asked for
 * the end of all deliveries (`gone`), or since there were enough attempts (`given-up`).
 */
export type AfterFailure = number | 'gone' | 'given-up';

/** The attempt failed. @returns why the webhook was disabled by that; null if it was not */
export async function endFailed(
  db: Db,
  claim: DeliveryClaim,
  result: AttemptResult,
  next: AfterFailure,
): Promise<WebhookDisabledReason | null> {
  return db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await claimed(tx, claim)
      .set({
        ...result,
        ...(typeof next === 'number'
          ? { nextAttemptAt: sql<Date>`now() + make_interval(secs => ${next / 1000})` }
          : { state: 'failed', finishedAt: sql<Date>`now()` }),
      })
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return null;
    const { failedForLong } = await tx
      .updateTable('webhooks')
      .set({ failingSince: sql<Date>`coalesce(failing_since, now())` })
      .where('id', '=', claim.webhookId)
      .returning(sql<boolean>`failing_since < now() - make_interval(hours => ${FAILING_HOURS})`.as('failedForLong'))
      .executeTakeFirstOrThrow();
    if (next === 'gone') return disable(tx, claim.webhookId, 'gone');
    return next === 'given-up' && failedForLong ? disable(tx, claim.webhookId, 'failing') : null;
  });
}

function claimed(tx: Db, { id, claim }: DeliveryClaim) {
  return tx
    .updateTable('webhookDeliveries')
    .where('id', '=', id)
    .where('claim', '=', claim)
    .where('state', '=', 'pending');
}

async function disable(tx: Db, id: string, reason: WebhookDisabledReason): Promise<WebhookDisabledReason | null> {
  const disabled = await disableWebhook(tx, id, reason, SERVICE_ACTOR);
  if (disabled === null) return null;
  await queueWebhookDisabled(tx, disabled.organizationId, { id, url: disabled.url, reason });
  return reason;
}

/** Returns a claimed delivery that was not sent: the node is stopping. */
export async function releaseDelivery(db: Db, claim: DeliveryClaim): Promise<void> {
  await claimed(db, claim)
    .set({ attempts: sql<number>`attempts - 1`, nextAttemptAt: sql<Date>`now()` })
    .execute();
}

/** Days that finished deliveries are kept. */
const DELIVERY_RETENTION_DAYS = 30;

/**
 * Deletes finished deliveries that have been kept long enough, and cancels those that were queued while their webhook was
 * being disabled.
 */
export async function deleteOldDeliveries(db: Db): Promise<void> {
  await sql`UPDATE webhook_deliveries SET state = 'cancelled', finished_at = now()
    FROM webhooks WHERE webhooks.id = webhook_deliveries.webhook_id AND NOT webhooks.enabled
      AND webhook_deliveries.state = 'pending'`.execute(db);
  await sql`DELETE FROM webhook_deliveries WHERE finished_at < now() - make_interval(days => ${DELIVERY_RETENTION_DAYS})`.execute(
    db,
  );
}

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
  /** True if it sees the events of its registry: one of its own, or one that is confirmed for it. */
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
async function queueWebhookDisabled(
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
