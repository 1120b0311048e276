// Scenario: a whole visit in a browser, with and without JavaScript.
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Db, openDatabase } from '../../src/db/database.ts';
import { type RunningService, startService } from '../../src/start.ts';
import { describeInChromium, launch } from '../../../test/browser/chromium.ts';
import { startDatabase } from '../../../test/support/database.ts';
import { certificates } from '../../../test/support/fault-certificates.ts';
import { answer, CORS, type FaultHost, json, openFaultHost } from '../../../test/support/fault-host.ts';
import { archive, checksum, gzipped, type Live, putRegistry } from '../../../test/support/live-registry.ts';
import { settingsFor } from '../refresh/refresh-harness.ts';
import { HOSTILE_TEXTS } from './views.ts';

/** From signing up to unsubscribing, with a running service, with and without JavaScript. */

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

/** Spec 4.3, step by step. */
async function subscribe(page: Page, url: string, name: string): Promise<void> {
  const main = page.getByRole('navigation', { name: 'Main' });
  await main.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'App Registries', exact: true }).first().click();
  await page.getByRole('link', { name: 'Subscribe to Registry' }).click();
  await page.getByLabel('Registry URL').fill(url);
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Subscribe' }).click();
}

function serveOtherVersion(live: Live): void {
  const other = archive('export const version = "swapped";');
  live.serve('2.tar.gz', gzipped(other));
  live.versions[0]!.artifactChecksum = checksum(other);
  live.list();
}

