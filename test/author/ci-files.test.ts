import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Checked, githubWorkflow } from '../../src/author/github-workflow.ts';
import { gitlabPipeline } from '../../src/author/gitlab-pipeline.ts';
import { FORMATS } from '../../src/report/options.ts';
import { problemsIn } from '../support/github-actions.ts';

const workspace: Checked = {
  manifest: 'registry.json',
  baseUrl: 'https://apps.example.com/r/',
  serviceOrigins: ['https://flows.example.com', 'https://flows.example.org'],
  appreg: '1.2.3',
  store: { type: 'directory' },
  attest: false,
};
/** Settings with characters that an unquoted script would execute. */
const unusual: Checked = {
  ...workspace,
  baseUrl: `https://apps.example.com/"$(id)'\${HOME}%20#: |/`,
  serviceOrigins: ['https://$(id).example'],
};

/** What starts appreg in a step on GitHub. */
const NPX = 'npx --yes --package="$APPREG" appreg';

/** The arguments that a shell passes to appreg in a script. */
function argumentsIn(script: readonly string[], env: Record<string, string>): string[] {
  const text = ['appreg() { printf "%s\\n" "$@"; }', ...script].join('\n');
  return execFileSync('bash', ['--norc', '-euc', text], { env, encoding: 'utf8' }).trimEnd().split('\n');
}

