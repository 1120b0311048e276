import {
  type PageRequest,
  type MemberRequest,
  type ErrorPage,
  type PageContext,
  PageError,
  readRequest,
} from './request.ts';
import { type Service } from '../context.ts';
import { type Scope, allows } from '../domain/scopes.ts';
import { type Hono } from 'hono';
import { type Env, mountOtherMethods } from '../http/routes.ts';
import { type Limiters } from '../http/rate-limits.ts';
import { type Caller, refusedRequest } from '../http/auth.ts';
import { recordAudit } from '../db/audit.ts';
import { isFromOwnPage } from './session.ts';
import { showError, errorResponse } from './error-responses.ts';
import { clientNetwork } from '../http/client-address.ts';

/**
 * A page, or what a form is sent to. Pages for members redirect others to sign in. A page needs a session with the scope
 * `read`, a form `manage`, unless `scope` says otherwise.
 */
export type PageRoute = { method: 'GET' | 'POST'; path: string } & (
  | { access: 'anyone'; handle(request: PageRequest, service: Service): Response | Promise<Response> }
  | { access: 'member'; scope?: Scope; handle(request: MemberRequest, service: Service): Response | Promise<Response> }
);

const CROSS_SITE: ErrorPage = {
  status: 403,
  title: 'The form was not sent from this page',
  text: 'The form was sent from another site, or the browser did not send its origin. Open this page and try again.',
};

/** Mounts pages, with authentication, rate limits and error pages. */
export function mountPages(app: Hono<Env>, service: Service, limiters: Limiters, routes: readonly PageRoute[]): void {
  const { settings } = service;

  /** @throws PageError if the client exceeds the limit */
  function count(c: PageContext, name: keyof Limiters, client: string): void {
    const { allowed, wait } = limiters[name].take(client);
    if (allowed) return;
    c.header('Retry-After', String(wait));
    throw new PageError({ status: 429, title: 'Too many requests', text: `Try again in ${wait} s.` });
  }

  function handle(route: PageRoute, request: PageRequest): Response | Promise<Response> {
    if (route.access === 'anyone') return route.handle(request, service);
    const { c, member } = request;
    if (member === null) return redirectToSignIn(request);
    count(c, c.req.method === 'POST' ? 'changes' : 'reads', member.id);
    const needed = route.scope ?? (route.method === 'POST' ? 'manage' : 'read');
    if (!allows(member.scope, needed)) return refuseScope(member, needed, route);
    return route.handle({ ...request, member, organization: member.organization }, service);
  }

  async function refuseScope(member: Caller, needed: Scope, { method, path }: PageRoute): Promise<never> {
    await recordAudit(service.db, refusedRequest(member, needed, `${method} ${path}`));
    throw new PageError({
      status: 403,
      title: 'Not allowed with this token',
      text: `You signed in with a token of the scope “${member.scope}”; this requires “${needed}”.`,
    });
  }

  const mounted = [...routes, ...pagesOfForms(routes)];
  for (const route of mounted)
    app.on(route.method, route.path, async (c) => {
      c.set('route', route.path);
      try {
        if (c.req.method === 'POST' && !isFromOwnPage(c, settings)) return await showError(c, settings, CROSS_SITE);
        return await handle(route, await readRequest(c, service, (name) => count(c, name, clientNetwork(c))));
      } catch (error) {
        return errorResponse(c, service, route.path, error);
      }
    });
  mountOtherMethods(app, mounted);
}

/**
 * A refused form, and a secret that is shown once, are shown at the address that the form was sent to. A GET request for
 * that address, such as from a bookmark, is redirected to the nearest page above, which has the form.
 */
function pagesOfForms(routes: readonly PageRoute[]): PageRoute[] {
  const pages = new Set(routes.filter(({ method }) => method === 'GET').map(({ path }) => path));
  return routes
    .filter(({ path }) => !pages.has(path))
    .map(({ path }) => {
      let segments = path.split('/').length - 1;
      while (!pages.has(startOf(path, segments))) segments -= 1;
      return {
        method: 'GET',
        path,
        access: 'anyone',
        handle: ({ c, redirectTo }) => redirectTo(startOf(new URL(c.req.url).pathname, segments)),
      };
    });
}

function startOf(path: string, segments: number): string {
  return path.split('/').slice(0, segments).join('/') || '/';
}

/** Redirects to sign in, and from there to the requested page, or to the page of the form that was sent. */
function redirectToSignIn({ c, redirectTo }: PageRequest): Response {
  const { pathname, search } = new URL(c.req.url);
  return redirectTo(pathname === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(pathname + search)}`);
}
