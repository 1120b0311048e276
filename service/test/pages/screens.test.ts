// Scenario: every page in a browser, in all sizes and modes.
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { describeInChromium, launch } from '../../../test/browser/chromium.ts';
import { openGallery } from './gallery.ts';
import { SCREENS } from './screens.ts';

/** Every screen in a real browser: for screen readers, in light and dark mode, on desktop and mobile sizes, with hostile texts. */

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const APPEARANCES = [
  { colorScheme: 'light', viewport: { width: 1200, height: 800 } },
  { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
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

describeInChromium('every screen', () => {
  let browser: Browser;
  let gallery: { url: string; close(): Promise<void> };
  let page: Page;

  beforeAll(async () => {
    [browser, gallery] = [await launch(), await openGallery()];
    page = await browser.newPage();
    await page.addInitScript(axe.source);
  });
  afterAll(async () => {
    await browser?.close();
    await gallery?.close();
  });

  test.each(Object.keys(SCREENS))('%s is accessible, and nothing overflows', async (name) => {
    const messages: string[] = [];
    page.removeAllListeners();
    page.on('console', (message) => void messages.push(message.text()));
    page.on('pageerror', (error) => void messages.push(String(error)));
    await page.goto(gallery.url + name);
    for (const { colorScheme, viewport } of APPEARANCES) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(viewport);
      const { violations, overflow } = await page.evaluate<{ violations: unknown[]; overflow: number }>(CHECK);
      expect(violations).toEqual([]);
      expect(overflow).toBeLessThanOrEqual(0);
    }
    // A message means that the page violates its policy, a script fails, or a file is missing.
    expect(messages).toEqual([]);
  });

  test('works without JavaScript', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${gallery.url}registry-new`);
    // The page reloads while a check is in progress.
    const again = page.waitForEvent('load');
    expect(await page.locator('#state').innerText()).toContain('First check in progress');
    await again;
    await page.goto(`${gallery.url}registry`);
    expect(await page.locator('.search-button').isVisible()).toBe(true);
    expect(await page.locator('button[data-copy]').first().isVisible()).toBe(false);
    await context.close();
  });

  test('is usable by keyboard, with a visible focus', async () => {
    const page = await browser.newPage({ viewport: APPEARANCES[0].viewport });
    await page.goto(`${gallery.url}registry-problems`);
    const reached: string[] = [];
    for (let i = 0; i < 30; i++) {
      await page.keyboard.press('Tab');
      const [what, seen] = await page.evaluate<[string, boolean]>(`(() => {
        const one = document.activeElement;
        const style = (pseudo) => getComputedStyle(one, pseudo).outlineStyle !== 'none';
        const text = one === document.body ? 'BODY' : one.textContent.trim().replace(/\\s+/g, ' ');
        return [text || one.name, style(null) || style('::after')];
      })()`);
      reached.push(what);
      if (what !== 'BODY') expect([what, seen]).toEqual([what, true]);
    }
    expect(reached.slice(0, 9)).toEqual([
      'Skip to content',
      'appreg',
      'Apps',
      'Settings',
      'Sign out',
      'App Registries',
      'History',
      'Webhooks',
      'Organization',
    ]);
    expect(reached).toEqual(
      expect.arrayContaining([
        'Tokens',
        'Audit log',
        'Copy',
        'Refresh now',
        'Apps 5',
        'Health 4',
        'q',
        'NameNewest version',
        'All 4',
        'Clock',
        'Business hours',
      ]),
    );
    await page.goto(`${gallery.url}registry-problems`);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('main');
    await page.close();
  });

  test('copies text with a button', async () => {
    const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    const page = await context.newPage();
    await page.goto(`${gallery.url}entry-token`);
    await page.getByRole('button', { name: 'Copy token' }).click();
    const token = await page.locator('#token').innerText();
    expect(token).toMatch(/^apr_/);
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token);
    expect(await page.getByRole('button', { name: 'Copied token' }).innerText()).toBe('Copied');
    await context.close();
  });
});
