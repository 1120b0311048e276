import type { Service } from '../context.ts';
import { readBody } from '../http/fields.ts';
import type { Caller } from '../http/auth.ts';
import { taggedJson } from '../http/conditions.ts';
import { pathParameter, ID_PAGE_QUERY, queryIn } from '../http/query.ts';
import { json, NotFound, orNotFound, Refusal } from '../http/problems.ts';
import { organizationRoute, type Route, type WebContext } from '../http/routes.ts';
import { newWebhookIn, webhookChangeIn, addWebhook, replaceSecret, TOO_MANY_WEBHOOKS } from './webhooks.ts';
import { listDeliveries, queueTest, redeliver } from './deliveries-store.ts';
import { changeWebhook, deleteWebhook, listWebhooks, webhookOf } from './store.ts';
import type { DeliveryView } from './schema.ts';

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
