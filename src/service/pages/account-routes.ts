import { randomUUID } from 'node:crypto';
import type { Hono } from 'hono';
import type { Service } from '../context.ts';
import { nameError } from '../http/name-validation.ts';
import { closeSession, createOrganization, organizationOf, rotateToken } from '../storage/organizations.ts';
import { subscribeOfficial } from '../subscribe/subscribe.ts';
import type { Env } from '../http/routes.ts';
import type { openPageRequests } from './request.ts';
import { signIn, signOut, pathWithin } from './session.ts';
import { failurePage, signInPage, signUpPage, tokenGonePage, tokenPage } from './account-pages.ts';
import { organizationPage } from './settings-pages.ts';

/** Signing up, in and out; and the organization's token. */
export function entryRoutes(page: Hono<Env>, desk: ReturnType<typeof openPageRequests>, service: Service): void {
  const { db, settings, log } = service;
  const { openSignUp } = settings;

  page.get(
    '/',
    desk.member('/', ({ goTo }) => goTo('/settings/registries')),
  );

  page.get(
    '/sign-in',
    desk.open('/sign-in', ({ c, organization, show, goTo }) => {
      const next = pathWithin(c.req.query('next') ?? '/');
      if (organization !== null) return goTo(next);
      return show(signInPage({ error: null, openSignUp, next, signedOut: c.req.query('done') === 'signed-out' }));
    }),
  );

  page.post(
    '/sign-in',
    desk.open('/sign-in', async ({ c, show, goTo, text }) => {
      const next = pathWithin(text('next'));
      const organization = await organizationOf(db, text('token').trim());
      if (organization === null) {
        desk.countOf(c, 'failures');
        const error =
          text('token').trim() === ''
            ? 'Enter the token: it begins with apr_.'
            : 'No organization has this token. Check that all of it was copied; a rotated token does not work any more.';
        return show(signInPage({ error, openSignUp, next }), 403);
      }
      await signIn(c, service, organization.id);
      return goTo(next);
    }),
  );

  page.post(
    '/sign-out',
    desk.open('/sign-out', async ({ c, goTo }) => {
      const cookie = signOut(c, settings);
      if (cookie !== null) await closeSession(db, cookie);
      return goTo('/sign-in?done=signed-out');
    }),
  );

  const closed = failurePage({
    title: 'Sign-up is closed',
    text: 'The operator of this service creates organizations, and hands out their tokens.',
    signedIn: false,
  });

  page.get(
    '/sign-up',
    desk.open('/sign-up', ({ show }) =>
      openSignUp ? show(signUpPage({ error: null, name: '', key: randomUUID() })) : show(closed, 403),
    ),
  );

  page.post(
    '/sign-up',
    desk.open('/sign-up', async ({ c, show, text }) => {
      if (!openSignUp) return show(closed, 403);
      const name = text('name').trim();
      const key = /^[\w-]{36}$/.test(text('key')) ? text('key') : randomUUID();
      const fault = nameError(name);
      if (fault !== null) return show(signUpPage({ error: `The name ${fault} Enter another.`, name, key }), 400);
      desk.countOf(c, 'signUps');
      const { organization, token } = await createOrganization(db, name, `page-${key}`);
      await subscribeOfficial(service, organization.id);
      if (token === null) return show(tokenGonePage());
      log('info', 'organization-created', { organization: organization.id });
      await signIn(c, service, organization.id);
      return show(tokenPage(organization, token, false));
    }),
  );

  page.get(
    '/settings/organization',
    desk.member('/settings/organization', ({ organization, show }) => show(organizationPage(organization))),
  );

  page.post(
    '/settings/organization/token',
    desk.member('/settings/organization/token', async ({ c, organization, show, goTo, text }) => {
      if (text('sure') !== 'yes') return goTo('/settings/organization');
      const token = await rotateToken(db, organization.id);
      log('info', 'token-rotated', { organization: organization.id });
      // All sessions ended with the old token; continue with a new one.
      await signIn(c, service, organization.id);
      return show(tokenPage(organization, token, true));
    }),
  );
}
