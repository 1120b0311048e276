import type { Service } from '../context.ts';
import { isInCalendar } from '../../core/text/calendar.ts';
import { PAGE_LIMIT } from '../database/page.ts';
import { nameError, TEN_YEARS } from '../http/fields.ts';
import { SCOPES } from './scopes.ts';
import { addToken, deleteToken, TOO_MANY_TOKENS } from './tokens.ts';
import { listTokens } from './store.ts';
import type { TokenView } from './schema.ts';
import type { PageRoute } from '../pages/mount.ts';
import { orNotFound } from '../http/problems.ts';
import type { MemberRequest } from '../pages/request.ts';
import { createdTokenPage, deleteTokenPage, EMPTY_TOKEN_FORM, type TokenForm, tokensPage } from './page.ts';

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
