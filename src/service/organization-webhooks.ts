import type { Actor } from './audit-actions.ts';
import type { Service } from './context.ts';
import { createWebhook, type NewWebhook, WEBHOOKS_LIMIT } from './storage/webhooks.ts';
import type { WebhookView } from './views.ts';
import { newWebhookSecret, sealWebhookSecret } from './webhook-secrets.ts';

/** Creates the webhooks of an organization, for the API and the pages. */

export const TOO_MANY_WEBHOOKS = `An organization can have at most ${WEBHOOKS_LIMIT} webhooks. Delete one first.`;

/** @returns the webhook, and its secret, which is shown only once; null if the organization has too many */
export async function addWebhook(
  { db, log, settings }: Pick<Service, 'db' | 'log' | 'settings'>,
  organizationId: string,
  wanted: NewWebhook,
  actor: Actor,
): Promise<{ webhook: WebhookView; secret: string } | null> {
  const secret = newWebhookSecret();
  const seal = (id: string) => sealWebhookSecret(settings.secretsKeys, secret, id);
  const webhook = await createWebhook(db, organizationId, wanted, seal, actor);
  if (webhook === null) return null;
  log('info', 'webhook-created', { organization: organizationId, webhook: webhook.id });
  return { webhook, secret };
}
