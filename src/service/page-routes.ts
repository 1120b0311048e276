import { Hono } from 'hono';
import type { Service } from './context.ts';
import type { Limiters } from './http/rate-limits.ts';
import { type Env, mountOtherMethods } from './http/routes.ts';
import { accountRoutes } from './organizations/page-routes.ts';
import { appRoutes } from './apps/page-routes.ts';
import { assetNamed } from './pages/assets.ts';
import { historyRoutes, auditRoutes } from './history/page-routes.ts';
import { mountPages } from './pages/mount.ts';
import type { PageContext } from './pages/request.ts';
import { registryRoutes } from './registries/page-routes.ts';
import { tokenRoutes } from './tokens/page-routes.ts';
import { webhookRoutes } from './webhooks/page-routes.ts';
import { policyPageRoutes } from './policies/page-routes.ts';
import { settingsRoutes } from './registries/settings-routes.ts';

/** The web pages of the service. Mounted at the root, next to the API. */
export function pageRoutes(service: Service, limiters: Limiters): Hono<Env> {
  const pages = new Hono<Env>();
  pages.get('/assets/:name', (c) => sendAsset(c, c.req.param('name')));
  mountOtherMethods(pages, [{ method: 'GET', path: '/assets/:name' }]);
  mountPages(pages, service, limiters, [
    ...accountRoutes,
    ...settingsRoutes,
    ...policyPageRoutes,
    ...registryRoutes,
    ...appRoutes,
    ...historyRoutes,
    ...tokenRoutes,
    ...auditRoutes,
    ...webhookRoutes,
  ]);
  return pages;
}

function sendAsset(c: PageContext, name: string): Response | Promise<Response> {
  c.set('route', '/assets/:name');
  const asset = assetNamed(name);
  if (asset === null) return c.notFound();
  // An asset is immutable under the URL with its content hash.
  const isCurrent = c.req.query('v') === asset.tag;
  return c.body(new Uint8Array(asset.bytes), 200, {
    'Content-Type': asset.type,
    'Cache-Control': isCurrent ? 'public, max-age=31536000, immutable' : 'no-cache',
    'X-Content-Type-Options': 'nosniff',
  });
}
