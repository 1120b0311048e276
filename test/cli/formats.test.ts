import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SaxesParser } from 'saxes';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { folderInRepository } from '../../src/cli/check/ci.ts';
import { FORMATS } from '../../src/report/options.ts';
import { openSharedProcess } from '../support/shared-process.ts';

/** The formats as the built command line writes them: to stdout or a file, for complete and incomplete checks. */

const appreg = openSharedProcess(join(import.meta.dirname, '../../dist/node/main.cjs'));
afterAll(() => appreg.close());
const MACHINES = FORMATS.filter((format) => format !== 'pretty');

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(realpathSync.native(tmpdir()), 'appreg-formats-'));
  writeDocument('clean/registry.json', '{ "apps": {} }');
  writeDocument('broken/registry.json', '{ "apps": ');
  writeDocument('no-config/appreg.config.json', '{ "manifest": 1 }');
  mkdirSync(join(root, 'empty'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function writeDocument(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), `${text}\n`);
}

async function run(words: string, env: NodeJS.ProcessEnv = {}): Promise<{ code: number; out: string; err: string }> {
  const { PATH, HOME, SystemRoot } = process.env;
  const { code, stdout, stderr } = await appreg.run(words.split(' '), {
    cwd: root,
    env: { PATH, HOME, SystemRoot, ...env },
  });
  return { code, out: stdout, err: stderr };
}

