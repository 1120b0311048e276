import { chmodSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { buildAction } from './support/built-action.ts';
import { folder } from './support/folders.ts';
import { type Ran, runAction } from './support/github-actions.ts';
import { ONE, registry } from './support/pull-request.ts';

/** The first step of the GitHub Action, which installs appreg from npm. */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const home = folder();
beforeAll(() => buildAction(home), 60_000);

/** An npm that records its arguments, and installs the local build. */
function npm(): { env: NodeJS.ProcessEnv; arguments(): string } {
  const stub = folder({
    npm: `#!/bin/sh\nprintf '%s\\n' "$PWD" "$@" > "$(dirname "$0")/arguments"\ntest -f package.json && mkdir node_modules && ln -s '${home}' node_modules/appreg\n`,
  });
  chmodSync(join(stub, 'npm'), 0o755);
  return {
    env: { PATH: `${stub}:${process.env['PATH']}` },
    arguments: () => readFileSync(join(stub, 'arguments'), 'utf8'),
  };
}
const workspace = folder({ ...registry({ '1.0.0': ONE }), '.npmrc': 'registry=https://evil.example/\n' });
const event = { name: 'push', payload: {} };

function run(version: string, env: NodeJS.ProcessEnv): Ran {
  return runAction({ action: home, workspace, temporary: folder(), event, env }, { version });
}

test('installs the given version from npm, outside the workspace', () => {
  const { env, arguments: npmArguments } = npm();
  const { code, log } = run('1.2.3-beta.1', env);
  expect(code, log).toBe(0);
  const [where, ...words] = npmArguments().trimEnd().split('\n');
  expect(where!.startsWith(workspace)).toBe(false);
  expect(words).toEqual(expect.arrayContaining(['install', '--ignore-scripts', 'appreg@1.2.3-beta.1']));
});

test('installs once in a job, with the packages that any command needs', () => {
  const { env, arguments: npmArguments } = npm();
  const runner = { action: home, workspace, temporary: folder(), event, env };
  expect(runAction(runner, { version: '1.2.3' }).code).toBe(0);
  expect(npmArguments().split('\n')).toContain('--include=optional');
  rmSync(join(env.PATH!.split(':')[0]!, 'arguments'));
  const second = runAction(runner, { version: '1.2.3', format: 'json' });
  expect(second.code, second.log).toBe(0);
  expect(npmArguments).toThrow();
});

test('installs its own version by default', () => {
  const { env, arguments: npmArguments } = npm();
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const bare = folder();
  for (const name of ['action.yml', 'action', 'package.json']) symlinkSync(join(root, name), join(bare, name));
  const runner = { action: bare, workspace, temporary: folder(), event, env };
  expect(runAction(runner).code).toBe(0);
  expect(npmArguments()).toContain(`appreg@${version}\n`);
});

test.each(['file:../evil', '1.0.0; touch pwned', '--registry=https://evil.example', '../x'])(
  'installs nothing for the version %s',
  (given) => {
    const { env, arguments: npmArguments } = npm();
    const { code, commands } = run(given, env);
    expect(code).not.toBe(0);
    expect(commands).toEqual([expect.stringContaining('is not a version')]);
    expect(npmArguments).toThrow();
  },
);
