import { spawn } from 'node:child_process';
import { readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { buildAction } from './support/built-action.ts';
import { commitAll, folder, git, write } from './support/folders.ts';
import { checkout, ONE, type Pull, pullRequest, registry, TWO } from './support/pull-request.ts';
import { problemsIn, type Ran, runAction, type Runner } from './support/github-actions.ts';

/** The GitHub Action: its steps are executed, in checkouts like those of actions/checkout. */

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const text = readFileSync(join(root, 'action.yml'), 'utf8');
const action = parse(text);

describe('action.yml', () => {
  test('is valid for the runner of GitHub, and mistakes in it are found', () => {
    expect(problemsIn('action', text)).toEqual([]);
    expect(problemsIn('action', text.replace('using: composite', 'using: composit'))).not.toEqual([]);
    expect(problemsIn('action', text.replace('shell: bash', 'shel: bash'))).not.toEqual([]);
    expect(problemsIn('action', text.replace('inputs.version', 'github.nowhere.version +'))).not.toEqual([]);
  });

  test('has no untrusted text in its scripts', () => {
    for (const { run, shell, uses } of action.runs.steps) {
      expect(run).not.toContain('${{');
      expect(shell).toBe('bash');
      expect(uses).toBeUndefined();
    }
  });

  test('passes every input to a step', () => {
    const values = action.runs.steps.flatMap(({ env }: { env: Record<string, string> }) => Object.values(env));
    for (const name of Object.keys(action.inputs)) expect(values).toContain(`\${{ inputs.${name} }}`);
  });
});

/** The action in the layout of GitHub, with the files of a release. */
const home = folder();
beforeAll(() => buildAction(home), 60_000);

function run(workspace: string, event: Runner['event'], inputs?: Record<string, string>, env?: NodeJS.ProcessEnv): Ran {
  const temporary = folder();
  return runAction({ action: home, workspace, temporary, event, ...(env && { env }) }, inputs);
}

const onPull = ({ pull }: Pull, name = 'pull_request'): Runner['event'] => ({ name, payload: { pull_request: pull } });
const PUSH: Runner['event'] = { name: 'push', payload: {} };

describe('the action on a pull request', () => {
  test('fails a change of a published version, and annotates the line', () => {
    const change = pullRequest(registry({ '1.0.0': ONE }), registry({ '1.0.0': TWO }));
    const { code, commands, outputs, summary, log } = run(checkout(change.origin, change.merge), onPull(change));
    expect(code, log).toBe(1);
    expect(commands).toHaveLength(1);
    expect(commands[0]).toMatch(
      /^error file=apps\/clock\/versions\.json,line=6,col=\d+,title=artifact-changed clock 1\.0\.0::/,
    );
    expect(outputs).toMatchObject({ outcome: 'findings', errors: '1', warnings: '0' });
    expect(summary).toContain('artifact-changed');
    const sarif = JSON.parse(readFileSync(outputs['report']!, 'utf8'));
    expect(sarif.version).toBe('2.1.0');
    expect(sarif.runs[0].results.map(({ ruleId }: { ruleId: string }) => ruleId)).toEqual(['artifact-changed']);
  });

  test('passes a new version', () => {
    const change = pullRequest(registry({ '1.0.0': ONE }), registry({ '1.0.0': ONE, '1.1.0': TWO }));
    const { code, commands, outputs, log } = run(checkout(change.origin, change.merge), onPull(change));
    expect(code, log).toBe(0);
    expect(commands).toEqual([]);
    expect(outputs).toMatchObject({ outcome: 'clean', errors: '0', warnings: '0' });
  });

  test('compares with the commit that it was merged into, although the base has changed since', () => {
    const change = pullRequest(registry({ '1.0.0': ONE }), registry({ '1.0.0': ONE, '1.1.0': TWO }));
    write(change.origin, registry({ '1.0.0': ONE, '2.0.0': TWO }));
    commitAll(change.origin, 'Another version');
    expect(run(checkout(change.origin, change.merge), onPull(change)).code).toBe(0);
  });

  test('compares with the base of its group in a merge queue', () => {
    const change = pullRequest(registry({ '1.0.0': ONE }), registry({ '1.0.0': TWO }));
    const payload = { merge_group: { base_sha: change.pull.base.sha, head_sha: change.merge } };
    const { code, log } = run(checkout(change.origin, change.merge), { name: 'merge_group', payload });
    expect(code).toBe(1);
    expect(log).toContain('artifact-changed');
  });

  test('compares a checked-out head with its merge base if the history exists, and is incomplete otherwise', () => {
    const change = pullRequest(registry({ '1.0.0': ONE }), registry({ '1.0.0': ONE, '1.1.0': TWO }));
    write(change.origin, registry({ '1.0.0': ONE, '2.0.0': TWO }));
    change.pull.base.sha = commitAll(change.origin, 'Another version');
    const { head } = change.pull;
    const full = checkout(change.origin, head.sha, 0);
    git(full, 'fetch', '--quiet', 'origin', 'main');
    expect(run(full, onPull(change)).code).toBe(0);

    const { code, commands, outputs } = run(checkout(change.origin, head.sha), onPull(change));
    expect(code).toBe(2);
    expect(commands).toEqual([expect.stringMatching(/^error title=appreg::.*set fetch-depth: 0/)]);
    expect(outputs['outcome']).toBe('incomplete');
  });

  test('is incomplete if something else was checked out', () => {
    const change = pullRequest(registry({ '1.0.0': ONE }), registry({ '1.0.0': TWO }));
    const base = checkout(change.origin, change.pull.base.sha);
    const { code, commands } = run(base, onPull(change, 'pull_request_target'));
    expect(code).toBe(2);
    expect(commands).toEqual([expect.stringContaining('Check out refs/pull/1/merge')]);
    expect(run(base, onPull(change, 'pull_request_target'), { against: 'none' }).code).toBe(0);
  });

  test('is incomplete if the base cannot be fetched, and names the setting', () => {
    const change = pullRequest(registry({ '1.0.0': ONE }), registry({ '1.0.0': TWO }));
    const workspace = checkout(change.origin, change.merge);
    git(workspace, 'remote', 'set-url', 'origin', `file://${change.origin}-gone`);
    const { code, commands } = run(workspace, onPull(change));
    expect(code).toBe(2);
    expect(commands).toEqual([expect.stringMatching(/cannot be fetched: .*set fetch-depth: 0/)]);
  });

  test('is incomplete without a checkout, and names the missing step', () => {
    const { code, commands } = run(folder(registry({ '1.0.0': ONE })), onPull(pullRequest({ a: 1 }, { a: 2 })));
    expect(code).toBe(2);
    expect(commands).toEqual([expect.stringContaining('Add actions/checkout before this step')]);
  });
});

describe('the action with inputs', () => {
  const workspace = folder({
    ...registry({ '1.0.0': ONE }),
    'warned/registry.json': { apps: {} },
    'warned/appreg.config.json': {},
    'broken/appreg.config.json': '{',
  });

  test('writes the report in the given format', () => {
    const { outputs } = run(workspace, PUSH, { format: 'junit' });
    expect(outputs['report']).toMatch(/\.xml$/);
    expect(readFileSync(outputs['report']!, 'utf8')).toMatch(/^<\?xml/);
  });

  test('passes on max-warnings and args', () => {
    const warned = run(workspace, PUSH, { path: 'warned', args: '--rule no-apps=warning' });
    expect(warned).toMatchObject({ code: 0, outputs: { warnings: '1' } });
    expect(run(workspace, PUSH, { path: 'warned', args: `--rule 'no-apps=warning'`, 'max-warnings': '0' }).code).toBe(
      1,
    );
  });

  test('has in the JUnit report what max-warnings fails', () => {
    const inputs = { path: 'warned', args: '--rule no-apps=warning', format: 'junit', 'max-warnings': '0' };
    const { outputs } = run(workspace, PUSH, inputs);
    expect(readFileSync(outputs['report']!, 'utf8')).toContain('1 warning, and --max-warnings is 0');
  });

  test('fails only what is not in the baseline', () => {
    const report = run(workspace, PUSH, { path: 'warned', format: 'json' }).outputs['report']!;
    const inputs = { path: 'warned', args: '--rule no-apps=error' };
    expect(run(workspace, PUSH, inputs).code).toBe(1);
    expect(run(workspace, PUSH, { ...inputs, baseline: report })).toMatchObject({ code: 0, outputs: { errors: '0' } });
  });

  test('compares a push with the given state', () => {
    const files = folder(registry({ '1.0.0': TWO }));
    expect(run(workspace, PUSH).code).toBe(0);
    expect(run(workspace, PUSH, { against: files }).log).toContain('artifact-changed');
  });

  test.each<{ name: string; inputs: Record<string, string>; message: RegExp }>([
    {
      name: 'an unknown command',
      inputs: { command: 'publish-version' },
      message: /must be one of lint, verify, diagnose, judge, release, publish, assemble, diff/,
    },
    { name: 'an unknown format', inputs: { format: 'toString' }, message: /format must be one of sarif/ },
    { name: 'verify without a URL', inputs: { command: 'verify' }, message: /url is missing/ },
    {
      name: 'publish with a state to compare',
      inputs: { command: 'publish', against: 'main' },
      message: /against is only for checks/,
    },
    {
      name: 'an attestation of a check',
      inputs: { command: 'release', attest: 'true' },
      message: /attest is for publish; release publishes nothing/,
    },
    {
      name: 'a load test that is neither on nor off',
      inputs: { command: 'release', 'load-test': 'yes' },
      message: /load-test must be true or false/,
    },
    {
      name: 'a load test of a command that builds nothing',
      inputs: { command: 'lint', 'load-test': 'true' },
      message: /load-test is for release and publish; lint builds nothing/,
    },
    {
      name: 'a baseline without findings',
      inputs: { command: 'diff', baseline: 'x.json' },
      message: /baseline is for lint, verify, judge; the command is diff/,
    },
    {
      name: 'a baseline for diagnose, which explains all findings',
      inputs: { command: 'diagnose', url: 'https://a.test/registry.json', baseline: 'x.json' },
      message: /baseline is for lint, verify, judge; the command is diagnose/,
    },
    {
      name: 'saved facts with a state to compare',
      inputs: { command: 'judge', against: 'main' },
      message: /against is not for judge/,
    },
    { name: 'an option that the action itself sets', inputs: { args: '--output=x' }, message: /cannot hold --output/ },
    { name: 'a path that does not exist', inputs: { path: 'warnd' }, message: /path names “warnd”, which does not/ },
    { name: 'one of two paths', inputs: { path: 'warned\nbrokn' }, message: /path names “brokn”, which does not/ },
    {
      name: 'two folders of release',
      inputs: { command: 'release', path: 'warned\nbroken' },
      message: /release takes one folder/,
    },
    { name: 'a folder to work in', inputs: { 'working-directory': 'gone' }, message: /working-directory names “gone”/ },
    {
      name: 'an advisory mode that is neither on nor off',
      inputs: { advisory: '1' },
      message: /must be true or false/,
    },
    {
      name: 'an advisory publication',
      inputs: { command: 'publish', advisory: 'true' },
      message: /advisory is for checks; publish fails/,
    },
    {
      name: 'a file as the folder of a configuration',
      inputs: { command: 'diff', path: 'registry.json', against: '.' },
      message: /“registry\.json”, which is a file; diff needs the folder/,
    },
    {
      name: 'an advisory check that cannot run',
      inputs: { advisory: 'true', path: 'broken' },
      message: /cannot be read/,
    },
    { name: 'the end of options', inputs: { args: '-- x' }, message: /cannot hold --;/ },
    { name: 'an open quote', inputs: { args: `--rule 'x` }, message: /quote that is not closed/ },
    { name: 'an unknown option', inputs: { args: '--no-such' }, message: /Unknown option/ },
    { name: 'a broken configuration', inputs: { path: 'broken' }, message: /cannot be read/ },
  ])('refuses $name', ({ inputs, message }) => {
    const { code, commands, outputs } = run(workspace, PUSH, inputs);
    expect(code).toBe(2);
    expect(commands).toHaveLength(1);
    expect(commands[0]).toMatch(/^error /);
    expect(commands[0]).toMatch(message);
    expect(outputs['outcome']).toBe('incomplete');
  });

  test('prints no text of a registry as a command to the runner', () => {
    const name = 'x\n::error::spoofed\n ::add-mask::a\n##[error]spoofed\u2028::error::spoofed';
    const hostile = folder({ ...registry({ '1.0.0': ONE }, name), '::error::name.json': '{' });
    for (const inputs of [{}, { path: '::error::name.json' }, { args: `--rule text-unprintable=error` }]) {
      const { commands } = run(hostile, PUSH, inputs);
      for (const command of commands) expect(command).toMatch(/^(error|warning|notice) (file|title)=/);
    }
  });
});

const EVENTS = ['push', 'pull_request', 'merge_group', 'schedule'] as const;

describe.each(EVENTS)('the action on %s', (name) => {
  const change = pullRequest(registry({ '1.0.0': ONE }), registry({ '1.0.0': TWO }));
  const payloads: Record<(typeof EVENTS)[number], object> = {
    push: { before: change.pull.base.sha, after: change.merge },
    pull_request: { pull_request: change.pull },
    merge_group: { merge_group: { base_sha: change.pull.base.sha, head_sha: change.merge } },
    schedule: { schedule: '17 6 * * *' },
  };
  const event = { name, payload: payloads[name] };
  const isCompared = name === 'pull_request' || name === 'merge_group';

  test('lints, with one summary, and counts', () => {
    const { code, summary, outputs, log } = run(checkout(change.origin, change.merge), event);
    expect(code, log).toBe(isCompared ? 1 : 0);
    expect(outputs['outcome']).toBe(isCompared ? 'findings' : 'clean');
    expect(JSON.parse(outputs['counts']!)).toMatchObject({ errors: isCompared ? 1 : 0 });
    expect(summary.match(/^## appreg lint$/gm)).toHaveLength(1);
    expect(log.match(/\(1 app, 1 version, /g)).toHaveLength(1);
  });

  test('never fails for findings if it is advisory', () => {
    const { code, outputs } = run(checkout(change.origin, change.merge), event, { advisory: 'true' });
    expect(code).toBe(0);
    expect(outputs['outcome']).toBe(isCompared ? 'findings' : 'clean');
  });

  test('lists the apps that diff shows', () => {
    const inputs = { command: 'diff', against: change.pull.base.sha, comment: 'false' };
    const { code, outputs, log } = run(checkout(change.origin, change.merge, 0), event, inputs);
    expect(code, log).toBe(0);
    expect(JSON.parse(outputs['apps']!)).toEqual(['clock']);
    expect(JSON.parse(outputs['counts']!)).toMatchObject({ appsChanged: 1 });
  });
});

test('the action checks several paths, in a folder of the workspace', () => {
  const workspace = folder({ 'site/a/registry.json': { apps: {} }, 'site/b/registry.json': { apps: {} } });
  const inputs = { 'working-directory': 'site', path: 'a/registry.json\nb/registry.json\n' };
  const { code, commands, outputs, log } = run(workspace, PUSH, inputs);
  expect(code, log).toBe(0);
  expect(commands).toEqual(
    ['a', 'b'].map((name) => expect.stringContaining(`notice file=site/${name}/registry.json,line=`)),
  );
  expect(readFileSync(outputs['report']!, 'utf8')).toContain('"uri": "site/a/registry.json"');
});

test('the action checks the folders that assemble reads', () => {
  const app = { name: 'Clock', description: 'Tells the time.', color: '#1864ab' };
  const files = registry({ '1.0.0': ONE });
  const clean = folder({ ...files, 'apps/clock/app.json': app });
  expect(run(clean, PUSH, { command: 'assemble' })).toMatchObject({ code: 0, outputs: { outcome: 'clean' } });
  const broken = folder({ ...files, 'apps/clock/app.json': { ...app, color: 'red' } });
  const { code, outputs, commands } = run(broken, PUSH, { command: 'assemble' });
  expect(commands.join('\n')).toMatch(/^error .*red/s);
  expect({ code, outcome: outputs['outcome'] }).toEqual({ code: 1, outcome: 'findings' });
});

test('the action publishes new versions', () => {
  // The program of esbuild, which is not in the build.
  symlinkSync(join(root, 'node_modules/@esbuild'), join(home, 'node_modules/@esbuild'), 'junction');
  const workspace = folder({
    ...registry({ '1.0.0': ONE }),
    'appreg.config.json': {
      baseUrl: 'https://apps.example.com/',
      release: [{ folder: 'src/*', entry: 'main.ts', version: 'VERSION' }],
    },
    'src/clock/main.ts': 'export const app = 1;',
    'src/clock/VERSION': '1.1.0\n',
  });
  const { code, outputs, summary, log } = run(workspace, PUSH, { command: 'publish' });
  expect(code, log).toBe(0);
  expect(outputs).toMatchObject({ outcome: 'clean', errors: '0', apps: '["clock"]', comment: '' });
  expect(JSON.parse(outputs['counts']!)).toMatchObject({ new: 1, published: 1 });
  expect(JSON.parse(readFileSync(outputs['report']!, 'utf8'))).toMatchObject({
    command: 'release',
    summary: { published: 1 },
  });
  expect(summary).toContain('1 published');
  expect(readFileSync(join(workspace, 'apps/clock/versions.json'), 'utf8')).toContain('"1.1.0"');

  const unproven = run(workspace, PUSH, { command: 'publish', attest: 'true' });
  expect(unproven.code).toBe(2);
  expect(unproven.commands).toEqual([expect.stringMatching(/offers no OIDC token/)]);

  const changed = { 'src/clock/main.ts': 'export const app = 2;' };
  write(workspace, changed);
  const again = run(workspace, PUSH, { command: 'publish' });
  expect(again).toMatchObject({ code: 1, outputs: { outcome: 'findings', errors: '1' } });
  expect(again.commands).toEqual([expect.stringMatching(/^error title=changed clock::/)]);
});

test.each(['verify', 'diagnose'])('the action runs %s on a live registry', async (command) => {
  const workspace = folder(registry({ '1.0.0': ONE }));
  const server = spawn(process.execPath, [join(home, 'bin/appreg.js'), 'serve', workspace, '--port', '0']);
  onTestFinished(() => void server.kill());
  const url = await new Promise<string>((done) => server.stdout.once('data', (line) => done(String(line).trim())));
  const { code, outputs, summary, log } = run(folder(), PUSH, { command, url, format: 'json' });
  expect(code, log).toBe(0);
  const report = JSON.parse(readFileSync(outputs['report']!, 'utf8'));
  expect(report).toMatchObject({ command, target: url, summary: { artifacts: 1 } });
  expect(outputs['outcome']).toBe(report.outcome);
  expect(summary).toContain('1 app, 1 version, 1 artifact hashed');
});

test('the action judges saved facts', async () => {
  const workspace = folder(registry({ '1.0.0': ONE }));
  const facts = join(workspace, 'facts.json');
  run(workspace, PUSH, { command: 'verify', url: 'https://127.0.0.1:1/registry.json', args: `--save ${facts}` });
  const { code, outputs, log } = run(workspace, PUSH, { command: 'judge', path: 'facts.json', format: 'json' });
  expect(code, log).toBe(1);
  expect(JSON.parse(readFileSync(outputs['report']!, 'utf8'))).toMatchObject({ command: 'judge', outcome: 'findings' });
});
