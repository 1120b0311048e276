import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { failed, harnessError, notRun, passed, reportOf } from '../src/result.ts';
import { conformancePage } from '../src/results/html.ts';
import { casesOf } from '../src/sets.ts';
import { message } from '../../src/core/text/message.ts';
import { describeInChromium, launch } from '../../test/browser/chromium.ts';
import { folder } from '../../test/support/folders.ts';

/** The page of results in a real browser: for screen readers, in light and dark mode, on desktop and mobile sizes. */

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const APPEARANCES = [
  { colorScheme: 'light', viewport: { width: 1200, height: 800 } },
  { colorScheme: 'dark', viewport: { width: 1200, height: 800 } },
  { colorScheme: 'light', viewport: { width: 360, height: 740 } },
  { colorScheme: 'dark', viewport: { width: 360, height: 740 } },
] as const;

/** A page with every status, and with long words. */
function page(): string {
  const cases = casesOf(1, 'documents').slice(0, 40);
  const long = 'x'.repeat(300);
  const observations = cases.map(({ id }, index) => {
    if (index % 5 === 0) return failed(id, message`Wrong: ${long}`, message`accepted: warning at “/apps/${long}”`);
    if (index % 5 === 1) return harnessError(id, message`No port is free.`);
    return index % 5 === 2 ? notRun(id, message`The host has no TLS.`) : passed(id, message`accepted`);
  });
  const judged = cases.filter(({ level }) => level !== 'unspecified');
  const expected = new Map(judged.slice(0, 12).map(({ id }): [string, string] => [id, `Known: ${long}`]));
  return conformancePage(reportOf(cases, observations, { role: 'documents', set: 1, implementation: long, expected }));
}

describeInChromium('the page of results', () => {
  let browser: Browser;
  const file = join(folder(), 'results.html');

  beforeAll(async () => {
    writeFileSync(file, page());
    browser = await launch();
  });
  afterAll(async () => browser?.close());

  test.each(APPEARANCES)('is accessible, and nothing overflows: %j', async ({ colorScheme, viewport }) => {
    const opened = await browser.newPage({ colorScheme, viewport });
    const messages: string[] = [];
    opened.on('console', (one) => void messages.push(one.text()));
    await opened.addInitScript(axe.source);
    await opened.goto(pathToFileURL(file).href);
    const { violations, overflow } = await opened.evaluate<{ violations: unknown[]; overflow: number }>(`(async () => {
      const { violations } = await axe.run({ resultTypes: ['violations'] });
      return {
        violations: violations.map(({ id, nodes: [{ html, any }] }) => [id, html, any.map(({ message }) => message)]),
        overflow: document.documentElement.scrollWidth - innerWidth,
      };
    })()`);
    expect(violations).toEqual([]);
    expect(overflow).toBeLessThanOrEqual(0);
    expect(messages).toEqual([]);
    await opened.close();
  });

  test('shows all results without JavaScript', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false, viewport: { width: 360, height: 740 } });
    const opened = await context.newPage();
    await opened.goto(pathToFileURL(file).href);
    expect(await opened.locator('tbody tr:visible').count()).toBe(40);
    await context.close();
  });
});
