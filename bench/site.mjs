// Time and memory of `appreg site` for a large registry: a new site, and the same again, which writes nothing.
// Needs a build and GNU time. Exit 1 if the second run writes anything.
// Usage: node bench/site.mjs [apps] [versions of each]   (default: 5,000 and 10); --smoke: 5 and 2
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeRegistry } from './site-registry.mjs';

const given = process.argv
  .slice(2)
  .filter((text) => /^\d+$/.test(text))
  .map(Number);
const [apps = 5000, versions = 10] = process.argv.includes('--smoke') ? [5, 2] : given;
const program = fileURLToPath(new URL('../bin/appreg.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'appreg-bench-site-'));

try {
  makeRegistry(folder, apps, versions);
  run('a new site');
  const { created, changed, removed } = run('the same again');
  if (created.length + changed.length + removed.length > 0) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(what) {
  const words = ['-f', '%e %U %M', process.execPath, program, 'site', 'site', '--format', 'json', '--quiet'];
  const { status, stdout, stderr } = spawnSync('time', words, { cwd: folder, encoding: 'utf8', maxBuffer: 100e6 });
  if (status !== 0) throw new Error(stderr);
  const [wall, user, memory] = stderr.trim().split('\n').at(-1).split(' ').map(Number);
  console.log(`${what}: ${wall} s, ${user} s of CPU time, ${Math.round(memory / 1000)} MB`);
  return JSON.parse(stdout);
}
