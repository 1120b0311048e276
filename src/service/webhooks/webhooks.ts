import type { Actor } from '../history/audit.ts';
import type { Service } from '../context.ts';
import { createWebhook, type NewWebhook, replaceWebhookSecret, WEBHOOKS_LIMIT, type WebhookChange } from './store.ts';
import type { WebhookView } from './schema.ts';
import { newWebhookSecret, openWebhookSecret, sealWebhookSecret, withNewSecret, sealWebhookUrl } from './secrets.ts';
import type { JsonObject } from '../../core/json/json.ts';
import { type AddressPolicy, targetOf } from '../../observe/http/address-policy.ts';
import { isWebhookEventType, WEBHOOK_EVENT_TYPES } from './schema.ts';
import {
  type FieldReader,
  fieldsIn,
  flagField,
  nullable,
  optional,
  LONGEST_URL,
  parseTypedUrl,
  type TypedUrlFault,
} from '../http/fields.ts';
import { isIP } from 'node:net';
import { INSECURE_REFUSED, PORT_REFUSED } from '../../core/http/failed-request.ts';

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

/** The webhook that a body describes. @throws Refusal that lists every invalid field */
export function newWebhookIn(body: JsonObject, guard: AddressPolicy | null | undefined): NewWebhook {
  return fieldsIn<NewWebhook>(body, { url: urlField(guard), events: nullable(eventsField) });
}

/** The change of a webhook that a body describes: null for `events` means all. @throws Refusal likewise */
export function webhookChangeIn(body: JsonObject, guard: AddressPolicy | null | undefined): WebhookChange {
  const change = fieldsIn<{
    url: string | undefined;
    events: readonly string[] | null | undefined;
    enabled: boolean | undefined;
  }>(body, {
    url: optional(urlField(guard)),
    events: optional(nullable(eventsField)),
    enabled: optional(flagField),
  });
  return {
    ...(change.url !== undefined && { url: change.url }),
    ...(change.events !== undefined && { events: change.events }),
    ...(change.enabled !== undefined && { enabled: change.enabled }),
  };
}

function urlField(guard: AddressPolicy | null | undefined): FieldReader<string> {
  return (value) => {
    if (value === undefined) return { fault: 'is missing.' };
    if (typeof value !== 'string') return { fault: 'is not a string.' };
    const parsed = parseWebhookUrl(value, guard);
    return 'url' in parsed ? { value: parsed.url } : parsed;
  };
}

const eventsField: FieldReader<readonly string[]> = (value) => {
  if (!Array.isArray(value) || value.length === 0)
    return { fault: 'is not an array of event types. Omit it for all types.' };
  const unknown = value.some((one) => typeof one !== 'string' || !isWebhookEventType(one));
  if (unknown) return { fault: `contains an unknown event type. The types are ${WEBHOOK_EVENT_TYPES.join(', ')}.` };
  return { value: WEBHOOK_EVENT_TYPES.filter((type) => value.includes(type)) };
};

/** The URL of a webhook, as typed by a user. */

const FAULTS: Record<TypedUrlFault, string> = {
  'too-long': `is longer than ${LONGEST_URL} characters.`,
  'not-a-url': 'is not the full URL of a receiver, such as https://hooks.example.com/appreg.',
  'user-info': 'contains a user name or a password. Receivers authenticate the service by its signature.',
};

/**
 * The normalized URL; or why it cannot be used, worded to follow “The URL”.
 * @param guard what is never requested: names are looked up, and checked, whenever an event is sent
 */
export function parseWebhookUrl(
  text: string,
  guard: AddressPolicy | null | undefined,
): { url: string } | { fault: string } {
  const parsed = parseTypedUrl(text);
  if ('fault' in parsed) return { fault: FAULTS[parsed.fault] };
  const { url } = parsed;
  const target = targetOf(url);
  const refused = guard?.(target, isIP(target.host) ? target.host : null) ?? null;
  if (refused === INSECURE_REFUSED)
    return { fault: 'is not https. This service sends events unencrypted only to hosts that its operator allows.' };
  if (refused === PORT_REFUSED)
    return { fault: `has the port ${target.port}. This service sends events only to the default port.` };
  if (refused !== null) return { fault: 'has an address that this service does not send requests to.' };
  return { url: url.href };
}
