import type { JsonObject } from 'appreg';
import type { AddressPolicy } from 'appreg/node';
import { type Service } from '../context.ts';
import { type Route, organizationRoute, type WebContext } from '../http/routes.ts';
import { taggedJson } from '../http/conditions.ts';
import {
  listWebhooks,
  webhookOf,
  changeWebhook,
  deleteWebhook,
  type NewWebhook,
  type WebhookChange,
} from '../db/webhooks.ts';
import { queryIn, ID_PAGE_QUERY, pathParameter } from '../http/query.ts';
import { json, orNotFound, NotFound, Refusal } from '../http/problems.ts';
import { readBody, fieldsIn } from '../http/body.ts';
import { replaceSecret, addWebhook, TOO_MANY_WEBHOOKS } from '../actions/webhooks.ts';
import { queueTest, listDeliveries, redeliver } from '../db/deliveries.ts';
import { type Caller } from '../http/auth.ts';
import {
  type DeliveryView,
  WEBHOOK_EVENT_TYPES,
  webhookSchema,
  webhook,
  delivery,
  parseWebhookUrl,
  isWebhookEventType,
} from '../domain/webhooks.ts';
import * as shape from '../domain/shape.ts';
import * as openapi from '../http/operations.ts';
import { LONGEST_URL, nullable, optional, flagField, type FieldReader } from '../domain/fields.ts';

const WEBHOOK_PATH = '/api/webhooks/{webhook}';

/** The webhooks of an organization, and their deliveries. Their URLs may be secrets, so `read` does not list them. */
export function webhookRoutes(service: Service): Route[] {
  return [...collectionRoutes(service), ...deliveryRoutes(service)];
}

function collectionRoutes(service: Service): Route[] {
  const { db, outbound } = service;
  const { secretsKeys } = service.settings;
  return [
    organizationRoute('GET', '/api/webhooks', 'manage', async (c, { id }) =>
      taggedJson(c, await listWebhooks(db, id, queryIn(c, ID_PAGE_QUERY), secretsKeys)),
    ),
    organizationRoute('POST', '/api/webhooks', 'manage', (c, caller) => postWebhook(c, service, caller)),
    organizationRoute('GET', WEBHOOK_PATH, 'manage', async (c, { id }) =>
      json(c, orNotFound(await webhookOf(db, id, pathParameter(c, 'webhook'), secretsKeys), 'webhook')),
    ),
    organizationRoute('PATCH', WEBHOOK_PATH, 'manage', async (c, { id, actor }) => {
      const change = webhookChangeIn(await readBody(c), outbound.guard);
      return json(
        c,
        orNotFound(await changeWebhook(db, id, pathParameter(c, 'webhook'), change, actor, secretsKeys), 'webhook'),
      );
    }),
    organizationRoute('DELETE', WEBHOOK_PATH, 'manage', async (c, { id, actor }) => {
      if (!(await deleteWebhook(db, id, pathParameter(c, 'webhook'), actor))) throw new NotFound('webhook');
      return c.body(null, 204);
    }),
    organizationRoute('POST', `${WEBHOOK_PATH}/secret`, 'manage', async (c, { id, actor }) => {
      const replaced = orNotFound(await replaceSecret(service, id, pathParameter(c, 'webhook'), actor), 'webhook');
      return json(c, { ...replaced.webhook, secret: replaced.secret });
    }),
  ];
}

function deliveryRoutes({ db }: Service): Route[] {
  return [
    organizationRoute('POST', `${WEBHOOK_PATH}/test`, 'manage', async (c, { id, actor }) => {
      return accepted(c, await queueTest(db, id, pathParameter(c, 'webhook'), actor));
    }),
    organizationRoute('GET', `${WEBHOOK_PATH}/deliveries`, 'manage', async (c, { id }) => {
      return taggedJson(
        c,
        orNotFound(await listDeliveries(db, id, pathParameter(c, 'webhook'), queryIn(c, ID_PAGE_QUERY)), 'webhook'),
      );
    }),
    organizationRoute('POST', `${WEBHOOK_PATH}/deliveries/{delivery}/redeliver`, 'manage', async (c, { id, actor }) => {
      const [webhook, delivery] = [pathParameter(c, 'webhook'), pathParameter(c, 'delivery')];
      return accepted(c, await redeliver(db, id, webhook, delivery, actor));
    }),
  ];
}

async function postWebhook(c: WebContext, service: Service, { id, actor }: Caller): Promise<Response> {
  const wanted = newWebhookIn(await readBody(c), service.outbound.guard);
  const created = await addWebhook(service, id, wanted, actor);
  if (created === null) throw new Refusal('too-many-webhooks', TOO_MANY_WEBHOOKS);
  return json(c, { ...created.webhook, secret: created.secret }, 201);
}

function accepted(c: WebContext, delivery: DeliveryView | 'disabled' | 'pending' | null): Response {
  if (delivery === null) throw new NotFound('webhook or delivery');
  if (delivery === 'disabled')
    throw new Refusal('webhook-disabled', 'The webhook is disabled. Enable it first: PATCH { "enabled": true }.');
  if (delivery === 'pending')
    throw new Refusal('delivery-pending', 'The delivery is still pending, and will be retried if it fails.');
  return json(c, delivery, 202);
}

