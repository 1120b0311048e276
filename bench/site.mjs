// How long `appreg site` takes for a large registry, and its memory: a new site, and the same again, which writes nothing.
// Needs a build and GNU time. Exit 1 if the second run writes anything.
// Usage: node bench/site.mjs [apps] [versions of each]   (default: 5,000 and 10); --smoke: 5 and 2
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const given = process.argv
  .slice(2)
  .filter((text) => /^\d+$/.test(text))
  .map(Number);
const [apps = 5000, versions = 10] = process.argv.includes('--smoke') ? [5, 2] : given;
const BASE = 'https://apps.example.com/';
const NOTES =
  '## Added\n\n- A setting for the interval.\n- Retries of failed requests.\n\n## Fixed\n\n- An event was emitted twice.';
const program = fileURLToPath(new URL('../bin/appreg.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'appreg-bench-site-'));

try {
  makeRegistry();
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

function makeRegistry() {
  const entries = {};
  for (let i = 0; i < apps; i++) {
    const key = `app-${i}`;
    const url = `${BASE}apps/${key}/`;
    entries[key] = {
      name: `App ${i}`,
      description: 'Connects two systems, and emits an event for each change.',
      blockStyle: { iconUrl: `${url}icon.svg`, color: '#1864ab' },
      appMetadataUrl: `${url}versions.json`,
    };
    const numbers = Array.from({ length: versions }, (_, n) => `1.${n}.0`);
    const list = numbers.map((version, n) => ({
      version,
      artifactUrl: `${url}versions/${version}.tar.gz`,
      artifactChecksum: `sha256:${(i * versions + n).toString(16).padStart(64, '0')}`,
    }));
    const about = numbers.map((version, n) => [
      version,
      { published: new Date(Date.UTC(2026, 0, 1 + n, 0, i % 1440)).toISOString(), notes: NOTES },
    ]);
    mkdirSync(join(folder, 'apps', key), { recursive: true });
    writeFileSync(join(folder, 'apps', key, 'versions.json'), JSON.stringify({ versions: list }));
    writeFileSync(
      join(folder, 'apps', key, 'versions.about.json'),
      JSON.stringify({ schema: 1, versions: Object.fromEntries(about) }),
    );
  }
  writeFileSync(join(folder, 'registry.json'), JSON.stringify({ apps: entries }));
  writeFileSync(join(folder, 'appreg.config.json'), JSON.stringify({ baseUrl: BASE }));
}
