import type { Hono } from 'hono';
import type { Service } from '../context.ts';
import { nameError } from '../http/name-validation.ts';
import { subscribe } from '../subscribe/subscribe.ts';
import { listSubscriptions, removeSubscription, renameSubscription, subscriptionOf } from '../storage/subscriptions.ts';
import type { Env } from '../http/routes.ts';
import { orNotFound, type openPageRequests } from './request.ts';
import { html } from './html.ts';
import { registriesPage, renamePage, type SubscribeForm, subscribePage, unsubscribePage } from './settings-pages.ts';

/** Settings → App Registries: the list, Subscribe to Registry (spec 4.3), renaming, unsubscribing. */

const LIST = '/settings/registries';
const LONGEST_URL = 2048;
const DONE: Record<string, string> = { unsubscribed: 'You unsubscribed from the registry.' };

export function settingsRoutes(page: Hono<Env>, desk: ReturnType<typeof openPageRequests>, service: Service): void {
  const { db } = service;
  page.get(
    '/settings',
    desk.member('/settings', ({ goTo }) => goTo(LIST)),
  );

  page.get(
    LIST,
    desk.member(LIST, async ({ c, organization, now, show }) => {
      const list = await listSubscriptions(db, organization.id);
      return show(registriesPage(list, DONE[c.req.query('done') ?? ''] ?? null, now));
    }),
  );

  const blank: SubscribeForm = { url: '', name: '', urlError: null, nameError: null, unusable: null };
  page.get(
    `${LIST}/subscribe`,
    desk.member(`${LIST}/subscribe`, ({ c, show }) =>
      show(subscribePage({ ...blank, url: (c.req.query('url') ?? '').slice(0, LONGEST_URL) })),
    ),
  );

  page.post(
    `${LIST}/subscribe`,
    desk.member(`${LIST}/subscribe`, async ({ organization, show, goTo, text }) => {
      const [url, name] = [text('url').trim(), text('name').trim()];
      const form = { ...blank, url, name, urlError: urlFault(url), nameError: faultOfName(name) };
      if (form.urlError !== null || form.nameError !== null) return show(subscribePage(form), 400);
      const done = await subscribe(service, organization.id, { url, name });
      if (done.outcome === 'refused-url') return show(subscribePage({ ...form, urlError: done.message }), 400);
      if (done.outcome === 'too-many') return show(subscribePage({ ...form, urlError: done.message }), 409);
      if (done.outcome === 'busy') return show(subscribePage({ ...form, urlError: done.message }), 429);
      if (done.outcome === 'unusable') {
        const { message, findings } = done;
        const why = findings.length === 0 ? { urlError: message } : { unusable: { message, findings } };
        return show(subscribePage({ ...form, ...why }), 422);
      }
      const path = `${LIST}/${done.subscriptionId}`;
      if (done.outcome === 'created') return goTo(`${path}?done=subscribed`);
      const already = html`Your organization is subscribed to this registry already.
        <a href="${path.slice(1)}">Open it</a>`;
      return show(subscribePage({ ...form, urlError: already }), 409);
    }),
  );

  page.get(
    `${LIST}/:id/rename`,
    desk.member(`${LIST}/:id/rename`, async ({ c, organization, show }) => {
      const one = orNotFound(await subscriptionOf(db, organization.id, c.req.param('id')!), 'registry');
      return show(renamePage(one, one.name, null));
    }),
  );

  page.post(
    `${LIST}/:id/rename`,
    desk.member(`${LIST}/:id/rename`, async ({ c, organization, show, goTo, text }) => {
      const one = orNotFound(await subscriptionOf(db, organization.id, c.req.param('id')!), 'registry');
      const name = text('name').trim();
      const fault = faultOfName(name);
      if (fault !== null) return show(renamePage(one, name, fault), 400);
      await renameSubscription(db, organization.id, one.id, name);
      return goTo(`${LIST}/${one.id}?done=renamed`);
    }),
  );

  page.get(
    `${LIST}/:id/unsubscribe`,
    desk.member(`${LIST}/:id/unsubscribe`, async ({ c, organization, show }) =>
      show(unsubscribePage(orNotFound(await subscriptionOf(db, organization.id, c.req.param('id')!), 'registry'))),
    ),
  );

  page.post(
    `${LIST}/:id/unsubscribe`,
    desk.member(`${LIST}/:id/unsubscribe`, async ({ c, organization, goTo }) => {
      // Deleting is idempotent: a form that is submitted twice succeeds.
      await removeSubscription(db, organization.id, c.req.param('id')!);
      return goTo(`${LIST}?done=unsubscribed`);
    }),
  );
}

/** Errors that can be detected without a request; the rest is checked by `subscribe`. */
function urlFault(url: string): string | null {
  if (url === '')
    return 'Enter the address of the registry’s manifest, such as https://apps.example.com/registry.json.';
  return url.length > LONGEST_URL ? `The URL is longer than ${LONGEST_URL} characters.` : null;
}

function faultOfName(name: string): string | null {
  const fault = nameError(name);
  return fault === null ? null : `The name ${fault} Enter what your organization calls this registry.`;
}
