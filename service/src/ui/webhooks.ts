import { counted, grouped } from 'appreg';
import { codeText, copyButton, html, type Html, NO_MARKUP, sanitized, untrusted } from 'appreg/node';
import { type PageRoute } from './mount.ts';
import { type MemberRequest } from './request.ts';
import { type Service } from '../context.ts';
import { WEBHOOKS_LIMIT, listWebhooks, webhookOf, changeWebhook, deleteWebhook } from '../db/webhooks.ts';
import {
  WEBHOOK_EVENT_TYPES,
  parseWebhookUrl,
  type WebhookView,
  type WebhookDisabledReason,
  type DeliveryView,
  type DeliveryError,
} from '../domain/webhooks.ts';
import { addWebhook, TOO_MANY_WEBHOOKS, replaceSecret } from '../actions/webhooks.ts';
import { orNotFound } from '../http/problems.ts';
import { listDeliveries, queueTest, redeliver } from '../db/deliveries.ts';
import { type Screen } from './layout.ts';
import { doneNotice, field, table, status, relativeTime, calendarDay, dueTime, confirmDeletion } from './components.ts';
import { type Tone } from '../domain/event-definition.ts';
import { breadcrumbs } from './navigation.ts';

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

/** Settings → Webhooks: where events are sent. */

interface WebhookForm {
  url: string;
  urlError: string | null;
  /** The selected types of events; none for all. */
  events: readonly string[];
}

export interface WebhooksPage {
  webhooks: readonly WebhookView[];
  form: WebhookForm;
  /** All types of events that can be sent. */
  types: readonly string[];
  done: string | null;
  now: Date;
}

export function webhooksPage({ webhooks, form, types, done, now }: WebhooksPage): Screen {
  const body = html`<h1>Webhooks</h1>
    <p class="lead">
      Events are sent to these URLs, signed as in Standard Webhooks. Failed deliveries are retried for three days.
    </p>
    ${doneNotice(done)} ${webhooks.length === 0 ? NO_MARKUP : webhookTable(webhooks, now)}
    <section class="panel" aria-labelledby="create-title">
      <h2 id="create-title">New webhook</h2>
      <form class="form" method="post" action="settings/webhooks">
        ${field({ name: 'url', label: 'URL', type: 'url', value: form.url, error: form.urlError, placeholder: 'https://example.com/hooks/appreg' })}
        <fieldset>
          <legend>Events</legend>
          <p class="hint">If none are selected, all events are sent.</p>
          <div class="choices">
            ${types.map(
              (type) =>
                html`<label class="check"
                  ><input
                    type="checkbox"
                    name="event-${type}"
                    value="yes"
                    ${form.events.includes(type) ? html`checked` : NO_MARKUP}
                  />
                  ${type}</label
                >`,
            )}
          </div>
        </fieldset>
        <p class="actions"><button class="primary">Create webhook</button></p>
      </form>
    </section>`;
  return { title: 'Webhooks', section: 'webhooks', body };
}

const DISABLED: Record<WebhookDisabledReason, string> = {
  gone: 'Disabled: the receiver responded with 410 (Gone)',
  failing: 'Disabled: no delivery succeeded for days',
};

function stateOf({ enabled, disabledReason, failingSince }: WebhookView): readonly [Tone, string] {
  if (!enabled) return ['idle', disabledReason === null ? 'Disabled' : DISABLED[disabledReason]];
  return failingSince === null ? ['good', 'Working'] : ['bad', 'Failing'];
}

function webhookTable(webhooks: readonly WebhookView[], now: Date): Html {
  return table({
    className: 'webhooks',
    caption: 'Webhooks in order of creation',
    columns: ['URL', 'State', 'Events'],
    rows: webhooks.map((webhook) => webhookRow(webhook, now)),
  });
}

function webhookRow(webhook: WebhookView, now: Date): Html {
  const { id, url, events, failingSince, pending } = webhook;
  const [tone, word] = stateOf(webhook);
  return html`<tr role="row" class="linked">
    <th role="rowheader" scope="row"><a class="stretch" href="settings/webhooks/${id}">${codeText(url, 200)}</a></th>
    <td role="cell">
      ${status(tone, word)}
      ${failingSince === null ? NO_MARKUP : html`<span class="line muted">since ${relativeTime(failingSince, now)}</span>`}
      ${pending === 0 ? NO_MARKUP : html`<span class="line muted">${counted(pending, 'event')} waiting</span>`}
    </td>
    <td role="cell">${events === null ? 'All events' : events.join(', ')}</td>
  </tr>`;
}

interface WebhookPage {
  webhook: WebhookView;
  deliveries: readonly DeliveryView[];
  done: string | null;
  now: Date;
}