export const webhookSchemas: Record<string, shape.Schema> = {
  WebhookEvents: { type: 'array', minItems: 1, items: { enum: WEBHOOK_EVENT_TYPES } },
  Webhook: webhookSchema,
  Webhooks: shape.strictObject('A page of webhooks, in order of creation.', {
    webhooks: shape.list(shape.ref('Webhook')),
    next: shape.next,
  }),
  NewWebhook: shape.strictObject('A webhook, with the secret that signs its events, which is shown only once.', {
    ...webhook,
    secret: { type: 'string', pattern: '^whsec_[A-Za-z0-9+/]{43}=$' },
  }),
  Delivery: delivery,
  Deliveries: shape.strictObject('A page of deliveries, newest first.', {
    deliveries: shape.list(shape.ref('Delivery')),
    next: shape.next,
  }),
};

const WEBHOOK = openapi.parameter('webhook', 'path', 'Id of the webhook.', shape.id);
const DELIVERY = openapi.parameter('delivery', 'path', 'Id of the delivery.', shape.id);
const URL_FIELD = {
  type: 'string',
  maxLength: LONGEST_URL,
  description: 'Where events are sent, by POST.',
  examples: ['https://hooks.example.com/appreg'],
};
const EVENTS_FIELD = {
  anyOf: [shape.ref('WebhookEvents'), { type: 'null' }],
  description: 'The types of events to send; null or missing for all.',
};

/** Webhooks and their deliveries. */
export const webhooksPaths: Record<string, openapi.OpenApiObject> = {
  '/api/webhooks': {
    get: openapi.forOrganization(
      'listWebhooks',
      'The webhooks of the organization',
      openapi.pageResponses('Webhooks'),
      {
        ...openapi.requiresScope('manage'),
        parameters: [...openapi.PAGE, openapi.IF_NONE_MATCH],
      },
    ),
    post: openapi.forOrganization(
      'createWebhook',
      'Send events to a URL',
      {
        201: openapi.response('The webhook.', 'NewWebhook'),
        ...openapi.BAD_BODY,
        409: openapi.refusal('The organization has too many webhooks.'),
      },
      openapi.body({ url: URL_FIELD }, { events: EVENTS_FIELD }),
    ),
  },
  '/api/webhooks/{webhook}': {
    parameters: [WEBHOOK],
    get: openapi.forOrganization(
      'getWebhook',
      'One webhook',
      { 200: openapi.response('The webhook.', 'Webhook'), ...openapi.NOT_FOUND },
      openapi.requiresScope('manage'),
    ),
    patch: openapi.forOrganization(
      'changeWebhook',
      'Change the URL or the events of a webhook, enable or disable it',
      { 200: openapi.response('The webhook.', 'Webhook'), ...openapi.BAD_BODY, ...openapi.NOT_FOUND },
      openapi.body(
        {},
        {
          url: URL_FIELD,
          events: EVENTS_FIELD,
          enabled: { type: 'boolean', description: 'False cancels all pending deliveries.' },
        },
      ),
    ),
    delete: openapi.forOrganization('deleteWebhook', 'Delete a webhook and its pending deliveries', {
      204: { description: 'Deleted.' },
      ...openapi.NOT_FOUND,
    }),
  },
  '/api/webhooks/{webhook}/secret': {
    parameters: [WEBHOOK],
    post: openapi.forOrganization(
      'replaceWebhookSecret',
      'Replace the secret; the previous one signs for 24 hours as well',
      {
        200: openapi.response('The webhook, with its new secret.', 'NewWebhook'),
        ...openapi.NOT_FOUND,
      },
    ),
  },
  '/api/webhooks/{webhook}/test': {
    parameters: [WEBHOOK],
    post: openapi.forOrganization('testWebhook', 'Send a test event', {
      202: openapi.response('The event will be sent soon.', 'Delivery'),
      ...openapi.NOT_FOUND,
      409: openapi.refusal('The webhook is disabled.'),
    }),
  },
  '/api/webhooks/{webhook}/deliveries': {
    parameters: [WEBHOOK],
    get: openapi.forOrganization(
      'listDeliveries',
      'The deliveries to a webhook in the last 30 days, including pending ones',
      { ...openapi.pageResponses('Deliveries'), ...openapi.NOT_FOUND },
      { ...openapi.requiresScope('manage'), parameters: [...openapi.PAGE, openapi.IF_NONE_MATCH] },
    ),
  },
  '/api/webhooks/{webhook}/deliveries/{delivery}/redeliver': {
    parameters: [WEBHOOK, DELIVERY],
    post: openapi.forOrganization('redeliver', 'Send an event again, with the same webhook-id', {
      202: openapi.response('The event will be sent soon.', 'Delivery'),
      ...openapi.NOT_FOUND,
      409: openapi.refusal('The webhook is disabled, or the delivery is pending.'),
    }),
  },
};

/** The webhook that a body describes. @throws Refusal that lists every invalid field */
function newWebhookIn(body: JsonObject, guard: AddressPolicy | null | undefined): NewWebhook {
  return fieldsIn<NewWebhook>(body, { url: urlField(guard), events: nullable(eventsField) });
}

/** The change of a webhook that a body describes: null for `events` means all. @throws Refusal likewise */
function webhookChangeIn(body: JsonObject, guard: AddressPolicy | null | undefined): WebhookChange {
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
