import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { VERSION } from '../../src/core/values/tool-version.ts';
import { folder, git } from '../support/folders.ts';
import { ROOT } from '../support/installed.ts';

/** The lines of README.md that install from a checkout: of the last commit, into a folder of the test. */

const REPOSITORY = 'https://github.com/appreg/appreg.git';
const [work, prefix, home] = [folder(), folder(), folder()];
const env = {
  ...process.env,
  npm_config_cache: join(home, 'npm'),
  npm_config_prefix: prefix,
  PATH: `${join(prefix, 'bin')}${delimiter}${process.env['PATH']}`,
  GIT_CONFIG_COUNT: '1',
  GIT_CONFIG_KEY_0: `url.${ROOT}.insteadOf`,
  GIT_CONFIG_VALUE_0: REPOSITORY,
};

function run(script: string, cwd: string): { status: number | null; output: string } {
  const words = ['--norc', '-euo', 'pipefail', '-c', `exec 2>&1\n${script}`];
  const { status, stdout } = spawnSync('bash', words, { cwd, env, encoding: 'utf8', maxBuffer: 2 ** 26 });
  return { status, output: stdout };
}

test('two lines of README.md install all commands', { timeout: 500_000 }, () => {
  const blocks = readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/^```sh\n([^]*?)^```$/gm);
  const lines = [...blocks].map(([, block]) => block!).find((block) => block.startsWith(`git clone ${REPOSITORY}`))!;
  expect(lines.trim().split('\n')).toHaveLength(2);
  expect(run(lines, work)).toMatchObject({ status: 0 });
  expect(git(join(work, 'appreg'), 'status', '--porcelain')).toBe('');
  expect(run('appreg --version', home)).toEqual({ status: 0, output: `${VERSION}\n` });
  expect(run('appreg init . --base-url https://apps.example.com/ --yes && appreg lint', home)).toMatchObject({
    status: 0,
  });
  expect(run('appreg conformance', home)).toMatchObject({ status: 0 });
  expect(run('appreg service --help', home)).toMatchObject({ status: 0 });
});
