import { sanitized, type Html, html, NOTHING } from '../../html/html.ts';
import type { Screen } from '../pages/layout.ts';
import { type AuthForm, authFields } from './auth-form.ts';
import { field, ifAllowed } from '../pages/components.ts';
import type { Scope } from '../tokens/scopes.ts';
import type { UnusableManifest } from './check-manifest.ts';
import { findingList } from '../pages/findings.ts';
import { breadcrumbs } from '../pages/navigation.ts';

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
  /** Why the registry cannot be used, or null. */
  unusable: UnusableManifest | null;
}

export function subscribePage({ url, name, urlError, nameError, auth, unusable }: SubscribeForm): Screen {
  const body = html`${breadcrumbs({ href: 'settings/registries', text: 'App Registries' })}
    <h1>Subscribe to Registry</h1>
    <p class="lead">The manifest is checked immediately. Then its apps become available for installation.</p>
    ${unusable === null ? NOTHING : unusableNotice(unusable)}
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
