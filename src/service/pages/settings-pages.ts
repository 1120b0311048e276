import type { Finding } from '../../core/engine/report.ts';
import { count, symptomName } from '../../report/words.ts';
import type { OrganizationView, SubscriptionView } from '../views.ts';
import { code, legible, untrusted } from './untrusted-text.ts';
import { type Html, html, NOTHING } from './html.ts';
import type { Screen } from './layout.ts';
import { chip, copyable, empty, field, doneNotice, status } from './components.ts';
import { findingList } from './findings.ts';
import { appCount, isBusy, schedule, stateOf } from './states.ts';
import { day } from './time.ts';

/** Settings: App Registries, Subscribe to Registry, Organization. */

export function registriesPage(list: readonly SubscriptionView[], done: string | null, now: Date): Screen {
  const body = html`<div class="head">
      <div>
        <h1>App Registries</h1>
        <p class="lead">Where the apps of your organization come from.</p>
      </div>
      ${list.length === 0 ? NOTHING : html`<a class="button primary" href="settings/registries/subscribe">Subscribe to Registry</a>`}
    </div>
    ${doneNotice(done)}
    ${
      list.length === 0
        ? empty(
            'No registries yet',
            'Subscribe to a registry by its URL, and its apps become available for installation.',
            html`<a class="button primary" href="settings/registries/subscribe">Subscribe to Registry</a>`,
          )
        : html`<ul class="rows" id="registries" data-live>
            ${list.map((subscription) => registryRow(subscription, now))}
          </ul>`
    }`;
  return {
    title: 'App Registries',
    section: 'registries',
    body,
    refreshAfter: refreshInterval(list),
  };
}

/** Seconds until the list should be fetched again; longer for long lists. */
function refreshInterval(list: readonly SubscriptionView[]): number | null {
  if (list.length === 0) return null;
  return list.some(isBusy) ? 2 + Math.floor(list.length / 50) : 30;
}

function registryRow(subscription: SubscriptionView, now: Date): Html {
  const { tone, word } = stateOf(subscription);
  const affected = subscription.symptoms.filter(({ status }) => status === 'confirmed' || status === 'suspected');
  return html`<li class="row registry">
    <div class="row-main">
      <h2>
        <a class="stretch" href="settings/registries/${subscription.id}">${untrusted(subscription.name, 120)}</a>
        ${subscription.official ? chip('Official') : NOTHING}
      </h2>
      <p class="url">${code(subscription.url)}</p>
      ${
        affected.length === 0
          ? NOTHING
          : html`<ul class="troubles" aria-label="Problems">
              ${affected.map(({ id, status }) => html`<li class="${status}">${symptomName(id)}${status === 'suspected' ? ' (suspected)' : ''}</li>`)}
            </ul>`
      }
    </div>
    <div class="row-side">
      ${status(tone, word)}
      <p>${appCount(subscription)}</p>
      <p>${schedule(subscription, now)}</p>
    </div>
  </li>`;
}

export interface SubscribeForm {
  url: string;
  name: string;
  urlError: Html | string | null;
  nameError: string | null;
  /** Why the registry cannot be used, or null. */
  unusable: { message: string; findings: readonly Finding[] } | null;
}

export function subscribePage({ url, name, urlError, nameError, unusable }: SubscribeForm): Screen {
  const body = html`${backLink('settings/registries', 'App Registries')}
    <h1>Subscribe to Registry</h1>
    <p class="lead">Its manifest is checked right away; then its apps become available for installation.</p>
    ${
      unusable === null
        ? NOTHING
        : html`<section class="notice bad" role="alert" aria-labelledby="unusable">
            <h2 id="unusable">This registry cannot be used</h2>
            <p>
              ${unusable.findings.some(({ message }) => message === unusable.message) ? '' : legible(`${unusable.message} `, 600)}You
              were not subscribed.
            </p>
            ${findingList(unusable.findings)}
          </section>`
    }
    <form class="form" method="post" action="settings/registries/subscribe" data-busy="Checking the registry…">
      ${field({
        name: 'url',
        label: 'Registry URL',
        value: url,
        type: 'url',
        hint: 'The URL of the registry’s manifest, a JSON file.',
        placeholder: 'https://apps.example.com/registry.json',
        error: urlError,
        autofocus: nameError === null,
      })}
      ${field({ name: 'name', label: 'Name', value: name, hint: 'Its name within your organization.', error: nameError, maxlength: 200 })}
      <p class="actions">
        <button class="primary">Subscribe</button>
        <a class="button" href="settings/registries">Cancel</a>
      </p>
    </form>`;
  return { title: 'Subscribe to Registry', section: 'registries', body };
}

export function renamePage(subscription: SubscriptionView, name: string, error: string | null): Screen {
  const body = html`${backLink(`settings/registries/${subscription.id}`, subscription.name)}
    <h1>Rename registry</h1>
    <p class="url">${code(subscription.url)}</p>
    <form class="form" method="post" action="settings/registries/${subscription.id}/rename">
      ${field({ name: 'name', label: 'Name', value: name, error, autofocus: true, maxlength: 200 })}
      <p class="actions">
        <button class="primary">Rename</button>
        <a class="button" href="settings/registries/${subscription.id}">Cancel</a>
      </p>
    </form>`;
  return { title: 'Rename registry', section: 'registries', body };
}

export function unsubscribePage(subscription: SubscriptionView): Screen {
  const body = html`${backLink(`settings/registries/${subscription.id}`, subscription.name)}
    <h1>Unsubscribe from ${untrusted(subscription.name, 120)}?</h1>
    <p class="lead">
      ${
        subscription.visible > 0
          ? `${count(subscription.visible, 'app')} will not be available for installation any more.`
          : 'It has no app that can be installed.'
      }
      You can subscribe again at any time; pinned digests remain valid.
    </p>
    <p class="url">${code(subscription.url)}</p>
    <form class="form" method="post" action="settings/registries/${subscription.id}/unsubscribe">
      <p class="actions">
        <button class="danger">Unsubscribe</button>
        <a class="button" href="settings/registries/${subscription.id}">Keep it</a>
      </p>
    </form>`;
  return { title: 'Unsubscribe', section: 'registries', body };
}

export function organizationPage({ id, name, createdAt, tokenSince }: OrganizationView): Screen {
  const body = html`<h1>Organization</h1>
    <dl class="facts">
      <div>
        <dt>Name</dt>
        <dd>${untrusted(name, 400)}</dd>
      </div>
      <div>
        <dt>Created</dt>
        <dd>${day(createdAt)}</dd>
      </div>
      <div>
        <dt>Identifier</dt>
        <dd>${copyable(id, 'identifier')}</dd>
      </div>
    </dl>
    <section class="panel" aria-labelledby="token-title">
      <h2 id="token-title">Token</h2>
      <p>In use since ${day(tokenSince)}. Only its hash is stored, so it cannot be read again.</p>
      <form method="post" action="settings/organization/token" class="confirm">
        <label class="check"
          ><input type="checkbox" name="sure" value="yes" required /> The token in use stops working at once</label
        >
        <button>Make a new token</button>
      </form>
    </section>`;
  return { title: 'Organization', section: 'organization', body };
}

export function backLink(href: string, to: string): Html {
  return html`<nav class="back" aria-label="Breadcrumb">
    <a href="${href}"><span aria-hidden="true">←</span> ${untrusted(to, 60)}</a>
  </nav>`;
}
