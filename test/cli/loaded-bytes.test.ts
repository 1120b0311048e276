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
  '--help': 131,
  'add-app': 1145,
  assemble: 1201,
  attestation: 268,
  bundle: 366,
  checksum: 287,
  completion: 234,
  conformance: 286,
  'conformance-documents': 868,
  'conformance-fixtures': 287,
  'conformance-host': 1329,
  'conformance-subscriber': 324,
  deprecate: 988,
  diagnose: 1712,
  diff: 1050,
  'edit-app': 1155,
  explain: 746,
  init: 443,
  judge: 985,
  lint: 1112,
  lock: 888,
  mirror: 958,
  policy: 310,
  'policy-test': 1030,
  'publish-version': 1155,
  release: 1247,
  'remove-app': 1150,
  rules: 838,
  serve: 436,
  service: 4100,
  'service-backup': 1299,
  'service-restore': 1309,
  site: 684,
  subscribe: 869,
  verify: 1710,
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
