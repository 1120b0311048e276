import type { JsonValue } from 'appreg';
import {
  type RegistryAuth,
  readAuth,
  insecureAuthFault,
  LONGEST_CREDENTIAL,
  LONGEST_HEADER_NAME,
} from '../domain/credentials.ts';
import { invalidFields, secretErrors, nameIn, readBody, fieldsIn } from '../http/body.ts';
import { type FieldReader, textField, nameError, LONGEST_URL } from '../domain/fields.ts';
import { DEFAULT_PAGE_LIMIT } from '../db/page.ts';
import { type Service } from '../context.ts';
import { type Route, organizationRoute, type WebContext } from '../http/routes.ts';
import { json, NotFound, orNotFound, Refusal } from '../http/problems.ts';
import { pathParameter, queryIn, ID_PAGE_QUERY } from '../http/query.ts';
import { renameSubscription, removeSubscription, subscriptionOf, pageOfSubscriptions } from '../db/subscriptions.ts';
import { type SubscriptionView, registry, AUTH_TYPE } from '../domain/registries.ts';
import { taggedJson } from '../http/conditions.ts';
import { type Caller } from '../http/auth.ts';
import { subscribe, type SubscribeOutcome } from '../actions/subscribe.ts';
import { listApps } from '../db/apps.ts';
import { refreshNow, removeAuth, setAuth } from '../actions/subscriptions.ts';
import { parseRegistryUrl } from '../domain/registry-url.ts';
import * as shape from '../domain/shape.ts';
import * as openapi from '../http/operations.ts';

/**
 * The credentials in a body; null for null.
 * @param pointer where they are in the body (RFC 6901)
 * @throws Refusal that lists every invalid field, without its value
 */
function authIn(value: JsonValue, pointer: string): RegistryAuth | null {
  if (value === null) return null;
  const read = readAuth(value);
  if ('auth' in read) return read.auth;
  throw invalidFields(secretErrors('auth', pointer, read.faults));
}

/** The field `auth` of a subscription: null, or missing, for a registry that needs no credentials. */
const authField: FieldReader<RegistryAuth | null> = (value) => {
  if (value === undefined || value === null) return { value: null };
  const read = readAuth(value);
  return 'auth' in read ? { value: read.auth } : { secret: read.faults };
};

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
const secret: shape.Schema = { type: 'string', maxLength: LONGEST_CREDENTIAL, writeOnly: true };

export const registrySchemas: Record<string, shape.Schema> = {
  Registry: registry,
  Auth: {
    description:
      'Credentials of a private registry: { type: bearer, token }, { type: basic, username, password } or { type: header, name, value }. They are write-only, and only sent to the origin of the registry.',
    type: 'object',
    required: ['type'],
    properties: {
      type: AUTH_TYPE,
      token: secret,
      username: { type: 'string', maxLength: LONGEST_CREDENTIAL },
      password: secret,
      name: { type: 'string', maxLength: LONGEST_HEADER_NAME, description: 'Name of the header, such as X-Api-Key.' },
      value: secret,
    },
  },
  Registries: shape.strictObject('A page of registries, the official ones first, then in order of subscription.', {
    registries: shape.list(shape.ref('Registry')),
    next: shape.next,
  }),
  Subscribed: shape.strictObject('A new subscription, with its first apps.', {
    subscription: shape.ref('Registry'),
    apps: shape.list(shape.ref('App')),
    next: shape.next,
  }),
  Refresh: shape.strictObject('The result of the request.', {
    requested: shape.withDescription(
      shape.flag,
      'False if the organization had already requested a check that has not started yet.',
    ),
    registry: shape.ref('Registry'),
  }),
};

const URL_FIELD = {
  type: 'string',
  maxLength: LONGEST_URL,
  description: 'URL of the registry manifest.',
  examples: ['https://apps.example.com/registry.json'],
};

/** Subscriptions to registries. */
export const registriesPaths: Record<string, openapi.OpenApiObject> = {
  '/api/registries/subscribe': {
    post: openapi.forOrganization(
      'subscribe',
      'Subscribe to a registry',
      {
        201: openapi.response('Subscribed.', 'Subscribed', 'application/json', ['Location']),
        202: openapi.response(
          'Subscribed, but the registry did not respond within two seconds: it is being checked. If it cannot be used, the subscription is kept with the state “failing”.',
          'Subscribed',
          'application/json',
          ['Location'],
        ),
        ...openapi.BAD_BODY,
        409: openapi.refusal('Already subscribed (type …:already-subscribed), or too many subscriptions.'),
        422: openapi.refusal(
          'The registry cannot be used, or refuses the credentials; “findings” gives the reasons. Nothing is stored.',
        ),
        ...openapi.NO_CREDENTIALS,
      },
      openapi.body({ url: URL_FIELD, name: shape.ref('Name') }, { auth: shape.ref('Auth') }),
    ),
  },
  '/api/registries': {
    get: openapi.forOrganization(
      'listRegistries',
      'The registries of the organization',
      openapi.pageResponses('Registries'),
      {
        parameters: [...openapi.PAGE, openapi.IF_NONE_MATCH],
      },
    ),
  },
  '/api/registries/{id}': {
    parameters: [openapi.ID],
    get: openapi.forOrganization('getRegistry', 'One registry, with its state', {
      200: openapi.response('The registry.', 'Registry'),
      ...openapi.NOT_FOUND,
    }),
    patch: openapi.forOrganization(
      'renameRegistry',
      'Rename a registry',
      { 200: openapi.response('The registry.', 'Registry'), ...openapi.BAD_BODY, ...openapi.NOT_FOUND },
      openapi.body({ name: shape.ref('Name') }),
    ),
    delete: openapi.forOrganization('unsubscribe', 'Unsubscribe from a registry', {
      204: { description: 'Unsubscribed.' },
      ...openapi.NOT_FOUND,
    }),
  },
  '/api/registries/{id}/auth': {
    parameters: [openapi.ID],
    put: openapi.forOrganization(
      'setAuth',
      'Set or replace the credentials of a registry, which is no longer shared with other organizations',
      {
        200: openapi.response(
          'The registry, without the credentials. It is checked with them soon afterwards.',
          'Registry',
        ),
        ...openapi.BAD_BODY,
        ...openapi.NOT_FOUND,
        ...openapi.NO_CREDENTIALS,
      },
      openapi.bodyOf(shape.ref('Auth')),
    ),
    delete: openapi.forOrganization('removeAuth', 'Remove the credentials of a registry', {
      204: { description: 'The registry no longer has credentials.' },
      ...openapi.NOT_FOUND,
    }),
  },
  '/api/registries/{id}/refresh': {
    parameters: [openapi.ID],
    post: openapi.forOrganization('refreshRegistry', 'Check a registry now', {
      202: openapi.response(
        'It is checked now, or five seconds after its last check: its documents and all listed artifacts.',
        'Refresh',
      ),
      ...openapi.NOT_FOUND,
    }),
  },
  '/api/registries/{id}/report': {
    parameters: [openapi.ID],
    get: openapi.forOrganization(
      'getReport',
      'The report of the last check',
      {
        200: openapi.response('The report.', 'Report', 'application/json', ['ETag']),
        ...openapi.NOT_MODIFIED,
        ...openapi.NOT_FOUND,
      },
      { parameters: [openapi.IF_NONE_MATCH] },
    ),
  },
};
