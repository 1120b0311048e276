import type { Service } from '../context.ts';
import { readPolicy } from '../attestations/policy.ts';
import { policyForm, submittedPolicy } from '../attestations/policy-form.ts';
import { attestationPolicy, setPolicy } from '../attestations/policy-store.ts';
import { decideSubscription } from '../policies/decisions-store.ts';
import { storedPolicy } from '../policies/policy-store.ts';
import { nameError, LONGEST_URL } from '../http/fields.ts';
import { listSubscriptions, removeSubscription, renameSubscription } from './subscriptions-store.ts';
import { removeAuth, setAuth } from './subscription-actions.ts';
import { parseRegistryUrl } from './registry-url.ts';
import { type SubscribeOutcome, subscribe } from './subscribe.ts';
import { orNotFound } from '../http/problems.ts';
import { html } from '../../html/html.ts';
import { type AuthForm, NO_AUTH, submittedAuth, type SubscribeForm, subscribePage } from './subscribe-page.ts';
import type { PageRoute } from '../pages/mount.ts';
import { type PageStatus, type MemberRequest, pageNumberIn, searchIn } from '../pages/request.ts';
import { registriesPage } from './list-page.ts';
import { registryFrame, requestedSubscription } from './page-routes.ts';
import { type RegistrySettingsPage, registrySettingsPage, unsubscribePage } from './settings-page.ts';

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
  await setPolicy(service, target, policy, decideSubscription);
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
