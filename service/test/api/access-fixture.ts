import { SERVICE_ACTOR } from '../../src/domain/audit.ts';
import { type Db } from '../../src/db/database.ts';
import { createToken } from '../../src/db/tokens.ts';
import { createWebhook } from '../../src/db/webhooks.ts';
import { newWebhookSecret, sealWebhookSecret } from '../../src/domain/webhook-secrets.ts';

/** Tokens and webhooks of an organization, with deliveries. */

export interface AccessIds {
  /** A second token, of the scope `manage`. */
  tokenId: string;
  webhook: string;
  /** Of the webhook: one that was delivered, and one that waits. */
  delivery: string;
  pendingDelivery: string;
  disabledWebhook: string;
}

export async function addAccess(db: Db, organizationId: string, url: string): Promise<AccessIds> {
  const manage = { name: 'Pipeline', scope: 'manage', expiresAt: null } as const;
  const created = await createToken(db, organizationId, manage, SERVICE_ACTOR);
  const webhook = await addWebhook(db, organizationId, url);
  const disabledWebhook = await addWebhook(db, organizationId, url);
  await db.updateTable('webhooks').set({ enabled: false }).where('id', '=', disabledWebhook).execute();
  return {
    tokenId: created!.token.id,
    webhook,
    delivery: await addDelivery(db, webhook, 'delivered'),
    pendingDelivery: await addDelivery(db, webhook, 'pending'),
    disabledWebhook,
  };
}

/** @param events the types that are sent; null for all */
export async function addWebhook(
  db: Db,
  organizationId: string,
  url: string,
  { events = null, secret = newWebhookSecret() }: { events?: string[] | null; secret?: string } = {},
): Promise<string> {
  const created = await createWebhook(
    db,
    organizationId,
    { url, events },
    (id) => sealWebhookSecret([], secret, id),
    SERVICE_ACTOR,
  );
  return created!.id;
}

async function addDelivery(db: Db, webhookId: string, state: 'delivered' | 'pending'): Promise<string> {
  const finishedAt = state === 'pending' ? null : new Date();
  const { id } = await db
    .insertInto('webhookDeliveries')
    .values({ webhookId, type: 'checked', body: '{}', state, finishedAt })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}
