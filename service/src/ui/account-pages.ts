import { copyButton, html, NO_MARKUP, untrusted } from 'appreg/node';
import { type Screen } from './layout.ts';
import { notice, field } from './components.ts';
import { type OrganizationView } from '../domain/organizations.ts';

/** The pages before signing in, and the page that shows a token. */

interface SignInForm {
  error: string | null;
  openSignUp: boolean;
  /** The path to redirect to afterwards. */
  next: string;
  signedOut?: boolean;
}

export function signInPage({ error, openSignUp, next, signedOut = false }: SignInForm): Screen {
  const body = html`<div class="card entry">
    <h1>Sign in</h1>
    <p class="lead">Use the token of your organization.</p>
    ${signedOut ? notice('good', 'You are signed out.') : NO_MARKUP}
    <form method="post" action="sign-in">
      <input type="hidden" name="next" value="${next}" />
      <input name="username" value="organization" autocomplete="username" hidden />
      ${field({ name: 'token', label: 'Token', type: 'password', autocomplete: 'current-password', error, autofocus: true, maxlength: 200 })}
      <button class="primary wide">Sign in</button>
    </form>
    ${
      openSignUp
        ? html`<p class="aside">No organization yet? <a href="sign-up">Create one</a></p>`
        : html`<p class="aside">No token? The operator of this service creates organizations.</p>`
    }
  </div>`;
  return { title: 'Sign in', section: null, body };
}

interface SignUpForm {
  error: string | null;
  name: string;
  /** Idempotency key: a form that is submitted twice creates one organization. */
  key: string;
}

export function signUpPage({ error, name, key }: SignUpForm): Screen {
  const body = html`<div class="card entry">
    <h1>Create an organization</h1>
    <p class="lead">An organization subscribes to registries and installs the apps in them.</p>
    <form method="post" action="sign-up">
      <input type="hidden" name="key" value="${key}" />
      ${field({ name: 'name', label: 'Name', value: name, error, autocomplete: 'organization', autofocus: true, maxlength: 200 })}
      <button class="primary wide">Create organization</button>
    </form>
    <p class="aside">Do you already have a token? <a href="sign-in">Sign in</a></p>
  </div>`;
  return { title: 'Create an organization', section: null, body };
}

/** The token is shown only once. */
export function tokenPage(organization: OrganizationView, token: string, rotated: boolean): Screen {
  const body = html`<div class="${rotated ? 'card' : 'card entry'}">
    <h1>${rotated ? 'Token rotated' : html`${untrusted(organization.name, 80)} is ready`}</h1>
    <p class="lead">
      ${rotated ? 'The previous token no longer works.' : 'You are signed in on this browser.'} Save this token now: it
      is shown only once.
    </p>
    <p class="token" id="token-box"><code id="token" dir="ltr">${token}</code>${copyButton(token, 'token')}</p>
    <p class="hint">
      Programs send it as <code>Authorization: Bearer …</code>; people sign in with it. Anyone who has it can act for
      the organization.
    </p>
    <p class="actions">
      <a class="button primary" href="${rotated ? 'settings/organization' : 'settings/registries'}"
        >${rotated ? 'I have saved it' : 'Continue to App Registries'}</a
      >
    </p>
  </div>`;
  return { title: rotated ? 'Token rotated' : 'Your token', section: rotated ? 'organization' : null, body };
}

/** The form of a new organization was submitted twice. */
export function tokenGonePage(): Screen {
  const body = html`<div class="card entry">
    <h1>Already created</h1>
    <p class="lead">This form was already sent. The organization exists, and its token was shown at that time.</p>
    <p class="actions">
      <a class="button primary" href="sign-in">Sign in with the token</a>
      <a class="button" href="sign-up">Create another organization</a>
    </p>
  </div>`;
  return { title: 'Already created', section: null, body };
}

interface FailurePage {
  title: string;
  text: string;
  signedIn: boolean;
}

/** An error page with a link to continue. */
export function failurePage({ title, text, signedIn }: FailurePage): Screen {
  const body = html`<div class="${signedIn ? 'failure' : 'card entry'}">
    <h1>${title}</h1>
    <p class="lead">${text}</p>
    <p class="actions">
      <a class="button primary" href="${signedIn ? 'settings/registries' : 'sign-in'}"
        >${signedIn ? 'Go to App Registries' : 'Sign in'}</a
      >
    </p>
  </div>`;
  return { title, section: null, body };
}
