import { listApps } from '../storage/catalog.ts';
import type { Service } from '../context.ts';
import { nameError } from '../http/name-validation.ts';
import { refreshNow } from '../subscribe/refresh-now.ts';
import { subscribe } from '../subscribe/subscribe.ts';
import { listSubscriptions, removeSubscription, renameSubscription, subscriptionOf } from '../storage/subscriptions.ts';
import { nameIn, readBody, textsIn } from '../http/body.ts';
import { json, notFound, Refusal } from '../http/problems.ts';
import type { Route } from '../http/routes.ts';

/** Apps included in the response to a subscription. */
const FIRST_APPS = { search: null, visible: null, limit: 100, after: null };
const LONGEST_URL = 2048;

/** Subscriptions of an organization (spec 4.2). */
export function registryRoutes(service: Service): Route[] {
  const { db, settings } = service;
  return [
    {
      method: 'POST',
      path: '/api/registries/subscribe',
      access: 'organization',
      async answer(c, { id: organizationId }) {
        const asked = textsIn(await readBody(c), { url: urlFault, name: nameError });
        const done = await subscribe(service, organizationId, asked);
        if (done.outcome === 'refused-url') throw invalidUrl(done.message);
        if (done.outcome === 'too-many') throw new Refusal('too-many-subscriptions', done.message);
        if (done.outcome === 'busy') throw new Refusal('too-many-requests', done.message, {}, { 'retry-after': '5' });
        if (done.outcome === 'unusable')
          throw new Refusal('registry-unusable', done.message, { findings: done.findings });
        const subscription = await subscriptionOf(db, organizationId, done.subscriptionId);
        if (subscription === null) throw notFound('registry');
        if (done.outcome === 'already')
          throw new Refusal('already-subscribed', `It is subscribed to as “${subscription.name}”.`, { subscription });
        const page = (await listApps(db, organizationId, subscription.id, FIRST_APPS)) ?? { apps: [], next: null };
        const path = `api/registries/${subscription.id}`;
        const location = settings.publicUrl === null ? `/${path}` : new URL(path, settings.publicUrl).href;
        return json(c, { subscription, ...page }, 201, { location });
      },
    },
    {
      method: 'GET',
      path: '/api/registries',
      access: 'organization',
      answer: async (c, { id }) => json(c, { registries: await listSubscriptions(db, id) }),
    },
    {
      method: 'GET',
      path: '/api/registries/{id}',
      access: 'organization',
      async answer(c, { id }) {
        return json(c, found(await subscriptionOf(db, id, c.req.param('id')!)));
      },
    },
    {
      method: 'PATCH',
      path: '/api/registries/{id}',
      access: 'organization',
      async answer(c, { id }) {
        const name = nameIn(await readBody(c));
        return json(c, found(await renameSubscription(db, id, c.req.param('id')!, name)));
      },
    },
    {
      method: 'DELETE',
      path: '/api/registries/{id}',
      access: 'organization',
      async answer(c, { id }) {
        if (!(await removeSubscription(db, id, c.req.param('id')!))) throw notFound('registry');
        return c.body(null, 204);
      },
    },
    {
      method: 'POST',
      path: '/api/registries/{id}/refresh',
      access: 'organization',
      async answer(c, { id }) {
        const requested = found(await refreshNow(service, id, c.req.param('id')!));
        return json(c, { requested, registry: found(await subscriptionOf(db, id, c.req.param('id')!)) }, 202);
      },
    },
  ];
}

function found<Thing>(thing: Thing | null): Thing {
  if (thing === null) throw notFound('registry');
  return thing;
}

/** Errors that can be detected without a request; the rest is checked by `subscribe`. */
function urlFault(url: string): string | null {
  if (url.trim() === '') return 'is empty.';
  return url.length > LONGEST_URL ? `is longer than ${LONGEST_URL} characters.` : null;
}

function invalidUrl(message: string): Refusal {
  return new Refusal('invalid-field', message, { errors: [{ pointer: '/url', field: 'url', detail: message }] });
}
