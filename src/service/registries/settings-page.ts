import { type PolicyForm, policyFields } from '../attestations/policy-form.ts';
import { counted } from '../../core/text/text.ts';
import type { SubscriptionView } from './schema.ts';
import { code, untrusted, type Html, html, NOTHING, copyable } from '../../html/html.ts';
import { type AuthForm, AUTH_TYPE_NAMES, authFields } from './subscribe-page.ts';
import type { Screen } from '../pages/layout.ts';
import { confirmDeletion, field, ifAllowed, calendarDay, relativeTime } from '../pages/components.ts';
import { allows } from '../tokens/scopes.ts';
import { breadcrumbs, registryPath } from '../pages/navigation.ts';
import { type RegistryFrame, registryScreen } from './frame.ts';

/** The settings of a subscription: its name, and unsubscribing. */

export interface RegistrySettingsPage extends RegistryFrame {
  /** The name in the form, and what is wrong with it. */
  name: string;
  nameError: string | null;
  auth: AuthForm;
  /** Why the submitted credentials are not stored; or null. */
  authError: string | null;
  attestations: PolicyForm;
  /** Whether the subscription has a policy. */
  hasPolicy: boolean;
}

export function registrySettingsPage(view: RegistrySettingsPage): Screen {
  const content = html`${nameSection(view)} ${authSection(view)} ${attestationSection(view)} ${policySection(view)}
  ${facts(view.subscription)} ${allows(view.scope, 'manage') ? unsubscribeSection(view.subscription) : NOTHING}`;
  return registryScreen(view, 'settings', content);
}

function nameSection({ subscription, name, nameError, scope }: RegistrySettingsPage): Html {
  const path = registryPath(subscription.id, 'settings');
  const form = html`<form class="inline-form" method="post" action="${path}/rename">
    ${field({ name: 'name', label: 'Name', value: name, error: nameError, maxlength: 200 })}
    <button>Save name</button>
  </form>`;
  return html`<section class="panel" aria-labelledby="name-title">
    <h2 id="name-title">Name</h2>
    <p>What your organization calls this registry.</p>
    ${ifAllowed(scope, 'manage', 'Changing these settings', form)}
  </section>`;
}

function authSection(view: RegistrySettingsPage): Html {
  const { subscription, scope, now } = view;
  const current = subscription.auth;
  const isRefused = subscription.state === 'unauthorized';
  return html`<section class="panel" aria-labelledby="credentials-title">
    <h2 id="credentials-title">Credentials</h2>
    <p>
      ${current === null ? 'None: the registry is read without credentials.' : html`${AUTH_TYPE_NAMES[current.type]}, set ${relativeTime(current.changedAt, now)}. The values are never shown.`}
    </p>
    ${isRefused ? html`<p class="field-error">The host refused them in the last check. The last known state remains valid.</p>` : NOTHING}
    ${allows(scope, 'manage') ? authForms(view, isRefused) : NOTHING}
  </section>`;
}

function authForms({ subscription, auth, authError }: RegistrySettingsPage, isRefused: boolean): Html {
  const path = `${registryPath(subscription.id, 'settings')}/auth`;
  const isNew = subscription.auth === null;
  const isOpen = auth.faults.length > 0 || authError !== null || isRefused;
  return html`${authError === null ? NOTHING : html`<p class="field-error" role="alert">${authError}</p>`}
    <details ${isOpen ? html`open` : NOTHING}>
      <summary>${isNew ? 'Set credentials' : 'Replace credentials'}</summary>
      <form class="form" method="post" action="${path}">
        ${authFields(auth.type === 'none' ? { ...auth, type: 'bearer' } : auth, ['bearer', 'basic', 'header'])}
        <p class="actions"><button>Save credentials</button></p>
      </form>
    </details>
    ${
      isNew
        ? NOTHING
        : html`<form method="post" action="${path}" class="actions">
            <input type="hidden" name="auth" value="none" /><button class="danger-quiet">Remove credentials</button>
          </form>`
    }`;
}

function attestationSection({ subscription, attestations, scope }: RegistrySettingsPage): Html {
  const form = policyFields(attestations, `${registryPath(subscription.id, 'settings')}/attestations`);
  const { faults } = attestations;
  return html`<section class="panel" aria-labelledby="attestations-title">
    <h2 id="attestations-title">Attestations</h2>
    <p>
      An attestation is a signed statement of who built a version, and from which commit. Name the signer: issuer with
      repository or identity, or a public key.
    </p>
    ${faults.length === 0 ? NOTHING : html`<p class="field-error" role="alert">The attestations were not saved.</p>`}
    ${ifAllowed(scope, 'manage', 'Changing these settings', form)}
  </section>`;
}

function policySection({ subscription, hasPolicy, scope }: RegistrySettingsPage): Html {
  const word = allows(scope, 'manage') ? 'Change the policy…' : 'Show the policy';
  return html`<section class="panel" aria-labelledby="policy-title">
    <h2 id="policy-title">Policy</h2>
    <p>
      ${hasPolicy ? 'A policy decides which versions your organization is offered.' : 'None: every verified version is offered.'}
    </p>
    <p class="actions"><a class="button" href="${registryPath(subscription.id)}/policy">${word}</a></p>
  </section>`;
}

function facts({ id, url, createdAt }: SubscriptionView): Html {
  return html`<section class="panel" aria-labelledby="subscription-title">
    <h2 id="subscription-title">Subscription</h2>
    <dl class="facts">
      <div>
        <dt>Registry URL</dt>
        <dd>${copyable(url, 'registry URL')}</dd>
      </div>
      <div>
        <dt>Subscribed since</dt>
        <dd>${calendarDay(createdAt)}</dd>
      </div>
      <div>
        <dt>Identifier in the API</dt>
        <dd>${copyable(id, 'identifier')}</dd>
      </div>
    </dl>
  </section>`;
}

function unsubscribeSection({ id }: SubscriptionView): Html {
  return html`<section class="panel danger-zone" aria-labelledby="unsubscribe-title">
    <h2 id="unsubscribe-title">Unsubscribe</h2>
    <p>Its apps will no longer be available for installation.</p>
    <p class="actions"><a class="button danger-quiet" href="${registryPath(id)}/unsubscribe">Unsubscribe…</a></p>
  </section>`;
}

export function unsubscribePage(subscription: SubscriptionView): Screen {
  const { id, name, url, visible } = subscription;
  const body = html`${breadcrumbs({ href: 'settings/registries', text: 'App Registries' }, { href: registryPath(id), text: name })}
    <h1>Unsubscribe from ${untrusted(name, 120)}?</h1>
    <p class="lead">
      ${
        visible > 0
          ? `${counted(visible, 'app')} will no longer be available for installation.`
          : 'It has no apps that can be installed.'
      }
      You can subscribe again at any time; pinned digests remain valid.
    </p>
    <p class="url">${code(url)}</p>
    ${confirmDeletion(`${registryPath(id)}/unsubscribe`, 'Unsubscribe', registryPath(id, 'settings'))}`;
  return { title: 'Unsubscribe', section: 'registries', body };
}
