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
  'add-app': 1112,
  assemble: 1132,
  attestation: 261,
  bundle: 359,
  checksum: 281,
  completion: 226,
  conformance: 292,
  'conformance-documents': 812,
  'conformance-fixtures': 293,
  'conformance-host': 1272,
  'conformance-subscriber': 330,
  diagnose: 1685,
  diff: 1015,
  'edit-app': 1121,
  explain: 716,
  init: 862,
  judge: 932,
  lint: 1053,
  lock: 883,
  mirror: 939,
  'publish-version': 1121,
  release: 1175,
  'remove-app': 1117,
  rules: 849,
  serve: 822,
  service: 3843,
  'service-backup': 1243,
  'service-restore': 1253,
  subscribe: 877,
  verify: 1685,
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
