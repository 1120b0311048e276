import { INSECURE_REFUSED, PORT_REFUSED } from 'appreg';
import { type AddressPolicy, targetOf } from 'appreg/node';
import { EVENT_TYPES } from './events.ts';
import * as shape from './shape.ts';
import { type TypedUrlFault, LONGEST_URL, parseTypedUrl } from './fields.ts';
import { isIP } from 'node:net';

/** The schemas of webhooks and their deliveries. */

/** The types that a webhook can be restricted to. */
export const WEBHOOK_EVENT_TYPES = [...EVENT_TYPES, 'webhook-disabled'] as const;

export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number] | 'test';

export function isWebhookEventType(text: string): boolean {
  return WEBHOOK_EVENT_TYPES.some((type) => type === text);
}

export const webhook = {
  id: shape.id,
  url: shape.withDescription(
    shape.text,
    'For those who may change it; secrets in the query are redacted. Elsewhere only its host is shown.',
  ),
  events: shape.withDescription(
    shape.nullable(shape.ref<string[]>('WebhookEvents')),
    'The types of events that are sent; null for all.',
  ),
  enabled: shape.flag,
  disabledReason: shape.withDescription(
    shape.choice(['gone', 'failing', null]),
    'Why the service disabled the webhook. gone: the receiver responded with 410. failing: no delivery succeeded for days.',
  ),
  createdAt: shape.dateTime,
  failingSince: shape.withDescription(
    shape.orNull(shape.dateTime),
    'Since when every delivery has failed; null if the last one succeeded.',
  ),
  pending: shape.withDescription(shape.count, 'Deliveries that are waiting or being retried.'),
  dropped: shape.withDescription(shape.count, 'Events that were not queued, because too many were waiting.'),
};

export const webhookSchema = shape.strictObject('A URL that events are sent to.', webhook);
export type WebhookView = shape.ValueOf<typeof webhookSchema>;
export type WebhookDisabledReason = NonNullable<WebhookView['disabledReason']>;

export const delivery = shape.strictObject('The delivery of an event to a webhook.', {
  id: shape.withDescription(shape.id, 'Sent as webhook-id; the same for every attempt.'),
  type: shape.withDescription(shape.text, 'The type of the event; “test” for a test event.'),
  createdAt: shape.dateTime,
  state: shape.withDescription(
    shape.choice(['pending', 'delivered', 'failed', 'cancelled']),
    'failed: not delivered within three days, or the receiver responded with 410. cancelled: the webhook was disabled before the delivery.',
  ),
  attempts: shape.count,
  lastAttemptAt: shape.orNull(shape.dateTime),
  nextAttemptAt: shape.withDescription(shape.orNull(shape.dateTime), 'Null unless the delivery is pending.'),
  status: shape.withDescription(
    shape.orNull<number>({ type: 'integer' }),
    'The status of the last response; null if there was none.',
  ),
  error: shape.withDescription(
    shape.choice(['unreachable', 'tls', 'timeout', 'connection-lost', 'secret-unreadable', null]),
    'Why the last attempt got no response.',
  ),
});
export type DeliveryView = shape.ValueOf<typeof delivery>;
export type DeliveryState = DeliveryView['state'];
/**
 * Reasons why there was no response. `unreachable` covers every failure to connect, so that it does not reveal the
 * operator's network.
 */
export type DeliveryError = NonNullable<DeliveryView['error']>;

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
