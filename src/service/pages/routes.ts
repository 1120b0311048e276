import { Hono } from 'hono';
import type { Service } from '../context.ts';
import type { Allowances } from '../http/rate-limits.ts';
import type { Env } from '../http/routes.ts';
import { assetNamed } from './assets.ts';
import { openPageRequests } from './request.ts';
import { entryRoutes } from './account-routes.ts';
import { registryRoutes } from './registry-routes.ts';
import { settingsRoutes } from './settings-routes.ts';

/** The web pages of the service. Mounted at the root, next to the API. */
export function pageRoutes(service: Service, allowances: Allowances): Hono<Env> {
  const page = new Hono<Env>();
  const desk = openPageRequests(service, allowances);
  page.get('/assets/:name', (c) => {
    c.set('route', '/assets/:name');
    const asset = assetNamed(c.req.param('name'));
    if (asset === null) return c.notFound();
    // An asset is immutable under the URL with its content hash.
    const kept = c.req.query('v') === asset.tag ? 'public, max-age=31536000, immutable' : 'no-cache';
    return c.body(new Uint8Array(asset.bytes), 200, {
      'Content-Type': asset.type,
      'Cache-Control': kept,
      'X-Content-Type-Options': 'nosniff',
    });
  });
  entryRoutes(page, desk, service);
  settingsRoutes(page, desk, service);
  registryRoutes(page, desk, service);
  return page;
}