describe('the GitHub workflow', () => {
  test.each([
    ['plain', workspace],
    ['unusual characters', unusual],
  ])('is valid: %s', (_, given) => {
    expect(problemsIn('workflow', githubWorkflow(given))).toEqual([]);
  });

  test('is invalid after a misspelling', () => {
    expect(problemsIn('workflow', githubWorkflow(workspace).replace('runs-on', 'runs-in'))).not.toEqual([]);
  });

  test('names the package once, where a file of `npm pack` can take its place', () => {
    const text = githubWorkflow(workspace);
    expect(parse(text).env).toEqual({ APPREG: 'appreg@1.2.3' });
    expect(text.match(/appreg@/g)).toHaveLength(1);
    expect(text).toMatch(/# .*`npm pack`.*\n {2}APPREG:/);
  });

  test('compares a pull request with its fetched base commit', () => {
    const { jobs } = parse(githubWorkflow(workspace));
    const [checkout, , lint] = jobs.lint.steps;
    expect(checkout.with['fetch-depth']).toBe(2);
    expect(lint.run).toBe('npx --yes --package="$APPREG" appreg lint --cwd "$GITHUB_WORKSPACE" --against HEAD^1');
  });

  test.each([workspace, unusual])('passes the settings unchanged: %j', (given) => {
    const step = parse(githubWorkflow(given)).jobs.verify.steps.at(-1);
    const run = step.run.replace(NPX, 'appreg');
    expect(argumentsIn([run], { ...step.env, GITHUB_WORKSPACE: '/checkout' })).toEqual([
      'verify',
      `${given.baseUrl}registry.json`,
      '--cwd',
      '/checkout',
      '--against',
      'HEAD',
      ...given.serviceOrigins.flatMap((origin) => ['--origin', origin]),
    ]);
  });
});

const STORES: [string, Checked['store'], permissions: string[]][] = [
  ['Pages', { type: 'git', remote: 'origin', branch: 'gh-pages' }, ['contents: write', 'pages: write']],
  ['another branch', { type: 'git', remote: 'origin', branch: 'registry' }, ['contents: write']],
  ['a bucket of Amazon', { type: 's3', bucket: 'apps' }, ['contents: read', 'id-token: write']],
  ['a bucket elsewhere', { type: 's3', bucket: 'apps', endpoint: 'https://x.test' }, ['contents: read']],
];

describe.each(STORES)('publishing to %s', (_, store, permissions) => {
  const github = githubWorkflow({ ...unusual, store });
  const { on, jobs, permissions: usual } = parse(github);
  const gitlab = parse(gitlabPipeline({ ...unusual, store }));

  test('is valid on GitHub and has only the required permissions', () => {
    expect(problemsIn('workflow', github)).toEqual([]);
    expect(usual).toEqual({ contents: 'read' });
    const granted = Object.entries(jobs.publish.permissions as Record<string, string>).map(
      ([name, level]) => `${name}: ${level}`,
    );
    expect(granted).toEqual(permissions);
  });

  test('runs on a tag or by hand, one job at a time, without lint', () => {
    expect(Object.keys(on)).toEqual(['push', 'schedule', 'workflow_dispatch']);
    expect(Object.keys(jobs)).toEqual(['publish', 'verify']);
    expect(jobs.publish.concurrency).toMatchObject({ 'cancel-in-progress': false });
    expect(gitlab.publish.resource_group).toBe('registry');
    expect(gitlab).not.toHaveProperty('lint');
  });

  test('passes external text only as arguments, never as script or options', () => {
    for (const { run } of jobs.publish.steps.filter((step: { run?: string }) => step.run !== undefined))
      expect(run).not.toContain('${{');
    const script = jobs.publish.steps
      .at(-1)
      .run.replace(NPX, 'appreg')
      .replace(/^gh .*$/m, '');
    const env = { TAG: '--x/v$(id)`id`"; id', APP: '', VERSION: '', GITHUB_EVENT_NAME: 'push' };
    const words = argumentsIn([script], env);
    expect(words.slice(words.indexOf('--') + 1)).toEqual(['--x', '$(id)`id`"; id']);
    const byHand = argumentsIn([script], { APP: 'clock', VERSION: 'patch', GITHUB_EVENT_NAME: 'workflow_dispatch' });
    expect(byHand.slice(0, 4)).toEqual(['publish-version', '--entry', 'src/clock/main.ts', '--yes']);
    const lines = (gitlab.publish.script as string[]).filter((line) => !line.includes('npm ci'));
    const there = argumentsIn(lines, { CI_COMMIT_TAG: 'clock/v1.2.3', AWS_ID_TOKEN: 't', PATH: process.env['PATH']! });
    expect(there.slice(there.indexOf('--') + 1)).toEqual(['clock', '1.2.3']);
  });
});

const branchOf = (store: Checked['store']) => ({ ...workspace, serviceOrigins: [], store });

describe('the check of the live registry compares with what is stored', () => {
  const SCRIPT_ENV = { REGISTRY_URL: 'https://r.test/', GITHUB_WORKSPACE: '/checkout' };

  test.each([
    ['the commit', { type: 'directory' }, 'HEAD'],
    ['the branch', { type: 'git', remote: 'origin', branch: 'p$(id)' }, 'origin/p$(id)'],
    ['the default branch of the store', { type: 'git' }, 'origin/gh-pages'],
  ] as const)('%s, with all commits', (_, store, ref) => {
    const { steps } = parse(githubWorkflow(branchOf({ ...store }))).jobs.verify;
    expect(steps[0]).toMatchObject({ uses: expect.stringMatching(/^actions\/checkout@/), with: { 'fetch-depth': 0 } });
    const { run, env } = steps.at(-1);
    const words = argumentsIn([run.replace(NPX, 'appreg')], { ...SCRIPT_ENV, ...env });
    expect(words[words.indexOf('--against') + 1]).toBe(ref);
    const { verify, variables } = parse(gitlabPipeline(branchOf({ ...store })));
    expect(verify.variables).toEqual({ GIT_DEPTH: 0 });
    const branch = String(variables.STORED_BRANCH ?? '').replaceAll('$$', () => '$');
    const script = (verify.script as string[]).filter((line) => !line.startsWith('git '));
    const there = argumentsIn(script, { ...SCRIPT_ENV, STORED_BRANCH: branch });
    expect(there[there.indexOf('--against') + 1]).toBe(ref);
  });

  test.each([
    ['a bucket', { type: 's3', bucket: 'apps' }],
    ['another repository', { type: 'git', remote: 'https://git.example.com/pages.git', branch: 'main' }],
  ])('not with %s, which is not in the repository', (_, store) => {
    expect(githubWorkflow(branchOf(store as Checked['store']))).not.toContain('--against');
    expect(gitlabPipeline(branchOf(store as Checked['store']))).not.toContain('verify "$REGISTRY_URL" --against');
  });
});

test('git receives the token of the workflow in any folder', () => {
  const { env } = parse(githubWorkflow({ ...workspace, store: STORES[0]![1] })).jobs.publish.steps.at(-1);
  const output = execFileSync('git', ['credential', 'fill'], {
    input: 'protocol=https\nhost=github.com\n\n',
    encoding: 'utf8',
    cwd: '/',
    env: {
      PATH: process.env['PATH'],
      HOME: '/nowhere',
      GIT_TERMINAL_PROMPT: '0',
      ...env,
      GIT_CONFIG_COUNT: '1',
      GH_TOKEN: 'a-token',
    },
  });
  expect(output).toContain('username=x-access-token\npassword=a-token\n');
});

describe('the GitLab pipeline', () => {
  const pipeline = parse(gitlabPipeline(workspace));

  test('names the package once, where a file of `npm pack` can take its place', () => {
    const text = gitlabPipeline(workspace);
    expect(pipeline.variables.APPREG).toBe('appreg@1.2.3');
    expect(pipeline.default.before_script).toEqual(['npm install --global "$APPREG"']);
    expect(text.match(/appreg@/g)).toHaveLength(1);
    expect(text).toMatch(/# .*`npm pack`.*\n {2}APPREG:/);
  });

  test('compares a merge request with its diff base, with full history', () => {
    expect(pipeline.lint.variables.GIT_DEPTH).toBe(0);
    expect(pipeline.lint.script).toEqual(['appreg lint --against "$CI_MERGE_REQUEST_DIFF_BASE_SHA"']);
  });

  test('shows in one note what subscribers would see change, and on demand the state of the apps', () => {
    const { variables, lint, release } = pipeline;
    expect(variables.RELEASE_CHECK).toBe('false');
    expect(release.rules[0].if).toContain('$RELEASE_CHECK == "true"');
    expect(release.script.at(-1)).toBe('appreg release --check');
    for (const [job, section] of [
      [lint, 'diff'],
      [release, 'release'],
    ])
      expect(job.after_script.at(-1)).toBe(
        `node "$(npm root --global)/appreg/action/gitlab-note.mjs" ${section}=${section}.md || true`,
      );
  });

  test.each(['lint', 'verify'])('writes the reports of %s in supported formats', (job) => {
    const { after_script: after, artifacts } = pipeline[job];
    const reports = (after as string[]).filter((line) => /^appreg (lint|judge) /.test(line));
    const written = reports.map((line) => / --format (\w+) --output (\S+) \|\| true$/.exec(line)!.slice(1));
    expect(written.map(([, file]) => file).toSorted()).toEqual(Object.values(artifacts.reports).toSorted());
    for (const [format] of written) expect(FORMATS).toContain(format);
    expect(artifacts.when).toBe('always');
  });

  test.each([workspace, unusual])('passes the settings unchanged: %j', (given) => {
    const { variables, verify } = parse(gitlabPipeline(given));
    // GitLab fills in variables of its own in values; $$ is a dollar sign there.
    const env = Object.fromEntries(
      Object.entries(variables as Record<string, string>).map(([name, value]) => [
        name,
        value.replaceAll('$$', () => '$'),
      ]),
    );
    expect(argumentsIn(verify.script, env)).toEqual([
      'verify',
      `${given.baseUrl}registry.json`,
      '--against',
      'HEAD',
      ...given.serviceOrigins.flatMap((origin) => ['--origin', origin]),
      '--save',
      'facts.json',
    ]);
  });
});

describe.each(STORES)('attesting what is published to %s', (_, store, permissions) => {
  const github = githubWorkflow({ ...workspace, store, attest: true });
  const gitlab = parse(gitlabPipeline({ ...workspace, store, attest: true }));

  test('adds the permission to request a token on GitHub, to this job only', () => {
    expect(problemsIn('workflow', github)).toEqual([]);
    const { jobs, permissions: usual } = parse(github);
    expect(usual).toEqual({ contents: 'read' });
    expect(jobs.verify.permissions).toBeUndefined();
    const granted = Object.entries(jobs.publish.permissions as Record<string, string>).map(
      ([one, level]) => `${one}: ${level}`,
    );
    expect(granted.toSorted()).toEqual([...new Set([...permissions, 'id-token: write'])].toSorted());
    expect(jobs.publish.steps.at(-1).run).toContain('main.ts" --yes --attest');
  });

  test('adds the token of Sigstore on GitLab, and nothing without attesting', () => {
    expect(gitlab.publish.id_tokens.SIGSTORE_ID_TOKEN).toEqual({ aud: 'sigstore' });
    expect(gitlab.publish.script.at(-1)).toContain('--yes --attest');
    expect(githubWorkflow({ ...workspace, store })).not.toContain('--attest');
    expect(gitlabPipeline({ ...workspace, store })).not.toContain('SIGSTORE');
  });
});

test('a workflow that publishes nothing attests nothing', () => {
  expect(githubWorkflow({ ...workspace, attest: true })).toBe(githubWorkflow(workspace));
  expect(gitlabPipeline({ ...workspace, attest: true })).toBe(gitlabPipeline(workspace));
});
