import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildInto } from '../support/built.ts';
import { workspace } from './publish-fixture.ts';

/** Input that is read from the standard input, in place of a file. */

const root = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-stdin-'));
beforeAll(() => buildInto(root), 60_000);
afterAll(() => rmSync(root, { recursive: true, force: true }));

function appreg(cwd: string, input: string | Uint8Array, ...args: string[]): { status: number | null; output: string } {
  const program = JSON.stringify(join(root, 'dist/node/main.cjs'));
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

test.each([
  { name: 'an empty text', option: '--notes=', input: '', message: 'The notes of --notes are empty.' },
  { name: 'blank lines', option: '--notes=-', input: ' \n\n', message: 'The notes of --notes are empty.' },
  { name: 'Latin-1', option: '--notes=-', input: Buffer.from('caf\xe9', 'latin1'), message: '- is not UTF-8' },
  { name: 'UTF-16', option: '--notes-from=-', input: Buffer.from('\ufeffx', 'utf16le'), message: '- is not UTF-8' },
  { name: 'an empty section', option: '--notes-from=-', input: '## 1.0.0\n', message: 'has no section of version' },
])('publish-version refuses notes without text: $name', async ({ option, input, message }) => {
  const dir = await workspace();
  const before = readFileSync(join(dir, 'apps/a/versions.json'), 'utf8');
  const words = ['publish-version', 'a', '1.0.0', '--artifact', '../one.tar.gz', '--no-read-back', option];
  expect(appreg(dir, input, ...words)).toMatchObject({ status: 2, output: expect.stringContaining(message) as string });
  expect(readFileSync(join(dir, 'apps/a/versions.json'), 'utf8')).toBe(before);
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
