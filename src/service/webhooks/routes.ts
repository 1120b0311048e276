import type { Service } from '../context.ts';
import { readBody } from '../http/body.ts';
import type { Caller } from '../http/auth.ts';
import { taggedJson } from '../http/conditions.ts';
import { pathParameter, ID_PAGE_QUERY, queryIn } from '../http/query.ts';
import { json, notFound, orNotFound, Refusal } from '../http/problems.ts';
import type { Route, WebContext } from '../http/routes.ts';
import { newWebhookIn, webhookChangeIn, addWebhook, replaceSecret, TOO_MANY_WEBHOOKS } from './webhooks.ts';
import { listDeliveries, queueTest, redeliver } from './deliveries-store.ts';
import { changeWebhook, deleteWebhook, listWebhooks, webhookOf } from './store.ts';
import type { DeliveryView } from '../views.ts';

const WEBHOOK_PATH = '/api/webhooks/{webhook}';

/** The webhooks of an organization, and their deliveries. Their URLs may be secrets, so `read` does not list them. */
export function webhookRoutes(service: Service): Route[] {
  return [...collectionRoutes(service), ...deliveryRoutes(service)];
}

function collectionRoutes(service: Service): Route[] {
  const { db, outbound } = service;
  const { secretsKeys } = service.settings;
  return [
    {
      method: 'GET',
      path: '/api/webhooks',
      access: 'organization',
      scope: 'manage',
      handle: async (c, { id }) => taggedJson(c, await listWebhooks(db, id, queryIn(c, ID_PAGE_QUERY), secretsKeys)),
    },
    {
      method: 'POST',
      path: '/api/webhooks',
      access: 'organization',
      scope: 'manage',
      handle: (c, caller) => postWebhook(c, service, caller),
    },
    {
      method: 'GET',
      path: WEBHOOK_PATH,
      access: 'organization',
      scope: 'manage',
      handle: async (c, { id }) =>
        json(c, orNotFound(await webhookOf(db, id, pathParameter(c, 'webhook'), secretsKeys), 'webhook')),
    },
    {
      method: 'PATCH',
      path: WEBHOOK_PATH,
      access: 'organization',
      scope: 'manage',
      async handle(c, { id, actor }) {
        const change = webhookChangeIn(await readBody(c), outbound.guard);
        return json(
          c,
          orNotFound(await changeWebhook(db, id, pathParameter(c, 'webhook'), change, actor, secretsKeys), 'webhook'),
        );
      },
    },
    {
      method: 'DELETE',
      path: WEBHOOK_PATH,
      access: 'organization',
      scope: 'manage',
      async handle(c, { id, actor }) {
        if (!(await deleteWebhook(db, id, pathParameter(c, 'webhook'), actor))) throw notFound('webhook');
        return c.body(null, 204);
      },
    },
    {
      method: 'POST',
      path: `${WEBHOOK_PATH}/secret`,
      access: 'organization',
      scope: 'manage',
      async handle(c, { id, actor }) {
        const replaced = orNotFound(await replaceSecret(service, id, pathParameter(c, 'webhook'), actor), 'webhook');
        return json(c, { ...replaced.webhook, secret: replaced.secret });
      },
    },
  ];
}

function deliveryRoutes({ db }: Service): Route[] {
  return [
    {
      method: 'POST',
      path: `${WEBHOOK_PATH}/test`,
      access: 'organization',
      scope: 'manage',
      async handle(c, { id, actor }) {
        return accepted(c, await queueTest(db, id, pathParameter(c, 'webhook'), actor));
      },
    },
    {
      method: 'GET',
      path: `${WEBHOOK_PATH}/deliveries`,
      access: 'organization',
      scope: 'manage',
      async handle(c, { id }) {
        return taggedJson(
          c,
          orNotFound(await listDeliveries(db, id, pathParameter(c, 'webhook'), queryIn(c, ID_PAGE_QUERY)), 'webhook'),
        );
      },
    },
    {
      method: 'POST',
      path: `${WEBHOOK_PATH}/deliveries/{delivery}/redeliver`,
      access: 'organization',
      scope: 'manage',
      async handle(c, { id, actor }) {
        const [webhook, delivery] = [pathParameter(c, 'webhook'), pathParameter(c, 'delivery')];
        return accepted(c, await redeliver(db, id, webhook, delivery, actor));
      },
    },
  ];
}

async function postWebhook(c: WebContext, service: Service, { id, actor }: Caller): Promise<Response> {
  const wanted = newWebhookIn(await readBody(c), service.outbound.guard);
  const created = await addWebhook(service, id, wanted, actor);
  if (created === null) throw new Refusal('too-many-webhooks', TOO_MANY_WEBHOOKS);
  return json(c, { ...created.webhook, secret: created.secret }, 201);
}

function accepted(c: WebContext, delivery: DeliveryView | 'disabled' | 'pending' | null): Response {
  if (delivery === null) throw notFound('webhook or delivery');
  if (delivery === 'disabled')
    throw new Refusal('webhook-disabled', 'The webhook is disabled. Enable it first: PATCH { "enabled": true }.');
  if (delivery === 'pending')
    throw new Refusal('delivery-pending', 'The delivery is still pending, and will be retried if it fails.');
  return json(c, delivery, 202);
}
