import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildInto } from '../support/built.ts';
import { workspace } from './publish-fixture.ts';

/** Input that is read from the standard input, in place of a file. */

const root = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-stdin-'));
beforeAll(() => buildInto(join(root, 'dist')), 60_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

function appreg(cwd: string, input: string, ...args: string[]): { status: number | null; output: string } {
  const program = JSON.stringify(join(root, 'dist/cli/main.cjs'));
  const run = `require(${program}).main(process.argv).then((code) => { process.exitCode = code; });`;
  const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', run, '--', 'appreg', ...args], {
    cwd,
    input,
    encoding: 'utf8',
  });
  return { status, output: stdout + stderr };
}

const CHANGELOG = '# Changelog\n\n## 1.0.0\n\n- From the changelog.\n\n## 0.9.0\n\n- Older.\n';

test.each([
  ['--notes', '-', '- A note.\n', '- A note.\n'],
  ['--notes', '@-', '- A note.\n', '- A note.\n'],
  ['--notes', '- A note.', 'unread', '- A note.'],
  ['--notes-from', '-', CHANGELOG, '- From the changelog.'],
])('publish-version %s %j', async (option, value, input, notes) => {
  const dir = await workspace();
  const words = ['publish-version', 'a', '1.0.0', '--artifact', '../one.tar.gz', '--no-read-back'];
  expect(appreg(dir, input, ...words, `${option}=${value}`)).toMatchObject({ status: 0 });
  const about = JSON.parse(readFileSync(join(dir, 'apps/a/versions.about.json'), 'utf8')) as object;
  expect(about).toMatchObject({ versions: { '1.0.0': { notes } } });
});

test('a file that a command is given', () => {
  expect(appreg(root, '{ "schema": 1, "minimumAge": "72h" }', 'policy', '-')).toMatchObject({
    status: 0,
    output: expect.stringContaining('decides by minimumAge') as string,
  });
  expect(appreg(root, '{', 'policy', '-')).toMatchObject({
    status: 2,
    output: expect.stringMatching(/^appreg: -:1:2: /) as string,
  });
});