describeInChromium('a user of the pages', () => {
  let browser: Browser;
  const hosts: FaultHost[] = [];
  let service: RunningService;
  let database: { url: string; stop(): Promise<void> };
  let pool: { db: Db; close(): Promise<void> };

  beforeAll(async () => {
    database = await startDatabase();
    const { db } = openDatabase(database.url, 2, () => {});
    pool = { db, close: () => db.destroy() };
    service = await startService(settingsFor(database.url), () => {});
    browser = await launch();
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    for (const host of hosts) await host.close();
    await pool?.close();
    await database?.stop();
  });

  /** The service remembers what a host listed, so each test uses a separate host. */
  async function newHost(): Promise<FaultHost> {
    const host = await openFaultHost({ tls: certificates().get('good') });
    hosts.push(host);
    return host;
  }

  /** Makes a refresh possible, which is skipped shortly after another. */
  async function letTimePass(): Promise<void> {
    await pool.db
      .updateTable('registries')
      .set({ checkedAt: new Date(Date.now() - 600_000) })
      .execute();
  }

  async function visitor(
    javaScriptEnabled: boolean,
  ): Promise<{ page: Page; context: BrowserContext; errors: string[] }> {
    const context = await browser.newContext({ javaScriptEnabled });
    const page = await context.newPage();
    const errors: string[] = [];
    page.setDefaultTimeout(30_000);
    page.on('pageerror', (error) => void errors.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) errors.push(message.text());
    });
    return { page, context, errors };
  }

  async function signUp(page: Page, name: string): Promise<string> {
    await page.goto(service.url);
    await page.getByRole('link', { name: 'Create one' }).click();
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Create organization' }).click();
    const token = await page.locator('#token').innerText();
    await page.getByRole('link', { name: 'Continue to App Registries' }).click();
    return token;
  }

  test.each([
    ['with', true],
    ['without', false],
  ])('subscribes, reads apps and unsubscribes %s JavaScript', async (_, script) => {
    const live = putRegistry(await newHost());
    const { page, context, errors } = await visitor(script);
    const token = await signUp(page, `Acme ${script ? 'with' : 'without'}`);
    expect(await page.getByRole('heading', { name: 'No registries yet' }).isVisible()).toBe(true);

    await subscribe(page, live.url, 'Tools');
    await page.getByRole('heading', { name: 'Tools' }).waitFor();
    // The page updates automatically, until the artifacts are verified.
    await page.locator('#state', { hasText: 'Working' }).waitFor();
    const row = page.locator('tr.app', { hasText: 'App A' });
    await row.locator('.version', { hasText: '2.0.0' }).waitFor();
    expect(await row.locator('.number-cell').innerText()).toMatch(/^2\b/);
    const icon = row.locator('img');
    expect(await icon.getAttribute('src')).toMatch(/^icons\/[0-9a-f]{64}$/);
    const width =
      'document.querySelector(".tile img").decode().then(() => document.querySelector(".tile img").naturalWidth)';
    if (script) expect(await page.evaluate(width)).toBeGreaterThan(0);
    expect(await row.locator('rect').getAttribute('fill')).toBe('#336699');

    if (script) {
      await page.getByLabel('Search apps').pressSequentially('nothing of the kind');
      await page.getByText('No apps match').waitFor();
      expect(page.url()).toContain('q=nothing');
      await page.getByLabel('Search apps').fill('');
      await row.waitFor();
    } else {
      await page.getByLabel('Search apps').fill('nothing of the kind');
      await page.getByRole('button', { name: 'Search' }).click();
      await page.getByText('No apps match').waitFor();
      await page.getByLabel('Search apps').fill('');
      await page.getByRole('button', { name: 'Search' }).click();
    }

    await row.getByRole('link').click();
    const second = page.locator('.version-row', { hasText: '2.0.0' });
    expect(await second.innerText()).toContain('Verified');
    expect(await second.innerText()).toContain(checksum(live.artifact));

    serveOtherVersion(live);
    await letTimePass();
    await page.locator('.crumbs').getByRole('link', { name: 'Tools' }).click();
    await page.getByRole('button', { name: 'Refresh now' }).click();
    await page.locator('#state', { hasText: 'Checksum mismatch' }).waitFor();
    expect(await page.locator('#state').innerText()).toContain('1 problem');
    await row.getByRole('link').click();
    await second.getByText('Swapped', { exact: true }).waitFor();
    // The digest that was seen first remains valid.
    expect(await second.locator('dd').first().innerText()).toContain(checksum(live.artifact));
    expect(await second.locator('.swapped').innerText()).toContain(live.versions[0]!.artifactChecksum);

    await page.locator('.crumbs').getByRole('link', { name: 'Tools' }).click();
    const registryTabs = page.getByRole('navigation', { name: 'Registry' });
    await registryTabs.getByRole('link', { name: 'Health' }).click();
    await page.getByText('Checksum mismatch: confirmed').waitFor();
    expect(await page.locator('.cause').first().innerText()).toContain('What to do');
    await registryTabs.getByRole('link', { name: 'Settings' }).click();
    const name = page.getByRole('textbox', { name: 'Name', exact: true });
    await name.fill('Better tools');
    if (script) {
      // The end of the check is shown, and what was typed stays.
      await letTimePass();
      await page.getByRole('button', { name: 'Refresh now' }).click();
      await page.getByRole('button', { name: 'Checking…' }).waitFor();
      await page.getByRole('button', { name: 'Refresh now' }).waitFor();
      expect(await name.inputValue()).toBe('Better tools');
    }
    await page.getByRole('button', { name: 'Save name' }).click();
    await page.getByRole('heading', { name: 'Better tools' }).waitFor();
    await page.getByRole('link', { name: 'Apps', exact: true }).click();
    await page.getByRole('cell', { name: 'Better tools' }).waitFor();

    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Better tools' }).click();
    await registryTabs.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Unsubscribe' }).click();
    await page.getByRole('heading', { name: 'Unsubscribe from Better tools?' }).waitFor();
    await page.getByRole('button', { name: 'Unsubscribe' }).click();
    await page.getByText('You unsubscribed from the registry.').waitFor();
    await page.getByRole('heading', { name: 'No registries yet' }).waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'App Registries' }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  test('sees an error next to the field for an invalid URL', async () => {
    const { page, context } = await visitor(true);
    await signUp(page, 'Mistaken');
    const error = page.locator('#url-error');
    for (const url of ['not a url', 'ftp://apps.example.com/registry.json', 'apps.example.com']) {
      await subscribe(page, url, 'Tools');
      await error.waitFor();
      expect(await page.getByLabel('Registry URL').inputValue()).toBe(url);
      expect(await page.getByLabel('Registry URL').getAttribute('aria-invalid')).toBe('true');
    }
    const live = putRegistry(await newHost());
    await subscribe(page, live.url, 'Tools');
    await page.getByRole('heading', { name: 'Tools' }).waitFor();
    await subscribe(page, live.url, 'The same');
    await error.getByRole('link', { name: 'Open it' }).click();
    await page.getByRole('heading', { name: 'Tools' }).waitFor();
    await context.close();
  });

  test('sees why a registry cannot be used, and is not subscribed to it', async () => {
    const { page, context } = await visitor(true);
    await signUp(page, 'Unlucky');
    const url = (await newHost()).on(
      '/broken.json',
      answer({ headers: { 'Content-Type': 'application/json' }, body: '{"apps": {' }),
    );
    await subscribe(page, url, 'Broken');
    const alert = page.getByRole('alert');
    await alert.getByRole('heading', { name: 'This registry cannot be used' }).waitFor();
    expect(await alert.innerText()).toContain('What to do');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('heading', { name: 'No registries yet' }).waitFor();
    await context.close();
  });

  test('sees the same message for every URL that cannot be reached', async () => {
    const { page, context } = await visitor(true);
    await signUp(page, 'Nosy');
    const messages = new Set<string>();
    for (const url of ['https://10.0.0.1/registry.json', 'https://no-such-host.invalid/registry.json']) {
      await subscribe(page, url, 'Tools');
      const alert = page.getByRole('alert');
      await alert.waitFor();
      messages.add((await alert.innerText()).replaceAll(new URL(url).host, 'the host'));
    }
    expect([...messages]).toEqual([expect.stringContaining('could not be reached')]);
    await context.close();
  });

  test('is safe from a hostile registry: no script runs, no file is requested, and nothing overflows', async () => {
    const host = await newHost();
    const live = putRegistry(host);
    const icon = `<svg xmlns="http://www.w3.org/2000/svg" onload="parent.harmed = true"><script>parent.harmed = true</script></svg>`;
    host.on('/evil.svg', answer({ headers: { 'Content-Type': 'image/svg+xml', ...CORS }, body: icon }));
    const apps = HOSTILE_TEXTS.map((text, i) => [
      i % 2 === 0 ? `key-${i}` : `${text}/../..`,
      {
        name: text,
        description: `${text} <img src="${host.origin}/seen-by-a-browser" onerror="harmed = true">`,
        blockStyle: { iconUrl: `${host.origin}/evil.svg`, color: '#fff"/><script>harmed = true</script>' },
        appMetadataUrl: `${host.origin}/a.json`,
      },
    ]);
    live.list();
    const url = host.on('/evil.json', json({ apps: Object.fromEntries(apps) }));
    const { page, context, errors } = await visitor(true);
    await page.setViewportSize({ width: 360, height: 740 });
    await signUp(page, 'Victim');
    await subscribe(page, url, 'Evil <script>harmed = true</script>');
    await page.locator('#state', { hasText: 'problem' }).waitFor();
    await page.locator('.version').first().waitFor();
    const registry = page.url().replace(/[?#].*/, '');
    const first = await page.locator('tr.app a').first().getAttribute('href');
    for (const path of [
      registry,
      `${registry}/health`,
      `${registry}/settings`,
      new URL(first!, service.url).href,
      `${service.url}apps`,
    ]) {
      await page.goto(path);
      await page.evaluate('document.querySelectorAll("details").forEach((one) => (one.open = true))');
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0);
      expect(await page.evaluate('typeof harmed')).toBe('undefined');
      expect(await page.locator('main script, main iframe, main [onerror], main [onload], main [style]').count()).toBe(
        0,
      );
      await page.evaluate(axe.source);
      const { violations } = await page.evaluate<{ violations: { id: string }[] }>('axe.run()');
      expect(violations.map(({ id }) => id)).toEqual([]);
    }
    expect(host.requestsFor('/seen-by-a-browser')).toEqual([]);
    const agents = host.requests.map(({ headers }) => headers['user-agent'] ?? '');
    expect(agents.filter((agent) => agent.includes('Chrome') && !agent.includes('appreg'))).toEqual([]);
    expect(errors).toEqual([]);
    await context.close();
  });

  test('sees why an app cannot be installed', async () => {
    const host = await newHost();
    const live = putRegistry(host);
    const entry = (name: string, metadata: string): unknown => ({
      name,
      description: 'An app.',
      blockStyle: { iconUrl: `${host.origin}/a.svg`, color: '#ffcc00' },
      appMetadataUrl: host.origin + metadata,
    });
    const url = host.on(
      '/two.json',
      json({ apps: { good: entry('Good', '/a.json'), gone: entry('<b>Gone</b>', '/gone.json') } }),
    );
    live.list();
    const { page, context } = await visitor(true);
    await signUp(page, 'Curious');
    await subscribe(page, url, 'Two');
    await page.locator('#state', { hasText: 'App does not appear' }).waitFor();
    const gone = page.locator('tr.app', { hasText: '<b>Gone</b>' });
    expect(await gone.innerText()).toMatch(/metadata file[^]*Not installable/);
    await page.getByRole('link', { name: 'Not installable 1' }).click();
    await gone.waitFor();
    expect(await page.locator('tr.app').count()).toBe(1);
    await gone.getByRole('link').click();
    await page.getByRole('heading', { name: 'Findings about this app' }).waitFor();
    expect(await page.locator('.cause').innerText()).toContain('What to do');
    await context.close();
  });
});
