import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type Checked, githubWorkflow, gitlabPipeline } from '../../src/author/ci-files.ts';
import { FORMATS } from '../../src/report/options.ts';
import { problemsIn } from '../support/github-actions.ts';

const workspace: Checked = {
  manifest: 'registry.json',
  baseUrl: 'https://apps.example.com/r/',
  serviceOrigins: ['https://flows.example.com', 'https://flows.example.org'],
  appreg: '1.2.3',
};
/** What nobody would choose, and a careless script would run. */
const odd: Checked = {
  ...workspace,
  baseUrl: `https://apps.example.com/"$(id)'\${HOME}%20#: |/`,
  serviceOrigins: ['https://$(id).example'],
};

/** What a shell makes of a script whose appreg prints its arguments, one a line. */
function argumentsIn(script: readonly string[], env: Record<string, string>): string[] {
  const text = ['appreg() { printf "%s\\n" "$@"; }', ...script].join('\n');
  return execFileSync('bash', ['--norc', '-euc', text], { env, encoding: 'utf8' }).trimEnd().split('\n');
}

describe('the GitHub workflow', () => {
  test.each([
    ['plain', workspace],
    ['odd', odd],
  ])('GitHub has nothing against it: %s', (_, given) => {
    expect(problemsIn('workflow', githubWorkflow(given))).toEqual([]);
  });

  test('but against a mistake in it', () => {
    expect(problemsIn('workflow', githubWorkflow(workspace).replace('runs-on', 'runs-in'))).not.toEqual([]);
  });

  test('compares a pull request with the commit that it is merged into, which is fetched', () => {
    const { jobs } = parse(githubWorkflow(workspace));
    const [checkout, , lint] = jobs.lint.steps;
    expect(checkout.with['fetch-depth']).toBe(2);
    expect(lint.run).toBe('npx --yes appreg@1.2.3 lint --against HEAD^1');
  });

  test.each([workspace, odd])('hands on what was chosen as it is: %j', (given) => {
    const step = parse(githubWorkflow(given)).jobs.verify.steps.at(-1);
    const run = step.run.replace('npx --yes appreg@1.2.3', 'appreg');
    expect(argumentsIn([run], step.env)).toEqual([
      'verify',
      `${given.baseUrl}registry.json`,
      ...given.serviceOrigins.flatMap((origin) => ['--origin', origin]),
    ]);
  });
});

describe('the GitLab pipeline', () => {
  const pipeline = parse(gitlabPipeline(workspace));

  test('compares a merge request with where it left its target, with the history there', () => {
    expect(pipeline.lint.variables.GIT_DEPTH).toBe(0);
    expect(pipeline.lint.script).toEqual(['appreg lint --against "$CI_MERGE_REQUEST_DIFF_BASE_SHA"']);
  });

  test.each(['lint', 'verify'])('the reports that %s leaves behind are written, in formats that there are', (job) => {
    const { after_script: after, artifacts } = pipeline[job];
    const written = (after as string[]).map((line) => / --format (\w+) --output (\S+) \|\| true$/.exec(line)!.slice(1));
    expect(written.map(([, file]) => file).toSorted()).toEqual(Object.values(artifacts.reports).toSorted());
    for (const [format] of written) expect(FORMATS).toContain(format);
    expect(artifacts.when).toBe('always');
  });

  test.each([workspace, odd])('hands on what was chosen as it is: %j', (given) => {
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
      ...given.serviceOrigins.flatMap((origin) => ['--origin', origin]),
      '--save',
      'facts.json',
    ]);
  });
});
