// Lint of a large, clean registry against reading the same files and JSON.parse in one bare Node script.
// Usage: node bench/lint.mjs [pairs] [apps]   (10 versions an app; 100,000 apps by default)
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pair } from './pair.mjs';

const appreg = fileURLToPath(new URL('../bin/appreg.js', import.meta.url));
const runs = Number(process.argv[2] ?? 7);
const count = Number(process.argv[3] ?? 100_000);
const base = 'https://apps.example.com/';
const folder = mkdtempSync(join(tmpdir(), 'appreg-bench-'));

try {
  const apps = {};
  for (let i = 0; i < count; i++) {
    const key = `app-${i}`;
    apps[key] = {
      name: `App ${i}`,
      description: `Does job number ${i} with care – and says so in “quotes”, in a sentence of the usual length.`,
      blockStyle: { iconUrl: `${base}apps/${key}/icon.svg`, color: '#1a73e8' },
      appMetadataUrl: `${base}apps/${key}/versions.json`,
    };
    const versions = Array.from({ length: 10 }, (_, minor) => ({
      version: `1.${minor}.0`,
      artifactUrl: `${base}apps/${key}/versions/1.${minor}.0.tar.gz`,
      artifactChecksum: `sha256:${createHash('sha256').update(`${key} ${minor}`).digest('hex')}`,
    }));
    mkdirSync(join(folder, 'apps', key), { recursive: true });
    writeFileSync(join(folder, 'apps', key, 'versions.json'), `${JSON.stringify({ versions }, null, 2)}\n`);
  }
  writeFileSync(join(folder, 'registry.json'), `${JSON.stringify({ apps }, null, 2)}\n`);
  writeFileSync(join(folder, 'appreg.config.json'), JSON.stringify({ baseUrl: base }));
  const bare = `const fs = require('fs'); const { apps } = JSON.parse(fs.readFileSync('registry.json', 'utf8'));
    let n = 0; for (const key of Object.keys(apps)) n += JSON.parse(fs.readFileSync('apps/' + key + '/versions.json', 'utf8')).versions.length;`;
  pair(
    `lint of ${count} apps, ${count * 10} versions / read and JSON.parse`,
    [process.execPath, appreg, 'lint'],
    [process.execPath, '-e', bare],
    { runs, cwd: folder },
  );
  const manifest = mkdtempSync(join(tmpdir(), 'appreg-bench-'));
  writeFileSync(join(manifest, 'registry.json'), `${JSON.stringify({ apps }, null, 2)}\n`);
  pair(
    `lint of one manifest of ${count} apps / read and JSON.parse`,
    [process.execPath, appreg, 'lint', 'registry.json'],
    [process.execPath, '-e', "JSON.parse(require('fs').readFileSync('registry.json', 'utf8'))"],
    { runs, cwd: manifest },
  );
  rmSync(manifest, { recursive: true });
} finally {
  rmSync(folder, { recursive: true });
}
