import type { Service } from '../context.ts';
import { insecureAuthFault, type RegistryAuth, authField, authIn } from './credentials.ts';
import { nameIn, readBody, type FieldReader, fieldsIn, textField, nameError } from '../http/fields.ts';
import type { Caller } from '../http/auth.ts';
import { taggedJson } from '../http/conditions.ts';
import { pathParameter, ID_PAGE_QUERY, queryIn } from '../http/query.ts';
import { json, NotFound, orNotFound, Refusal } from '../http/problems.ts';
import { organizationRoute, type Route, type WebContext } from '../http/routes.ts';
import { listApps } from '../apps/store.ts';
import { DEFAULT_PAGE_LIMIT } from '../database/page.ts';
import { pageOfSubscriptions, removeSubscription, renameSubscription, subscriptionOf } from './subscriptions-store.ts';
import type { SubscriptionView } from './schema.ts';
import { parseRegistryUrl } from './registry-url.ts';
import { refreshNow, removeAuth, setAuth } from './subscription-actions.ts';
import { type SubscribeOutcome, subscribe } from './subscribe.ts';

/** Apps included in the response to a subscription. */
const FIRST_APPS = { search: null, visible: null, limit: DEFAULT_PAGE_LIMIT, after: null };

/** Subscriptions of an organization (spec 4.2). */
export function registryRoutes(service: Service): Route[] {
  const { db } = service;
  return [
    organizationRoute('POST', '/api/registries/subscribe', 'manage', (c, caller) =>
      postSubscription(c, service, caller),
    ),
    organizationRoute('GET', '/api/registries', 'read', (c, { id }) => getRegistries(c, service, id)),
    organizationRoute('GET', '/api/registries/{id}', 'read', async (c, { id }) =>
      json(c, await registryOf(service, id, pathParameter(c, 'id'))),
    ),
    organizationRoute('PATCH', '/api/registries/{id}', 'manage', async (c, { id, actor }) => {
      const name = nameIn(await readBody(c));
      const subscriptionId = pathParameter(c, 'id');
      if (!(await renameSubscription(db, id, subscriptionId, name, actor))) throw new NotFound('registry');
      return json(c, await registryOf(service, id, subscriptionId));
    }),
    organizationRoute('DELETE', '/api/registries/{id}', 'manage', async (c, { id, actor }) => {
      if (!(await removeSubscription(db, id, pathParameter(c, 'id'), actor))) throw new NotFound('registry');
      return c.body(null, 204);
    }),
    organizationRoute('POST', '/api/registries/{id}/refresh', 'manage', (c, caller) => postRefresh(c, service, caller)),
  ];
}

async function registryOf({ db, settings }: Service, organizationId: string, id: string): Promise<SubscriptionView> {
  return orNotFound(await subscriptionOf(db, organizationId, id, settings.interval), 'registry');
}

async function getRegistries(c: WebContext, { db, settings }: Service, organizationId: string): Promise<Response> {
  const query = queryIn(c, ID_PAGE_QUERY);
  return taggedJson(c, await pageOfSubscriptions(db, organizationId, query, settings.interval));
}

async function postSubscription(c: WebContext, service: Service, caller: Caller): Promise<Response> {
  const { db, settings } = service;
  const { id: organizationId, actor } = caller;
  const body = await readBody(c);
  const hasAuth = Object.hasOwn(body, 'auth') && body['auth'] !== null && settings.secretsKeys.length > 0;
  const request = fieldsIn<{ url: string; name: string; auth: RegistryAuth | null }>(body, {
    url: urlField(service, hasAuth),
    name: textField(nameError),
    auth: authField,
  });
  const result = await subscribe(service, organizationId, { ...request, actor });
  if (!('subscriptionId' in result)) throw refusalOf(result);
  const subscription = await registryOf(service, organizationId, result.subscriptionId);
  if (result.outcome === 'already')
    throw new Refusal(
      'already-subscribed',
      `The organization is already subscribed to this registry, as “${subscription.name}”.`,
      { subscription },
    );
  const page = (await listApps(db, organizationId, subscription.id, FIRST_APPS)) ?? { apps: [], next: null };
  const path = `api/registries/${subscription.id}`;
  const location = settings.publicUrl === null ? `/${path}` : new URL(path, settings.publicUrl).href;
  return json(c, { subscription, ...page }, result.outcome === 'accepted' ? 202 : 201, { location });
}

