// Writes docs/images/lint.webp: what `appreg lint` prints about the example registry with two mistakes. Run
// `npm run build` first. Usage: node scripts/terminal-image.mjs [path of Chromium]
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { chromium } from 'playwright-core';
import { makeRegistry } from '../examples/make-registry.mjs';
import { webpOf } from './webp.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const executablePath = process.argv[2] ?? '/usr/bin/chromium-headless-shell';
/** Of the codes that a command prints (SGR): the last one of each kind holds until it is reset. */
const STYLES = { 1: 'bold', 2: 'dim', 4: 'underlined', 31: 'red', 32: 'green', 33: 'yellow', 36: 'cyan' };
const RESETS = { 0: /./, 22: /bold|dim/, 24: /underlined/, 39: /red|green|yellow|cyan/ };

const registry = makeRegistry(join(root, 'bin/appreg.js'), false);
edit('apps/feed-watch/versions.json', /[0-9a-f]{64}/, (digest) => digest.toUpperCase());
edit('registry.json', /#[0-9a-f]{6}/i, () => 'orange');
const env = { ...process.env, FORCE_COLOR: '1', COLUMNS: '110' };
const { stdout } = spawnSync(process.execPath, [join(root, 'bin/appreg.js'), 'lint'], {
  cwd: registry,
  env,
  encoding: 'utf8',
});

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  const page = await browser.newPage({ viewport: { width: 960, height: 300 }, deviceScaleFactor: 1.5 });
  await page.setContent(`<style>
    body { margin: 0; background: #1b1f27; }
    pre { width: max-content; margin: 0; padding: 18px 22px; background: #1b1f27; color: #d8dee9;
      font: 14px/1.5 'DejaVu Sans Mono', monospace; }
    .bold { font-weight: bold; } .dim { color: #8f9bb0; } .underlined { text-decoration: underline; }
    .red { color: #ff7b85; } .green { color: #9bd37a; } .yellow { color: #ebcb8b; } .cyan { color: #7fd4e0; }
  </style><pre><span class="green">$</span> appreg lint\n${html(stdout.trimEnd())}</pre>`);
  const picture = await webpOf(browser, await page.locator('pre').screenshot(), 0.8);
  writeFileSync(join(root, 'docs/images/lint.webp'), picture);
  console.log(stripVTControlCharacters(stdout));
} finally {
  await browser.close();
}

function edit(name, pattern, change) {
  const path = join(registry, name);
  writeFileSync(path, readFileSync(path, 'utf8').replace(pattern, change));
}

/** @param {string} text with escape sequences of SGR */
function html(text) {
  let styles = [];
  const parts = text.split(/\u001b\[(\d+)m/);
  return parts
    .map((part, index) => {
      if (index % 2 === 0) return `<span class="${styles.join(' ')}">${escaped(part)}</span>`;
      if (part in RESETS) styles = styles.filter((style) => !RESETS[part].test(style));
      else if (part in STYLES) styles.push(STYLES[part]);
      else throw new Error(`No style for the code ${part}.`);
      return '';
    })
    .join('');
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
