import { WEBHOOKS_LIMIT, type NewWebhook, createWebhook, replaceWebhookSecret } from '../db/webhooks.ts';
import { type WebhookView } from '../domain/webhooks.ts';
import { type Service } from '../context.ts';
import { type Actor } from '../domain/audit.ts';
import {
  newWebhookSecret,
  sealWebhookSecret,
  sealWebhookUrl,
  withNewSecret,
  openWebhookSecret,
} from '../domain/webhook-secrets.ts';

/** Creates the webhooks of an organization and replaces their secrets, for the API and the pages. */

export const TOO_MANY_WEBHOOKS = `An organization can have at most ${WEBHOOKS_LIMIT} webhooks. Delete one first.`;

/** A webhook with its secret, which is shown only once. */
interface WebhookWithSecret {
  webhook: WebhookView;
  secret: string;
}

/** @returns null if the organization has too many */
export async function addWebhook(
  { db, log, settings }: Pick<Service, 'db' | 'log' | 'settings'>,
  organizationId: string,
  wanted: NewWebhook,
  actor: Actor,
): Promise<WebhookWithSecret | null> {
  const secret = newWebhookSecret();
  const { secretsKeys } = settings;
  const seal = (id: string) => ({
    ...sealWebhookSecret(secretsKeys, secret, id),
    ...sealWebhookUrl(secretsKeys, wanted.url, id),
  });
  const webhook = await createWebhook(db, organizationId, wanted, seal, actor, secretsKeys);
  if (webhook === null) return null;
  log('info', 'webhook-created', { organization: organizationId, webhook: webhook.id });
  return { webhook, secret };
}

/**
 * Replaces the secret of a webhook; for a day, deliveries are signed with the one before as well.
 * @returns null if the organization does not have the webhook
 */
export async function replaceSecret(
  { db, log, settings }: Pick<Service, 'db' | 'log' | 'settings'>,
  organizationId: string,
  id: string,
  actor: Actor,
): Promise<WebhookWithSecret | null> {
  const { secretsKeys } = settings;
  const secret = newWebhookSecret();
  const webhook = await replaceWebhookSecret(
    db,
    organizationId,
    id,
    (stored) =>
      sealWebhookSecret(secretsKeys, withNewSecret(openWebhookSecret(secretsKeys, stored, id), secret, new Date()), id),
    actor,
    secretsKeys,
  );
  if (webhook === null) return null;
  log('info', 'webhook-secret-replaced', { organization: organizationId, webhook: id });
  return { webhook, secret };
}
