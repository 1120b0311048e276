import { sql } from 'kysely';
import { SERVICE_ACTOR } from '../history/audit.ts';
import type { DeliveryError, WebhookDisabledReason } from './schema.ts';
import type { StoredWebhookSecret, StoredWebhookUrl } from './secrets.ts';
import type { Db } from '../database/database.ts';
import { SENDS } from '../database/sql-fragments.ts';
import { queueWebhookDisabled } from './deliveries-store.ts';
import { disableWebhook } from './store.ts';

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
  /** Whether the previous delivery of the webhook failed. */
  failing: boolean;
}

interface ClaimOptions {
  limit: number;
  /** Organizations and webhooks that have enough attempts in progress on this node. */
  busyOrganizations: readonly string[];
  busyWebhooks: readonly string[];
  /** Whether webhooks whose last delivery failed are included. */
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

/** How an attempt ended. */
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
 * What follows a failed attempt: another one after a number of milliseconds, or none, since the receiver asked for the
 * end of all deliveries (`gone`), or since there were enough attempts (`given-up`).
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
