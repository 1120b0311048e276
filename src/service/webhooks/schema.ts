import { EVENT_TYPES } from '../history/event-types.ts';
import { LONGEST_URL } from '../http/fields.ts';
import * as api from '../http/openapi.ts';

/** The schemas of webhooks and their deliveries. */

/** The types that a webhook can be restricted to. */
export const WEBHOOK_EVENT_TYPES = [...EVENT_TYPES, 'webhook-disabled'] as const;

export type WebhookEventType = (typeof WEBHOOK_EVENT_TYPES)[number] | 'test';

export function isWebhookEventType(text: string): boolean {
  return WEBHOOK_EVENT_TYPES.some((type) => type === text);
}

const webhook = {
  id: api.id,
  url: api.withDescription(
    api.text,
    'For those who may change it; secrets in the query are redacted. Elsewhere only its host is shown.',
  ),
  events: api.withDescription(
    api.nullable(api.ref<string[]>('WebhookEvents')),
    'The types of events that are sent; null for all.',
  ),
  enabled: api.flag,
  disabledReason: api.withDescription(
    api.choice(['gone', 'failing', null]),
    'Why the service disabled the webhook. gone: the receiver responded with 410. failing: no delivery succeeded for days.',
  ),
  createdAt: api.dateTime,
  failingSince: api.withDescription(
    api.orNull(api.dateTime),
    'Since when every delivery has failed; null if the last one succeeded.',
  ),
  pending: api.withDescription(api.count, 'Deliveries that are waiting or being retried.'),
  dropped: api.withDescription(api.count, 'Events that were not queued, because too many were waiting.'),
};

const webhookSchema = api.strictObject('A URL that events are sent to.', webhook);
export type WebhookView = api.ValueOf<typeof webhookSchema>;
export type WebhookDisabledReason = NonNullable<WebhookView['disabledReason']>;

const delivery = api.strictObject('The delivery of an event to a webhook.', {
  id: api.withDescription(api.id, 'Sent as webhook-id; the same for every attempt.'),
  type: api.withDescription(api.text, 'The type of the event; “test” for a test event.'),
  createdAt: api.dateTime,
  state: api.withDescription(
    api.choice(['pending', 'delivered', 'failed', 'cancelled']),
    'failed: not delivered within three days, or the receiver responded with 410. cancelled: the webhook was disabled before the delivery.',
  ),
  attempts: api.count,
  lastAttemptAt: api.orNull(api.dateTime),
  nextAttemptAt: api.withDescription(api.orNull(api.dateTime), 'Null unless the delivery is pending.'),
  status: api.withDescription(
    api.orNull<number>({ type: 'integer' }),
    'The status of the last response; null if there was none.',
  ),
  error: api.withDescription(
    api.choice(['unreachable', 'tls', 'timeout', 'connection-lost', 'secret-unreadable', null]),
    'Why the last attempt got no response.',
  ),
});
export type DeliveryView = api.ValueOf<typeof delivery>;
export type DeliveryState = DeliveryView['state'];
/**
 * Why there was no response. `unreachable` covers every failure to connect, so that it does not reveal the operator's
 * network.
 */
export type DeliveryError = NonNullable<DeliveryView['error']>;

export const webhookSchemas: Record<string, api.Schema> = {
  WebhookEvents: { type: 'array', minItems: 1, items: { enum: WEBHOOK_EVENT_TYPES } },
  Webhook: webhookSchema,
  Webhooks: api.strictObject('A page of webhooks, in order of creation.', {
    webhooks: api.list(api.ref('Webhook')),
    next: api.next,
  }),
  NewWebhook: api.strictObject('A webhook, with the secret that signs its events, which is shown only once.', {
    ...webhook,
    secret: { type: 'string', pattern: '^whsec_[A-Za-z0-9+/]{43}=$' },
  }),
  Delivery: delivery,
  Deliveries: api.strictObject('A page of deliveries, newest first.', {
    deliveries: api.list(api.ref('Delivery')),
    next: api.next,
  }),
};

