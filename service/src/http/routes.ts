import { type Client } from './client-address.ts';
import { type OrganizationView } from '../domain/organizations.ts';
import { type Caller, type Authenticator } from './auth.ts';
import { type Context, type Hono } from 'hono';
import { type Actor } from '../domain/audit.ts';
import { type Scope } from '../domain/scopes.ts';
import { Refusal } from './problems.ts';

/** The context of a request. */
export interface Env {
  Variables: {
    requestId: string;
    client: Client;
    /** The route's path as in the OpenAPI document, used in metrics and logs, since actual paths contain tenant ids. */
    route: string;
    organization: OrganizationView | undefined;
    /** Of a page: who is signed in. */
    caller: Caller | undefined;
  };
}

export type WebContext = Context<Env>;

/**
 * A route of the API. Those for organizations name the scope that a token needs; `operator` is for the operator's token
 * alone, `sign-up` for clients that may create organizations.
 */
export type Route = { method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'; path: string } & (
  | { access: 'anyone'; handle(c: WebContext): Response | Promise<Response> }
  | { access: 'operator'; handle(c: WebContext, actor: Actor): Promise<Response> }
  | { access: 'sign-up'; handle(c: WebContext, actor: Actor): Promise<Response> }
  | { access: 'organization'; scope: Scope; handle(c: WebContext, caller: Caller): Promise<Response> }
);

type OrganizationRoute = Extract<Route, { access: 'organization' }>;

/** A route for the token of an organization. @param scope that the token needs */
export function organizationRoute(
  method: Route['method'],
  path: string,
  scope: Scope,
  handle: OrganizationRoute['handle'],
): Route {
  return { method, path, access: 'organization', scope, handle };
}

/**
 * Mounts routes, and responds to other methods on their paths with the allowed ones. A path without parameters has to
 * come before those that match it as well.
 */
export function mountRoutes(app: Hono<Env>, routes: readonly Route[], authenticator: Authenticator): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const ofPath = routes.filter((route) => route.path === path);
    for (const route of ofPath) mountRoute(app, route, authenticator);
    mountOtherMethods(app, ofPath);
  }
}

/** Responds to the methods that no route of a path handles: to OPTIONS with the allowed ones, to others with 405. */
export function mountOtherMethods(app: Hono<Env>, routes: readonly Pick<Route, 'method' | 'path'>[]): void {
  for (const path of new Set(routes.map((route) => route.path))) {
    const methods = routes.filter((route) => route.path === path).map(({ method }) => method);
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    app.all(routerPattern(path), (c) => {
      c.set('route', path);
      if (c.req.method === 'OPTIONS') return c.body(null, 204, { allow });
      throw new Refusal('method-not-allowed', `Allowed methods: ${allow}.`, {}, { allow });
    });
  }
}

function mountRoute(app: Hono<Env>, route: Route, authenticator: Authenticator): void {
  app.on(route.method, routerPattern(route.path), async (c) => {
    c.set('route', route.path);
    if (route.access === 'anyone') return route.handle(c);
    if (route.access === 'operator') return route.handle(c, authenticator.operator(c));
    if (route.access === 'sign-up') return route.handle(c, authenticator.signUp(c));
    const caller = await authenticator.organization(c, route);
    c.set('organization', caller.organization);
    return route.handle(c, caller);
  });
}

/** Converts `/a/{b}` of the OpenAPI document to the router's syntax. */
function routerPattern(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}
