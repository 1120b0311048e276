import type { Service } from '../context.ts';
import { parseWebhookUrl, addWebhook, replaceSecret, TOO_MANY_WEBHOOKS } from './webhooks.ts';
import { listDeliveries, queueTest, redeliver } from './deliveries-store.ts';
import { changeWebhook, deleteWebhook, listWebhooks, webhookOf, WEBHOOKS_LIMIT } from './store.ts';
import type { WebhookView } from './schema.ts';
import { WEBHOOK_EVENT_TYPES } from './schema.ts';
import type { PageRoute } from '../pages/mount.ts';
import { orNotFound } from '../http/problems.ts';
import type { MemberRequest } from '../pages/request.ts';
import { deleteWebhookPage, type WebhookForm, webhookPage, webhookSecretPage, webhooksPage } from './page.ts';

/** Settings → Webhooks. Their URLs may be secrets, so sessions with the scope `read` do not see them. */

const LIST = '/settings/webhooks';
const DELIVERIES_LIMIT = 30;

export const webhookRoutes: readonly PageRoute[] = [
  { method: 'GET', path: LIST, access: 'member', scope: 'manage', handle: showWebhooks },
  { method: 'POST', path: LIST, access: 'member', handle: submitWebhook },
  { method: 'GET', path: `${LIST}/:id`, access: 'member', scope: 'manage', handle: showWebhook },
  { method: 'POST', path: `${LIST}/:id/test`, access: 'member', handle: submitTest },
  { method: 'POST', path: `${LIST}/:id/secret`, access: 'member', handle: submitSecret },
  { method: 'POST', path: `${LIST}/:id/enable`, access: 'member', handle: (...args) => setEnabled(true, ...args) },
  { method: 'POST', path: `${LIST}/:id/disable`, access: 'member', handle: (...args) => setEnabled(false, ...args) },
  { method: 'POST', path: `${LIST}/:id/deliveries/:delivery`, access: 'member', handle: submitRedelivery },
  { method: 'GET', path: `${LIST}/:id/delete`, access: 'member', scope: 'manage', handle: showDelete },
  { method: 'POST', path: `${LIST}/:id/delete`, access: 'member', handle: submitDelete },
];

/** Confirmations of the last action, by the parameter `done`. */
const CONFIRMATIONS = new Map([
  ['deleted', 'The webhook was deleted.'],
  ['queued', 'The event is being sent.'],
  ['waiting', 'The delivery is still pending, and will be retried if it fails.'],
  ['disabled', 'The webhook is disabled. Enable it first.'],
]);

async function showWebhooks(request: MemberRequest, service: Service) {
  return showList(request, service, { url: '', urlError: null, events: [] });
}

async function showList(
  { organization, now, query, show }: MemberRequest,
  { db, settings }: Service,
  form: WebhookForm,
) {
  const all = { limit: WEBHOOKS_LIMIT, after: null };
  const { webhooks } = await listWebhooks(db, organization.id, all, settings.secretsKeys);
  const done = CONFIRMATIONS.get(query('done') ?? '') ?? null;
  const screen = webhooksPage({ webhooks, form, types: WEBHOOK_EVENT_TYPES, done, now });
  return show(screen, form.urlError === null ? 200 : 400);
}

async function submitWebhook(request: MemberRequest, service: Service) {
  const { organization, member, formField, show } = request;
  const typed = formField('url').trim();
  const events = WEBHOOK_EVENT_TYPES.filter((type) => formField(`event-${type}`) === 'yes');
  const parsed = parseWebhookUrl(typed, service.outbound.guard);
  if ('fault' in parsed) return showList(request, service, { url: typed, urlError: `The URL ${parsed.fault}`, events });
  const wanted = { url: parsed.url, events: events.length === 0 ? null : events };
  const created = await addWebhook(service, organization.id, wanted, member.actor);
  if (created === null) return showList(request, service, { url: typed, urlError: TOO_MANY_WEBHOOKS, events });
  return show(webhookSecretPage(created.webhook, created.secret));
}

async function submitSecret({ organization, member, parameter, show }: MemberRequest, service: Service) {
  const replaced = orNotFound(await replaceSecret(service, organization.id, parameter('id'), member.actor), 'webhook');
  return show(webhookSecretPage(replaced.webhook, replaced.secret, true));
}

/** @throws PageError if the organization does not have it */
async function requestedWebhook(
  { organization, parameter }: MemberRequest,
  { db, settings }: Service,
): Promise<WebhookView> {
  return orNotFound(await webhookOf(db, organization.id, parameter('id'), settings.secretsKeys), 'webhook');
}

async function showWebhook(request: MemberRequest, service: Service) {
  const webhook = await requestedWebhook(request, service);
  const page = { limit: DELIVERIES_LIMIT, after: null };
  const deliveries = await listDeliveries(service.db, request.organization.id, webhook.id, page);
  const done = CONFIRMATIONS.get(request.query('done') ?? '') ?? null;
  return request.show(
    webhookPage({ webhook, deliveries: orNotFound(deliveries, 'webhook').deliveries, done, now: request.now }),
  );
}

async function submitTest({ organization, member, parameter, redirectTo }: MemberRequest, { db }: Service) {
  const queued = orNotFound(await queueTest(db, organization.id, parameter('id'), member.actor), 'webhook');
  return redirectTo(`${LIST}/${parameter('id')}?done=${queued === 'disabled' ? 'disabled' : 'queued'}`);
}

async function setEnabled(
  enabled: boolean,
  { organization, member, parameter, redirectTo }: MemberRequest,
  { db }: Service,
): Promise<Response> {
  orNotFound(await changeWebhook(db, organization.id, parameter('id'), { enabled }, member.actor), 'webhook');
  return redirectTo(`${LIST}/${parameter('id')}`);
}

async function submitRedelivery({ organization, member, parameter, redirectTo }: MemberRequest, { db }: Service) {
  const [id, delivery] = [parameter('id'), parameter('delivery')];
  const queued = orNotFound(await redeliver(db, organization.id, id, delivery, member.actor), 'webhook or delivery');
  const outcomes = { pending: 'waiting', disabled: 'disabled' } as const;
  return redirectTo(`${LIST}/${id}?done=${typeof queued === 'string' ? outcomes[queued] : 'queued'}`);
}

async function showDelete(request: MemberRequest, service: Service) {
  return request.show(deleteWebhookPage(await requestedWebhook(request, service)));
}

async function submitDelete({ organization, member, parameter, redirectTo }: MemberRequest, { db }: Service) {
  // Deleting is idempotent: a form that is submitted twice succeeds.
  await deleteWebhook(db, organization.id, parameter('id'), member.actor);
  return redirectTo(`${LIST}?done=deleted`);
}
