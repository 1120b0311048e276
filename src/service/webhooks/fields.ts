import type { JsonObject } from '../../core/json/json.ts';
import type { AddressPolicy } from '../../observe/http/address-policy.ts';
import type { NewWebhook, WebhookChange } from './store.ts';
import { isWebhookEventType, WEBHOOK_EVENT_TYPES } from './events.ts';
import { type FieldReader, fieldsIn, flagField, nullable, optional } from '../http/fields.ts';
import { parseWebhookUrl } from './url-field.ts';

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
