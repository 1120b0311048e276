import { counted } from 'appreg';
import { codeText, copyable, html, type Html, NO_MARKUP, untrusted } from 'appreg/node';
import { type RegistryFrame, registryScreen, requestedSubscription, registryFrame } from './registry-frame.ts';
import {
  type AuthForm,
  AUTH_TYPE_NAMES,
  authFields,
  type SubscribeForm,
  NO_AUTH,
  subscribePage,
  submittedAuth,
} from './subscribe.ts';
import { type PolicyForm, policyFields, policyForm, submittedPolicy } from './attestations.ts';
import { type Screen } from './layout.ts';
import { allows } from '../domain/scopes.ts';
import { registryPath, breadcrumbs } from './navigation.ts';
import { field, ifAllowed, relativeTime, calendarDay, confirmDeletion } from './components.ts';
import { type SubscriptionView } from '../domain/registries.ts';
import { type PageRoute } from './mount.ts';
import { type MemberRequest, searchIn, pageNumberIn, type PageStatus } from './request.ts';
import { type Service } from '../context.ts';
import { listSubscriptions, renameSubscription, removeSubscription } from '../db/subscriptions.ts';
import { registriesPage } from './registries.ts';
import { LONGEST_URL, nameError } from '../domain/fields.ts';
import { subscribe, type SubscribeOutcome } from '../actions/subscribe.ts';
import { attestationPolicy } from '../db/signers.ts';
import { storedPolicy } from '../db/policies.ts';
import { orNotFound } from '../http/problems.ts';
import { removeAuth, setAuth } from '../actions/subscriptions.ts';
import { readPolicy } from '../domain/signers.ts';
import { setPolicy } from '../actions/signers.ts';
import { parseRegistryUrl } from '../domain/registry-url.ts';

/** The settings of a subscription: its name, and unsubscribing. */

export interface RegistrySettingsPage extends RegistryFrame {
  /** The name in the form, and what is wrong with it. */
  name: string;
  nameError: string | null;
  auth: AuthForm;
  /** The reason why the submitted credentials are not stored; or null. */
  authError: string | null;
  attestations: PolicyForm;
  /** True if the subscription has a policy. */
  hasPolicy: boolean;
}

