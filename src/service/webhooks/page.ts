import { counted, grouped } from '../../core/text/text.ts';
import type { DeliveryError, DeliveryView, WebhookDisabledReason, WebhookView } from './schema.ts';
import {
  confirmDeletion,
  doneNotice,
  field,
  status,
  type Tone,
  table,
  calendarDay,
  dueTime,
  relativeTime,
} from '../pages/components.ts';
import { type Html, html, NOTHING, code, sanitized, untrusted, copyButton } from '../../html/html.ts';
import type { Screen } from '../pages/layout.ts';
import { breadcrumbs } from '../pages/navigation.ts';

/** Settings → Webhooks: where events are sent. */

export interface WebhookForm {
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
    ${doneNotice(done)} ${webhooks.length === 0 ? NOTHING : webhookTable(webhooks, now)}
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
                    ${form.events.includes(type) ? html`checked` : NOTHING}
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
    <th role="rowheader" scope="row"><a class="stretch" href="settings/webhooks/${id}">${code(url, 200)}</a></th>
    <td role="cell">
      ${status(tone, word)}
      ${failingSince === null ? NOTHING : html`<span class="line muted">since ${relativeTime(failingSince, now)}</span>`}
      ${pending === 0 ? NOTHING : html`<span class="line muted">${counted(pending, 'event')} waiting</span>`}
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
    <p class="url">${code(url)}</p>
    ${doneNotice(done)}
    <div class="state" id="state" role="status" data-live>
      <div class="state-line">
        ${status(tone, word)} <span class="muted">${events === null ? 'All events' : events.join(', ')}</span>
        <span class="schedule muted"><span>created ${calendarDay(createdAt)}</span></span>
      </div>
      ${dropped === 0 ? NOTHING : html`<p>${counted(dropped, 'event was', 'events were')} not queued, because too many were waiting.</p>`}
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
      ${nextAttemptAt === null ? NOTHING : html`<span class="line muted">next attempt ${dueTime(nextAttemptAt, now)}</span>`}
    </td>
    <td role="cell">
      <span class="line">${resultText(delivery)}</span>
      ${lastAttemptAt === null ? NOTHING : html`<span class="line muted">attempt ${grouped(attempts)}, ${relativeTime(lastAttemptAt, now)}</span>`}
    </td>
    <td role="cell">
      ${state === 'pending' ? NOTHING : html`<form method="post" action="${path}/deliveries/${id}"><button class="small">Send again</button></form>`}
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
        ${isReplaced ? html`For 24 hours, events to ${code(url)} are signed with the previous secret as well.` : html`Events are now sent to ${code(url)}.`}
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
