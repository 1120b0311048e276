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
  '--help': 120,
  'add-app': 1085,
  assemble: 1085,
  bundle: 335,
  checksum: 305,
  completion: 305,
  diagnose: 1615,
  diff: 1140,
  'edit-app': 1095,
  explain: 1135,
  init: 1060,
  judge: 1130,
  lint: 1130,
  lock: 1030,
  mirror: 1130,
  'publish-version': 1090,
  release: 1125,
  'remove-app': 1090,
  rules: 1135,
  serve: 1060,
  service: 3815,
  'service-backup': 1555,
  'service-restore': 1565,
  subscribe: 1605,
  verify: 1615,
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
    ...commands.map((name): [string, string[]] => [name, ['main', 'program', 'run', name]]),
  ])('%s loads no more than the table says', (name, files) => {
    const limit = LOADED[name] ?? 0;
    const loaded = loadedBy(files);
    expect(loaded).toBeLessThanOrEqual(limit);
    expect(loaded).toBeGreaterThan(limit * 0.9);
  });
});
