import { WEBHOOK_EVENT_TYPES } from './events.ts';
import {
  count,
  withDescription,
  flag,
  id,
  list,
  dateTime,
  next,
  orNull,
  ref,
  type Schema,
  text,
  strictObject,
} from '../http/openapi/schemas.ts';

/** The schemas of webhooks and their deliveries. */

const webhook: Record<string, Schema> = {
  id,
  url: withDescription(
    text,
    'For those who may change it; secrets in the query are redacted. Elsewhere only its host is shown.',
  ),
  events: {
    anyOf: [ref('WebhookEvents'), { type: 'null' }],
    description: 'The types of events that are sent; null for all.',
  },
  enabled: flag,
  disabledReason: {
    enum: ['gone', 'failing', null],
    description:
      'Why the service disabled the webhook. gone: the receiver responded with 410. failing: no delivery succeeded for days.',
  },
  createdAt: dateTime,
  failingSince: withDescription(
    orNull(dateTime),
    'Since when every delivery has failed; null if the last one succeeded.',
  ),
  pending: withDescription(count, 'Deliveries that are waiting or being retried.'),
  dropped: withDescription(count, 'Events that were not queued, because too many were waiting.'),
};

export const webhookSchemas: Record<string, Schema> = {
  WebhookEvents: { type: 'array', minItems: 1, items: { enum: WEBHOOK_EVENT_TYPES } },
  Webhook: strictObject('A URL that events are sent to.', webhook),
  Webhooks: strictObject('A page of webhooks, in order of creation.', { webhooks: list(ref('Webhook')), next }),
  NewWebhook: strictObject('A webhook, with the secret that signs its events, which is shown only once.', {
    ...webhook,
    secret: { type: 'string', pattern: '^whsec_[A-Za-z0-9+/]{43}=$' },
  }),
  Delivery: strictObject('The delivery of an event to a webhook.', {
    id: withDescription(id, 'Sent as webhook-id; the same for every attempt.'),
    type: withDescription(text, 'The type of the event; “test” for a test event.'),
    createdAt: dateTime,
    state: {
      enum: ['pending', 'delivered', 'failed', 'cancelled'],
      description:
        'failed: not delivered within three days, or the receiver responded with 410. cancelled: the webhook was disabled before the delivery.',
    },
    attempts: count,
    lastAttemptAt: orNull(dateTime),
    nextAttemptAt: withDescription(orNull(dateTime), 'Null unless the delivery is pending.'),
    status: { type: ['integer', 'null'], description: 'The status of the last response; null if there was none.' },
    error: {
      enum: ['unreachable', 'tls', 'timeout', 'connection-lost', 'secret-unreadable', null],
      description: 'Why the last attempt got no response.',
    },
  }),
  Deliveries: strictObject('A page of deliveries, newest first.', { deliveries: list(ref('Delivery')), next }),
};
