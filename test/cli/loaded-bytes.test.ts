import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * What a command loads before its first line of work, in kB of JavaScript: a command is as slow to start as it is
 * large. If a number has to grow, this table shows it. A number that shrinks by a tenth is lowered, so that it holds.
 */
const LOADED: Record<string, number> = {
  '--version': 8,
  '--help': 137,
  'add-app': 952,
  assemble: 1031,
  attestation: 240,
  bundle: 224,
  checksum: 213,
  completion: 192,
  conformance: 192,
  'conformance-documents': 833,
  'conformance-fixtures': 197,
  'conformance-host': 792,
  'conformance-subscriber': 271,
  deprecate: 899,
  diagnose: 1533,
  diff: 894,
  'edit-app': 968,
  explain: 703,
  init: 357,
  judge: 908,
  lint: 923,
  lock: 800,
  mirror: 308,
  policy: 268,
  'policy-test': 912,
  'publish-version': 998,
  release: 1153,
  'remove-app': 888,
  rules: 725,
  serve: 235,
  service: 4023,
  'service-backup': 699,
  'service-restore': 710,
  site: 593,
  subscribe: 326,
  verify: 1532,
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

/** What is loaded before code that earlier processes compiled. */
const START = ['main', 'compile-cache', 'code-file'];

function loadedBy(files: readonly string[]): number {
  return Number(execFileSync(process.execPath, ['-e', SCRIPT, program, ...files], { encoding: 'utf8' }));
}

describe('before its first line of work', () => {
  test.each<[name: string, files: string[]]>([
    ['--version', ['main']],
    ['--help', [...START, 'program']],
    ...commands.map((name): [string, string[]] => [name, [...START, 'program', 'run', 'config', name]]),
  ])('%s loads no more than the table says', (name, files) => {
    const limit = LOADED[name] ?? 0;
    const loaded = loadedBy(files);
    expect(loaded).toBeLessThanOrEqual(limit);
    expect(loaded).toBeGreaterThan(limit * 0.9);
  });
});