export function webhookPage({ webhook, deliveries, done, now }: WebhookPage): Screen {
  const { id, url, events, enabled, createdAt, dropped } = webhook;
  const [tone, word] = stateOf(webhook);
  const path = `settings/webhooks/${id}`;
  const body = html`${breadcrumbs({ href: 'settings/webhooks', text: 'Webhooks' })}
    <h1>Webhook</h1>
    <p class="url">${codeText(url)}</p>
    ${doneNotice(done)}
    <div class="state" id="state" role="status" data-live>
      <div class="state-line">
        ${status(tone, word)} <span class="muted">${events === null ? 'All events' : events.join(', ')}</span>
        <span class="schedule muted"><span>created ${calendarDay(createdAt)}</span></span>
      </div>
      ${dropped === 0 ? NO_MARKUP : html`<p>${counted(dropped, 'event was', 'events were')} not queued, because too many were waiting.</p>`}
    </div>
    <div class="actions">
      <form method="post" action="${path}/test"><button>Send a test event</button></form>
      <form method="post" action="${path}/${enabled ? 'disable' : 'enable'}">
        <button>${enabled ? 'Disable' : 'Enable'}</button>
      </form>
      <form method="post" action="${path}/secret"><button>Replace the secret</button></form>
      <a class="button danger-quiet" href="${path}/delete">Delete…</a>
    </div>
    <section aria-labelledby="deliveries-title">
      <h2 id="deliveries-title">Last deliveries</h2>
      <div id="deliveries" data-live>${deliveryTable(deliveries, path, now)}</div>
    </section>`;
  return { title: 'Webhook', section: 'webhooks', body, refreshAfter: 10 };
}

const DELIVERY_STATES: Record<DeliveryView['state'], readonly [Tone, string]> = {
  pending: ['busy', 'Waiting'],
  delivered: ['good', 'Delivered'],
  failed: ['bad', 'Failed'],
  cancelled: ['idle', 'Cancelled'],
};

const ERRORS: Record<DeliveryError, string> = {
  unreachable: 'the host could not be reached',
  tls: 'the certificate is not valid',
  timeout: 'no response in time',
  'connection-lost': 'the connection was lost',
  'secret-unreadable': 'the secret of the webhook cannot be read',
};

function deliveryTable(deliveries: readonly DeliveryView[], path: string, now: Date): Html {
  if (deliveries.length === 0) return html`<p class="muted">No event has been sent yet.</p>`;
  return table({
    className: 'deliveries',
    caption: 'Deliveries, newest first',
    columns: ['Time', 'Event', 'State', 'Last attempt', { label: 'Actions', kind: 'unseen' }],
    rows: deliveries.map((delivery) => deliveryRow(delivery, path, now)),
  });
}

function deliveryRow(delivery: DeliveryView, path: string, now: Date): Html {
  const { id, type, createdAt, state, attempts, lastAttemptAt, nextAttemptAt } = delivery;
  const [tone, word] = DELIVERY_STATES[state];
  return html`<tr role="row">
    <td role="cell" class="muted">${relativeTime(createdAt, now)}</td>
    <td role="cell">${sanitized(type, 60)}</td>
    <td role="cell">
      ${status(tone, word)}
      ${nextAttemptAt === null ? NO_MARKUP : html`<span class="line muted">next attempt ${dueTime(nextAttemptAt, now)}</span>`}
    </td>
    <td role="cell">
      <span class="line">${resultText(delivery)}</span>
      ${lastAttemptAt === null ? NO_MARKUP : html`<span class="line muted">attempt ${grouped(attempts)}, ${relativeTime(lastAttemptAt, now)}</span>`}
    </td>
    <td role="cell">
      ${state === 'pending' ? NO_MARKUP : html`<form method="post" action="${path}/deliveries/${id}"><button class="small">Send again</button></form>`}
    </td>
  </tr>`;
}

function resultText({ status: httpStatus, error }: DeliveryView): string {
  if (error !== null) return `No response: ${ERRORS[error]}`;
  return httpStatus === null ? '–' : `Status ${httpStatus}`;
}

/** The secret is shown only once. @param isReplaced false for a new webhook */
export function webhookSecretPage({ id, url }: WebhookView, secret: string, isReplaced = false): Screen {
  const body = html`${breadcrumbs({ href: 'settings/webhooks', text: 'Webhooks' })}
    <div class="card">
      <h1>${isReplaced ? 'New secret' : 'The webhook is ready'}</h1>
      <p class="lead">
        ${isReplaced ? html`For 24 hours, events to ${codeText(url)} are signed with the previous secret as well.` : html`Events are now sent to ${codeText(url)}.`}
      </p>
      <p class="token"><code id="secret" dir="ltr">${secret}</code>${copyButton(secret, 'secret')}</p>
      <p class="hint">
        The receiver uses this secret to check the signature of each event (standardwebhooks.com). Save it now: it is
        shown only once.
      </p>
      <p class="actions"><a class="button primary" href="settings/webhooks/${id}">I have saved it</a></p>
    </div>`;
  return { title: isReplaced ? 'New secret' : 'New webhook', section: 'webhooks', body };
}

export function deleteWebhookPage({ id, url, pending }: WebhookView): Screen {
  const body = html`${breadcrumbs({ href: 'settings/webhooks', text: 'Webhooks' })}
    <h1>Delete this webhook?</h1>
    <p class="lead">${untrusted(url, 300)}</p>
    <p>
      No more events are sent to it.${pending === 0 ? '' : ` ${counted(pending, 'waiting event')} will be discarded.`}
    </p>
    ${confirmDeletion(`settings/webhooks/${id}/delete`, 'Delete webhook', `settings/webhooks/${id}`)}`;
  return { title: 'Delete webhook', section: 'webhooks', body };
}
