import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CheckedRegistry, describeIf, hasProgram, openRegistry, ROOT } from '../support/installed.ts';

/** The hooks, as pre-commit installs them: from a repository that contains the build, which saves building it again. */

const TIMEOUT = 180_000;

function git(cwd: string, ...args: string[]): void {
  const flags = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
  const { status, stderr } = spawnSync('git', [...flags, ...args], { cwd, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

function commit(folder: string): void {
  git(folder, 'init', '--quiet');
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message', 'all');
}

describeIf(hasProgram('pre-commit') ? null : 'pre-commit is missing', 'the hooks of pre-commit', () => {
  let registry: CheckedRegistry;
  let hooks = '';

  beforeAll(async () => {
    registry = await openRegistry();
    hooks = join(registry.place, 'hooks');
    for (const path of ['bin', 'dist/node', 'schemas', '.pre-commit-hooks.yaml', 'LICENSE'])
      cpSync(join(ROOT, path), join(hooks, path), { recursive: true });
    const {
      scripts: _,
      devDependencies: __,
      ...rest
    } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<string, unknown>;
    writeFileSync(join(hooks, 'package.json'), JSON.stringify(rest));
    commit(hooks);
    commit(registry.folder);
  }, TIMEOUT);
  afterAll(() => registry.close());

  function tried(...hook: string[]): { status: number | null; output: string } {
    const { status, stdout, stderr } = spawnSync(
      'pre-commit',
      ['try-repo', hooks, ...hook, '--ref', 'HEAD', '--all-files', '--verbose'],
      {
        cwd: registry.folder,
        env: { ...process.env, PRE_COMMIT_HOME: join(registry.place, 'pre-commit'), npm_config_prefer_offline: 'true' },
        encoding: 'utf8',
      },
    );
    return { status, output: stdout + stderr };
  }

  test(
    'run with the commands that they name: both, in a registry without a configuration of releases',
    () => {
      const { status, output } = tried();
      expect(status).toBe(1);
      expect(output).toMatch(/^appreg lint\.+Passed$/m);
      expect(output).toContain('No problems');
      expect(output).toMatch(/^appreg release --check\.+Failed$/m);
      expect(output).toContain('- exit code: 2');
    },
    TIMEOUT,
  );

  test(
    'fail for a registry with an error',
    () => {
      const manifest = join(registry.folder, 'registry.json');
      writeFileSync(manifest, readFileSync(manifest, 'utf8').replace('#d9480f', 'orange'));
      const { status, output } = tried('appreg-lint');
      expect([status, output]).toEqual([1, expect.stringContaining('block-color-malformed')]);
    },
    TIMEOUT,
  );
});

test('npm pack prints only the name of its file, which pre-commit installs', () => {
  expect(readFileSync(join(ROOT, '.npmrc'), 'utf8').split('\n')).toContain('foreground-scripts=false');
});
