import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
// @ts-expect-error a script without types
import { build } from '../../scripts/build.mjs';
import { githubWorkflow, gitlabPipeline } from '../../src/author/ci-files.ts';
import { folder, git, write } from '../support/folders.ts';
import { checkout, ONE, pullRequest, registry, TWO } from '../support/pull-request.ts';

/** What `init --ci` writes is run, on checkouts as the CI systems make them. */

const workspace = {
  manifest: 'registry.json',
  baseUrl: 'https://apps.example.com/',
  serviceOrigins: [],
  appreg: '1.2.3',
};
const tools = folder();
beforeAll(async () => {
  await build({ types: false, out: join(tools, 'dist') });
  const start = `require(${JSON.stringify(join(tools, 'dist/cli/main.cjs'))}).main(process.argv).then((code) => { process.exitCode = code; });`;
  write(tools, {
    'package.json': { type: 'commonjs' },
    'bin/appreg': `#!${process.execPath}\n${start}\n`,
    'bin/npx': '#!/bin/sh\n[ "$1 $2" = "--yes appreg@1.2.3" ] || exit 99\nshift 2\nexec appreg "$@"\n',
  });
  for (const name of ['appreg', 'npx']) chmodSync(join(tools, 'bin', name), 0o755);
}, 60_000);

function run(script: string, cwd: string, env: NodeJS.ProcessEnv): { status: number | null; stdout: string } {
  const path = `${join(tools, 'bin')}${delimiter}${process.env['PATH']}`;
  return spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
    cwd,
    env: { PATH: path, NO_COLOR: '1', CI: 'true', ...env },
    encoding: 'utf8',
  });
}

const changed = pullRequest(registry({ '1.0.0': ONE }), registry({ '1.0.0': TWO }));
const added = pullRequest(registry({ '1.0.0': ONE }), registry({ '1.0.0': ONE, '1.1.0': TWO }));

describe('the GitHub workflow', () => {
  const [clone, , lint] = parse(githubWorkflow(workspace)).jobs.lint.steps;
  const lintOn = ({ origin, merge }: typeof changed): ReturnType<typeof run> =>
    run(lint.run, checkout(origin, merge, clone.with['fetch-depth']), { GITHUB_ACTIONS: 'true' });

  test('fails a pull request that changes what was published, and marks the line', () => {
    const { status, stdout } = lintOn(changed);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^::error file=apps\/clock\/versions\.json,line=6,/m);
  });

  test('passes one that adds a version', () => {
    expect(lintOn(added).status).toBe(0);
  });
});

describe('the GitLab pipeline', () => {
  const { lint } = parse(gitlabPipeline(workspace));

  test.each([
    ['changes what was published', changed, 1, ['artifact-changed']],
    ['adds a version', added, 0, []],
  ])('on a merge request that %s', (_, { origin, pull }, status, rules) => {
    const cwd = checkout(origin, pull.head.sha, lint.variables.GIT_DEPTH);
    git(cwd, 'fetch', '--quiet', 'origin', 'main');
    const env = { GITLAB_CI: 'true', CI_MERGE_REQUEST_DIFF_BASE_SHA: pull.base.sha };
    expect(run(lint.script.join('\n'), cwd, env).status).toBe(status);
    expect(run(lint.after_script.join('\n'), cwd, env).status).toBe(0);
    const { codequality, junit } = lint.artifacts.reports;
    const quality = JSON.parse(readFileSync(join(cwd, codequality), 'utf8'));
    expect(quality.map((entry: { check_name: string }) => entry.check_name)).toEqual(rules);
    expect(readFileSync(join(cwd, junit), 'utf8')).toContain('<testsuites');
  });
});
