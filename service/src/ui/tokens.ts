import { isInCalendar } from 'appreg';
import { copyButton, html, type Html, NO_MARKUP, untrusted } from 'appreg/node';
import { type PageRoute } from './mount.ts';
import { type MemberRequest } from './request.ts';
import { type Service } from '../context.ts';
import { type TokenView } from '../domain/tokens.ts';
import { listTokens } from '../db/tokens.ts';
import { PAGE_LIMIT } from '../db/page.ts';
import { nameError, TEN_YEARS } from '../domain/fields.ts';
import { SCOPES, type Scope } from '../domain/scopes.ts';
import { addToken, TOO_MANY_TOKENS, deleteToken } from '../actions/tokens.ts';
import { orNotFound } from '../http/problems.ts';
import { type Screen } from './layout.ts';
import { doneNotice, table, chip, calendarDay, relativeTime, field, confirmDeletion } from './components.ts';
import { breadcrumbs } from './navigation.ts';

/** Settings → Tokens. */

const LIST = '/settings/tokens';

export const tokenRoutes: readonly PageRoute[] = [
  { method: 'GET', path: LIST, access: 'member', scope: 'admin', handle: showTokens },
  { method: 'POST', path: LIST, access: 'member', scope: 'admin', handle: submitToken },
  { method: 'GET', path: `${LIST}/:id/delete`, access: 'member', scope: 'admin', handle: showDelete },
  { method: 'POST', path: `${LIST}/:id/delete`, access: 'member', scope: 'admin', handle: submitDelete },
];

/** The list is one page: there are few more than an organization may create, issued by the operator. */
async function tokensOf({ organization }: MemberRequest, { db }: Service): Promise<TokenView[]> {
  return (await listTokens(db, organization.id, { limit: PAGE_LIMIT, after: null })).tokens;
}

async function showTokens(request: MemberRequest, service: Service) {
  const done = request.query('done') === 'deleted' ? 'The token was deleted.' : null;
  return showList(request, service, { done });
}

async function showList(
  request: MemberRequest,
  service: Service,
  {
    form = EMPTY_TOKEN_FORM,
    done = null,
    error = null,
  }: { form?: TokenForm; done?: string | null; error?: string | null },
) {
  const tokens = await tokensOf(request, service);
  const isFaulty = error !== null || form.nameError !== null || form.expiresError !== null;
  const screen = tokensPage({ tokens, own: request.member.tokenId, form, done, error, now: request.now });
  return request.show(screen, isFaulty ? 400 : 200);
}

async function submitToken(request: MemberRequest, service: Service) {
  const { organization, member, now, formField, show } = request;
  const name = formField('name').trim();
  const fault = nameError(name);
  const expiresAt = endOfDay(formField('expires'));
  const form: TokenForm = {
    name,
    scope: SCOPES.find((scope) => scope === formField('scope')) ?? 'read',
    expires: formField('expires'),
    nameError: fault === null ? null : `The name ${fault} Enter a name that says what the token is for.`,
    expiresError: expiresFault(expiresAt, now),
  };
  if (form.nameError !== null || form.expiresError !== null || expiresAt === 'invalid')
    return showList(request, service, { form });
  const created = await addToken(service, organization.id, { name, scope: form.scope, expiresAt }, member.actor);
  if (created === null) return showList(request, service, { form, error: TOO_MANY_TOKENS });
  return show(createdTokenPage(created.token, created.secret));
}

/** The end of a day, YYYY-MM-DD in UTC; null for ''. */
function endOfDay(text: string): Date | null | 'invalid' {
  if (text === '') return null;
  return /^\d{4}-\d\d-\d\d$/.test(text) && isInCalendar(text) ? new Date(`${text}T23:59:59.999Z`) : 'invalid';
}

function expiresFault(expiresAt: Date | null | 'invalid', now: Date): string | null {
  if (expiresAt === 'invalid') return 'This is not a date. Enter it as YYYY-MM-DD, or leave the field empty.';
  if (expiresAt === null) return null;
  if (expiresAt <= now) return 'The date is in the past. Enter a later one.';
  const isTooLate = expiresAt.getTime() - now.getTime() > TEN_YEARS;
  return isTooLate ? 'The date is more than ten years ahead. Enter an earlier one.' : null;
}

async function requestedToken(request: MemberRequest, service: Service): Promise<TokenView> {
  const tokens = await tokensOf(request, service);
  return orNotFound(tokens.find(({ id }) => id === request.parameter('id')) ?? null, 'token');
}

async function showDelete(request: MemberRequest, service: Service) {
  const token = await requestedToken(request, service);
  return request.show(deleteTokenPage(token, token.id === request.member.tokenId));
}

async function submitDelete(request: MemberRequest, service: Service) {
  const { organization, member, parameter, redirectTo } = request;
  const outcome = await deleteToken(service, organization.id, parameter('id'), member.actor);
  // Deleting is idempotent: a form that is submitted twice succeeds.
  if (outcome !== 'last-admin') return redirectTo(`${LIST}?done=deleted`);
  return showList(request, service, {
    error: 'This is the last token with the scope admin, which is needed to create tokens. Create another one first.',
  });
}

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
    ${doneNotice(done)} ${error === null ? NO_MARKUP : html`<p class="notice bad" role="alert">${error}</p>`}
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
      <span class="name-line"><b>${untrusted(name, 120)}</b> ${id === own ? chip('This session') : NO_MARKUP}</span>
      <span class="line muted">created ${calendarDay(createdAt)}</span>
    </th>
    <td role="cell">${chip(scope)}</td>
    <td role="cell">
      <span class="unit">Last used </span
      >${lastUsedAt === null ? html`<span class="muted">never</span>` : relativeTime(lastUsedAt, now)}
    </td>
    <td role="cell">
      <span class="unit">Expires </span
      >${expiresAt === null ? html`<span class="muted">never</span>` : html`${isOver ? chip('Expired', 'bad') : NO_MARKUP} ${calendarDay(expiresAt)}`}
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
              ><input type="radio" name="scope" value="${value}" ${value === scope ? html`checked` : NO_MARKUP} />
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
