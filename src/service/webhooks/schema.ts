import { EVENT_TYPES } from '../history/events.ts';
import { LONGEST_URL } from '../http/fields.ts';
import {
  type OpenApiObject,
  response,
  refusal,
  NOT_FOUND,
  BAD_BODY,
  pageResponses,
  forOrganization,
  requiresScope,
  body,
  parameter,
  type Schema,
  type ValueOf,
  text,
  count,
  flag,
  dateTime,
  id,
  choice,
  orNull,
  nullable,
  list,
  ref,
  strictObject,
  withDescription,
  next,
  PAGE,
  IF_NONE_MATCH,
} from '../http/openapi.ts';

/** The schemas of webhooks and their deliveries. */

/** The types that a webhook can be restricted to. */
export const WEBHOOK_EVENT_TYPES = [...EVENT_TYPES, 'webhook-disabled'] as const;

export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number] | 'test';

export function isWebhookEventType(text: string): boolean {
  return WEBHOOK_EVENT_TYPES.some((type) => type === text);
}

const webhook = {
  id,
  url: withDescription(
    text,
    'For those who may change it; secrets in the query are redacted. Elsewhere only its host is shown.',
  ),
  events: withDescription(nullable(ref<string[]>('WebhookEvents')), 'The types of events that are sent; null for all.'),
  enabled: flag,
  disabledReason: withDescription(
    choice(['gone', 'failing', null]),
    'Why the service disabled the webhook. gone: the receiver responded with 410. failing: no delivery succeeded for days.',
  ),
  createdAt: dateTime,
  failingSince: withDescription(
    orNull(dateTime),
    'Since when every delivery has failed; null if the last one succeeded.',
  ),
  pending: withDescription(count, 'Deliveries that are waiting or being retried.'),
  dropped: withDescription(count, 'Events that were not queued, because too many were waiting.'),
};

const webhookSchema = strictObject('A URL that events are sent to.', webhook);
export type WebhookView = ValueOf<typeof webhookSchema>;
export type WebhookDisabledReason = NonNullable<WebhookView['disabledReason']>;

const delivery = strictObject('The delivery of an event to a webhook.', {
  id: withDescription(id, 'Sent as webhook-id; the same for every attempt.'),
  type: withDescription(text, 'The type of the event; “test” for a test event.'),
  createdAt: dateTime,
  state: withDescription(
    choice(['pending', 'delivered', 'failed', 'cancelled']),
    'failed: not delivered within three days, or the receiver responded with 410. cancelled: the webhook was disabled before the delivery.',
  ),
  attempts: count,
  lastAttemptAt: orNull(dateTime),
  nextAttemptAt: withDescription(orNull(dateTime), 'Null unless the delivery is pending.'),
  status: withDescription(
    orNull<number>({ type: 'integer' }),
    'The status of the last response; null if there was none.',
  ),
  error: withDescription(
    choice(['unreachable', 'tls', 'timeout', 'connection-lost', 'secret-unreadable', null]),
    'Why the last attempt got no response.',
  ),
});
export type DeliveryView = ValueOf<typeof delivery>;
export type DeliveryState = DeliveryView['state'];
/**
 * Why there was no response. `unreachable` covers every failure to connect, so that it does not reveal the operator's
 * network.
 */
export type DeliveryError = NonNullable<DeliveryView['error']>;

export const webhookSchemas: Record<string, Schema> = {
  WebhookEvents: { type: 'array', minItems: 1, items: { enum: WEBHOOK_EVENT_TYPES } },
  Webhook: webhookSchema,
  Webhooks: strictObject('A page of webhooks, in order of creation.', { webhooks: list(ref('Webhook')), next }),
  NewWebhook: strictObject('A webhook, with the secret that signs its events, which is shown only once.', {
    ...webhook,
    secret: { type: 'string', pattern: '^whsec_[A-Za-z0-9+/]{43}=$' },
  }),
  Delivery: delivery,
  Deliveries: strictObject('A page of deliveries, newest first.', { deliveries: list(ref('Delivery')), next }),
};

const WEBHOOK = parameter('webhook', 'path', 'Id of the webhook.', id);
const DELIVERY = parameter('delivery', 'path', 'Id of the delivery.', id);
const URL_FIELD = {
  type: 'string',
  maxLength: LONGEST_URL,
  description: 'Where events are sent, by POST.',
  examples: ['https://hooks.example.com/appreg'],
};
const EVENTS_FIELD = {
  anyOf: [ref('WebhookEvents'), { type: 'null' }],
  description: 'The types of events to send; null or missing for all.',
};

/** Webhooks and their deliveries. */
export const webhooksPaths: Record<string, OpenApiObject> = {
  '/api/webhooks': {
    get: forOrganization('listWebhooks', 'The webhooks of the organization', pageResponses('Webhooks'), {
      ...requiresScope('manage'),
      parameters: [...PAGE, IF_NONE_MATCH],
    }),
    post: forOrganization(
      'createWebhook',
      'Send events to a URL',
      {
        201: response('The webhook.', 'NewWebhook'),
        ...BAD_BODY,
        409: refusal('The organization has too many webhooks.'),
      },
      body({ url: URL_FIELD }, { events: EVENTS_FIELD }),
    ),
  },
  '/api/webhooks/{webhook}': {
    parameters: [WEBHOOK],
    get: forOrganization(
      'getWebhook',
      'One webhook',
      { 200: response('The webhook.', 'Webhook'), ...NOT_FOUND },
      requiresScope('manage'),
    ),
    patch: forOrganization(
      'changeWebhook',
      'Change the URL or the events of a webhook, enable or disable it',
      { 200: response('The webhook.', 'Webhook'), ...BAD_BODY, ...NOT_FOUND },
      body(
        {},
        {
          url: URL_FIELD,
          events: EVENTS_FIELD,
          enabled: { type: 'boolean', description: 'False cancels all pending deliveries.' },
        },
      ),
    ),
    delete: forOrganization('deleteWebhook', 'Delete a webhook and its pending deliveries', {
      204: { description: 'Deleted.' },
      ...NOT_FOUND,
    }),
  },
  '/api/webhooks/{webhook}/secret': {
    parameters: [WEBHOOK],
    post: forOrganization('replaceWebhookSecret', 'Replace the secret; the previous one signs for 24 hours as well', {
      200: response('The webhook, with its new secret.', 'NewWebhook'),
      ...NOT_FOUND,
    }),
  },
  '/api/webhooks/{webhook}/test': {
    parameters: [WEBHOOK],
    post: forOrganization('testWebhook', 'Send a test event', {
      202: response('The event will be sent soon.', 'Delivery'),
      ...NOT_FOUND,
      409: refusal('The webhook is disabled.'),
    }),
  },
  '/api/webhooks/{webhook}/deliveries': {
    parameters: [WEBHOOK],
    get: forOrganization(
      'listDeliveries',
      'The deliveries to a webhook in the last 30 days, including pending ones',
      { ...pageResponses('Deliveries'), ...NOT_FOUND },
      { ...requiresScope('manage'), parameters: [...PAGE, IF_NONE_MATCH] },
    ),
  },
  '/api/webhooks/{webhook}/deliveries/{delivery}/redeliver': {
    parameters: [WEBHOOK, DELIVERY],
    post: forOrganization('redeliver', 'Send an event again, with the same webhook-id', {
      202: response('The event will be sent soon.', 'Delivery'),
      ...NOT_FOUND,
      409: refusal('The webhook is disabled, or the delivery is pending.'),
    }),
  },
};
