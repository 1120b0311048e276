import { SCOPES, type Scope } from './scopes.ts';
import type { TokenView } from './schema.ts';
import { chip, confirmDeletion, doneNotice, field, table, calendarDay, relativeTime } from '../pages/components.ts';
import { type Html, html, NOTHING, untrusted, copyButton } from '../../html/html.ts';
import type { Screen } from '../pages/layout.ts';
import { breadcrumbs } from '../pages/navigation.ts';

/** Settings → Tokens: the tokens of an organization. */

export interface TokenForm {
  name: string;
  scope: Scope;
  /** A date, YYYY-MM-DD; '' for no end. */
  expires: string;
  nameError: string | null;
  expiresError: string | null;
}

export const EMPTY_TOKEN_FORM: TokenForm = {
  name: '',
  scope: 'read',
  expires: '',
  nameError: null,
  expiresError: null,
};

export interface TokensPage {
  tokens: readonly TokenView[];
  /** Id of the token that this session was opened with. */
  own: string;
  form: TokenForm;
  /** The outcome of the last action. */
  done: string | null;
  error: string | null;
  now: Date;
}

const SCOPE_DESCRIPTIONS: Record<Scope, string> = {
  read: 'can read registries, apps and their history',
  manage: 'can subscribe, unsubscribe, refresh, and change webhooks',
  admin: 'can create tokens and read the audit log',
};

export function tokensPage({ tokens, own, form, done, error, now }: TokensPage): Screen {
  const body = html`<h1>Tokens</h1>
    <p class="lead">For programs, and for people who sign in. Only their hashes are stored.</p>
    ${doneNotice(done)} ${error === null ? NOTHING : html`<p class="notice bad" role="alert">${error}</p>`}
    ${tokenTable(tokens, own, now)} ${createSection(form, now)}`;
  return { title: 'Tokens', section: 'tokens', body };
}

function tokenTable(tokens: readonly TokenView[], own: string, now: Date): Html {
  return table({
    className: 'tokens',
    caption: 'Tokens in order of creation',
    columns: ['Name', 'Scope', 'Last used', 'Expires', { label: 'Actions', kind: 'unseen' }],
    rows: tokens.map((token) => tokenRow(token, own, now)),
  });
}

function tokenRow({ id, name, scope, createdAt, expiresAt, lastUsedAt }: TokenView, own: string, now: Date): Html {
  const isOver = expiresAt !== null && Date.parse(expiresAt) <= now.getTime();
  return html`<tr role="row">
    <th role="rowheader" scope="row">
      <span class="name-line"><b>${untrusted(name, 120)}</b> ${id === own ? chip('This session') : NOTHING}</span>
      <span class="line muted">created ${calendarDay(createdAt)}</span>
    </th>
    <td role="cell">${chip(scope)}</td>
    <td role="cell">
      <span class="unit">Last used </span
      >${lastUsedAt === null ? html`<span class="muted">never</span>` : relativeTime(lastUsedAt, now)}
    </td>
    <td role="cell">
      <span class="unit">Expires </span
      >${expiresAt === null ? html`<span class="muted">never</span>` : html`${isOver ? chip('Expired', 'bad') : NOTHING} ${calendarDay(expiresAt)}`}
    </td>
    <td role="cell">
      <a class="button danger-quiet small" href="settings/tokens/${id}/delete"
        >Delete<span class="unseen"> ${untrusted(name, 80)}</span></a
      >
    </td>
  </tr>`;
}

function createSection({ name, scope, expires, nameError, expiresError }: TokenForm, now: Date): Html {
  const tomorrow = new Date(now.getTime() + 86_400_000).toISOString().slice(0, 10);
  return html`<section class="panel" aria-labelledby="create-title">
    <h2 id="create-title">New token</h2>
    <form class="form" method="post" action="settings/tokens">
      ${field({ name: 'name', label: 'Name', value: name, hint: 'What it is for, such as “CI of the flows team”.', error: nameError, maxlength: 200 })}
      <fieldset>
        <legend>Scope</legend>
        <p class="hint">Each scope includes those before it.</p>
        ${SCOPES.map(
          (value) =>
            html`<label class="check"
              ><input type="radio" name="scope" value="${value}" ${value === scope ? html`checked` : NOTHING} />
              <span><b>${value}</b> <span class="muted">${SCOPE_DESCRIPTIONS[value]}</span></span></label
            >`,
        )}
      </fieldset>
      ${field({ name: 'expires', label: 'Expires', value: expires, type: 'date', hint: 'At the end of this day (UTC). If empty, the token never expires.', error: expiresError, isOptional: true, min: tomorrow })}
      <p class="actions"><button class="primary">Create token</button></p>
    </form>
  </section>`;
}

/** The value is shown only once. */
export function createdTokenPage({ name, scope }: TokenView, secret: string): Screen {
  const body = html`${breadcrumbs({ href: 'settings/tokens', text: 'Tokens' })}
    <div class="card">
      <h1>The token ${untrusted(name, 80)} is ready</h1>
      <p class="lead">Its scope is “${scope}”: it ${SCOPE_DESCRIPTIONS[scope]}. Save it now: it is shown only once.</p>
      <p class="token"><code id="token" dir="ltr">${secret}</code>${copyButton(secret, 'token')}</p>
      <p class="hint">Programs send it as <code>Authorization: Bearer …</code>; people sign in with it.</p>
      <p class="actions"><a class="button primary" href="settings/tokens">I have saved it</a></p>
    </div>`;
  return { title: 'New token', section: 'tokens', body };
}

/** @param isOwn it is the token of this session */
export function deleteTokenPage({ id, name, scope }: TokenView, isOwn: boolean): Screen {
  const body = html`${breadcrumbs({ href: 'settings/tokens', text: 'Tokens' })}
    <h1>Delete the token ${untrusted(name, 120)}?</h1>
    <p class="lead">
      Programs that use it are refused immediately, and sessions that were opened with it end.
      ${isOwn ? 'You are signed in with it, so you have to sign in again with another one.' : ''}
    </p>
    <p>Its scope is ${chip(scope)}.</p>
    ${confirmDeletion(`settings/tokens/${id}/delete`, 'Delete token', 'settings/tokens')}`;
  return { title: 'Delete token', section: 'tokens', body };
}
