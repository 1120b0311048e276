import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { runAssemble } from '../../src/cli/commands/assemble.ts';
import { writeFiles } from '../bundle/tree.ts';
import { commitAll, git } from '../support/folders.ts';
import { SVG } from '../support/live-registry.ts';
import { contextIn } from './author-support.ts';
import { releaseIn, repository, type Run, sources, statesOf, textOf } from './release-fixture.ts';

/** What `release` refuses: the check, the dry run and the publication have to agree. */

const MODES = [{ check: true }, { check: true, against: '.' }, { dryRun: true }, {}] as const;

async function expectBroken(root: string, code: RegExp, options: object = {}): Promise<void> {
  const before = textOf(root, 'apps/clock/versions.json');
  for (const mode of MODES) {
    const run: Run = await releaseIn(root, { ...options, ...mode });
    expect(run, JSON.stringify(mode)).toMatchObject({ code: 1, report: { summary: { broken: 1, new: 0, failed: 1 } } });
    expect(`${run.apps['clock']?.message} ${run.apps['clock']?.advice}`).toMatch(code);
  }
  expect(textOf(root, 'apps/clock/versions.json')).toBe(before);
}

async function published(): Promise<string> {
  const root = await repository(sources({ clock: '1.0.0' }), { listed: ['clock'] });
  expect((await releaseIn(root)).code).toBe(0);
  return root;
}

const CHANGED = { 'src/clock/main.ts': 'export const app = 2;\n' };

test('a number that is too large is broken, unless the rule is set', async () => {
  const root = await published();
  writeFiles(root, { ...CHANGED, 'src/clock/VERSION': '20260101000000.0.0\n' });
  await expectBroken(root, /version-number-too-large/);
  const allowed = { rule: ['version-number-too-large=warning'] };
  expect((await releaseIn(root, { ...allowed, check: true })).code).toBe(0);
  expect(statesOf(await releaseIn(root, allowed))).toEqual({ clock: 'new' });
});

test('a number above 2^53 - 1 is broken, whatever the rule is set to', async () => {
  const root = await published();
  writeFiles(root, { ...CHANGED, 'src/clock/VERSION': '1.9007199254740992.0\n' });
  await expectBroken(root, /not compared with others/, { rule: ['version-number-too-large=off'] });
});

test('a new app is listed by the rules of assemble: errors refuse it, warnings are printed', async () => {
  const root = await published();
  writeFiles(root, {
    ...sources({ Clock: '1.0.0' }),
    'src/Clock/app.json': JSON.stringify({ name: 'A\u0007', description: 'An app.', color: '#112233' }),
    'src/Clock/icon.svg': SVG,
  });
  const before = textOf(root, 'registry.json');
  const refusing = { rule: ['app-key-ambiguous=error'] };
  for (const mode of MODES) {
    const run = await releaseIn(root, { ...refusing, ...mode });
    expect({ code: run.code, states: statesOf(run) }, JSON.stringify(mode)).toEqual({
      code: 1,
      states: { Clock: 'broken', clock: 'unchanged' },
    });
    expect(run.apps['Clock']?.message).toContain('app-key-ambiguous');
  }
  expect(textOf(root, 'registry.json')).toBe(before);
  const { code, context } = await releaseIn(root);
  expect(code).toBe(0);
  expect(context.printed.log.join('\n')).toMatch(/app-key-ambiguous.*text-unprintable/s);
});

test('a pre-release is broken without --allow-prerelease', async () => {
  const root = await published();
  writeFiles(root, { ...CHANGED, 'src/clock/VERSION': '1.1.0-rc.1\n' });
  await expectBroken(root, /--allow-prerelease/);
  expect((await releaseIn(root, { allowPrerelease: true })).report.summary.published).toBe(1);
});

test('the bytes of another version are broken without --allow-same <app>', async () => {
  const root = await published();
  writeFiles(root, { 'src/clock/VERSION': '1.1.0\n' });
  await expectBroken(root, /already published, as 1\.0\.0.*--allow-same/s);
  expect((await releaseIn(root, { allowSame: ['clock'] })).report.summary.published).toBe(1);
});

test('a secret is broken', async () => {
  const root = await published();
  const token = ['ghp', 'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0iL3oR6'].join('_');
  writeFiles(root, { 'src/clock/main.ts': `export const token = '${token}';\n`, 'src/clock/VERSION': '1.1.0\n' });
  await expectBroken(root, /secret/);
});

