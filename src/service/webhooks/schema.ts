import { LONGEST_URL } from '../http/typed-url.ts';
import { IF_NONE_MATCH, PAGE } from '../http/openapi/parameters.ts';
import {
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
} from '../http/openapi/parts.ts';
import { id, ref } from '../http/openapi/schemas.ts';

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
