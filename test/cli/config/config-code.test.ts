import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { COMMANDS } from '../../../src/cli/commands/index.ts';

const PROGRAM = join(import.meta.dirname, '../../../bin/appreg.js');

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'appreg-config-code-')));
  writeFileSync(join(root, 'registry.json'), '{ "apps": {} }');
});
afterEach(() => rmSync(root, { recursive: true }));

function run(words: string[], env: NodeJS.ProcessEnv = {}, cwd = root) {
  return spawnSync(process.execPath, [PROGRAM, ...words], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    timeout: 60_000,
  });
}

const NOISY = `
import { execSync } from 'node:child_process';
console.log('from console.log');
process.stdout.write('from stdout');
execSync('echo from a process', { stdio: 'inherit' });
export default {};
`;

test('what a configuration prints goes to stderr', () => {
  writeFileSync(join(root, 'appreg.config.mjs'), NOISY);
  const { stdout, stderr, status } = run(['lint', '--format', 'json']);
  expect(JSON.parse(stdout)).toMatchObject({ command: 'lint', summary: { errors: 0 } });
  expect(stderr).toContain('from console.log\nfrom stdoutfrom a process');
  expect(status).toBe(0);
});

test('settings of the search itself are neither read nor executed', () => {
  const marker = join(root, 'executed');
  const code = `require('node:fs').writeFileSync(${JSON.stringify(marker)}, ''); module.exports = { searchPlaces: ['other.json'] };`;
  mkdirSync(join(root, '.config'));
  for (const name of ['config.js', 'config.cjs']) writeFileSync(join(root, '.config', name), code);
  writeFileSync(join(root, 'package.json'), '{ "cosmiconfig": { "searchPlaces": ["other.json"] } }');
  writeFileSync(join(root, 'other.json'), '{ "manifest": 7 }');
  for (const [name, text] of [
    ['appreg.config.yaml', '{}'],
    ['appreg.config.cjs', 'module.exports = {};'],
  ] as const) {
    writeFileSync(join(root, name), text);
    expect(run(['lint'])).toMatchObject({ status: 0, stderr: expect.not.stringContaining('other.json') as string });
    rmSync(join(root, name));
  }
  expect(existsSync(marker)).toBe(false);
});

describe('a configuration that is code', () => {
  beforeEach(() => {
    mkdirSync(join(root, 'inner'));
    const marker = JSON.stringify(join(root, 'executed'));
    writeFileSync(
      join(root, 'appreg.config.mjs'),
      `import { writeFileSync } from 'node:fs'; writeFileSync(${marker}, ''); export default {};`,
    );
  });

  /** Commands that have a result without a workspace; a URL that no server has ends them early. */
  const WORDS: Record<string, string[]> = {
    verify: ['verify', 'http://127.0.0.1:1/registry.json'],
    diagnose: ['diagnose', 'http://127.0.0.1:1/registry.json'],
    judge: ['judge', 'facts.json'],
    mirror: ['mirror', 'http://127.0.0.1:1/registry.json', 'copy', '--base-url', 'https://a.example/'],
    rules: ['rules'],
    explain: ['explain', 'url-unstable'],
    attestation: ['attestation', 'registry.json', '--key', 'acme.pub'],
    checksum: ['checksum', 'registry.json'],
    policy: ['policy', 'policy.json'],
    conformance: ['conformance', '--role', 'host'],
    'conformance documents': ['conformance', 'documents', '--only', 'manifest-correct'],
    'conformance host': ['conformance', 'host', 'http://127.0.0.1:1/'],
    'conformance fixtures': ['conformance', 'fixtures', 'files'],
    'conformance subscriber': ['conformance', 'subscriber', '--command', 'false', '--only', 'key-with-space'],
    completion: ['completion', 'bash'],
    subscribe: ['subscribe', 'https://a.example/registry.json', '--service', 'http://127.0.0.1:1/', '--name', 'a'],
  };
  const others = COMMANDS.filter(
    ({ definition: { executesConfig, name } }) => !executesConfig && !name.startsWith('service'),
  );

  test.each(others.map(({ definition }) => definition.name))('is not executed by %s', (name) => {
    expect(WORDS).toHaveProperty(name);
    const { stderr } = run(WORDS[name]!, {}, join(root, 'inner'));
    expect(stderr).not.toMatch(/^ {4}at /m);
    expect(run(['lint', '--config-format', 'data']).stderr).toContain('is code, which was not executed');
    expect(run(['checksum', 'executed']).stderr).toContain('does not exist');
  });

  test('is not executed by diff of URLs', () => {
    const urls = ['http://127.0.0.1:1/a.json', 'http://127.0.0.1:1/b.json'];
    expect(run(['diff', ...urls])).toMatchObject({ status: 2 });
    expect(run(['diff', ...urls]).stderr).toContain('is code, which was not executed');
  });

  test('is refused by rules unless it is named', () => {
    expect(run(['rules'])).toMatchObject({ status: 2, stdout: '' });
    expect(run(['rules', '--config', 'appreg.config.mjs']).status).toBe(0);
    expect(run(['rules', '--config-format', 'any']).status).toBe(0);
  });

  test('is refused with the environment variable, which the option overrides', () => {
    const env = { APPREG_CONFIG_FORMAT: 'data' };
    expect(run(['lint'], env).status).toBe(2);
    expect(run(['lint', '--config', 'appreg.config.mjs'], env).status).toBe(2);
    expect(run(['lint', '--config-format', 'any'], env).status).toBe(0);
    const wrong = run(['lint'], { APPREG_CONFIG_FORMAT: 'dta' });
    expect(wrong.stderr).toContain('APPREG_CONFIG_FORMAT: “dta” is not a format of configurations. Did you mean data?');
    expect(wrong.status).toBe(2);
  });
});