test('sources that are not committed are broken without --allow-dirty; ignored and other files do not count', async () => {
  const root = await repository(
    {
      ...sources({ clock: '1.0.0' }),
      '.gitignore': 'src/clock/ignored.ts\n',
      'src/clock/ignored.ts': 'export const a = 1;\n',
    },
    { listed: ['clock'] },
  );
  git(root, 'init', '--quiet');
  writeFiles(root, { 'src/clock/main.ts': "export { a } from './ignored.ts';\n" });
  await expectBroken(root, /not committed in git/);
  commitAll(root);
  writeFiles(root, { 'other.txt': 'x', 'src/clock/ignored.ts': 'export const a = 2;\n' });
  expect((await releaseIn(root, { check: true })).code).toBe(0);
  for (const [path, text] of [
    ['src/clock/main.ts', "export { b } from './new file.ts';\n"],
    ['src/clock/VERSION', '1.0.1\n'],
    ['appreg.config.json', `${textOf(root, 'appreg.config.json')}\n`],
  ] as const) {
    const committed = textOf(root, path) ?? '';
    writeFiles(root, { [path]: text, 'src/clock/new file.ts': 'export const b = 1;\n' });
    await expectBroken(root, new RegExp(`${path.replace('.', '\\.')}.*not committed`));
    writeFiles(root, { [path]: committed });
  }
  writeFiles(root, { 'src/clock/main.ts': "export { b } from './new file.ts';\n" });
  execFileSync('git', ['-C', root, 'commit', '--quiet', '--message', 'x', 'src/clock/main.ts'], {
    env: {
      ...process.env,
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@b',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@b',
    },
  });
  await expectBroken(root, /src\/clock\/new file\.ts is not committed/);
  expect((await releaseIn(root, { allowDirty: true })).report.summary.published).toBe(1);
});

test('a described app is listed with its version, from the folder that the configuration names', async () => {
  const root = await repository({
    ...sources({ clock: '1.0.0', lamp: '1.0.0' }),
    'src/clock/app.json': '{ "name": "Clock", "description": "Tells the time.", "color": "#112233" }',
    'src/clock/icon.svg': SVG,
    'src/lamp/app.json': '{ "name": "Lamp", "description": "A lamp.", "color": "red" }',
    'src/lamp/icon.svg': SVG,
  });
  const checked = await releaseIn(root, { check: true });
  expect(statesOf(checked)).toEqual({ clock: 'new', lamp: 'unlisted' });
  expect(checked.apps['lamp']?.message).toContain('src/lamp/app.json');
  const planned = await releaseIn(root, { dryRun: true });
  expect(planned.report.plan?.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    'create apps/clock/versions/1.0.0.tar.gz',
    'create apps/clock/icon.svg',
    'edit apps/clock/versions.json',
    'edit registry.json',
    'edit appreg.lock.json',
  ]);
  expect(textOf(root, 'apps/clock/versions.json')).toBeNull();
  expect(await releaseIn(root)).toMatchObject({ code: 1, report: { summary: { published: 1, unlisted: 1 } } });
  writeFiles(root, { 'src/lamp/app.json': '{ "name": "Lamp", "description": "A lamp.", "color": "#445566" }' });
  expect(await releaseIn(root)).toMatchObject({ code: 0, report: { summary: { published: 1, unchanged: 1 } } });
  const again = contextIn(root);
  expect(await runAssemble(again, {})).toBe(0);
  expect(again.printed.out).toEqual(['registry.json is already up to date (2 apps); nothing to do']);
});

async function describedBy(app: string, icon: string, folderOf = 'src/clock'): Promise<string> {
  const root = await published();
  writeFiles(root, { ...CHANGED, 'src/clock/VERSION': '1.1.0\n' });
  writeFiles(root, { [`${folderOf}/app.json`]: app, [`${folderOf}/icon.svg`]: icon });
  return root;
}

describe('the description of a listed app', () => {
  const VALID = '{\n  "name": "Clock",\n  "description": "Tells the time.",\n  "color": "#112233"\n}\n';

  const INVALID = [
    { name: 'a color that is none', app: VALID.replace('#112233', 'red'), icon: SVG, said: 'app.json:4:12: ' },
    { name: 'no name', app: '{ "color": "#112233", "description": "x" }', icon: SVG, said: 'app.json' },
    { name: 'an icon that is no image', app: VALID, icon: 'no image', said: 'icon.svg cannot be an icon' },
    { name: 'an empty icon', app: VALID, icon: '', said: 'icon.svg cannot be an icon: it is empty' },
    {
      name: 'two icons',
      app: VALID.replace('{', '{ "iconUrl": "https://a.example/i.png",'),
      icon: SVG,
      said: 'several icons',
    },
  ].flatMap((one) => [
    { ...one, folderOf: 'src/clock' },
    { ...one, folderOf: 'apps/clock' },
  ]);

  test.each(INVALID)('with $name in $folderOf is broken, as assemble says', async ({ app, icon, said, folderOf }) => {
    const root = await describedBy(app, icon, folderOf);
    await expectBroken(root, new RegExp(`The description of the app is invalid\\..*${folderOf}/?.*${said}`, 's'));
    await expect(runAssemble(contextIn(root), { check: true })).rejects.toMatchObject({
      code: expect.stringMatching(/^(apps|icon)-invalid$/) as string,
      message: expect.stringContaining(said) as string,
    });
  });

  test('is judged by the rules with their severities', async () => {
    const root = await describedBy(VALID.replace('Clock', 'A\\u0007'), SVG);
    const rule = ['text-unprintable=error'];
    await expectBroken(root, /src\/clock\/app\.json:2:11: .*\(text-unprintable\)/s, { rule });
    expect((await releaseIn(root, { check: true })).code).toBe(0);
  });

  test.each([VALID, '{ "entry": "main.ts" }'])('is valid as %j', async (app) => {
    const root = await describedBy(app, SVG);
    for (const mode of MODES) expect(statesOf(await releaseIn(root, mode))).toEqual({ clock: 'new' });
  });
});
