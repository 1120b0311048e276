import { WEBHOOK_EVENT_TYPES } from '../../webhook-events.ts';
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
} from './schema-parts.ts';

/** The schemas of webhooks and their deliveries. */

const webhook: Record<string, Schema> = {
  id,
  url: withDescription(text, 'Without secrets in its query.'),
  events: {
    anyOf: [ref('WebhookEvents'), { type: 'null' }],
    description: 'The types of events that are sent; null for all.',
  },
  enabled: flag,
  disabledReason: {
    enum: ['gone', 'failing', null],
    description: 'Why the service disabled it. gone: it responded with 410. failing: no delivery succeeded for days.',
  },
  createdAt: dateTime,
  failingSince: withDescription(
    orNull(dateTime),
    'Since when every delivery has failed; null after one that succeeded.',
  ),
  pending: withDescription(count, 'Deliveries that wait, or are repeated.'),
  dropped: withDescription(count, 'Events that were not queued, because too many were waiting.'),
};

export const webhookSchemas: Record<string, Schema> = {
  WebhookEvents: { type: 'array', minItems: 1, items: { enum: WEBHOOK_EVENT_TYPES } },
  Webhook: strictObject('A URL that events are sent to.', webhook),
  Webhooks: strictObject('A page of webhooks, in order of creation.', { webhooks: list(ref('Webhook')), next }),
  NewWebhook: strictObject('A webhook, with the secret of its signatures, which is shown only once.', {
    ...webhook,
    secret: { type: 'string', pattern: '^whsec_[A-Za-z0-9+/]{43}=$' },
  }),
  Delivery: strictObject('An event on its way to a webhook.', {
    id: withDescription(id, 'Sent as webhook-id: the same at every attempt.'),
    type: withDescription(text, 'The type of the event; “test” for a test.'),
    createdAt: dateTime,
    state: {
      enum: ['pending', 'delivered', 'failed', 'cancelled'],
      description: 'failed: given up after three days, or by a 410. cancelled: the webhook was disabled first.',
    },
    attempts: count,
    lastAttemptAt: orNull(dateTime),
    nextAttemptAt: withDescription(orNull(dateTime), 'Null unless it is pending.'),
    status: { type: ['integer', 'null'], description: 'The status of the last response; null if there was none.' },
    error: {
      enum: ['unreachable', 'tls', 'timeout', 'connection-lost', 'secret-unreadable', null],
      description: 'Why there was no response to the last attempt.',
    },
  }),
  Deliveries: strictObject('A page of deliveries, the newest first.', { deliveries: list(ref('Delivery')), next }),
};
