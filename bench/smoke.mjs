// Runs every benchmark once with tiny sizes, to test that it works, not how fast. Exit 1 if one failed. The first lines
// of each list what it needs.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = fileURLToPath(new URL('./', import.meta.url));
const ownName = basename(fileURLToPath(import.meta.url));
const texts = new Map(
  readdirSync(folder)
    .filter((name) => name.endsWith('.mjs') && name !== ownName)
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
);
const isPart = (name) =>
  [...texts.values()].some((text) => text.includes(`'./${name}'`) || text.includes(`('${name}'`));
const failed = [];
for (const name of texts.keys()) {
  if (isPart(name)) continue;
  const started = performance.now();
  const { status } = spawnSync(process.execPath, [join(folder, name), '--smoke'], { stdio: 'inherit' });
  if (status !== 0) failed.push(name);
  console.log(
    `${name}: ${status === 0 ? 'works' : `failed with ${status}`} (${Math.round((performance.now() - started) / 1000)} s)\n`,
  );
}
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(', ')}`);
  process.exitCode = 1;
}
