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
  'add-app': 1150,
  assemble: 1188,
  attestation: 270,
  bundle: 368,
  checksum: 290,
  completion: 235,
  conformance: 296,
  'conformance-documents': 858,
  'conformance-fixtures': 297,
  'conformance-host': 1319,
  'conformance-subscriber': 334,
  deprecate: 1190,
  diagnose: 1737,
  diff: 1064,
  'edit-app': 1161,
  explain: 870,
  init: 870,
  judge: 974,
  lint: 1099,
  lock: 904,
  mirror: 970,
  'publish-version': 1161,
  release: 1244,
  'remove-app': 1155,
  rules: 870,
  serve: 840,
  service: 3897,
  'service-backup': 1290,
  'service-restore': 1300,
  site: 560,
  subscribe: 888,
  verify: 1736,
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
