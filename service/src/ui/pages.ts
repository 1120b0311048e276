import { type Service } from '../context.ts';
import { type Limiters } from '../http/rate-limits.ts';
import { Hono } from 'hono';
import { type Env, mountOtherMethods } from '../http/routes.ts';
import { mountPages } from './mount.ts';
import { accountRoutes } from './organizations.ts';
import { settingsRoutes } from './registry-settings.ts';
import { policyPageRoutes } from './policies.ts';
import { registryRoutes } from './registries.ts';
import { appRoutes } from './apps.ts';
import { historyRoutes } from './events.ts';
import { tokenRoutes } from './tokens.ts';
import { auditRoutes } from './audit.ts';
import { webhookRoutes } from './webhooks.ts';
import { type PageContext } from './request.ts';
import { assetNamed } from './assets.ts';

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
