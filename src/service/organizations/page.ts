import type { OrganizationView } from './schema.ts';
import { untrusted, html } from '../../html/html.ts';
import type { Screen } from '../pages/layout.ts';
import { ifAllowed } from '../pages/components.ts';
import { copyable } from '../../html/copy.ts';
import type { Scope } from '../tokens/scopes.ts';
import { calendarDay } from '../pages/time.ts';

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
