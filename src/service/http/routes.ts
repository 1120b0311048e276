import type { Context, Hono } from 'hono';
import type { OrganizationView } from '../views.ts';
import type { Authenticator } from './auth.ts';
import { Refusal } from './problems.ts';

/** The context of a request. */
export interface Env {
  Variables: {
    requestId: string;
    /** The route's path as in the OpenAPI document, used in metrics and logs, since actual paths contain tenant ids. */
    route: string;
    organization: OrganizationView | undefined;
  };
}

export type WebContext = Context<Env>;

/** A route of the API. `organization` is present if `access` is for organizations. */
export type Route = { method: 'GET' | 'POST' | 'PATCH' | 'DELETE'; path: string } & (
  | { access: 'anyone' | 'operator'; answer(c: WebContext): Response | Promise<Response> }
  | { access: 'organization'; answer(c: WebContext, organization: OrganizationView): Promise<Response> }
);

/** Mounts routes, and responds to other methods on their paths with the allowed ones. */
export function mountRoutes(app: Hono<Env>, routes: readonly Route[], authenticator: Authenticator): void {
  for (const route of routes) {
    app.on(route.method, patternOf(route.path), async (c) => {
      c.set('route', route.path);
      if (route.access === 'organization') {
        const organization = await authenticator.organization(c, route.method !== 'GET');
        c.set('organization', organization);
        return route.answer(c, organization);
      }
      if (route.access === 'operator') authenticator.operator(c);
      return route.answer(c);
    });
  }
  for (const path of new Set(routes.map(({ path }) => path))) {
    const methods = routes.filter((route) => route.path === path).map(({ method }) => method);
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
    app.all(patternOf(path), (c) => {
      c.set('route', path);
      if (c.req.method === 'OPTIONS') return c.body(null, 204, { allow });
      throw new Refusal('method-not-allowed', `Allowed here: ${allow}.`, {}, { allow });
    });
  }
}

/** Converts `/a/{b}` of the OpenAPI document to the router's syntax. */
function patternOf(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1');
}
