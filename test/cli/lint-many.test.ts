import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { startJudging } from '../../src/core/engine/judge.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { observeWorkspace } from '../../src/observe/workspace/observe-workspace.ts';
import { folder as temporaryFolder } from '../support/folders.ts';

/** The built program reports of many apps, with unusual files among them, what the library reports. */

const program = fileURLToPath(new URL('../../bin/appreg.js', import.meta.url));
const base = 'https://apps.example.com/';

function metadata(key: string): string {
  const versions = [0, 1].map((n) => ({
    version: `1.${n}.0`,
    artifactUrl: `${base}${key}/1.${n}.0.tar.gz`,
    artifactChecksum: `sha256:${n}d865e959b2466918c9863afca942d0fb89d7c9ac0c99bafc3749504ded97730`,
  }));
  return JSON.stringify({ versions });
}

function entry(key: string): object {
  return {
    name: key,
    description: 'Says it again.',
    blockStyle: { iconUrl: `${base}${key}/icon.svg`, color: '#1a73e8' },
    appMetadataUrl: key === 'app-4' ? 'https://elsewhere.example.org/4.json' : `${base}metadata/${key}.json`,
  };
}

const unusualFiles: Record<string, (file: string, key: string) => void> = {
  missing: (file) => expect(existsSync(file)).toBe(false),
  folder: (file) => void mkdirSync(file),
  empty: (file) => writeFileSync(file, ''),
  'not JSON': (file) => writeFileSync(file, '{"versions": [}'),
  'a byte order mark': (file, key) => writeFileSync(file, `\u{feff}${metadata(key)}`),
  'not UTF-8': (file) => writeFileSync(file, Buffer.from([0x7b, 0xff, 0xfe, 0x7d])),
  'beyond ASCII': (file, key) => writeFileSync(file, metadata(key).replace('{', '{"x-note":"größer “so”",')),
  'larger than what is handed over': (file, key) => writeFileSync(file, metadata(key) + ' '.repeat(300_000)),
  'a link out of the workspace': (file) => symlinkSync('/etc/hostname', file),
  'a faulty version': (file, key) => writeFileSync(file, metadata(key).replace('1.0.0"', 'v1.0.0"')),
  'an unlisted neighbour': (file, key) => {
    writeFileSync(file, metadata(key));
    writeFileSync(join(dirname(file), 'orphan.json'), metadata('orphan'));
  },
};

test('lint of many apps, with unusual files among them, reports the same as the library', async () => {
  const root = temporaryFolder();
  const keys = Array.from({ length: 1_200 }, (_, i) => `app-${i}`);
  const kinds = Object.values(unusualFiles);
  mkdirSync(join(root, 'metadata'));
  for (const [i, key] of keys.entries()) {
    const file = join(root, 'metadata', `${key}.json`);
    const kind = i % 100 === 7 ? kinds[Math.floor(i / 100) % kinds.length] : undefined;
    if (kind) kind(file, key);
    else writeFileSync(file, metadata(key));
  }
  writeFileSync(
    join(root, 'registry.json'),
    JSON.stringify({ apps: Object.fromEntries(keys.map((k) => [k, entry(k)])) }),
  );
  writeFileSync(join(root, 'appreg.config.json'), JSON.stringify({ baseUrl: base }));

  const judging = startJudging({
    command: 'lint',
    target: '.',
    now: '2026-11-21T00:00:00.000Z',
    registry: { identity: `${base}registry.json`, folder: root, shownFrom: root },
  });
  await observeWorkspace({ root, manifest: 'registry.json', baseUrl: base }, judging, { nameOf: (path) => path });
  const expected = judging.finish(0);
  const { stdout, status } = spawnSync(process.execPath, [program, 'lint', '--format', 'json'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  expect(status).toBe(1);
  const report = JSON.parse(stdout) as Report;
  expect(report.findings.length).toBeGreaterThan(10);
  expect(report.findings).toEqual(expected.findings);
  expect(report.notJudged).toEqual(expected.notJudged);
  expect(report.apps).toEqual(expected.apps);
}, 60_000);
