// Writes the pictures of a site into docs/images, in light and dark mode: the site of the example registry, with apps and
// versions added. Run `npm run build` first. Usage: node scripts/site-images.mjs [path of Chromium]
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { makeRegistry } from '../examples/make-registry.mjs';
import { webpOf } from './webp.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const program = join(root, 'bin/appreg.js');
const images = join(root, 'docs/images');
const executablePath = process.argv[2] ?? '/usr/bin/chromium-headless-shell';
const NOTES = `### Added

- Feeds in the format of **JSON Feed**.
- The interval can be set for each feed.

### Fixed

- An item was emitted twice after a restart.
`;

const registry = makeRegistry(program, false);
for (const key of ['clock', 'lamp']) {
  const source = join(root, 'examples/core-registry/apps', key);
  const { name, description, color } = JSON.parse(readFileSync(join(source, 'app.json'), 'utf8'));
  const icon = join(source, 'icon.svg');
  appreg('add-app', key, '--name', name, '--description', description, '--color', color, '--icon', icon);
  const entry = join(root, 'examples/core-registry/src', key, 'main.ts');
  appreg('publish-version', key, '2.3.1', '--entry', entry, '--no-read-back');
}
const entry = join(registry, 'main.ts');
writeFileSync(entry, 'export const app = { name: "Feed Watch", blocks: {} };\n');
appreg('publish-version', 'feed-watch', '1.1.0', '--entry', entry, '--notes', NOTES, '--no-read-back');
const message = 'It stops after a feed that is empty.';
appreg('deprecate', 'feed-watch', '1.0.0', '--reason', 'broken', '--message', message, '--use', '1.1.0');
const links = ['--homepage', 'https://example.com/feed-watch', '--source', 'https://github.com/acme/feed-watch'];
appreg('edit-app', 'feed-watch', ...links, '--licence', 'MIT');
appreg('site', 'site', '--title', 'Apps of Acme');

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  for (const [colorScheme, suffix] of [
    ['light', ''],
    ['dark', '-dark'],
  ]) {
    const page = await browser.newPage({ viewport: { width: 960, height: 560 }, colorScheme });
    for (const [path, name, height] of [
      ['index.html', 'site-list', 560],
      ['apps/feed-watch.html', 'site-app', 880],
    ]) {
      await page.setViewportSize({ width: 960, height });
      await page.goto(pathToFileURL(join(registry, 'site', path)).href);
      await page.evaluate('Promise.all([...document.images].map((image) => image.decode()))');
      writeFileSync(join(images, `${name}${suffix}.webp`), await webpOf(browser, await page.screenshot(), 0.6));
    }
    await page.close();
  }
} finally {
  await browser.close();
}

function appreg(...words) {
  execFileSync(process.execPath, [program, ...words], { cwd: registry, stdio: ['ignore', 'ignore', 'inherit'] });
}
