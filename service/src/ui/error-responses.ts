import { type PageContext, type ErrorPage, showScreen, memberOf, PageError } from './request.ts';
import { type Service } from '../context.ts';
import { failurePage } from './account-pages.ts';
import { type DatabaseFault, isCallerDeleted } from '../db/error.ts';
import { NotFound, Refusal, RETRY_AFTER } from '../http/problems.ts';

/** The responses to requests that fail. */

export function showError(
  c: PageContext,
  settings: Service['settings'],
  { status, title, text }: ErrorPage,
): Response | Promise<Response> {
  const member = c.get('caller') ?? null;
  return showScreen(c, settings, failurePage({ title, text, signedIn: member !== null }), { status, member });
}

const CANNOT_SAVE = 'The service cannot save changes at the moment. Nothing was changed, and no data was lost.';

const FAULT_TEXTS: Record<DatabaseFault, string> = {
  unreachable: 'The service cannot reach its database. No data was lost. Try again in a moment.',
  'disk-full': `${CANNOT_SAVE} Its operator has to free disk space. Try again later.`,
  'read-only': `${CANNOT_SAVE} Try again in a moment.`,
  'disk-error': 'The database of the service cannot read or write its files. Its operator has to repair it.',
  overloaded: 'The database of the service is overloaded. Try again in a moment.',
};

const CALLER_DELETED: ErrorPage = {
  status: 403,
  title: 'You are no longer signed in',
  text: 'The organization or the token that you signed in with was deleted.',
};

/** The response for an unknown URL, with the navigation of those who are signed in. */
export async function notFoundPage(c: PageContext, service: Service): Promise<Response> {
  try {
    await memberOf(c, service);
  } catch (error) {
    return errorResponse(c, service, 'other', error);
  }
  return showError(c, service.settings, { status: 404, title: 'Not found', text: 'This page does not exist.' });
}

/**
 * The response for an error that a handler threw. Unexpected ones are logged.
 * @throws Refusal, to which the API responds
 */
export function errorResponse(
  c: PageContext,
  { settings, log, database }: Service,
  route: string,
  error: unknown,
): Response | Promise<Response> {
  if (error instanceof NotFound) {
    const text = `The ${error.what} does not exist, or it belongs to another organization.`;
    return showError(c, settings, { status: 404, title: 'Not found', text });
  }
  if (error instanceof Refusal) throw error;
  if (error instanceof PageError) return showError(c, settings, error.page);
  if (isCallerDeleted(error)) {
    c.set('caller', undefined);
    return showError(c, settings, CALLER_DELETED);
  }
  const request = c.get('requestId');
  const fault = database.report(error);
  if (fault !== null) {
    c.header('Retry-After', RETRY_AFTER);
    return showError(c, settings, { status: 503, title: 'Not available at the moment', text: FAULT_TEXTS[fault] });
  }
  log('error', 'defect', { request, route, error });
  return showError(c, settings, {
    status: 500,
    title: 'Something went wrong',
    text: `This is an error of the service. Try again in a moment. The log of the service has the details (request ${request ?? 'unknown'}).`,
  });
}