function refusalOf(result: Exclude<SubscribeOutcome, { subscriptionId: string }>): Refusal {
  const { message } = result;
  switch (result.outcome) {
    case 'refused-url':
      return new Refusal('invalid-field', message, { errors: [{ pointer: '/url', field: 'url', detail: message }] });
    case 'unsupported-auth':
      return new Refusal('credentials-not-supported', message);
    case 'too-many':
      return new Refusal('too-many-subscriptions', message);
    case 'unusable':
      return new Refusal('registry-unusable', [message, result.advice].filter((text) => text !== null).join(' '), {
        findings: result.findings,
      });
  }
}

async function postRefresh(c: WebContext, service: Service, caller: Caller): Promise<Response> {
  const { id: organizationId, actor } = caller;
  const subscriptionId = pathParameter(c, 'id');
  const requested = orNotFound(await refreshNow(service, organizationId, subscriptionId, actor), 'registry');
  const registry = await registryOf(service, organizationId, subscriptionId);
  return json(c, { requested, registry }, 202);
}

/** Checked before `subscribe`, so that all invalid fields are named at once. */
function urlField({ outbound }: Service, hasAuth: boolean): FieldReader<string> {
  return (value) => {
    if (value === undefined) return { fault: 'is missing.' };
    if (typeof value !== 'string') return { fault: 'is not a string.' };
    if (value.trim() === '') return { fault: 'is empty.' };
    const parsed = parseRegistryUrl(value, outbound.guard);
    if ('fault' in parsed) return { message: parsed.fault };
    const fault = hasAuth ? insecureAuthFault(parsed.url) : null;
    return fault === null ? { value } : { message: fault };
  };
}

/** The credentials of private registries: they are set, replaced and removed, and never read. */
export function registryCredentialsRoutes(service: Service): Route[] {
  return [
    organizationRoute('PUT', '/api/registries/{id}/auth', 'manage', (c, caller) => putAuth(c, service, caller)),
    organizationRoute('DELETE', '/api/registries/{id}/auth', 'manage', (c, caller) => deleteAuth(c, service, caller)),
  ];
}

/** The body is the object itself, or has it as `auth`, as a subscription does; `"auth": null` removes. */
async function putAuth(c: WebContext, service: Service, { id: organizationId, actor }: Caller): Promise<Response> {
  const { db, settings } = service;
  const id = pathParameter(c, 'id');
  const body = await readBody(c);
  const auth = Object.hasOwn(body, 'auth') ? authIn(body['auth'] ?? null, '/auth') : authIn(body, '');
  const target = { organizationId, subscriptionId: id, actor };
  const result = auth === null ? await removeAuth(service, target) : await setAuth(service, { ...target, auth });
  if (result.outcome === 'unsupported') throw new Refusal('credentials-not-supported', result.message);
  if (result.outcome === 'insecure')
    throw new Refusal('invalid-field', result.message, { errors: [{ field: 'auth', detail: result.message }] });
  return json(c, orNotFound(await subscriptionOf(db, organizationId, id, settings.interval), 'registry'));
}

async function deleteAuth(c: WebContext, service: Service, { id, actor }: Caller): Promise<Response> {
  const target = { organizationId: id, subscriptionId: pathParameter(c, 'id'), actor };
  const { outcome } = await removeAuth(service, target);
  if (outcome === 'unknown-subscription') throw new NotFound('registry');
  return c.body(null, 204);
}
