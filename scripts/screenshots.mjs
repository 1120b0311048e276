// Writes docs/images from the real pages: the example registry is served, the service runs on its own database, and
// Chromium visits its pages. Run `npm run build` first. Usage: node scripts/screenshots.mjs [path of Chromium]
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { makeRegistry } from '../examples/make-registry.mjs';
import { startSideBySide } from '../examples/side-by-side.mjs';
import { useTemporaryFolders } from '../examples/temporary-folders.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const appreg = join(root, 'bin/appreg.js');
const images = join(root, 'docs/images');
const executablePath = process.argv[2] ?? '/usr/bin/chromium-headless-shell';
const data = mkdtempSync(join(tmpdir(), 'appreg-screenshots-'));
chmodSync(data, 0o755);
mkdirSync(images, { recursive: true });

useTemporaryFolders();
const both = await startSideBySide(appreg, makeRegistry(appreg, false), data, () => {});
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const page = await browser.newPage({ viewport: { width: 1040, height: 760 }, locale: 'en-GB' });
  const draw = (name) => page.screenshot({ path: join(images, `${name}.png`) });
  await page.goto(both.page);
  await page.getByRole('link', { name: 'Create one' }).click();
  await page.getByLabel('Name').fill('Acme');
  await page.getByRole('button', { name: 'Create organization' }).click();
  await page.getByRole('link', { name: 'Continue to App Registries' }).click();
  await page.getByRole('link', { name: 'Subscribe to Registry' }).click();
  await page.getByLabel('Registry URL').fill(both.manifest);
  await page.getByLabel('Name').fill('Example apps');
  await draw('subscribe');
  await page.getByRole('button', { name: 'Subscribe' }).click();
  await page.locator('li.app .version').nth(1).waitFor();
  await page.evaluate('Promise.all([...document.images].map((image) => image.decode()))');
  await draw('registry');
  await page.locator('li.app').getByRole('link').first().click();
  await page.locator('.version-row').first().waitFor();
  await draw('app');
} finally {
  await browser.close();
  await both.stop();
  rmSync(data, { recursive: true, force: true });
}
