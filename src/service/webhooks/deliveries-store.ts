import { type Selectable, sql } from 'kysely';
import type { Actor } from '../history/audit-actions.ts';
import type { DeliveryView } from './schema.ts';
import { webhookBody } from './events.ts';
import { maskedWebhookUrl } from './urls.ts';
import { recordAudit } from '../history/audit-store.ts';
import type { Db } from '../database/database.ts';
import { isUuid, pageById, type PageQuery } from '../database/page.ts';
import type { WebhookDeliveryRow } from '../database/organization-tables.ts';
import { webhookOf } from './store.ts';

/** The deliveries of a webhook, for its organization. */

/** Days that finished deliveries are kept. */
const DELIVERY_RETENTION_DAYS = 30;

/** The newest first. @param after the id of one of them @returns null if the organization does not have the webhook */
export async function listDeliveries(
  db: Db,
  organizationId: string,
  webhookId: string,
  wanted: PageQuery,
): Promise<{ deliveries: DeliveryView[]; next: string | null } | null> {
  if ((await webhookOf(db, organizationId, webhookId)) === null) return null;
  const query = db.selectFrom('webhookDeliveries').selectAll().where('webhookId', '=', webhookId);
  const { page, next } = await pageById(query, wanted, { table: 'webhookDeliveries', of: ['webhookId', webhookId] });
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
    const webhook = await webhookOf(tx, organizationId, id);
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
    const webhook = await webhookOf(tx, organizationId, webhookId);
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

/** Deletes finished deliveries that have been kept long enough. */
export async function deleteOldDeliveries(db: Db): Promise<void> {
  await sql`DELETE FROM webhook_deliveries WHERE finished_at < now() - make_interval(days => ${DELIVERY_RETENTION_DAYS})`.execute(
    db,
  );
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
