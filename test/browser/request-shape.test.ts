import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { observe } from '../../src/observe/registry/observe.ts';
import { certificates } from '../support/fault-certificates.ts';
import { answer, byMethod, type FaultRequest, json, openFaultHost, type FaultHost } from '../support/fault-host.ts';
import { SVG } from '../support/icons.ts';
import { describeInChromium, openService, PAGE, type Service } from './chromium.ts';

/** The requests that appreg sends as a browser, compared with those of a real Chromium for the same file. */

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

/** The headers by which hosts tell browsers and pages apart. */
const NAMES = ['origin', 'referer', 'sec-fetch-site', 'sec-fetch-mode', 'sec-fetch-dest', 'accept-language'];

function shapeOf({ method, path, headers }: FaultRequest): string {
  const lines = NAMES.map((name) => `${name}: ${headers[name] ?? 'none'}`);
  return [`${method} ${path}`, headers['access-control-request-method'] ?? '', ...lines].join('\n');
}

/** False for the page, and for the icon that Chromium may request at any time, even after the page is left. */
function isOfRegistry({ path }: FaultRequest): boolean {
  return path !== '/' && path !== '/favicon.ico';
}

describeInChromium('requests as a browser', () => {
  let host: FaultHost;
  let service: Service;
  beforeAll(async () => {
    host = await openFaultHost({ tls: certificates().get('names') });
    service = await openService([`MAP svc.test:443 127.0.0.1:${host.port}`, 'MAP *.test 127.0.0.1']);
  });
  afterAll(async () => {
    await service?.close();
    await host?.close();
  });

  test.each([
    ['another site', 'registry.test', false],
    ['its site', 'apps.svc.test', false],
    ['its origin', 'registry.test', true],
  ])('have the same headers as those of Chromium for a file of %s', async (_name, name, isOwn) => {
    const origin = `https://${name}:${host.port}`;
    const page = isOwn ? origin : 'https://svc.test';
    host.on('/', answer({ headers: { 'Content-Type': 'text/html' }, body: PAGE }));
    const icon = byMethod({
      GET: answer({
        headers: { 'Content-Type': 'image/svg+xml', 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-store' },
        body: SVG,
      }),
    });
    host.on('/a.svg', icon);
    host.on('/a.json', json({ versions: [] }, { 'Cache-Control': 'no-store' }));
    const app = { name: 'A', description: 'An app.', appMetadataUrl: `${origin}/a.json` };
    const blockStyle = { iconUrl: `${origin}/a.svg`, color: '#336699' };
    host.on('/r.json', json({ apps: { a: { ...app, blockStyle } } }));

    host.requests.length = 0;
    await service.ask(page, [
      ...['fetch', 'fetch with a header'].map((way) => ({ way, url: `${origin}/a.json` })),
      ...(isOwn ? ['img'] : ['img', 'img crossorigin']).map((way) => ({ way, url: `${origin}/a.svg` })),
    ]);
    const browser = host.requests.filter(isOfRegistry).map(shapeOf);

    host.requests.length = 0;
    const lookup = { address: '127.0.0.1', family: 4 } as const;
    const parts = observe(`${origin}/r.json`, {
      ca: certificates().ca,
      lookup: (_, options, found) => (options.all ? found(null, [lookup]) : found(null, lookup.address, 4)),
      origins: [page],
    });
    const kinds = [];
    for await (const { kind } of parts) kinds.push(kind);
    expect(kinds).toEqual(['manifest', 'app', 'end']);
    const requests = host.requests.filter(isOfRegistry);
    const ours = new Set(requests.map(shapeOf));
    expect(browser.length).toBeGreaterThanOrEqual(3);
    expect([...new Set(browser)].filter((shape) => !ours.has(shape))).toEqual([]);
    const encodings = requests
      .filter(({ method, headers }) => method === 'GET' && headers['sec-fetch-mode'] !== undefined)
      .map(({ headers }) => headers['accept-encoding']);
    expect(new Set(encodings)).toEqual(new Set(['gzip, deflate, br']));
  });
});
