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
  IF_NONE_MATCH,
  PAGE,
  response,
  BAD_BODY,
  body,
  forOrganization,
  type OpenApiObject,
  requiresScope,
  NOT_FOUND,
  pageResponses,
  parameter,
  refusal,
} from '../http/openapi.ts';
import { LONGEST_URL } from '../http/fields.ts';

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