/** Parses a document as its consumer would, and returns whether it shows errors or an incomplete check. */
const READ: Record<string, (text: string) => boolean> = {
  json: (text) => (JSON.parse(text) as { outcome: string }).outcome !== 'clean',
  sarif(text) {
    const [one] = (
      JSON.parse(text) as { runs: { results: unknown[]; invocations: { executionSuccessful: boolean }[] }[] }
    ).runs;
    return one!.results.length > 0 || !one!.invocations[0]!.executionSuccessful;
  },
  junit(text) {
    const parser = new SaxesParser();
    parser.on('error', (error) => {
      throw error;
    });
    parser.write(text).close();
    return /failures="[1-9]|errors="[1-9]/.test(text);
  },
  github(text) {
    for (const line of text.trimEnd().split('\n'))
      expect(line).toMatch(/^(::(error|warning|notice) |appreg \w+: |Not )/);
    return text.includes('::error ');
  },
  gitlab: (text) => (JSON.parse(text) as unknown[]).length > 0,
  markdown(text) {
    expect(text).toMatch(/^## appreg /);
    return /✗|Incomplete/.test(text);
  },
};

/** Without the time that a run took. */
const withoutTimes = (text: string): string => text.replace(/\d\.\d+( s|")/g, '<time>').replace(/"seconds": .*/, '');

describe.each(MACHINES)('%s', (format) => {
  test.each([
    { what: 'a registry with an error', words: `lint broken --format ${format}`, code: 1 },
    { what: 'a folder without a registry', words: `lint empty --format=${format}`, code: 2 },
    { what: 'a path that does not exist', words: `lint nowhere --format ${format}`, code: 2 },
    { what: 'an invalid configuration', words: `lint no-config --format ${format}`, code: 2 },
    { what: 'an unknown rule', words: `lint clean --rule nonsense=off --format ${format}`, code: 2 },
    { what: 'an unknown option', words: `lint clean --fixx --format ${format}`, code: 2 },
    { what: 'a file without saved facts', words: `judge clean/registry.json --format ${format}`, code: 2 },
  ])('stdout contains one document of the format and nothing else for $what', async ({ what, words, code }) => {
    const ran = await run(words);
    expect(ran.code).toBe(code);
    expect(READ[format]!(ran.out), what).toBe(true);
    if (code === 2) expect(ran.err).not.toBe('');
  });

  test('--output receives the document, and stdout nothing', async () => {
    const ran = await run(`lint broken --format ${format} --output ${format}.txt`);
    expect(ran).toMatchObject({ code: 1, out: '' });
    expect(READ[format]!(readFileSync(join(root, `${format}.txt`), 'utf8'))).toBe(true);
  });

  test('in GitHub Actions, a named format gives the same document and no step summary', async () => {
    const env = { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: join(root, `${format}-summary.md`) };
    expect(withoutTimes((await run(`lint broken --format ${format}`, env)).out)).toBe(
      withoutTimes((await run(`lint broken --format ${format}`)).out),
    );
    expect(() => readFileSync(env.GITHUB_STEP_SUMMARY)).toThrow('ENOENT');
  });
});

describe('in GitHub Actions, without a format', () => {
  const env = { GITHUB_ACTIONS: 'true' };
  const ANNOTATION = /^::error file=broken\/registry\.json,line=\d+,col=\d+,title=document-unreadable::/m;

  test('pretty output is followed by annotations', async () => {
    const { code, out } = await run('lint broken', env);
    expect(code).toBe(1);
    expect(out).toMatch(/^broken\/registry\.json\n/);
    expect(out).toMatch(ANNOTATION);
    expect((await run('lint broken')).out).not.toContain('::error');
    expect((await run('lint broken --format pretty', env)).out).not.toContain('::error');
  });

  test('--output receives the report, and stdout the annotations', async () => {
    const { out } = await run('lint broken --output pretty.txt', env);
    expect(out).toMatch(ANNOTATION);
    expect(out.trimEnd().split('\n')).toHaveLength(1);
    expect(readFileSync(join(root, 'pretty.txt'), 'utf8')).not.toContain('::');
  });

  test('the report is appended to the step summary as Markdown', async () => {
    writeDocument('summary.md', 'before');
    const { code } = await run('lint broken', { ...env, GITHUB_STEP_SUMMARY: join(root, 'summary.md') });
    expect(code).toBe(1);
    expect(readFileSync(join(root, 'summary.md'), 'utf8')).toMatch(
      /^before\n## appreg lint\n[^]*document-unreadable[^]*\n\n$/,
    );
    await run('lint clean', { GITHUB_STEP_SUMMARY: join(root, 'elsewhere.md') });
    expect(() => readFileSync(join(root, 'elsewhere.md'))).toThrow('ENOENT');
  });

  test('a summary that cannot be written is reported, and changes nothing else', async () => {
    const { code, out, err } = await run('lint clean', {
      ...env,
      GITHUB_STEP_SUMMARY: join(root, 'no/such/folder.md'),
    });
    expect(code).toBe(0);
    expect(out).toContain('no-apps');
    expect(err).toMatch(/^No summary was written to .*folder\.md \(GITHUB_STEP_SUMMARY\): ENOENT$/m);
  });

  test('a check that is incomplete is annotated', async () => {
    const { code, out } = await run('lint empty', env);
    expect(code).toBe(2);
    expect(out).toMatch(/^::error title=appreg lint is incomplete::.+\n$/);
  });

  test('paths are relative to the workspace of the job', async () => {
    const inside = { ...env, GITHUB_WORKSPACE: root };
    expect((await run('lint --cwd broken', inside)).out).toMatch(ANNOTATION);
    expect((await run('lint --cwd broken', env)).out).toMatch(/^::error file=registry\.json,/m);
  });
});

describe('the folder in the repository is determined', () => {
  beforeAll(() => {
    mkdirSync(join(root, 'repo/.git'), { recursive: true });
    mkdirSync(join(root, 'repo/a/b'), { recursive: true });
    writeDocument('worktree/.git', 'gitdir: elsewhere');
    mkdirSync(join(root, 'worktree/c'));
    symlinkSync(join(root, 'repo'), join(root, 'link'), 'dir');
  });

  test.each([
    { name: 'at the root of the repository', cwd: 'repo', env: {}, folder: '' },
    { name: 'below the root', cwd: 'repo/a/b', env: {}, folder: 'a/b' },
    { name: 'in a worktree, whose .git is a file', cwd: 'worktree/c', env: {}, folder: 'c' },
    { name: 'through a symbolic link', cwd: 'link/a', env: {}, folder: 'a' },
    { name: 'outside of a repository', cwd: 'empty', env: {}, folder: '' },
    { name: 'in the workspace of GitHub Actions', cwd: 'repo/a', env: { GITHUB_WORKSPACE: '.' }, folder: 'repo/a' },
    { name: 'in the project folder of GitLab', cwd: 'repo/a', env: { CI_PROJECT_DIR: 'repo/a' }, folder: '' },
    {
      name: 'if the workspace is a different folder',
      cwd: 'repo/a',
      env: { GITHUB_WORKSPACE: 'repo/a/b' },
      folder: 'a',
    },
    { name: 'if the workspace does not exist', cwd: 'repo/a', env: { GITHUB_WORKSPACE: 'nowhere' }, folder: 'a' },
    { name: 'if the workspace variable is empty', cwd: 'repo/a', env: { GITHUB_WORKSPACE: '' }, folder: 'a' },
  ])('$name', ({ cwd, env, folder }) => {
    const named = Object.entries(env).map(([name, path]) => [name, path === '' ? '' : join(root, path)]);
    expect(folderInRepository(join(root, cwd), Object.fromEntries(named) as NodeJS.ProcessEnv)).toBe(folder);
  });
});
