// `appreg publish-version` into a metadata file of 10,000 versions, against reading the file, JSON.parse, JSON.stringify
// and writing it in a bare Node script, with sha256sum of the artifact.
// Needs a build, GNU time and sha256sum.
// Usage: node bench/publish.mjs [pairs] [versions]; --smoke: one pair, and few versions.
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pair } from './pair.mjs';

const appreg = fileURLToPath(new URL('../bin/appreg.js', import.meta.url));
const smoke = process.argv[2] === '--smoke';
const [runs = 7, versionCount = 10_000] = smoke ? [1, 20] : process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'appreg-bench-'));
try {
  const base = 'https://apps.example.com/';
  const write = (path, value) =>
    writeFileSync(join(folder, path), typeof value === 'string' ? value : `${JSON.stringify(value, null, 2)}\n`);
  mkdirSync(join(folder, 'apps/a'), { recursive: true });
  const style = { iconUrl: `${base}apps/a/icon.svg`, color: '#336699' };
  const app = {
    name: 'A',
    description: 'Does things.',
    blockStyle: style,
    appMetadataUrl: `${base}apps/a/versions.json`,
  };
  write('appreg.config.json', { manifest: 'registry.json', baseUrl: base, store: { type: 'directory' } });
  write('registry.json', { apps: { a: app } });
  write('apps/a/icon.svg', '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M4 4h16"/></svg>\n');
  write('app.js', `export const data = '${randomBytes(50_000).toString('hex')}';\n`);
  const restore = `cd ${folder}; cp before.json apps/a/versions.json; rm -rf apps/a/versions`;
  const afterRestoring = (script) => ['sh', '-c', `set -e; ${restore}; ${script}`];
  execFileSync('tar', ['czf', 'new.tar.gz', 'app.js'], { cwd: folder });
  const entry = { version: '2.0.0', artifactUrl: `${base}apps/a/versions/2.0.0.tar.gz`, artifactChecksum: 'sha256:0' };
  write(
    'bare.cjs',
    `const fs = require('node:fs'); const file = 'apps/a/versions.json';
const document = JSON.parse(fs.readFileSync(file, 'utf8')); document.versions.push(${JSON.stringify(entry)});
fs.writeFileSync(file, JSON.stringify(document, null, 2) + '\\n');\n`,
  );
  for (const count of [1, versionCount]) {
    const versions = Array.from({ length: count }, (_, i) => ({
      version: `1.${Math.floor(i / 100)}.${i % 100}`,
      artifactUrl: `${base}apps/a/versions/1.${Math.floor(i / 100)}.${i % 100}.tar.gz`,
      artifactChecksum: `sha256:${createHash('sha256').update(String(i)).digest('hex')}`,
    }));
    write('before.json', { versions });
    const ours = afterRestoring(
      `${process.execPath} ${appreg} publish-version a 2.0.0 --artifact new.tar.gz --no-read-back --quiet`,
    );
    pair(
      `publish into ${count} versions / a bare script and sha256sum`,
      ours,
      afterRestoring(`${process.execPath} bare.cjs; sha256sum new.tar.gz`),
      { runs },
    );

    execFileSync(ours[0], ours.slice(1), { stdio: 'ignore' });
    const { versions: after } = JSON.parse(readFileSync(join(folder, 'apps/a/versions.json'), 'utf8'));
    const digest = createHash('sha256').update(readFileSync(join(folder, 'apps/a/versions/2.0.0.tar.gz')));
    if (after.length !== count + 1 || after.at(-1).artifactChecksum !== `sha256:${digest.digest('hex')}`)
      throw new Error(`the version is not listed, or with another checksum: ${JSON.stringify(after.at(-1))}`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
