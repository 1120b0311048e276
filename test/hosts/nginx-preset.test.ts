import { Agent, request } from 'undici';
import { describe, expect, test } from 'vitest';
import { nginxServer } from '../../src/author/host-nginx.ts';
import type { Hosted } from '../../src/author/host-guides.ts';
import { errorOf, write } from '../support/folders.ts';
import { faults, ORIGIN, verified } from '../support/live-registry.ts';
import { programOf, startServer, type WebServer } from '../support/web-server.ts';
import { trusting } from '../support/trusting.ts';
import { local, nginx, onThisMachine } from './nginx-frame.ts';
import { forAllResources, putSite } from './site.ts';

/** The files of `init --host nginx`, in a real nginx. */

const hosted: Hosted = {
  baseUrl: 'https://127.0.0.1/',
  manifest: 'registry.json',
  serviceOrigins: [],
  store: { type: 'directory' },
};
const OTHER = 'https://other.test';
/** A valid origin with characters that are syntax in an unquoted configuration. */
const QUOTED = `https://a"\${x};}'*.test`;

async function served<T>(
  given: Partial<Hosted>,
  look: (server: WebServer, base: string) => Promise<T>,
  change: (text: string) => string = (text) => text,
): Promise<T> {
  const whole = { ...hosted, ...given };
  const path = decodeURIComponent(new URL(whole.baseUrl).pathname);
  const text = change(nginxServer(whole));
  const server = await startServer('nginx', onThisMachine(text), (root, origin) =>
    putSite(root, origin + encodeURI(path).replace(/\/$/, '')),
  );
  try {
    return await look(server, server.origin + encodeURI(path));
  } finally {
    await server.close();
  }
}

