import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { Hono } from 'hono';
import { assetNamed } from '../../src/ui/assets.ts';
import { ICON_HEADERS, PAGE_HEADERS } from '../../src/ui/request.ts';
import { layout } from '../../src/ui/layout.ts';
import { SVG } from '../../../test/support/icons.ts';
import { SCREENS } from './screens.ts';
import { NOW, organization } from './views.ts';

/** Serves every screen by its name, with the headers of the real page, without a database. */
export async function openGallery(): Promise<{ url: string; close(): Promise<void> }> {
  const gallery = new Hono();
  gallery.get('/assets/:name', (c) => {
    const asset = assetNamed(c.req.param('name'));
    return asset === null ? c.notFound() : c.body(new Uint8Array(asset.bytes), 200, { 'Content-Type': asset.type });
  });
  gallery.get('/icons/:digest', (c) => c.body(SVG, 200, { ...ICON_HEADERS, 'Content-Type': 'image/svg+xml' }));
  gallery.get('/:name', (c) => {
    const name = c.req.param('name');
    const screen = SCREENS[name];
    if (screen === undefined) return c.notFound();
    const frame = {
      organization: name.startsWith('entry') ? null : organization(),
      scope: 'admin' as const,
      now: NOW,
      base: '/',
      here: `./${name}`,
    };
    return c.html(layout(frame, screen()), 200, PAGE_HEADERS);
  });
  const server = createAdaptorServer({ fetch: gallery.fetch }) as Server;
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