const WEBHOOK = api.parameter('webhook', 'path', 'Id of the webhook.', api.id);
const DELIVERY = api.parameter('delivery', 'path', 'Id of the delivery.', api.id);
const URL_FIELD = {
  type: 'string',
  maxLength: LONGEST_URL,
  description: 'Where events are sent, by POST.',
  examples: ['https://hooks.example.com/appreg'],
};
const EVENTS_FIELD = {
  anyOf: [api.ref('WebhookEvents'), { type: 'null' }],
  description: 'The types of events to send; null or missing for all.',
};

/** Webhooks and their deliveries. */
export const webhooksPaths: Record<string, api.OpenApiObject> = {
  '/api/webhooks': {
    get: api.forOrganization('listWebhooks', 'The webhooks of the organization', api.pageResponses('Webhooks'), {
      ...api.requiresScope('manage'),
      parameters: [...api.PAGE, api.IF_NONE_MATCH],
    }),
    post: api.forOrganization(
      'createWebhook',
      'Send events to a URL',
      {
        201: api.response('The webhook.', 'NewWebhook'),
        ...api.BAD_BODY,
        409: api.refusal('The organization has too many webhooks.'),
      },
      api.body({ url: URL_FIELD }, { events: EVENTS_FIELD }),
    ),
  },
  '/api/webhooks/{webhook}': {
    parameters: [WEBHOOK],
    get: api.forOrganization(
      'getWebhook',
      'One webhook',
      { 200: api.response('The webhook.', 'Webhook'), ...api.NOT_FOUND },
      api.requiresScope('manage'),
    ),
    patch: api.forOrganization(
      'changeWebhook',
      'Change the URL or the events of a webhook, enable or disable it',
      { 200: api.response('The webhook.', 'Webhook'), ...api.BAD_BODY, ...api.NOT_FOUND },
      api.body(
        {},
        {
          url: URL_FIELD,
          events: EVENTS_FIELD,
          enabled: { type: 'boolean', description: 'False cancels all pending deliveries.' },
        },
      ),
    ),
    delete: api.forOrganization('deleteWebhook', 'Delete a webhook and its pending deliveries', {
      204: { description: 'Deleted.' },
      ...api.NOT_FOUND,
    }),
  },
  '/api/webhooks/{webhook}/secret': {
    parameters: [WEBHOOK],
    post: api.forOrganization(
      'replaceWebhookSecret',
      'Replace the secret; the previous one signs for 24 hours as well',
      {
        200: api.response('The webhook, with its new secret.', 'NewWebhook'),
        ...api.NOT_FOUND,
      },
    ),
  },
  '/api/webhooks/{webhook}/test': {
    parameters: [WEBHOOK],
    post: api.forOrganization('testWebhook', 'Send a test event', {
      202: api.response('The event will be sent soon.', 'Delivery'),
      ...api.NOT_FOUND,
      409: api.refusal('The webhook is disabled.'),
    }),
  },
  '/api/webhooks/{webhook}/deliveries': {
    parameters: [WEBHOOK],
    get: api.forOrganization(
      'listDeliveries',
      'The deliveries to a webhook in the last 30 days, including pending ones',
      { ...api.pageResponses('Deliveries'), ...api.NOT_FOUND },
      { ...api.requiresScope('manage'), parameters: [...api.PAGE, api.IF_NONE_MATCH] },
    ),
  },
  '/api/webhooks/{webhook}/deliveries/{delivery}/redeliver': {
    parameters: [WEBHOOK, DELIVERY],
    post: api.forOrganization('redeliver', 'Send an event again, with the same webhook-id', {
      202: api.response('The event will be sent soon.', 'Delivery'),
      ...api.NOT_FOUND,
      409: api.refusal('The webhook is disabled, or the delivery is pending.'),
    }),
  },
};