const missing = programOf('nginx') === null;
describe.skipIf(missing && !process.env['CI'])(`the server block${missing ? ' (skipped: no nginx)' : ''}`, () => {
  test.each<{ name: string; given: Partial<Hosted>; origins: string[] }>([
    { name: 'for any origin', given: {}, origins: [] },
    { name: 'for any origin, requested with one', given: {}, origins: [ORIGIN] },
    { name: 'for one origin', given: { serviceOrigins: [ORIGIN] }, origins: [ORIGIN] },
    { name: 'for several origins', given: { serviceOrigins: [OTHER, ORIGIN] }, origins: [ORIGIN, OTHER] },
    { name: 'with an unusual origin among them', given: { serviceOrigins: [QUOTED, ORIGIN] }, origins: [ORIGIN] },
    { name: 'below a path', given: { baseUrl: 'https://127.0.0.1/r/' }, origins: [] },
    { name: 'below an unusual path', given: { baseUrl: `https://127.0.0.1/a%22b;$1%7D%7B'd/` }, origins: [] },
  ])('$name serves a registry without findings', async ({ given, origins }) => {
    const found = await served(
      given,
      async (_server, base) => (await verified(`${base}registry.json`, { origins })).report,
    );
    expect(faults(found)).toEqual([]);
  });

  test('can be combined with those of other registries in one nginx', async () => {
    const hosts = [
      ['a.b.test', ORIGIN],
      ['a-b.test', OTHER],
      ['a_b.test', 'https://third.test'],
      ['registry.of-some-department-one.test', 'https://fourth.test'],
      ['registry.of-some-department-two.test', 'https://fifth.test'],
    ] as const;
    const all = hosts.map(([name, origin], at) => {
      const block = nginxServer({ ...hosted, baseUrl: `https://${name}/`, serviceOrigins: [origin] });
      // Each has a different lifetime, to distinguish them.
      return local(block.replace('max-age=300', `max-age=30${at}`));
    });
    const server = await startServer(
      'nginx',
      nginx({ name: '', global: all.join('\n'), server: '', listen: 'listen unix:@DIR@/unused.sock;' }),
      putSite,
    );
    try {
      // Their names are not in the certificate of this machine.
      const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });
      for (const [at, [host, origin]] of hosts.entries()) {
        const { statusCode, headers, body } = await request(`${server.origin}/registry.json`, {
          headers: { host, origin },
          dispatcher,
        });
        await body.dump();
        expect([statusCode, headers['access-control-allow-origin'], headers['cache-control']]).toEqual([
          200,
          origin,
          `public, max-age=30${at}`,
        ]);
      }
    } finally {
      await server.close();
    }
  });

  test.each<{ name: string; change: (text: string) => string; expected: string[] }>([
    {
      name: 'without CORS',
      change: (text) => text.replace(/add_header Access-Control-Allow-Origin.*\n/, '\n'),
      expected: forAllResources('error cors-missing absent').filter((one) => !one.includes('artifact')),
    },
    {
      name: 'without Vary',
      change: (text) => text.replace('add_header Vary Origin always;', ''),
      expected: forAllResources('warning cors-not-varied only-with-origin'),
    },
    {
      name: 'without a response to preflights',
      change: (text) => text.replace('return 204;', ''),
      expected: forAllResources('warning cors-preflight-refused status-405'),
    },
  ])('$name has findings', async ({ change, expected }) => {
    const found = await served(
      { serviceOrigins: [ORIGIN] },
      async (_server, base) => (await verified(`${base}registry.json`, { origins: [ORIGIN] })).report,
      change,
    );
    expect(faults(found).sort()).toEqual(expected.sort());
  });

  test('serves companion files below a path', async () => {
    await served({ baseUrl: 'https://127.0.0.1/r/s/' }, async ({ origin, root }) => {
      write(root, { 'apps/app-a/versions/1.0.0.tar.gz.sigstore.json': '{"a":1}' });
      const url = `${origin}/r/s/apps/app-a/versions/1.0.0.tar.gz.sigstore.json`;
      const { statusCode, headers, body } = await request(url, { dispatcher: trusting() });
      expect([statusCode, headers['content-type'], headers['access-control-allow-origin']]).toEqual([
        200,
        'application/vnd.dev.sigstore.bundle.v0.3+json',
        '*',
      ]);
      expect(await body.text()).toBe('{"a":1}');
    });
  });

  test('serves the catalogue of the apps as pages', async () => {
    await served({ baseUrl: 'https://127.0.0.1/r/' }, async ({ origin, root }) => {
      const types = {
        'site/index.html': 'text/html',
        'site/apps/clock.html': 'text/html',
        'site/feed.xml': 'application/xml',
        'site/assets/site.css': 'text/css',
        'site/assets/site.js': 'text/javascript',
        'site/assets/site.svg': 'image/svg+xml',
        'site/apps/clock.badge.json': 'application/json',
      };
      write(root, Object.fromEntries(Object.keys(types).map((path) => [path, '<p>'])));
      for (const [path, type] of [...Object.entries(types), ['site/', 'text/html'] as const]) {
        const { statusCode, headers, body } = await request(`${origin}/r/${path}`, { dispatcher: trusting() });
        await body.dump();
        expect([path, statusCode, headers['content-type']]).toEqual([path, 200, type]);
      }
    });
  });

  test('sets the type and lifetime of each kind of file, but not of errors and hidden files', async () => {
    await served({}, async ({ origin, secondPort, root }) => {
      const dispatcher = trusting();
      const at = async (path: string): Promise<unknown[]> => {
        const { statusCode, headers, body } = await request(origin + path, {
          dispatcher,
          headers: { 'accept-encoding': 'gzip' },
        });
        await body.dump();
        return [statusCode, headers['content-type'], headers['cache-control'], headers['content-encoding']];
      };
      expect(await at('/registry.json')).toEqual([200, 'application/json', 'public, max-age=300', 'gzip']);
      expect(await at('/apps/app-a/icon.svg')).toEqual([200, 'image/svg+xml', 'public, max-age=3600', 'gzip']);
      const artifact = [200, 'application/gzip', 'public, max-age=31536000, immutable', undefined];
      expect(await at('/apps/app-a/versions/1.0.0.tar.gz')).toEqual(artifact);
      for (const [suffix, type] of [
        ['.sigstore.json', 'application/vnd.dev.sigstore.bundle.v0.3+json'],
        ['.cdx.json', 'application/vnd.cyclonedx+json'],
      ] as const) {
        const path = `apps/app-a/versions/1.0.0.tar.gz${suffix}`;
        write(root, { [path]: '{}', [`.git/x${suffix}`]: '{}' });
        expect(await at(`/${path}`)).toEqual([200, type, 'public, max-age=31536000, immutable', undefined]);
        for (const missing of [`/.git/x${suffix}`, `/9.0.0.tar.gz${suffix}`])
          expect((await at(missing)).slice(0, 3)).toEqual([404, 'text/html', undefined]);
      }
      expect((await at('/apps/app-a/versions/9.0.0.tar.gz')).slice(0, 3)).toEqual([404, 'text/html', undefined]);
      expect((await at('/.git/config'))[0]).toBe(404);
      expect((await at('/apps/'))[0]).toBe(403);
      const plain = await request(`http://127.0.0.1:${secondPort}/registry.json`);
      await plain.body.dump();
      expect([plain.statusCode, plain.headers['location']]).toEqual([301, 'https://127.0.0.1/registry.json']);
    });
  });
});

test.each([`https://a;b{}$c.test/`, `https://~x.test/`, `https://*.test/`])(
  'a base URL with an invalid host is rejected: %s',
  (baseUrl) => {
    expect(errorOf(() => nginxServer({ ...hosted, baseUrl }))).toMatchObject({ code: 'base-url-unsupported', exit: 2 });
  },
);

test.each(['https://a.test/%00/', 'https://a.test/%0a/', 'https://a.test/%ff/'])(
  'a base URL with an invalid path is rejected: %s',
  (baseUrl) => {
    expect(errorOf(() => nginxServer({ ...hosted, baseUrl }))).toMatchObject({ code: 'base-url-unsupported', exit: 2 });
  },
);
