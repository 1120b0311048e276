// This build against the fixed one, in pairs: a real registry (122 apps, 610 versions) first, then start-up, lint,
// publishing, bundling and verifying at scale. Needs both builds, nginx, openssl and GNU time. APPREG_NODE names another
// Node to run both with.
// Usage: node bench/builds.mjs <bin/appreg.js of the other build> [pairs] [apps]   (7 pairs; lint of 100,000 apps)
//        node bench/builds.mjs --smoke   (this build against itself: one pair, few apps)
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serve } from './nginx.mjs';
import { pair } from './pair.mjs';
import { writeRegistry } from './registry.mjs';
import { BASE_URL, writeWorkspace } from './workspace.mjs';

const appreg = fileURLToPath(new URL('../bin/appreg.js', import.meta.url));
const smoke = process.argv[2] === '--smoke';
const other = smoke ? appreg : resolve(process.argv[2] ?? '');
if (!other.endsWith('.js')) throw new Error('Name the other build: node bench/builds.mjs <path of its bin/appreg.js>');
const [runs, count] = smoke ? [1, 100] : [Number(process.argv[3] ?? 7), Number(process.argv[4] ?? 100_000)];
const node = process.env['APPREG_NODE'] ?? process.execPath;
const REAL = { apps: smoke ? 4 : 122, versions: smoke ? 2 : 5, from: 20_000, to: 900_000 };
const MANY_VERSIONS = smoke ? 20 : 10_000;
const VERIFIED = { apps: smoke ? 2 : 500, versions: smoke ? 2 : 10, from: 10_000, to: 100_000 };

// On a RAM disk if there is one, so that no disk is measured.
const scratch = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'appreg-bench-'));
const folderOf = (name) => {
  const folder = join(scratch, name);
  mkdirSync(folder, { recursive: true });
  return folder;
};
const rows = [];

/** Runs both builds with the same arguments, each after `before`, a shell command that restores the files. */
function compare(name, args, { cwd = scratch, before = '', status = 0 } = {}) {
  const commandOf = (program) => {
    const command = [node, program, ...args];
    return before === '' ? command : ['sh', '-c', `${before} && exec "$@"`, 'sh', ...command];
  };
  rows.push(pair(name, commandOf(appreg), commandOf(other), { runs, cwd, statuses: [status, status] }));
}

/** Commands that a person or a pipeline waits for. */
async function compareRealRegistry() {
  const lint = folderOf('real');
  writeWorkspace(lint, REAL.apps, 0, REAL.versions);
  compare(`real registry: lint of ${REAL.apps} apps`, ['lint'], { cwd: lint });
  const folder = mkdtempSync(join(tmpdir(), 'appreg-bench-'));
  const server = await serve(folder);
  try {
    writeRegistry(join(folder, 'www'), server.origin, { ...REAL, content: 'code' });
    const args = ['verify', `${server.origin}/registry.json`, '--quiet', '--ca', join(folder, 'root.pem')];
    compare(`real registry: verify of ${REAL.apps * REAL.versions} artifacts`, args);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
  const repository = folderOf('repository');
  writeRepository(repository, REAL.apps);
  execFileSync(node, [appreg, 'release', '--quiet', '--cwd', repository], { stdio: 'ignore' });
  compare(`real registry: release --check of ${REAL.apps} apps`, ['release', '--check', '--quiet'], {
    cwd: repository,
  });
}

/** A repository of apps that are released together, and listed already. */
function writeRepository(folder, apps) {
  const manifest = JSON.parse(writeWorkspace(folder, apps, 0, 1));
  for (const key of Object.keys(manifest.apps)) {
    writeFileSync(join(folder, `apps/${key}/versions.json`), '{ "versions": [] }\n');
    writeFileSync(join(folder, `apps/${key}/VERSION`), '1.0.0\n');
    writeFileSync(join(folder, `apps/${key}/main.ts`), `export const app = { name: '${key}', blocks: {} };\n`);
  }
  const release = [{ folder: 'apps/*', key: '{name}', entry: 'main.ts', version: 'VERSION' }];
  writeFileSync(join(folder, 'appreg.config.json'), JSON.stringify({ baseUrl: BASE_URL, release }));
}

function compareLint() {
  const clean = folderOf('clean');
  const manifest = writeWorkspace(clean, count);
  compare(`lint of ${count} apps`, ['lint'], { cwd: clean });
  const alone = folderOf('manifest');
  writeFileSync(join(alone, 'registry.json'), manifest);
  compare(`lint of one manifest of ${count} apps`, ['lint', 'registry.json'], { cwd: alone });
  const faulty = folderOf('faulty');
  const errors = Math.ceil(count / 100);
  writeWorkspace(faulty, count, errors);
  compare(`lint of ${count} apps with ${errors} errors`, ['lint'], { cwd: faulty, status: 1 });
}

function comparePublishing() {
  const cwd = folderOf('publish');
  const manifest = JSON.parse(writeWorkspace(cwd, 1));
  const [key] = Object.keys(manifest.apps);
  writeFileSync(join(cwd, 'app.js'), `export const data = '${'0123456789'.repeat(5000)}';\n`);
  compare('bundle of one file', ['bundle', 'app.js', 'new.tar.gz', '--quiet'], { cwd, before: 'rm -f new.tar.gz' });
  const metadata = `apps/${key}/versions.json`;
  const before = `cp before.json ${metadata} && rm -rf apps/${key}/versions`;
  for (const versions of [1, MANY_VERSIONS]) {
    const listed = Array.from({ length: versions }, (_, i) => ({
      version: `1.${Math.floor(i / 100)}.${i % 100}`,
      artifactUrl: `https://apps.example.com/apps/${key}/versions/1.${Math.floor(i / 100)}.${i % 100}.tar.gz`,
      artifactChecksum: `sha256:${String(i).padStart(64, '0')}`,
    }));
    writeFileSync(join(cwd, 'before.json'), `${JSON.stringify({ versions: listed }, null, 2)}\n`);
    const args = ['publish-version', key, '2.0.0', '--artifact', 'new.tar.gz', '--no-read-back', '--quiet'];
    compare(`publish into ${versions} versions`, args, { cwd, before });
  }
}

async function compareVerifying() {
  const folder = mkdtempSync(join(tmpdir(), 'appreg-bench-'));
  const server = await serve(folder);
  try {
    writeRegistry(join(folder, 'www'), server.origin, VERIFIED);
    const args = ['verify', `${server.origin}/registry.json`, '--quiet', '--ca', join(folder, 'root.pem')];
    compare(`verify of ${VERIFIED.apps} apps with ${VERIFIED.versions} artifacts each`, args);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

try {
  await compareRealRegistry();
  compare('appreg --version', ['--version']);
  compare('appreg lint --help', ['lint', '--help']);
  compareLint();
  comparePublishing();
  await compareVerifying();
  console.log('\n| job | ratio of time | of CPU time | of peak memory |\n| --- | --- | --- | --- |');
  for (const { name, ratio, cpuRatio, memory, theirMemory } of rows)
    console.log(`| ${name} | ${ratio.toFixed(2)} | ${cpuRatio.toFixed(2)} | ${(memory / theirMemory).toFixed(2)} |`);
} finally {
  rmSync(scratch, { recursive: true });
}
