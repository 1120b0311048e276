import { createServer, type Server } from 'node:http';
import { existsSync, readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { mediaTypeOf } from '../../src/core/registry/media.ts';
import { appPaths } from '../../src/site/paths.ts';
import { folder } from '../support/folders.ts';
import { HOSTILE } from '../support/hostile-values.ts';
import { BASE, type FixtureApp, registryWith, siteOf } from '../site/site-fixture.ts';
import { describeInChromium, launch } from './chromium.ts';

/** The pages of a site in a real browser: for screen readers, in light and dark mode, on desktop and mobile sizes. */

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const APPEARANCES = [
  { colorScheme: 'light', viewport: { width: 1200, height: 800 } },
  { colorScheme: 'dark', viewport: { width: 1200, height: 800 } },
  { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
  { colorScheme: 'light', viewport: { width: 360, height: 740 } },
] as const;

/** Opens everything that a user can open, and looks for what is wrong with the page. */
const CHECK = `(async () => {
  for (const one of document.querySelectorAll('details')) one.open = true;
  const { violations } = await axe.run({ resultTypes: ['violations'] });
  return {
    violations: violations.map(({ id, nodes: [{ html, any }] }) => [id, html, any.map(({ message }) => message)]),
    overflow: document.documentElement.scrollWidth - innerWidth,
  };
})()`;

const NOTES = `## Added

- A dial for **each** zone, with \`code\` and a [link](https://example.com/).
  - A nested item.

## Fixed

1. It was late.

> A quote.

    const wide = '${'wide '.repeat(40)}';

${'unbroken'.repeat(40)}`;

const APPS: Record<string, FixtureApp> = {
  clock: {
    name: 'Clock',
    description: 'Shows the time in any zone, and emits an event at each hour.',
    versions: ['1.0.0', '1.1.0', '1.2.0', '2.0.0-rc.1'],
    about: {
      schema: 1,
      app: {
        homepage: 'https://acme.example/clock',
        source: 'https://github.com/acme/clock',
        licence: 'MIT',
        support: 'mailto:help@acme.example',
      },
      versions: {
        '1.2.0': { published: '2026-11-20T10:00:00Z', notes: NOTES },
        '1.1.0': {
          published: '2026-10-01T10:00:00Z',
          notes: NOTES,
          deprecated: {
            reason: 'security',
            message: 'It leaks tokens into the log.',
            use: '1.2.0',
            since: '2026-11-21',
          },
        },
      },
    },
  },
  lamp: { name: 'Lamp', description: 'Switches lamps.', color: '#ffd43b', iconUrl: 'https://cdn.example.net/lamp.png' },
  radio: {
    name: 'Radio',
    versions: ['0.9.0'],
    about: {
      schema: 1,
      versions: { '0.9.0': { deprecated: { reason: 'unmaintained', message: 'Nobody maintains it.' } } },
    },
  },
  wide: { name: 'W'.repeat(300), description: 'unbroken'.repeat(200), versions: [`1.0.0-${'a'.repeat(100)}`] },
};

const PAYLOADS = [
  '<script>zqx()</script><img src=x onerror=zqx()>',
  '" onmouseover="zqx()" style="color:red" x="',
  "' onfocus='zqx()' autofocus x='",
  '</title></textarea></style></script></noscript><svg onload=zqx()>',
  '--><!--><iframe srcdoc=zqx></iframe><!--',
  '[a](javascript:zqx()) [b](data:text/html,<script>zqx()</script>) ![c](https://evil.example/x.png) <javascript:zqx()>',
  '&lt;script&gt;&#60;b&#62;&quot; onclick=&quot;zqx()',
  'javascript:zqx()//',
  '\u202e\u2066\u200f\u2028gnp.exe',
  `Z${'\u0340\u0489\u033f'.repeat(600)}`,
  `#### ${'unbroken'.repeat(60)}\n\n${'- '.repeat(30)}deep\n\n${'> '.repeat(30)}deep`,
  ...HOSTILE.map((text) => text.replace(/\p{Cs}/gu, '')),
];

/** Characters that reorder or hide text, or that control terminals. */
// oxlint-disable-next-line no-control-regex
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u;

/** What of a page could run, load or mislead. */
const DANGERS = `(() => {
  const found = [];
  for (const one of document.querySelectorAll('*')) {
    if (['SCRIPT', 'IFRAME', 'OBJECT', 'EMBED', 'FORM', 'STYLE', 'BASE'].includes(one.tagName)) {
      const src = one.getAttribute('src');
      if (one.tagName !== 'SCRIPT' || !/^(\\.\\.\\/)?assets\\/site\\.js\\?v=[0-9a-f]+$/.test(src)) found.push(one.outerHTML);
    }
    for (const { name, value } of one.attributes) {
      if (name.startsWith('on') || name === 'style' || name === 'srcdoc' || name === 'autofocus') found.push(name + '=' + value);
      if ((name === 'href' || name === 'src') && !/^(https:\\/\\/|mailto:|\\.{0,2}\\/|[\\w./~-]+(\\?v=[0-9a-f]+)?$|#main$)/.test(value)) found.push(name + '=' + value);
    }
  }
  return found;
})()`;

describeInChromium('the pages of a site', () => {
  let browser: Browser;
  let server: Server;
  let out: string;
  let url: string;
  let page: Page;
  let requests: string[] = [];

  beforeAll(async () => {
    out = folder();
    const hostile = Object.fromEntries(
      PAYLOADS.map((text, i): [string, FixtureApp] => [
        `hostile-${i}`,
        {
          name: text,
          description: text,
          color: text,
          iconUrl: text,
          versions: [
            '1.0.0',
            { version: '2.0.0', artifactUrl: text, artifactChecksum: `sha256:${'a'.repeat(64)}` },
            { version: text, artifactUrl: text, artifactChecksum: text },
          ],
          about: {
            schema: 1,
            app: {
              licence: text,
              homepage: 'https://a.example/"onclick=zqx()'.replace('"', '%22'),
              support: 'mailto:x?subject=a',
            },
            versions: {
              '2.0.0': {
                published: '2026-01-01T00:00:00Z',
                notes: text,
                deprecated: { reason: 'legal', message: text },
              },
            },
          },
        },
      ]),
    );
    const root = registryWith({ ...APPS, ...hostile });
    const { apps } = await siteOf(root, out, {
      site: { url: `${BASE}registry.json`, title: 'Apps of Acme', base: `${BASE}site/` },
    });
    expect(apps).toBe(Object.keys(APPS).length + PAYLOADS.length);
    server = createServer((request, response) => {
      const path = new URL(request.url ?? '/', 'http://a.example').pathname;
      const file = join(out, path.replace(/^\/site\//, ''));
      if (!path.startsWith('/site/') || !existsSync(file)) {
        // The icons of the registry.
        response.writeHead(200, { 'Content-Type': 'image/svg+xml' });
        response.end(
          '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><circle cx="4" cy="4" r="3" fill="#fff"/></svg>',
        );
        return;
      }
      response.writeHead(200, { 'Content-Type': mediaTypeOf(file) });
      response.end(readFileSync(file));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/site/`;
    browser = await launch();
    page = await browser.newPage();
    await page.addInitScript(axe.source);
    page.on('request', (request) => void requests.push(request.url()));
    await page.route('https://cdn.example.net/**', (route) =>
      route.fulfill({ status: 200, contentType: 'image/png', body: Buffer.alloc(0) }),
    );
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  const PAGES = ['index.html', ...Object.keys(APPS).map((key) => appPaths(key).page)];

  test.each(PAGES)('%s is accessible, and nothing overflows', async (path) => {
    const messages: string[] = [];
    page.removeAllListeners('console');
    page.on('console', (message) => void messages.push(message.text()));
    page.on('pageerror', (error) => void messages.push(String(error)));
    requests = [];
    await page.goto(url + path);
    for (const [index, { colorScheme, viewport }] of APPEARANCES.entries()) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(viewport);
      const { violations, overflow } = await page.evaluate<{ violations: unknown[]; overflow: number }>(CHECK);
      expect(violations).toEqual([]);
      expect([colorScheme, viewport.width, Math.max(0, overflow)]).toEqual([colorScheme, viewport.width, 0]);
      const shots = process.env['SCREENSHOTS'];
      if (shots !== undefined)
        await page.screenshot({
          path: join(shots, `${path.replaceAll('/', '-').slice(0, 40)}-${index}.png`),
          fullPage: path !== 'index.html',
        });
    }
    // A message means that the page violates its policy, a script fails, or a file is missing.
    expect(messages).toEqual([]);
    const origins = new Set(requests.map((one) => new URL(one).origin));
    origins.delete(new URL(url).origin);
    expect([...origins].filter((origin) => origin !== 'https://cdn.example.net')).toEqual([]);
  });

  test('hostile texts are text, in the width of a narrow screen', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    for (const path of ['index.html', ...PAYLOADS.map((_, i) => appPaths(`hostile-${i}`).page)]) {
      const messages: string[] = [];
      page.removeAllListeners('console');
      page.on('console', (message) => void messages.push(message.text()));
      await page.goto(url + path);
      expect([path, await page.evaluate(DANGERS)]).toEqual([path, []]);
      expect([path, messages]).toEqual([path, []]);
      const overflow = await page.evaluate<number>(
        "document.querySelectorAll('details').forEach((one) => (one.open = true)), document.documentElement.scrollWidth - innerWidth",
      );
      expect([path, Math.max(0, overflow)]).toEqual([path, 0]);
      const text = await page.evaluate<string>('document.body.textContent');
      expect([path, INVISIBLE.exec(text)?.[0] ?? null]).toEqual([path, null]);
    }
    expect(await page.evaluate<string>('document.body.textContent')).toContain('teamcity[');
  });

  test('the search filters the list, and is a part of the address', async () => {
    await page.setViewportSize(APPEARANCES[0].viewport);
    await page.goto(`${url}index.html`);
    const visible = (): Promise<number> => page.locator('#apps > li:visible').count();
    expect(await visible()).toBe(Object.keys(APPS).length + PAYLOADS.length);
    await page.getByLabel('Search apps').fill('ZONE hour');
    expect(await visible()).toBe(1);
    await page.waitForURL(/[?&]q=/);
    expect(await page.locator('#count').innerText()).toMatch(/^1 of \d+ apps$/);
    expect(new URL(page.url()).searchParams.get('q')).toBe('ZONE hour');
    await page.reload();
    expect(await visible()).toBe(1);
    await page.getByLabel('Search apps').fill('nothing like this');
    expect(await page.locator('#none').isVisible()).toBe(true);
    await page.getByLabel('Search apps').fill('');
    expect(await visible()).toBe(Object.keys(APPS).length + PAYLOADS.length);
  });

  test('everything is there without JavaScript, and from a folder on disk', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    for (const base of [url, `${pathToFileURL(out).href}/`]) {
      await plain.goto(`${base}index.html`);
      expect(await plain.locator('#apps > li:visible').count()).toBe(Object.keys(APPS).length + PAYLOADS.length);
      expect(await plain.locator('#search').isVisible()).toBe(false);
      expect(await plain.evaluate('getComputedStyle(document.querySelector(".shell")).maxWidth')).toBe('870px');
      await plain.getByRole('link', { name: 'Clock', exact: true }).click();
      expect(await plain.locator('h1').innerText()).toBe('Clock');
      expect(await plain.locator('button:visible').count()).toBe(0);
      await plain.getByText('Notes', { exact: true }).click();
      await plain.getByRole('link', { name: 'All apps' }).click();
      expect(await plain.locator('h1').innerText()).toBe('Apps of Acme');
    }
    await context.close();
  });

  test('works by keyboard, and copies a digest', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const copying = await context.newPage();
    await copying.goto(`${url}index.html`);
    await copying.keyboard.press('Tab');
    await copying.keyboard.press('Enter');
    expect(await copying.evaluate('document.activeElement.id')).toBe('main');
    await copying.goto(url + appPaths('clock').page);
    await copying.getByRole('button', { name: 'Copy digest of 1.2.0' }).click();
    expect(await copying.evaluate('navigator.clipboard.readText()')).toMatch(/^sha256:[0-9a-f]{64}$/);
    await context.close();
  });
});
