import {
  AUTH_FIELDS,
  type AuthFault,
  type AuthType,
  LONGEST_CREDENTIAL,
  type RegistryAuth,
  readAuth,
} from './credentials.ts';
import { field } from '../pages/components.ts';
import { type Html, html, NOTHING } from '../../html/html.ts';

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
          ><input type="radio" name="auth" value="${value}" ${value === type ? html`checked` : NOTHING} />
          ${AUTH_TYPE_NAMES[value]}</label
        >`,
    )}
    ${types.map((value) => (value === 'none' ? NOTHING : fieldsOf(value, type === value ? faults : [])))}
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
