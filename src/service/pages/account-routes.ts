import { randomUUID } from 'node:crypto';
import type { Service } from '../context.ts';
import { nameError } from '../http/name-validation.ts';
import { createOrganization, organizationOf, rotateToken } from '../storage/organizations.ts';
import { closeSession } from '../storage/sessions.ts';
import { subscribeOfficial } from '../subscribe/official.ts';
import { failurePage, signInPage, signUpPage, tokenGonePage, tokenPage } from './account-pages.ts';
import type { PageRoute } from './mount.ts';
import type { MemberRequest, PageRequest } from './request.ts';
import { pathWithin, signIn, signOut } from './session.ts';
import { organizationPage } from './settings-pages.ts';

/** Signing up, in and out; and the organization's token. */
export const accountRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/', access: 'member', answer: ({ goTo }) => goTo('/settings/registries') },
  { method: 'GET', path: '/sign-in', access: 'anyone', answer: showSignIn },
  { method: 'POST', path: '/sign-in', access: 'anyone', answer: submitSignIn },
  { method: 'POST', path: '/sign-out', access: 'anyone', answer: submitSignOut },
  { method: 'GET', path: '/sign-up', access: 'anyone', answer: showSignUp },
  { method: 'POST', path: '/sign-up', access: 'anyone', answer: submitSignUp },
  { method: 'GET', path: '/settings/organization', access: 'member', answer: showOrganization },
  { method: 'POST', path: '/settings/organization/token', access: 'member', answer: submitTokenRotation },
];

const SIGN_UP_CLOSED = failurePage({
  title: 'Sign-up is closed',
  text: 'The operator of this service creates organizations and provides their tokens.',
  signedIn: false,
});

function showSignIn({ organization, query, show, goTo }: PageRequest, { settings }: Service) {
  const next = pathWithin(query('next') ?? '/');
  if (organization !== null) return goTo(next);
  const signedOut = query('done') === 'signed-out';
  return show(signInPage({ error: null, openSignUp: settings.openSignUp, next, signedOut }));
}

async function submitSignIn({ c, count, show, goTo, text }: PageRequest, service: Service) {
  const next = pathWithin(text('next'));
  const token = text('token').trim();
  const organization = await organizationOf(service.db, token);
  if (organization === null) {
    count('failures');
    const error =
      token === ''
        ? 'Enter the token: it begins with apr_.'
        : 'No organization has this token. Check that all of it was copied; a rotated token no longer works.';
    return show(signInPage({ error, openSignUp: service.settings.openSignUp, next }), 403);
  }
  await signIn(c, service, organization.id);
  return goTo(next);
}

async function submitSignOut({ c, goTo }: PageRequest, { db, settings }: Service) {
  const cookie = signOut(c, settings);
  if (cookie !== null) await closeSession(db, cookie);
  return goTo('/sign-in?done=signed-out');
}

function showSignUp({ show }: PageRequest, { settings }: Service) {
  if (!settings.openSignUp) return show(SIGN_UP_CLOSED, 403);
  return show(signUpPage({ error: null, name: '', key: randomUUID() }));
}

async function submitSignUp({ c, count, show, text }: PageRequest, service: Service) {
  const { db, log, settings } = service;
  if (!settings.openSignUp) return show(SIGN_UP_CLOSED, 403);
  const name = text('name').trim();
  const key = /^[\w-]{36}$/.test(text('key')) ? text('key') : randomUUID();
  const fault = nameError(name);
  if (fault !== null) return show(signUpPage({ error: `The name ${fault} Enter another.`, name, key }), 400);
  count('signUps');
  const { organization, token } = await createOrganization(db, name, `page-${key}`);
  await subscribeOfficial(service, organization.id);
  if (token === null) return show(tokenGonePage());
  log('info', 'organization-created', { organization: organization.id });
  await signIn(c, service, organization.id);
  return show(tokenPage(organization, token, false));
}

function showOrganization({ organization, show }: MemberRequest) {
  return show(organizationPage(organization));
}

async function submitTokenRotation({ c, organization, show, goTo, text }: MemberRequest, service: Service) {
  if (text('sure') !== 'yes') return goTo('/settings/organization');
  const token = await rotateToken(service.db, organization.id);
  service.log('info', 'token-rotated', { organization: organization.id });
  // All sessions ended with the old token; continue with a new one.
  await signIn(c, service, organization.id);
  return show(tokenPage(organization, token, true));
}
