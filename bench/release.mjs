// `appreg release --check` for a repository of 48 published apps, against one esbuild process after the other for the
// same entry points, as in a matrix of jobs on one machine.
// Needs a build and GNU time.
// Usage: node bench/release.mjs [pairs] [apps]; --smoke: one pair, and few apps.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pair } from './pair.mjs';

const appreg = fileURLToPath(new URL('../bin/appreg.js', import.meta.url));
const require = createRequire(import.meta.url);
const esbuild = join(dirname(require.resolve('esbuild/package.json')), 'bin/esbuild');
const smoke = process.argv[2] === '--smoke';
const [runs = 5, count = 48] = smoke ? [1, 3] : process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'appreg-bench-'));
try {
  const base = 'https://127.0.0.1:30999/';
  const write = (path, value) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), typeof value === 'string' ? value : `${JSON.stringify(value, null, 2)}\n`);
  };
  const keys = Array.from({ length: count }, (_, index) => `app-${index}`);
  write('appreg.config.json', {
    baseUrl: base,
    release: [{ folder: 'src/*', entry: 'main.ts', version: 'VERSION' }],
  });
  const apps = keys.map((key) => {
    const blockStyle = { iconUrl: 'https://icons.example.net/i.svg', color: '#336699' };
    return [key, { name: key, description: 'An app.', blockStyle, appMetadataUrl: `${base}apps/${key}/versions.json` }];
  });
  write('registry.json', { apps: Object.fromEntries(apps) });
  // A package that all apps import: 100 modules, 200 kB.
  const modules = Array.from({ length: 100 }, (_, index) => index);
  write('lib/index.ts', modules.map((index) => `export * from './m${index}';\n`).join(''));
  for (const index of modules) {
    const lines = Array.from(
      { length: 30 },
      (_, n) => `export const v${index}_${n} = (a: number): number => a + ${n};\n`,
    );
    write(`lib/m${index}.ts`, lines.join(''));
  }
  for (const key of keys) {
    write(`apps/${key}/versions.json`, { versions: [] });
    write(`src/${key}/main.ts`, `import * as lib from '../../lib';\nexport const app = ['${key}', lib];\n`);
    write(`src/${key}/VERSION`, '1.0.0\n');
  }
  const run = [process.execPath, appreg, 'release', '--quiet', '--format', 'json', '--cwd', folder];
  const { summary } = JSON.parse(execFileSync(run[0], run.slice(1), { encoding: 'utf8' }));
  if (summary.published !== count) throw new Error(`not everything was published: ${JSON.stringify(summary)}`);
  const each = keys.map(
    (key) => `${esbuild} src/${key}/main.ts --bundle --format=esm --platform=node --log-level=error`,
  );
  pair(
    `release --check of ${count} apps / one esbuild process for each`,
    [...run, '--check'],
    ['sh', '-c', `set -e; cd ${folder}; ${each.map((command) => `${command} > /dev/null`).join('; ')}`],
    { runs },
  );
  const after = JSON.parse(execFileSync(run[0], [...run.slice(1), '--check'], { encoding: 'utf8' }));
  if (after.summary.unchanged !== count)
    throw new Error(`not everything is unchanged: ${JSON.stringify(after.summary)}`);
} finally {
  rmSync(folder, { recursive: true });
}
