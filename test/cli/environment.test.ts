import { existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildInto } from '../support/built.ts';
import { commitAll, git } from '../support/folders.ts';
import { openSharedProcess, type SharedProcess } from '../support/shared-process.ts';

/** Folders that the environment names: one that cannot be used is an error in words, and never created in the workspace. */

const root = mkdtempSync(join(realpathSync(tmpdir()), 'appreg-environment-'));
const cwd = join(root, 'work');
const CONFIG = '{ "baseUrl": "https://a.example/" }\n';
let appreg: SharedProcess;
beforeAll(async () => {
  await buildInto(root);
  appreg = openSharedProcess(join(root, 'dist/node/main.cjs'), { launcher: [], limit: 60_000 });
}, 120_000);
afterAll(() => {
  appreg.close();
  rmSync(root, { recursive: true, force: true });
});
beforeEach(() => {
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(join(cwd, 'src'), { recursive: true });
  writeFileSync(join(root, 'file'), '');
  writeFileSync(join(cwd, 'appreg.config.json'), CONFIG);
  writeFileSync(join(cwd, 'registry.json'), '{ "apps": {} }\n');
  writeFileSync(join(cwd, 'src/main.js'), 'console.log(1);\n');
});

const WORK = ['appreg.config.json', 'registry.json', 'src'];

async function run(words: string, env: Record<string, string>): Promise<{ code: number | null; stderr: string }> {
  const { code, stderr } = await appreg.run(words.split(' '), { cwd, env: { PATH: process.env['PATH'], ...env } });
  expect(stderr).not.toMatch(/^ {4}at |internal error/m);
  return { code, stderr };
}

const VARIABLES = ['HOME', 'XDG_CONFIG_HOME', 'XDG_CACHE_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'TMPDIR'];
const VALUES: Record<string, string> = {
  empty: '',
  relative: 'relative/folder',
  'not a folder': join(root, 'file'),
  'not writable': '/proc/appreg',
  missing: join(root, 'missing'),
};
const cases = VARIABLES.flatMap((name) => Object.entries(VALUES).map(([what, value]) => ({ name, what, value })));

describe.skipIf(process.platform === 'win32')('a folder in the environment', () => {
  test.each(cases)('$name that is $what does not affect commands without it', async ({ name, value }) => {
    const env = { HOME: join(root, 'home'), [name]: value };
    expect((await run('lint', env)).code).toBe(0);
    expect((await run('bundle src/main.js ../out.tar.gz', env)).code).toBe(0);
    expect(readdirSync(cwd).toSorted()).toEqual(WORK);
  });

  test('HOME that is not set does not affect them either', async () => {
    expect((await run('lint', {})).code).toBe(0);
    expect((await run('bundle src/main.js ../out.tar.gz', {})).code).toBe(0);
  });

  test.each([
    ['HOME', '', /is unknown, because HOME is not an absolute path/],
    ['HOME', 'relative', /is unknown, because HOME is not an absolute path/],
    ['HOME', join(root, 'file'), /cannot be used: a part of its path is not a folder \(ENOTDIR\)\./],
    ['XDG_DATA_HOME', join(root, 'file'), /cannot be used: a part of its path is not a folder \(ENOTDIR\)\./],
    ['XDG_DATA_HOME', '/proc/appreg', /cannot be used: /],
    ['APPREG_CA_DIR', join(root, 'file'), /cannot be used: it is a file \(EEXIST\)\./],
  ])('serve --https with %s=%j is an error', async (name, value, message) => {
    const { code, stderr } = await run('serve --https --port 0', { HOME: join(root, 'home'), [name]: value });
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
    expect(readdirSync(cwd).toSorted()).toEqual(WORK);
  });

  test.each([
    ['relative', 'relative'],
    ['missing', join(root, 'no-folder')],
    ['a file', join(root, 'file')],
  ])('TMPDIR that is %s is an error for a store in git', async (_, value) => {
    const remote = join(root, 'remote.git');
    git(root, 'init', '--quiet', '--bare', remote);
    git(cwd, 'init', '--quiet');
    git(cwd, 'remote', 'add', 'origin', remote);
    writeFileSync(join(cwd, 'appreg.config.json'), '{ "baseUrl": "https://a.example/", "store": { "type": "git" } }');
    const words = 'add-app a --name A --description A. --icon https://a.example/i.svg --color #112233 --yes';
    const { code, stderr } = await run(words, { HOME: root, TMPDIR: value });
    expect(code).toBe(2);
    expect(stderr).toMatch(/Cannot create a folder in .*: a part of its path .* \(E\w+\)\./);
    expect(stderr).toContain('Set TMPDIR');
    expect(existsSync(join(cwd, 'relative'))).toBe(false);
  });
});

describe('--against', () => {
  const NO_PATH = /There is no file or folder/;
  const NO_COMMITS = /is not a file or folder, and this git repository has no commits yet/;
  test.each([
    ['../nofolder', NO_PATH],
    ['nofolder/', NO_PATH],
    ['/nofolder', NO_PATH],
    ['nope', NO_COMMITS],
    ['HEAD', NO_COMMITS],
    ['HEAD^1', NO_COMMITS],
    ['src', /No registry manifest in src/],
    ['src/main.js', /main\.js:1:1: /],
    ['./appreg.config.json', /is neither a registry manifest nor saved facts/],
  ])('%s in an empty repository is an error', async (ref, message) => {
    git(cwd, 'init', '--quiet');
    const { code, stderr } = await run(`lint --against ${ref}`, { HOME: root });
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  test.each([
    ['../nofolder', NO_PATH],
    ['nope', /git fetch --depth=1 origin nope\./],
    ['origin/other', /git fetch --depth=1 origin other\./],
    ['HEAD^1', /git fetch --unshallow\./],
  ])('%s in a shallow clone is an error', async (ref, message) => {
    const origin = join(root, 'origin');
    rmSync(origin, { recursive: true, force: true });
    mkdirSync(origin);
    git(origin, 'init', '--quiet');
    writeFileSync(join(origin, 'registry.json'), '{ "apps": {} }\n');
    writeFileSync(join(origin, 'appreg.config.json'), CONFIG);
    commitAll(origin, 'One');
    writeFileSync(join(origin, 'more'), '');
    commitAll(origin, 'Two');
    rmSync(cwd, { recursive: true, force: true });
    git(root, 'clone', '--quiet', '--depth', '1', `file://${origin}`, cwd);
    const { code, stderr } = await run(`lint --against ${ref}`, { HOME: root });
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
  });
});
