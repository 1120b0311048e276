import { copyable, html, untrusted } from 'appreg/node';
import { type PageRoute } from './mount.ts';
import { failurePage, signInPage, signUpPage, tokenGonePage, tokenPage } from './account-pages.ts';
import { type PageRequest, SUSPENDED, type MemberRequest } from './request.ts';
import { type Service } from '../context.ts';
import { safeRedirectPath, signIn, signOut } from './session.ts';
import { identityOfToken, type Identity, rotateToken } from '../db/tokens.ts';
import { callerOf } from '../http/auth.ts';
import { clientAddress } from '../http/client-address.ts';
import { closeSession } from '../db/sessions.ts';
import { randomUUID } from 'node:crypto';
import { nameError } from '../domain/fields.ts';
import { type Actor } from '../domain/audit.ts';
import { createOrganization } from '../db/organizations.ts';
import { subscribeOfficial } from '../actions/subscribe.ts';
import { type OrganizationView } from '../domain/organizations.ts';
import { type Scope } from '../domain/scopes.ts';
import { type Screen } from './layout.ts';
import { calendarDay, ifAllowed } from './components.ts';

/** Signing up, in and out; and the organization's token. */
export const accountRoutes: readonly PageRoute[] = [
  { method: 'GET', path: '/', access: 'member', handle: ({ redirectTo }) => redirectTo('/settings/registries') },
  { method: 'GET', path: '/sign-in', access: 'anyone', handle: showSignIn },
  { method: 'POST', path: '/sign-in', access: 'anyone', handle: submitSignIn },
  { method: 'POST', path: '/sign-out', access: 'anyone', handle: submitSignOut },
  { method: 'GET', path: '/sign-up', access: 'anyone', handle: showSignUp },
  { method: 'POST', path: '/sign-up', access: 'anyone', handle: submitSignUp },
  { method: 'GET', path: '/settings/organization', access: 'member', handle: showOrganization },
  {
    method: 'POST',
    path: '/settings/organization/token',
    access: 'member',
    scope: 'admin',
    handle: submitTokenRotation,
  },
];

const SIGN_UP_CLOSED = failurePage({
  title: 'Sign-up is closed',
  text: 'Only the operator of this service can create organizations. Ask the operator for one.',
  signedIn: false,
});

function showSignIn({ organization, query, show, redirectTo }: PageRequest, { settings }: Service) {
  const next = safeRedirectPath(query('next') ?? '/');
  if (organization !== null) return redirectTo(next);
  const signedOut = query('done') === 'signed-out';
  return show(signInPage({ error: null, openSignUp: settings.openSignUp, next, signedOut }));
}

async function submitSignIn({ c, count, show, redirectTo, formField }: PageRequest, service: Service) {
  const next = safeRedirectPath(formField('next'));
  const token = formField('token').trim();
  const identity = await identityOfToken(service.db, token);
  const error = signInError(token, identity);
  if (identity === null || error !== null) {
    count('failures');
    return show(signInPage({ error, openSignUp: service.settings.openSignUp, next }), 403);
  }
  const { organization, actor } = callerOf('session', identity, clientAddress(c));
  await signIn(c, service, organization, { id: identity.token.id, actor });
  return redirectTo(next);
}

/** The reason why a token does not sign in; null if it does. */
function signInError(token: string, identity: Identity | null): string | null {
  if (token === '') return 'Enter the token, which begins with apr_.';
  if (identity === null)
    return 'No organization has this token. Check that you copied all of it. A rotated token no longer works.';
  if (identity.expired) return 'This token has expired. Ask for a new one.';
  return identity.suspended ? SUSPENDED.text : null;
}

async function submitSignOut({ c, redirectTo }: PageRequest, { db, settings }: Service) {
  const cookie = signOut(c, settings);
  if (cookie !== null) await closeSession(db, cookie, clientAddress(c));
  return redirectTo('/sign-in?done=signed-out');
}

function showSignUp({ show }: PageRequest, { settings }: Service) {
  if (!settings.openSignUp) return show(SIGN_UP_CLOSED, 403);
  return show(signUpPage({ error: null, name: '', key: randomUUID() }));
}

async function submitSignUp({ c, count, show, formField }: PageRequest, service: Service) {
  const { db, log, settings } = service;
  if (!settings.openSignUp) return show(SIGN_UP_CLOSED, 403);
  const name = formField('name').trim();
  const key = /^[\w-]{36}$/.test(formField('key')) ? formField('key') : randomUUID();
  const fault = nameError(name);
  if (fault !== null) return show(signUpPage({ error: `The name ${fault} Enter another.`, name, key }), 400);
  count('signUps');
  const actor: Actor = { type: 'visitor', token: null, address: clientAddress(c) };
  const { organization, token } = await createOrganization(db, name, `page-${key}`, actor);
  await subscribeOfficial(service, organization.id);
  if (token === null) return show(tokenGonePage());
  log('info', 'organization-created', { organization: organization.id });
  await signIn(c, service, organization, { id: token.id, actor });
  return show(tokenPage(organization, token.secret, false));
}

function showOrganization({ organization, member, show }: MemberRequest) {
  return show(organizationPage(organization, member.scope));
}

async function submitTokenRotation(
  { c, organization, member, show, redirectTo, formField }: MemberRequest,
  service: Service,
) {
  if (formField('sure') !== 'yes') return redirectTo('/settings/organization');
  const { tokenId, actor } = member;
  const rotated = await rotateToken(service.db, organization, tokenId, actor);
  service.log('info', 'token-rotated', { organization: organization.id });
  // The sessions of the token ended with its value; continue with a new one.
  await signIn(c, service, rotated.organization, { id: tokenId, actor });
  return show(tokenPage(organization, rotated.secret, true));
}

/** Settings → Organization. */

export function organizationPage({ id, name, createdAt, tokenSince }: OrganizationView, scope: Scope): Screen {
  const form = html`<form method="post" action="settings/organization/token" class="confirm">
    <label class="check"
      ><input type="checkbox" name="sure" value="yes" required /> The current token stops working immediately</label
    >
    <button>Rotate token</button>
  </form>`;
  const body = html`<h1>Organization</h1>
    <dl class="facts">
      <div>
        <dt>Name</dt>
        <dd>${untrusted(name, 400)}</dd>
      </div>
      <div>
        <dt>Created</dt>
        <dd>${calendarDay(createdAt)}</dd>
      </div>
      <div>
        <dt>Identifier</dt>
        <dd>${copyable(id, 'identifier')}</dd>
      </div>
    </dl>
    <section class="panel" aria-labelledby="token-title">
      <h2 id="token-title">Token</h2>
      <p>In use since ${calendarDay(tokenSince)}. Only its hash is stored, so it cannot be read again.</p>
      ${ifAllowed(scope, 'admin', 'Rotating the token', form)}
    </section>`;
  return { title: 'Organization', section: 'organization', body };
}
