import type { Service } from '../context.ts';
import { readBody } from '../http/body.ts';
import type { Caller } from '../http/caller.ts';
import { pathParameter } from '../http/path-parameter.ts';
import { json, notFound, Refusal } from '../http/problems.ts';
import { authIn } from './auth-fields.ts';
import type { Route, WebContext } from '../http/routes.ts';
import { subscriptionOf } from './subscriptions-store.ts';
import { removeAuth, setAuth } from './set-credentials.ts';

/** The credentials of private registries: they are set, replaced and removed, and never read. */
export function registryCredentialsRoutes(service: Service): Route[] {
  return [
    {
      method: 'PUT',
      path: '/api/registries/{id}/auth',
      access: 'organization',
      scope: 'manage',
      handle: (c, caller) => putAuth(c, service, caller),
    },
    {
      method: 'DELETE',
      path: '/api/registries/{id}/auth',
      access: 'organization',
      scope: 'manage',
      handle: (c, caller) => deleteAuth(c, service, caller),
    },
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
  const subscription = await subscriptionOf(db, organizationId, id, settings.interval);
  if (subscription === null) throw notFound('registry');
  return json(c, subscription);
}

async function deleteAuth(c: WebContext, service: Service, { id, actor }: Caller): Promise<Response> {
  const target = { organizationId: id, subscriptionId: pathParameter(c, 'id'), actor };
  const { outcome } = await removeAuth(service, target);
  if (outcome === 'unknown-subscription') throw notFound('registry');
  return c.body(null, 204);
}
