import { redact } from 'appreg';
import { type Db } from './database.ts';
import { type SecretsKeys } from '../config/secrets-keys.ts';
import { sql, type Selectable } from 'kysely';
import { COUNT, lockOrganization } from './conditions.ts';
import {
  openWebhookSecret,
  openWebhookUrl,
  sealWebhookSecret,
  sealWebhookUrl,
  type StoredWebhookSecret,
  type StoredWebhookUrl,
  maskedWebhookUrl,
} from '../domain/webhook-secrets.ts';
import { type PageQuery, pageById, isUuid } from './page.ts';
import { type WebhookView, type WebhookDisabledReason } from '../domain/webhooks.ts';
import { type Actor, type AuditDetails } from '../domain/audit.ts';
import { recordAudit } from './audit.ts';
import { type WebhookRow } from './tables/organizations.ts';

/** The secrets and the URLs of all webhooks, for a change of SECRETS_KEY. */

/** The number of webhooks whose secret or URL was sealed with a key other than these. */
export async function countWebhookSecretsOfOtherKeys(db: Db, keys: SecretsKeys): Promise<number> {
  const known = keys.map(({ id }) => id);
  const { count } = await db
    .selectFrom('webhooks')
    .where(sql<boolean>`key_id IS NOT NULL AND key_id <> ALL(${known}::text[])
      OR url_key_id IS NOT NULL AND url_key_id <> ALL(${known}::text[])`)
    .select(COUNT)
    .executeTakeFirstOrThrow();
  return count;
}

/** Seals what is not sealed with the first key. @returns the number of webhooks */
export async function resealWebhookSecrets(db: Db, keys: SecretsKeys): Promise<number> {
  const [first] = keys;
  if (first === undefined) return 0;
  return db.transaction().execute(async (tx) => {
    const rows = await tx
      .selectFrom('webhooks')
      .where(sql<boolean>`key_id IS DISTINCT FROM ${first.id} OR url_key_id IS DISTINCT FROM ${first.id}`)
      .select(['id', 'keyId', 'secret', 'url', 'urlKeyId', 'sealedUrl'])
      .forUpdate()
      .execute();
    let resealed = 0;
    for (const { id, ...stored } of rows) {
      const secret = openWebhookSecret(keys, stored, id);
      const url = openWebhookUrl(keys, stored, id);
      if (secret === null || url === null) continue;
      await tx
        .updateTable('webhooks')
        .set({ ...sealWebhookSecret(keys, secret, id), ...sealWebhookUrl(keys, url, id) })
        .where('id', '=', id)
        .execute();
      resealed += 1;
    }
    return resealed;
  });
}

/**
 * The webhooks of organizations. Every query is restricted to the organization. Without the keys that sealed it, a URL is
 * returned masked.
 */

/** Maximum webhooks per organization. */
export const WEBHOOKS_LIMIT = 10;

/** In order of creation. @param after the id of one of them */
export async function listWebhooks(
  db: Db,
  organizationId: string,
  wanted: PageQuery,
  keys: SecretsKeys = [],
): Promise<{ webhooks: WebhookView[]; next: string | null }> {
  const { page, next } = await pageById(webhooksOf(db, organizationId), wanted, { table: 'webhooks' });
  return { webhooks: page.map((row) => webhookView(row, keys)), next };
}

/** @returns null if the organization does not have it */
export async function webhookOf(
  db: Db,
  organizationId: string,
  id: string,
  keys: SecretsKeys = [],
): Promise<WebhookView | null> {
  if (!isUuid(id)) return null;
  const row = await webhooksOf(db, organizationId).where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : webhookView(row, keys);
}

export interface NewWebhook {
  /** Accepted by `parseWebhookUrl`. */
  url: string;
  /** The types of events that are sent; null for all. */
  events: readonly string[] | null;
}

/**
 * @param seal prepares the secret and the URL for the database, for the id of the webhook
 * @returns null if the organization has too many
 */
export async function createWebhook(
  db: Db,
  organizationId: string,
  { url, events }: NewWebhook,
  seal: (id: string) => StoredWebhookSecret & Partial<StoredWebhookUrl>,
  actor: Actor,
  keys: SecretsKeys = [],
): Promise<WebhookView | null> {
  return db.transaction().execute(async (tx) => {
    await lockOrganization(tx, organizationId);
    const { count, id } = await tx
      .selectFrom('webhooks')
      .where('organizationId', '=', organizationId)
      .select([COUNT, sql<string>`time_ordered_uuid()`.as('id')])
      .executeTakeFirstOrThrow();
    if (count >= WEBHOOKS_LIMIT) return null;
    await tx
      .insertInto('webhooks')
      .values({ id, organizationId, url, events: events === null ? null : [...events], ...seal(id) })
      .execute();
    const details = { events: events?.join(' ') ?? null };
    const target = { id, name: maskedWebhookUrl(url) };
    await recordAudit(tx, { organizationId, actor, action: 'webhook-created', target, details });
    return webhookOf(tx, organizationId, id, keys);
  });
}

/** A change of a webhook; a field that is missing stays as it is. */
export interface WebhookChange {
  url?: string;
  events?: readonly string[] | null;
  /** Disabling cancels what is waiting. */
  enabled?: boolean;
}

/**
 * Changes a webhook. A change without fields writes nothing, also not to the audit log.
 * @returns null if the organization does not have it
 */
