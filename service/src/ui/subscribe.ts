import { html, type Html, NO_MARKUP, sanitized } from 'appreg/node';
import { type Scope } from '../domain/scopes.ts';
import { ifAllowed, field } from './components.ts';
import { type UnusableManifest } from '../refresh/check-manifest.ts';
import { type Screen } from './layout.ts';
import { breadcrumbs } from './navigation.ts';
import { findingList } from './findings.ts';
import {
  type AuthType,
  type AuthFault,
  AUTH_FIELDS,
  LONGEST_CREDENTIAL,
  type RegistryAuth,
  readAuth,
} from '../domain/credentials.ts';

/** Settings → App Registries → Subscribe to Registry. */

/** The link to this page, for a session that may subscribe. */
export function subscribeLink(scope: Scope): Html {
  const link = html`<a class="button primary" href="settings/registries/subscribe">Subscribe to Registry</a>`;
  return ifAllowed(scope, 'manage', 'Subscribing', link);
}

export interface SubscribeForm {
  url: string;
  name: string;
  urlError: Html | string | null;
  nameError: string | null;
  auth: AuthForm;
  /** The reason why the registry cannot be used, or null. */
  unusable: UnusableManifest | null;
}

export function subscribePage({ url, name, urlError, nameError, auth, unusable }: SubscribeForm): Screen {
  const body = html`${breadcrumbs({ href: 'settings/registries', text: 'App Registries' })}
    <h1>Subscribe to Registry</h1>
    <p class="lead">The manifest is checked immediately. Then its apps become available for installation.</p>
    ${unusable === null ? NO_MARKUP : unusableNotice(unusable)}
    <form class="form" method="post" action="settings/registries/subscribe" data-busy="Checking the registry…">
      ${field({
        name: 'url',
        label: 'Registry URL',
        value: url,
        type: 'url',
        hint: 'The URL of the registry’s manifest, a JSON file.',
        placeholder: 'https://apps.example.com/registry.json',
        error: urlError,
        autofocus: nameError === null,
      })}
      ${field({ name: 'name', label: 'Name', value: name, hint: 'Its name within your organization.', error: nameError, maxlength: 200 })}
      ${authFields(auth, ['none', 'bearer', 'basic', 'header'])}
      <p class="actions">
        <button class="primary">Subscribe</button>
        <a class="button" href="settings/registries">Cancel</a>
      </p>
    </form>`;
  return { title: 'Subscribe to Registry', section: 'registries', body };
}

function unusableNotice({ message, advice, isFinding, findings }: UnusableManifest): Html {
  return html`<section class="notice bad" role="alert" aria-labelledby="unusable">
    <h2 id="unusable">This registry cannot be used</h2>
    <p>${isFinding ? '' : sanitized(`${message} `, 600)}You were not subscribed. ${advice ?? ''}</p>
    ${findingList(findings)}
  </section>`;
}

/** The credentials of a private registry in a form. They are write-only: no value is shown again. */

export interface AuthForm {
  type: AuthType | 'none';
  faults: readonly AuthFault[];
}

export const NO_AUTH: AuthForm = { type: 'none', faults: [] };

export const AUTH_TYPE_NAMES: Record<AuthForm['type'], string> = {
  none: 'None',
  bearer: 'Bearer token',
  basic: 'User name and password',
  header: 'Header',
};

const LABELS: Record<Exclude<AuthFault['field'], '' | 'type'>, string> = {
  token: 'Token',
  username: 'User name',
  password: 'Password',
  name: 'Header name',
  value: 'Header value',
};

/** The choice of a type, and its fields. The style sheet hides the fields of other types; without it, all are shown. */
export function authFields({ type, faults }: AuthForm, types: readonly AuthForm['type'][]): Html {
  return html`<fieldset class="auth-fields">
    <legend>Credentials</legend>
    <p class="hint">Only if the registry requires them. They are stored encrypted and only sent to its own origin.</p>
    ${types.map(
      (value) =>
        html`<label class="check"
          ><input type="radio" name="auth" value="${value}" ${value === type ? html`checked` : NO_MARKUP} />
          ${AUTH_TYPE_NAMES[value]}</label
        >`,
    )}
    ${types.map((value) => (value === 'none' ? NO_MARKUP : fieldsOf(value, type === value ? faults : [])))}
  </fieldset>`;
}

function fieldsOf(type: AuthType, faults: readonly AuthFault[]): Html {
  return html`<div class="auth-${type}">
    ${AUTH_FIELDS[type].map((name) => {
      const fault = faults.find((one) => one.field === name);
      return field({
        name: `auth-${name}`,
        label: LABELS[name],
        // One password per form: Chromium takes several for the form of another action.
        type: name === 'password' ? 'password' : 'text',
        isConcealed: name === 'token' || name === 'value',
        isOptional: true,
        maxlength: LONGEST_CREDENTIAL,
        error: fault === undefined ? null : `The ${LABELS[name].toLowerCase()} ${fault.fault}`,
      });
    })}
  </div>`;
}

/** The credentials in a submitted form; null for none. */
export function submittedAuth(formField: (name: string) => string): { auth: RegistryAuth | null } | { form: AuthForm } {
  const type = formField('auth');
  if (type === '' || type === 'none') return { auth: null };
  const read = readAuth({
    type,
    token: formField('auth-token').trim(),
    username: formField('auth-username'),
    password: formField('auth-password'),
    name: formField('auth-name').trim(),
    value: formField('auth-value'),
  });
  if ('auth' in read) return read;
  const known = type === 'bearer' || type === 'basic' || type === 'header' ? type : 'none';
  return { form: { type: known, faults: read.faults } };
}
