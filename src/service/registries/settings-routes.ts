import type { Service } from '../context.ts';
import { nameError, LONGEST_URL } from '../http/fields.ts';
import { listSubscriptions, removeSubscription, renameSubscription } from './subscriptions-store.ts';
import { removeAuth, setAuth } from './set-credentials.ts';
import { parseRegistryUrl } from './registry-url.ts';
import { type SubscribeOutcome, subscribe } from './subscribe.ts';
import { html } from '../pages/html.ts';
import { type AuthForm, NO_AUTH, submittedAuth } from './auth-form.ts';
import type { PageRoute } from '../pages/mount.ts';
import { type PageStatus, type MemberRequest, pageNumberIn, searchIn } from '../pages/request.ts';
import { registriesPage } from './list-page.ts';
import { registryFrame, requestedSubscription } from './page-routes.ts';
import { registrySettingsPage, unsubscribePage } from './settings-page.ts';
import { type SubscribeForm, subscribePage } from './subscribe-page.ts';

/** Settings → App Registries: the list, Subscribe to Registry (spec 4.3), the settings of a subscription. */

const LIST = '/settings/registries';

export const settingsRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/settings', access: 'member', handle: ({ redirectTo }) => redirectTo(LIST) },
  { method: 'GET', path: LIST, access: 'member', handle: showRegistries },
  { method: 'GET', path: `${LIST}/subscribe`, access: 'member', scope: 'manage', handle: showSubscribe },
  { method: 'POST', path: `${LIST}/subscribe`, access: 'member', handle: submitSubscribe },
  { method: 'GET', path: `${LIST}/:id/settings`, access: 'member', handle: showSettings },
  { method: 'POST', path: `${LIST}/:id/rename`, access: 'member', handle: submitRename },
  { method: 'POST', path: `${LIST}/:id/auth`, access: 'member', handle: submitAuth },
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

async function showSettings(request: MemberRequest, service: Service) {
  const subscription = await requestedSubscription(request, service);
  const frame = registryFrame(request, subscription);
  return request.show(
    registrySettingsPage({ ...frame, name: subscription.name, nameError: null, auth: NO_AUTH, authError: null }),
  );
}

async function submitRename(request: MemberRequest, service: Service) {
  const { organization, member, show, redirectTo, formField } = request;
  const subscription = await requestedSubscription(request, service);
  const name = formField('name').trim();
  const fault = nameFault(name);
  const frame = registryFrame(request, subscription);
  if (fault !== null)
    return show(registrySettingsPage({ ...frame, name, nameError: fault, auth: NO_AUTH, authError: null }), 400);
  await renameSubscription(service.db, organization.id, subscription.id, name, member.actor);
  return redirectTo(`${LIST}/${subscription.id}/settings?done=renamed`);
}

async function submitAuth(request: MemberRequest, service: Service) {
  const { organization, member, show, redirectTo, formField } = request;
  const subscription = await requestedSubscription(request, service);
  const target = { organizationId: organization.id, subscriptionId: subscription.id, actor: member.actor };
  const submitted = submittedAuth(formField);
  const page = { ...registryFrame(request, subscription), name: subscription.name, nameError: null };
  if ('form' in submitted) return show(registrySettingsPage({ ...page, auth: submitted.form, authError: null }), 400);
  const { auth } = submitted;
  const result = auth === null ? await removeAuth(service, target) : await setAuth(service, { ...target, auth });
  if ('message' in result)
    return show(registrySettingsPage({ ...page, auth: NO_AUTH, authError: result.message }), 400);
  return redirectTo(`${LIST}/${subscription.id}/settings?done=${auth === null ? 'auth-removed' : 'auth-set'}`);
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