export async function changeWebhook(
  db: Db,
  organizationId: string,
  id: string,
  change: WebhookChange,
  actor: Actor,
  keys: SecretsKeys = [],
): Promise<WebhookView | null> {
  if (!isUuid(id)) return null;
  const { url, events, enabled } = change;
  if (url === undefined && events === undefined && enabled === undefined)
    return webhookOf(db, organizationId, id, keys);
  return db.transaction().execute(async (tx) => {
    // Cancels the deliveries that were queued while it was being disabled.
    if (enabled === true) await cancelPending(tx, id, sql<boolean>`NOT webhooks.enabled`);
    const row = await tx
      .updateTable('webhooks')
      .set({
        // A statement has to set something.
        organizationId,
        ...(url !== undefined && sealWebhookUrl(keys, url, id)),
        ...(events !== undefined && { events: events === null ? null : [...events] }),
        ...(enabled !== undefined && { enabled, disabledReason: null }),
        ...(enabled === true && { failingSince: null }),
      })
      .where('organizationId', '=', organizationId)
      .where('id', '=', id)
      .returning('url')
      .executeTakeFirst();
    if (row === undefined) return null;
    if (enabled === false) await cancelPending(tx, id);
    const details: AuditDetails = {
      ...(events !== undefined && { events: events?.join(' ') ?? null }),
      ...(enabled !== undefined && { enabled }),
      ...(url !== undefined && { url: maskedWebhookUrl(url) }),
    };
    const target = { id, name: maskedWebhookUrl(row.url) };
    await recordAudit(tx, { organizationId, actor, action: 'webhook-changed', target, details });
    return webhookOf(tx, organizationId, id, keys);
  });
}

/**
 * @param replace makes the new secret for the database from the stored one
 * @returns null if the organization does not have it
 */
export async function replaceWebhookSecret(
  db: Db,
  organizationId: string,
  id: string,
  replace: (stored: StoredWebhookSecret) => StoredWebhookSecret,
  actor: Actor,
  keys: SecretsKeys = [],
): Promise<WebhookView | null> {
  if (!isUuid(id)) return null;
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .selectFrom('webhooks')
      .where('organizationId', '=', organizationId)
      .where('id', '=', id)
      .select(['url', 'keyId', 'secret'])
      .forUpdate()
      .executeTakeFirst();
    if (row === undefined) return null;
    const { url, ...stored } = row;
    await tx.updateTable('webhooks').set(replace(stored)).where('id', '=', id).execute();
    const target = { id, name: maskedWebhookUrl(url) };
    await recordAudit(tx, { organizationId, actor, action: 'webhook-secret-replaced', target });
    return webhookOf(tx, organizationId, id, keys);
  });
}

/** @returns false if the organization does not have it */
export async function deleteWebhook(db: Db, organizationId: string, id: string, actor: Actor): Promise<boolean> {
  if (!isUuid(id)) return false;
  return db.transaction().execute(async (tx) => {
    const row = await tx
      .deleteFrom('webhooks')
      .where('organizationId', '=', organizationId)
      .where('id', '=', id)
      .returning('url')
      .executeTakeFirst();
    if (row === undefined) return false;
    const target = { id, name: maskedWebhookUrl(row.url) };
    await recordAudit(tx, { organizationId, actor, action: 'webhook-deleted', target });
    return true;
  });
}

/** Disables a webhook that cannot be delivered to. @returns whether it was enabled */
export async function disableWebhook(
  tx: Db,
  id: string,
  reason: WebhookDisabledReason,
  actor: Actor,
): Promise<{ organizationId: string; url: string } | null> {
  const row = await tx
    .updateTable('webhooks')
    .set({ enabled: false, disabledReason: reason })
    .where('id', '=', id)
    .where('enabled', '=', true)
    .returning(['organizationId', 'url'])
    .executeTakeFirst();
  if (row === undefined) return null;
  await cancelPending(tx, id);
  const { organizationId } = row;
  const url = maskedWebhookUrl(row.url);
  const target = { id, name: url };
  await recordAudit(tx, { organizationId, actor, action: 'webhook-disabled', target, details: { reason } });
  return { organizationId, url };
}

/** @param isMeant of its webhook */
async function cancelPending(tx: Db, webhookId: string, isMeant = sql<boolean>`TRUE`): Promise<void> {
  await tx
    .updateTable('webhookDeliveries')
    .from('webhooks')
    .set({ state: 'cancelled', finishedAt: sql<Date>`now()` })
    .whereRef('webhooks.id', '=', 'webhookDeliveries.webhookId')
    .where('webhooks.id', '=', webhookId)
    .where(isMeant)
    .where('webhookDeliveries.state', '=', 'pending')
    .execute();
}

function webhooksOf(db: Db, organizationId: string) {
  return db
    .selectFrom('webhooks')
    .selectAll('webhooks')
    .select(
      sql<string>`(
        SELECT count(*) FROM webhook_deliveries
        WHERE webhook_deliveries.webhook_id = webhooks.id AND webhook_deliveries.state = 'pending')`.as('pending'),
    )
    .where('organizationId', '=', organizationId);
}

function webhookView(row: Selectable<WebhookRow> & { pending: string }, keys: SecretsKeys): WebhookView {
  return {
    id: row.id,
    url: redact(openWebhookUrl(keys, row, row.id) ?? row.url),
    events: row.events,
    enabled: row.enabled,
    disabledReason: row.disabledReason,
    createdAt: row.createdAt.toISOString(),
    failingSince: row.failingSince?.toISOString() ?? null,
    pending: Number(row.pending),
    dropped: row.dropped,
  };
}
