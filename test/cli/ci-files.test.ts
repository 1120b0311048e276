// Scenario: every file that `init --ci` writes is executed, with checkouts and hostile tags.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { githubWorkflow } from '../../src/author/github-workflow.ts';
import { gitlabPipeline } from '../../src/author/gitlab-pipeline.ts';
import { CODE_CACHE } from '../support/code-cache.ts';
import { folder, git, write } from '../support/folders.ts';
import { checkout, ONE, pullRequest, registry, TWO } from '../support/pull-request.ts';
import { makeTools, type Tools } from '../support/workflow.ts';

/** Runs the files that `init --ci` writes, in checkouts like those of the CI systems. */

const workspace = {
  manifest: 'registry.json',
  baseUrl: 'https://apps.example.com/',
  serviceOrigins: [],
  appreg: '1.2.3',
  attest: false,
  store: { type: 'directory' },
};
const logs = folder();
let tools: Tools;
beforeAll(async () => {
  tools = await makeTools('#!/bin/sh\necho "$@" >> "$GH_LOG"\n', '1.2.3');
}, 60_000);

function run(script: string, cwd: string, env: NodeJS.ProcessEnv): { status: number | null; stdout: string } {
  const path = `${tools.bin}${delimiter}${process.env['PATH']}`;
  return spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
    cwd,
    env: { PATH: path, NO_COLOR: '1', CI: 'true', APPREG: 'appreg@1.2.3', ...CODE_CACHE, ...env },
    encoding: 'utf8',
  });
}

const changed = pullRequest(registry({ '1.0.0': ONE }), registry({ '1.0.0': TWO }));
const added = pullRequest(registry({ '1.0.0': ONE }), registry({ '1.0.0': ONE, '1.1.0': TWO }));

describe('the GitHub workflow', () => {
  const [clone, , lint] = parse(githubWorkflow(workspace)).jobs.lint.steps;
  const lintOn = ({ origin, merge }: typeof changed): ReturnType<typeof run> =>
    run(lint.run, folder(), {
      ...lint.env,
      GITHUB_ACTIONS: 'true',
      GITHUB_WORKSPACE: checkout(origin, merge, clone.with['fetch-depth']),
    });

  test('fails a pull request that changes a published version, and annotates the line', () => {
    const { status, stdout } = lintOn(changed);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^::error file=apps\/clock\/versions\.json,line=6,/m);
  });

  test('passes a pull request that adds a version', () => {
    expect(lintOn(added).status).toBe(0);
  });
});

describe('the GitLab pipeline', () => {
  const { lint } = parse(gitlabPipeline(workspace));

  test.each([
    ['changes a published version', changed, 1, ['artifact-changed']],
    ['adds a version', added, 0, []],
  ])('reports the expected rules for a merge request that %s', (_, { origin, pull }, status, rules) => {
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

function versionsIn(remote: string, branch: string): string[] {
  const { versions } = JSON.parse(git(remote, 'show', `${branch}:apps/clock/versions.json`));
  return versions.map(({ version }: { version: string }) => version);
}

describe('the publishing job', () => {
  const APP = { 'src/clock/main.ts': 'export const app = 1;\n' };
  const NOT_SERVED = { GH_LOG: join(logs, 'gh.log'), GITHUB_REPOSITORY: 'acme/apps' };

  /** A registry with one app in a branch of a bare repository, and the checkout of its sources. */
  function published(branch: string): { remote: string; cwd: string } {
    const remote = folder();
    git(remote, 'init', '--quiet', '--bare');
    const cwd = folder(APP);
    git(cwd, 'init', '--quiet');
    git(cwd, 'remote', 'add', 'origin', remote);
    const base = '--base-url https://127.0.0.1:5/ --store git --yes';
    expect(run(`appreg init ${base} --branch ${branch}`, cwd, {}).status).toBe(0);
    const icon = '--icon https://127.0.0.1:5/icon.svg --color "#1864ab"';
    expect(run(`appreg add-app clock --name Clock --description Clock ${icon} --yes`, cwd, {}).status).toBe(0);
    return { remote, cwd };
  }

  test('of GitHub publishes a tag once, refuses other bytes, publishes a version by hand, and requests a build of the site', () => {
    const { remote, cwd } = published('gh-pages');
    const store = { type: 'git', remote: 'origin', branch: 'gh-pages' };
    const script = parse(githubWorkflow({ ...workspace, store })).jobs.publish.steps.at(-1).run;
    const tag = { ...NOT_SERVED, GITHUB_EVENT_NAME: 'push', TAG: 'clock/v1.0.0' };
    expect(run(script, cwd, tag).status).toBe(0);
    expect(run(script, cwd, tag).stdout).toContain('already published');
    write(cwd, { 'src/clock/main.ts': 'export const app = 2;\n' });
    expect(run(script, cwd, tag).status).toBe(1);
    const byHand = { ...NOT_SERVED, GITHUB_EVENT_NAME: 'workflow_dispatch', APP: 'clock', VERSION: 'patch' };
    expect(run(script, cwd, byHand).status).toBe(0);
    expect(versionsIn(remote, 'gh-pages')).toEqual(['1.0.0', '1.0.1']);
    expect(readFileSync(NOT_SERVED.GH_LOG, 'utf8').split('\n')[0]).toBe(
      'api --silent --method POST repos/acme/apps/pages/builds',
    );
  }, 120_000);

  test.each(['clock/v$(touch pwned)', '../clock/v1.0.0', '--config=evil.js/v1.0.0', 'clock'])(
    'publishes and executes nothing for the tag %s',
    (tag) => {
      const { remote, cwd } = published('gh-pages');
      const store = { type: 'git', remote: 'origin', branch: 'gh-pages' };
      const script = parse(githubWorkflow({ ...workspace, store })).jobs.publish.steps.at(-1).run;
      expect(run(script, cwd, { ...NOT_SERVED, GITHUB_EVENT_NAME: 'push', TAG: tag }).status).not.toBe(0);
      expect(versionsIn(remote, 'gh-pages')).toEqual([]);
      expect(existsSync(join(cwd, 'pwned'))).toBe(false);
    },
  );

  test('of GitLab publishes a tag', () => {
    const { remote, cwd } = published('registry');
    const store = { type: 'git', remote: 'origin', branch: 'registry' };
    const { script } = parse(gitlabPipeline({ ...workspace, store })).publish;
    expect(run(script.join('\n'), cwd, { CI_COMMIT_TAG: 'clock/v2.0.0' }).status).toBe(0);
    expect(versionsIn(remote, 'registry')).toEqual(['2.0.0']);
  });
});
