// Time of the search of a site's list for each key: from the key to the next frame that shows its result, in Chromium.
// Needs a build and Chromium. Exit 1 if a key takes longer than 100 ms (not with --smoke).
// Usage: node bench/site-search.mjs [apps]   (default: 5,000); --smoke: 5
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium } from 'playwright-core';
import { makeRegistry } from './site-registry.mjs';

const isSmoke = process.argv.includes('--smoke');
const [given] = process.argv.slice(2).filter((text) => /^\d+$/.test(text));
const apps = isSmoke ? 5 : Number(given ?? 5000);
const MOST_MS = 100;
/** Each key changes what is shown: nearly all, a tenth, a hundredth, none, and all again. */
const WORDS = 'app 42 zz';
const program = fileURLToPath(new URL('../bin/appreg.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'appreg-bench-site-'));

try {
  makeRegistry(folder, apps, 1);
  execFileSync(process.execPath, [program, 'site', 'site', '--quiet'], { cwd: folder, stdio: 'ignore' });
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });
  try {
    const page = await browser.newPage();
    const started = performance.now();
    await page.goto(pathToFileURL(join(folder, 'site/index.html')).href);
    console.log(`loading ${apps} apps: ${Math.round(performance.now() - started)} ms`);
    const times = await page.evaluate(typing, WORDS);
    for (const { key, ms, shown } of times) console.log(`${key}: ${Math.round(ms)} ms, ${shown} apps`);
    const slowest = Math.max(...times.map(({ ms }) => ms));
    console.log(`the slowest key: ${Math.round(slowest)} ms`);
    if (slowest > MOST_MS && !isSmoke) process.exitCode = 1;
  } finally {
    await browser.close();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs in the page: types the words, and deletes them. */
async function typing(words) {
  const input = document.getElementById('q');
  // oxlint-disable-next-line unicorn/consistent-function-scoping -- only this function is sent to the page
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
  const states = [...words].map((key, index) => [key, words.slice(0, index + 1)]);
  const times = [];
  for (const [key, value] of [...states, ['deleting all', '']]) {
    await frame();
    const before = performance.now();
    input.value = value;
    input.dispatchEvent(new Event('input'));
    await frame();
    const shown = [...document.querySelectorAll('#apps > li')].filter((one) => !one.hidden).length;
    times.push({ key: JSON.stringify(key), ms: performance.now() - before, shown });
  }
  return times;
}
