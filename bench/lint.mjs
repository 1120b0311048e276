// Lint of a large registry against reading the same files and JSON.parse in one bare Node script; the same with 1,000
// errors against the run without; and how the time grows with the size. Needs a build and GNU time.
// Usage: node bench/lint.mjs [pairs] [apps]   (10 versions an app; 100,000 apps by default); --smoke: one pair, few apps
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pair, slope } from './pair.mjs';
import { writeWorkspace } from './workspace.mjs';

const appreg = fileURLToPath(new URL('../bin/appreg.js', import.meta.url));
const smoke = process.argv[2] === '--smoke';
const runs = smoke ? 1 : Number(process.argv[2] ?? 7);
const count = smoke ? 6_000 : Number(process.argv[3] ?? 100_000);
const FAULTS = 1000;
// On a RAM disk if there is one: otherwise the disk is measured, and 100,000 folders take 800 MB of its cache.
const scratch = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'appreg-bench-'));

/** A workspace (`registry.json`, a metadata file for each app) in a folder, and only its manifest in another. */
function write(apps, faults = 0) {
  const folder = join(scratch, `${apps}-${faults}`);
  const alone = join(scratch, `${apps}-${faults}-manifest`);
  mkdirSync(alone);
  const manifest = writeWorkspace(folder, apps, faults);
  writeFileSync(join(alone, 'registry.json'), manifest);
  return { folder, alone };
}

const parseAll = `const fs = require('fs'); const { apps } = JSON.parse(fs.readFileSync('registry.json', 'utf8'));
  let n = 0; for (const key of Object.keys(apps)) n += JSON.parse(fs.readFileSync('apps/' + key + '/versions.json', 'utf8')).versions.length;`;
const parse = "JSON.parse(require('fs').readFileSync('registry.json', 'utf8'))";
const many = (folder) => [process.execPath, appreg, '--cwd', folder, 'lint'];
const one = (folder) => [process.execPath, appreg, '--cwd', folder, 'lint', 'registry.json'];

try {
  const clean = write(count);
  const { folder, alone } = clean;
  pair(
    `lint of ${count} apps, ${count * 10} versions / read and JSON.parse`,
    many(folder),
    [process.execPath, '-e', parseAll],
    {
      runs,
      cwd: folder,
    },
  );
  pair(`lint of one manifest of ${count} apps / read and JSON.parse`, one(alone), [process.execPath, '-e', parse], {
    runs,
    cwd: alone,
  });
  const faulty = write(count, FAULTS);
  const statuses = [1, 0];
  pair(`lint of ${count} apps with ${FAULTS} faults / the clean ones`, many(faulty.folder), many(folder), {
    runs,
    statuses,
  });
  pair(`lint of one manifest with ${(FAULTS / 5) * 3} faults / the clean one`, one(faulty.alone), one(alone), {
    runs,
    statuses,
  });
  const sizes = [count / 100, count / 10].map((apps) => ({ apps, ...write(apps) })).concat({ apps: count, ...clean });
  slope(
    'lint of many files',
    sizes.map(({ apps, folder: cwd }) => ({ size: apps, command: many(cwd) })),
    { runs: Math.min(runs, 3) },
  );
  slope(
    'lint of one manifest',
    sizes.map(({ apps, alone: cwd }) => ({ size: apps, command: one(cwd) })),
    { runs: Math.min(runs, 3) },
  );
} finally {
  rmSync(scratch, { recursive: true });
}
