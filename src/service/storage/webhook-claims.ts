import { sql } from 'kysely';
import { SERVICE_ACTOR } from '../audit-actions.ts';
import type { DeliveryError, WebhookDisabledReason } from '../views.ts';
import type { StoredWebhookSecret } from '../webhook-secrets.ts';
import type { Db } from './database.ts';
import { queueWebhookDisabled } from './webhook-queue.ts';
import { disableWebhook } from './webhooks.ts';

/** The deliveries that the nodes send: claimed by one node at a time, and released by time if that node is killed. */

/** Seconds after which another node may repeat an attempt that did not end. */
export const CLAIM_SECONDS = 25;
/** Hours without a successful delivery after which a delivery that is given up disables the webhook. */
const FAILING_HOURS = 60;

/** A delivery that this node sends. */
export interface ClaimedDelivery extends StoredWebhookSecret {
  id: string;
  /** Only the latest claim of a delivery may write its outcome. */
  claim: number;
  /** Including this one. */
  attempts: number;
  body: string;
  webhookId: string;
  organizationId: string;
  url: string;
  /** Whether the previous delivery of the webhook failed. */
  failing: boolean;
}

export interface ClaimOptions {
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
    with due as (
      select distinct on (w.organization_id) d.id, d.next_attempt_at
      from webhooks w
        join organizations o on o.id = w.organization_id
        cross join lateral (
          select id, next_attempt_at from webhook_deliveries
          where webhook_id = w.id and state = 'pending' and next_attempt_at <= now()
          order by next_attempt_at, sequence limit 1) d
      where w.enabled and o.suspended_at is null
        and w.organization_id <> all(${busyOrganizations}::uuid[]) and w.id <> all(${busyWebhooks}::uuid[])
        and (${includeFailing} or w.failing_since is null)
      order by w.organization_id, d.next_attempt_at
    ), free as (
      select id from webhook_deliveries
      where id in (select id from due order by next_attempt_at limit ${limit})
        and state = 'pending' and next_attempt_at <= now()
      for update skip locked
    )
    update webhook_deliveries d
    set claim = d.claim + 1, attempts = d.attempts + 1, last_attempt_at = now(),
      next_attempt_at = now() + make_interval(secs => ${CLAIM_SECONDS})
    from free, webhooks w
    where d.id = free.id and w.id = d.webhook_id
    returning d.id, d.claim, d.attempts, d.body, d.webhook_id, w.organization_id, w.url, w.key_id, w.secret,
      w.failing_since is not null as failing`.execute(db);
  return rows;
}

/** How an attempt ended. */
export interface AttemptResult {
  /** The status of the response; null if there was none. */
  status: number | null;
  error: DeliveryError | null;
}

type Claim = Pick<ClaimedDelivery, 'id' | 'claim' | 'webhookId'>;

/** The delivery succeeded. @returns false if another node has claimed it in the meantime */
export async function endDelivered(db: Db, claim: Claim, { status }: AttemptResult): Promise<boolean> {
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
 * The attempt failed.
 * @param delay milliseconds until the next attempt; null to give up
 * @param gone whether the receiver asked for the end of all deliveries
 * @returns why the webhook was disabled by that; null if it was not
 */
export async function endFailed(
  db: Db,
  claim: Claim,
  result: AttemptResult,
  { delay, gone }: { delay: number | null; gone: boolean },
): Promise<WebhookDisabledReason | null> {
  return db.transaction().execute(async (tx) => {
    const { numUpdatedRows } = await claimed(tx, claim)
      .set({
        ...result,
        ...(delay === null || gone
          ? { state: 'failed', finishedAt: sql<Date>`now()` }
          : { nextAttemptAt: sql<Date>`now() + make_interval(secs => ${delay / 1000})` }),
      })
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return null;
    const { failedForLong } = await tx
      .updateTable('webhooks')
      .set({ failingSince: sql<Date>`coalesce(failing_since, now())` })
      .where('id', '=', claim.webhookId)
      .returning(sql<boolean>`failing_since < now() - make_interval(hours => ${FAILING_HOURS})`.as('failedForLong'))
      .executeTakeFirstOrThrow();
    if (gone) return disable(tx, claim.webhookId, 'gone');
    return delay === null && failedForLong ? disable(tx, claim.webhookId, 'failing') : null;
  });
}

function claimed(tx: Db, { id, claim }: Claim) {
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
export async function releaseDelivery(db: Db, claim: Claim): Promise<void> {
  await claimed(db, claim)
    .set({ attempts: sql<number>`attempts - 1`, nextAttemptAt: sql<Date>`now()` })
    .execute();
}
