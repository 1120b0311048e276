import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

/**
 * What a command loads before its first line of work, in kB of JavaScript: a command is as slow to start as it is
 * large. If a number has to grow, this table shows it. A number that shrinks by a tenth is lowered, so that it holds.
 */
const LOADED: Record<string, number> = {
  '--version': 5.5,
  '--help': 132,
  'add-app': 952,
  assemble: 1031,
  attestation: 236,
  bundle: 364,
  checksum: 212,
  completion: 188,
  conformance: 188,
  'conformance-documents': 833,
  'conformance-fixtures': 192,
  'conformance-host': 764,
  'conformance-subscriber': 270,
  deprecate: 899,
  diagnose: 1533,
  diff: 894,
  'edit-app': 968,
  explain: 703,
  init: 355,
  judge: 908,
  lint: 923,
  lock: 800,
  mirror: 305,
  policy: 324,
  'policy-test': 912,
  'publish-version': 998,
  release: 1151,
  'remove-app': 888,
  rules: 725,
  serve: 233,
  service: 4023,
  'service-backup': 675,
  'service-restore': 685,
  site: 576,
  subscribe: 341,
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
