import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * What a command loads before its first line of work, in kB of JavaScript: a command is as slow to start as it is
 * large. If a number has to grow, this table shows it. A number that shrinks by a tenth is lowered, so that it holds.
 */
const LOADED: Record<string, number> = {
  '--help': 125,
  '--version': 5.5,
  'add-app': 1110,
  assemble: 1130,
  attestation: 261,
  bundle: 359,
  checksum: 281,
  completion: 226,
  conformance: 292,
  'conformance-documents': 810,
  'conformance-fixtures': 293,
  'conformance-host': 1270,
  'conformance-subscriber': 329,
  diagnose: 1683,
  diff: 1013,
  'edit-app': 1119,
  explain: 714,
  init: 859,
  judge: 930,
  lint: 1051,
  lock: 881,
  mirror: 936,
  'publish-version': 1119,
  release: 1173,
  'remove-app': 1115,
  rules: 849,
  serve: 820,
  service: 3841,
  'service-backup': 1241,
  'service-restore': 1251,
  subscribe: 875,
  verify: 1682,
};

const program = join(import.meta.dirname, '../../dist/cli');
const commands = readdirSync(join(import.meta.dirname, '../../src/cli/commands'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** The sizes of the files that a process loads for a command, in kB; without the bytes of Node itself. */
const SCRIPT = `
const { statSync } = require('node:fs');
const [folder, ...files] = process.argv.slice(1);
for (const file of files) require(folder + '/' + file + '.cjs');
const loaded = Object.keys(require.cache).filter((path) => path.endsWith('.cjs'));
process.stdout.write(String(loaded.reduce((sum, path) => sum + statSync(path).size, 0) / 1000));
`;

function loadedBy(files: readonly string[]): number {
  return Number(execFileSync(process.execPath, ['-e', SCRIPT, program, ...files], { encoding: 'utf8' }));
}

describe('before its first line of work', () => {
  test.each<[name: string, files: string[]]>([
    ['--version', ['main']],
    ['--help', ['main', 'program']],
    ...commands.map((name): [string, string[]] => [name, ['main', 'program', 'run', 'config', name]]),
  ])('%s loads no more than the table says', (name, files) => {
    const limit = LOADED[name] ?? 0;
    const loaded = loadedBy(files);
    expect(loaded).toBeLessThanOrEqual(limit);
    expect(loaded).toBeGreaterThan(limit * 0.9);
  });
});