export function registrySettingsPage(view: RegistrySettingsPage): Screen {
  const content = html`${nameSection(view)} ${authSection(view)} ${attestationSection(view)} ${policySection(view)}
  ${facts(view.subscription)} ${allows(view.scope, 'manage') ? unsubscribeSection(view.subscription) : NO_MARKUP}`;
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
    ${isRefused ? html`<p class="field-error">The host refused them in the last check. The last known state remains valid.</p>` : NO_MARKUP}
    ${allows(scope, 'manage') ? authForms(view, isRefused) : NO_MARKUP}
  </section>`;
}

function authForms({ subscription, auth, authError }: RegistrySettingsPage, isRefused: boolean): Html {
  const path = `${registryPath(subscription.id, 'settings')}/auth`;
  const isNew = subscription.auth === null;
  const isOpen = auth.faults.length > 0 || authError !== null || isRefused;
  return html`${authError === null ? NO_MARKUP : html`<p class="field-error" role="alert">${authError}</p>`}
    <details ${isOpen ? html`open` : NO_MARKUP}>
      <summary>${isNew ? 'Set credentials' : 'Replace credentials'}</summary>
      <form class="form" method="post" action="${path}">
        ${authFields(auth.type === 'none' ? { ...auth, type: 'bearer' } : auth, ['bearer', 'basic', 'header'])}
        <p class="actions"><button>Save credentials</button></p>
      </form>
    </details>
    ${
      isNew
        ? NO_MARKUP
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
    ${faults.length === 0 ? NO_MARKUP : html`<p class="field-error" role="alert">The attestations were not saved.</p>`}
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
    <p class="url">${codeText(url)}</p>
    ${confirmDeletion(`${registryPath(id)}/unsubscribe`, 'Unsubscribe', registryPath(id, 'settings'))}`;
  return { title: 'Unsubscribe', section: 'registries', body };
}

/** Settings → App Registries: the list, Subscribe to Registry (spec 4.3), the settings of a subscription. */

const LIST = '/settings/registries';

export const settingsRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/settings', access: 'member', handle: ({ redirectTo }) => redirectTo(LIST) },
  { method: 'GET', path: LIST, access: 'member', handle: showRegistries },
  { method: 'GET', path: `${LIST}/subscribe`, access: 'member', scope: 'manage', handle: showSubscribe },
  { method: 'POST', path: `${LIST}/subscribe`, access: 'member', handle: submitSubscribe },
  { method: 'GET', path: `${LIST}/:id/settings`, access: 'member', handle: showSettings },
  { method: 'POST', path: `${LIST}/:id/settings/rename`, access: 'member', handle: submitRename },
  { method: 'POST', path: `${LIST}/:id/settings/auth`, access: 'member', handle: submitAuth },
  { method: 'POST', path: `${LIST}/:id/settings/attestations`, access: 'member', handle: submitAttestations },
  { method: 'GET', path: `${LIST}/:id/unsubscribe`, access: 'member', scope: 'manage', handle: showUnsubscribe },
  { method: 'POST', path: `${LIST}/:id/unsubscribe`, access: 'member', handle: submitUnsubscribe },
];

async function showRegistries(request: MemberRequest, { db, settings }: Service) {
  const { organization, member, query, now, show } = request;
  const list = await listSubscriptions(db, organization.id, settings.interval);
  const done = query('done') === 'unsubscribed' ? 'You unsubscribed from the registry.' : null;
  return show(
    registriesPage({ list, search: searchIn(request), page: pageNumberIn(request), done, scope: member.scope, now }),
  );
}

const EMPTY_FORM: SubscribeForm = {
  url: '',
  name: '',
  urlError: null,
  nameError: null,
  auth: NO_AUTH,
  unusable: null,
};

function showSubscribe({ query, show }: MemberRequest) {
  return show(subscribePage({ ...EMPTY_FORM, url: (query('url') ?? '').slice(0, LONGEST_URL) }));
}

async function submitSubscribe({ organization, member, show, redirectTo, formField }: MemberRequest, service: Service) {
  const [url, name] = [formField('url').trim(), formField('name').trim()];
  const submitted = submittedAuth(formField);
  // Credentials are not shown again: after an error they have to be entered again.
  const auth: AuthForm = 'form' in submitted ? submitted.form : { type: submitted.auth?.type ?? 'none', faults: [] };
  const form = {
    ...EMPTY_FORM,
    url,
    name,
    auth,
    urlError: urlFault(url, service.outbound.guard),
    nameError: nameFault(name),
  };
  if (form.urlError !== null || form.nameError !== null || 'form' in submitted) return show(subscribePage(form), 400);
  const wanted = { url, name, auth: submitted.auth, actor: member.actor };
  const result = await subscribe(service, organization.id, wanted);
  if (result.outcome === 'created' || result.outcome === 'accepted') {
    const done = result.outcome === 'created' ? 'subscribed' : 'accepted';
    return redirectTo(`${LIST}/${result.subscriptionId}?done=${done}`);
  }
  return show(subscribePage({ ...form, ...errorsOf(result) }), STATUS[result.outcome]);
}

type NotSubscribed = Exclude<SubscribeOutcome['outcome'], 'created' | 'accepted'>;

const STATUS = {
  'refused-url': 400,
  'unsupported-auth': 501,
  already: 409,
  'too-many': 409,
  unusable: 422,
} satisfies Record<NotSubscribed, PageStatus>;

function errorsOf(result: SubscribeOutcome): Pick<SubscribeForm, 'urlError'> | Pick<SubscribeForm, 'unusable'> {
  if ('subscriptionId' in result)
    return {
      urlError: html`Your organization is already subscribed to this registry.
        <a href="${`${LIST}/${result.subscriptionId}`.slice(1)}">Open it</a>`,
    };
  if (result.outcome !== 'unusable' || result.findings.length === 0) return { urlError: result.message };
  return { unusable: result };
}

/** The page with what is stored. */
async function settingsView(request: MemberRequest, service: Service): Promise<RegistrySettingsPage> {
  const subscription = await requestedSubscription(request, service);
  const { organization } = request;
  const [policy, stored] = await Promise.all([
    attestationPolicy(service.db, organization.id, subscription.id),
    storedPolicy(service.db, organization.id, subscription.id),
  ]);
  const fields = { name: subscription.name, nameError: null, auth: NO_AUTH, authError: null };
  return {
    ...registryFrame(request, subscription),
    ...fields,
    attestations: policyForm(orNotFound(policy, 'registry')),
    hasPolicy: orNotFound(stored, 'registry').policy !== null,
  };
}

async function showSettings(request: MemberRequest, service: Service) {
  return request.show(registrySettingsPage(await settingsView(request, service)));
}

async function submitRename(request: MemberRequest, service: Service) {
  const { organization, member, show, redirectTo, formField } = request;
  const view = await settingsView(request, service);
  const { subscription } = view;
  const name = formField('name').trim();
  const fault = nameFault(name);
  if (fault !== null) return show(registrySettingsPage({ ...view, name, nameError: fault }), 400);
  await renameSubscription(service.db, organization.id, subscription.id, name, member.actor);
  return redirectTo(`${LIST}/${subscription.id}/settings?done=renamed`);
}

async function submitAuth(request: MemberRequest, service: Service) {
  const { organization, member, show, redirectTo, formField } = request;
  const view = await settingsView(request, service);
  const { subscription } = view;
  const target = { organizationId: organization.id, subscriptionId: subscription.id, actor: member.actor };
  const submitted = submittedAuth(formField);
  if ('form' in submitted) return show(registrySettingsPage({ ...view, auth: submitted.form }), 400);
  const { auth } = submitted;
  const result = auth === null ? await removeAuth(service, target) : await setAuth(service, { ...target, auth });
  if ('message' in result) {
    const status = result.outcome === 'unsupported' ? 501 : 400;
    return show(registrySettingsPage({ ...view, authError: result.message }), status);
  }
  return redirectTo(`${LIST}/${subscription.id}/settings?done=${auth === null ? 'auth-removed' : 'auth-set'}`);
}

async function submitAttestations(request: MemberRequest, service: Service) {
  const { organization, member, show, redirectTo, formField } = request;
  const view = await settingsView(request, service);
  const { subscription } = view;
  const values = submittedPolicy(formField);
  const policy = readPolicy(values);
  if ('faults' in policy)
    return show(registrySettingsPage({ ...view, attestations: { values, faults: policy.faults } }), 400);
  const target = { organizationId: organization.id, subscriptionId: subscription.id, actor: member.actor };
  await setPolicy(service, target, policy);
  return redirectTo(`${LIST}/${subscription.id}/settings?done=attestations-set`);
}

async function showUnsubscribe(request: MemberRequest, service: Service) {
  return request.show(unsubscribePage(await requestedSubscription(request, service)));
}

async function submitUnsubscribe({ organization, member, parameter, redirectTo }: MemberRequest, { db }: Service) {
  // Deleting is idempotent: a form that is submitted twice succeeds.
  await removeSubscription(db, organization.id, parameter('id'), member.actor);
  return redirectTo(`${LIST}?done=unsubscribed`);
}

/** Checked before `subscribe`, so that all invalid fields are shown at once. */
function urlFault(url: string, guard: Service['outbound']['guard']): string | null {
  if (url === '') return 'Enter the URL of the registry’s manifest, such as https://apps.example.com/registry.json.';
  const parsed = parseRegistryUrl(url, guard);
  return 'fault' in parsed ? parsed.fault : null;
}

function nameFault(name: string): string | null {
  const fault = nameError(name);
  return fault === null ? null : `The name ${fault} Enter a name for this registry.`;
}
