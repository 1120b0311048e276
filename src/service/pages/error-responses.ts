import type { Service } from '../context.ts';
import { Refusal } from '../http/problems.ts';
import { isTransientError } from '../storage/database-error.ts';
import { failurePage } from './account-pages.ts';
import { type ErrorPage, PageError } from './page-error.ts';
import { type PageContext, showScreen } from './request.ts';

/** The responses to requests that fail. */

export function showError(
  c: PageContext,
  settings: Service['settings'],
  { status, title, text, signedIn = false }: ErrorPage,
): Response | Promise<Response> {
  return showScreen(c, settings, failurePage({ title, text, signedIn }), { status, organization: null });
}

/** The response for an unknown URL. */
export function notFoundPage(c: PageContext, settings: Service['settings']): Response | Promise<Response> {
  return showError(c, settings, { status: 404, title: 'Not found', text: 'This page does not exist.' });
}

/**
 * The response for an error that a handler threw. Unexpected ones are logged.
 * @throws Refusal, to which the API responds
 */
export function errorResponse(
  c: PageContext,
  { settings, log }: Service,
  route: string,
  error: unknown,
): Response | Promise<Response> {
  if (error instanceof Refusal) throw error;
  if (error instanceof PageError) return showError(c, settings, error.page);
  const request = c.get('requestId');
  if (isTransientError(error)) {
    log('warn', 'database-unavailable', { request, error: error.message });
    c.header('Retry-After', '5');
    return showError(c, settings, {
      status: 503,
      title: 'Not available at the moment',
      text: 'The service cannot reach its database. No data is lost; try again in a moment.',
    });
  }
  log('error', 'defect', { request, route, error });
  return showError(c, settings, {
    status: 500,
    title: 'Something went wrong',
    text: `This is a fault of the service; its log has more. Try again in a moment. (Request ${request ?? 'unknown'})`,
  });
}
