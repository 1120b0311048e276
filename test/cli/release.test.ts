import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFiles } from '../bundle/tree.ts';
import { runRelease } from '../../src/cli/commands/release.ts';
import { contextIn, refusal, snapshot } from './author-support.ts';
import { repository, releaseIn, sources, statesOf, textOf } from './release-fixture.ts';

test('release checks and publishes a repository, and publishes it again after a change and --bump', async () => {
  const root = await repository(sources({ clock: '1.0.0', lamp: '2.0.0' }), { listed: ['clock', 'lamp'] });
  const before = snapshot(root);
  const checked = await releaseIn(root, { check: true });
  expect(checked).toMatchObject({ code: 0, report: { outcome: 'clean', summary: { new: 2, published: 0 } } });
  expect(snapshot(root)).toBe(before);

  const released = await releaseIn(root);
  expect(released).toMatchObject({ code: 0, report: { summary: { new: 2, published: 2, failed: 0 } } });
  expect(released.apps['clock']).toMatchObject({ published: true, declared: '1.0.0', listed: null });
  expect(textOf(root, 'apps/clock/versions.json')).toContain(released.apps['clock']?.checksum);

  const unchanged = await releaseIn(root);
  expect(unchanged).toMatchObject({ code: 0, report: { summary: { unchanged: 2, published: 0 } } });
  expect(unchanged.apps['lamp']).toMatchObject({
    listed: '2.0.0',
    listedChecksum: released.apps['lamp']?.checksum,
    message: null,
  });

  writeFiles(root, { 'src/lamp/main.ts': 'export const app = 1;\n' });
  const changed = await releaseIn(root, { check: true });
  expect(changed).toMatchObject({ code: 1, report: { outcome: 'findings', summary: { changed: 1, unchanged: 1 } } });
  // Without --check, too, and nothing is published.
  expect(await releaseIn(root)).toMatchObject({ code: 1, report: { summary: { changed: 1, published: 0 } } });

  const planned = await releaseIn(root, { bump: true, dryRun: true });
  expect(planned.apps['lamp']?.advice).toBe('appreg release --bump writes 2.0.1 into src/lamp/VERSION.');
  expect(textOf(root, 'src/lamp/VERSION')).toBe('2.0.0\n');
  const bumped = await releaseIn(root, { bump: true });
  expect(bumped).toMatchObject({ code: 0, report: { summary: { new: 1, unchanged: 1 } } });
  expect(bumped.apps['lamp']?.message).toBe('Raised from 2.0.0 to 2.0.1 in src/lamp/VERSION.');
  expect([textOf(root, 'src/lamp/VERSION'), textOf(root, 'src/clock/VERSION')]).toEqual(['2.0.1\n', '1.0.0\n']);
  expect(await releaseIn(root)).toMatchObject({ code: 0, report: { summary: { new: 1, published: 1 } } });
});

test('release --check reports the state of each app', async () => {
  const root = await repository(sources({ changed: '1.0.0', behind: '1.5.0', unchanged: '1.0.0', fresh: '1.0.0' }), {
    listed: ['changed', 'behind', 'unchanged', 'fresh', 'broken'],
  });
  await releaseIn(root, { app: ['changed', 'behind', 'unchanged'] });
  writeFiles(root, {
    'src/changed/main.ts': 'export const app = 1;\n',
    'src/behind/VERSION': '1.0.0\n',
    'src/unlisted/main.ts': 'export {};\n',
    'src/unlisted/VERSION': '1.0.0\n',
    'src/broken/main.ts': 'export const = ;\n',
    'src/broken/VERSION': '1.0.0\n',
  });
  const run = await releaseIn(root, { check: true });
  expect(statesOf(run)).toEqual({
    behind: 'behind',
    broken: 'broken',
    changed: 'changed',
    fresh: 'new',
    unchanged: 'unchanged',
    unlisted: 'unlisted',
  });
  expect(run.code).toBe(1);
  expect(run.apps['broken']).toMatchObject({
    checksum: null,
    message: expect.stringContaining('src/broken/main.ts:1:14'),
  });
  expect(run.apps['behind']?.advice).toBe(
    'Declare a version above 1.5.0 in src/behind/VERSION. To publish 1.0.0 for subscribers of an older version: appreg publish-version behind 1.0.0 --entry src/behind/main.ts --allow-lower',
  );
  // One app that fails stops no other.
  expect(await releaseIn(root)).toMatchObject({ code: 1, report: { summary: { published: 1, failed: 1 } } });
});

test.each<[string, (file: string) => void, RegExp]>([
  ['a folder', (file) => mkdirSync(file), /apps\/lamp\/versions\.json is not a regular file\./],
  ['a link to itself', (file) => symlinkSync(basename(file), file), /versions\.json: its symbolic links form a loop/],
  ['a broken link', (file) => symlinkSync('absent.json', file), /versions\.json leads to a broken symbolic link\./],
  [
    'a link to another folder',
    (file) => symlinkSync(process.execPath, file),
    /a symbolic link points outside the folder/,
  ],
])('a metadata file that is %s stops no other app', async (_, make, warning) => {
  const root = await repository(sources({ clock: '1.0.0', lamp: '1.0.0' }), { listed: ['clock', 'lamp'] });
  const file = join(root, 'apps/lamp/versions.json');
  rmSync(file);
  make(file);
  const run = await releaseIn(root);
  expect(run).toMatchObject({ code: 1, report: { summary: { published: 1, broken: 1 } } });
  expect(run.apps['lamp']?.message).toContain('The published versions of lamp are unknown');
  expect(run.context.printed.log.join('\n')).toMatch(warning);
});

test('a metadata file whose path is refused stops no other app', async () => {
  const root = await repository(sources({ clock: '1.0.0', lamp: '1.0.0' }), { listed: ['clock', 'lamp'] });
  const manifest = textOf(root, 'registry.json')!.replace('apps/lamp/versions.json', 'apps/con/versions.json');
  writeFiles(root, { 'registry.json': manifest });
  expect(await releaseIn(root)).toMatchObject({ code: 1, report: { summary: { published: 1, broken: 1 } } });
});

test('a version that a rule refuses fails the check, and is not published', async () => {
  const root = await repository(sources({ clock: '1.0.0-rc.1', lamp: '1.0.0' }), { listed: ['clock', 'lamp'] });
  const options = { rule: ['version-not-plain=error'], allowPrerelease: true };
  for (const mode of [{ check: true }, { dryRun: true }, {}]) {
    const run = await releaseIn(root, { ...options, ...mode });
    const summary = { new: 1, broken: 1, failed: 1 };
    expect(run).toMatchObject({ code: 1, report: { outcome: 'findings', summary } });
    expect(run.apps['clock']).toMatchObject({
      published: false,
      message: expect.stringContaining('version-not-plain'),
    });
  }
  expect(textOf(root, 'apps/clock/versions.json')).toBe('{ "versions": [] }\n');
  expect(textOf(root, 'apps/lamp/versions.json')).toContain('1.0.0');
});

test('--bump changes the version of the app in its package-lock.json, too', async () => {
  const lock = '{\r\n  "name": "clock", "version": "1.0.0",\r\n  "packages": { "": { "version": "1.0.0" } } }';
  const root = await repository(
    {
      ...sources({ clock: '1.0.0' }),
      'src/clock/package.json': '{ "version": "1.0.0" }',
      'src/clock/package-lock.json': lock,
      'src/clock/npm-shrinkwrap.json': '{}',
    },
    { listed: ['clock'], release: [{ folder: 'src/*', entry: 'main.ts' }] },
  );
  await releaseIn(root);
  writeFiles(root, { 'src/clock/main.ts': 'export const app = 1;\n' });
  const planned = await releaseIn(root, { bump: true, dryRun: true });
  expect(planned.apps['clock']?.advice).toBe(
    'appreg release --bump writes 1.0.1 into src/clock/package.json and src/clock/package-lock.json.',
  );
  expect(textOf(root, 'src/clock/package-lock.json')).toBe(lock);
  const bumped = await releaseIn(root, { bump: true });
  expect(bumped.apps['clock']?.message).toBe(
    'Raised from 1.0.0 to 1.0.1 in src/clock/package.json and src/clock/package-lock.json.',
  );
  expect(textOf(root, 'src/clock/package.json')).toBe('{ "version": "1.0.1" }');
  expect(textOf(root, 'src/clock/package-lock.json')).toBe(lock.replaceAll('1.0.0', '1.0.1'));
  expect(textOf(root, 'src/clock/npm-shrinkwrap.json')).toBe('{}');
});

test('--bump changes the versions of workspaces in the lock file of the repository, for all apps at once', async () => {
  const lock = `{\n  "name": "all", "version": "9.0.0", "packages": {
    "": { "version": "9.0.0", "workspaces": ["src/*"] },
    "node_modules/clock": { "resolved": "src/clock", "link": true },
    "src/clock": { "version": "1.0.0" },\r\n\t"src/lamp" : {"license":"MIT","version" :"1.0.0"},
    "src/other": { "version": "1.0.0" } } }`;
  const manifest = '{ "version": "1.0.0" }';
  const root = await repository(
    {
      ...sources({ clock: '1.0.0', lamp: '1.0.0' }),
      '.git/HEAD': 'ref: refs/heads/main\n',
      'package-lock.json': lock,
      'src/clock/package.json': manifest,
      'src/lamp/package.json': manifest,
    },
    { listed: ['clock', 'lamp'], release: [{ folder: 'src/*', entry: 'main.ts' }] },
  );
  await releaseIn(root);
  writeFiles(root, { 'src/clock/main.ts': 'export const a = 1;\n', 'src/lamp/main.ts': 'export const a = 2;\n' });
  const { apps } = await releaseIn(root, { bump: true });
  expect(apps['clock']?.message).toBe('Raised from 1.0.0 to 1.0.1 in src/clock/package.json and package-lock.json.');
  expect(apps['lamp']?.message).toBe('Raised from 1.0.0 to 1.0.1 in src/lamp/package.json and package-lock.json.');
  const after = lock
    .replace('"src/clock": { "version": "1.0.0" }', '"src/clock": { "version": "1.0.1" }')
    .replace('"version" :"1.0.0"', '"version" :"1.0.1"');
  expect(textOf(root, 'package-lock.json')).toBe(after);
});

test.each(['registry.json', 'appreg.config.json'])('release without %s says to run appreg init', async (missing) => {
  const root = await repository(sources({ clock: '1.0.0' }), { listed: ['clock'] });
  rmSync(join(root, missing));
  for (const options of [{}, { check: true }, { bump: true }]) {
    const error = await refusal(releaseIn(root, options));
    expect(error).toMatchObject({ exit: 2, hint: expect.stringContaining('appreg init') });
    expect(error.message).not.toContain('compared');
  }
});

test.each([
  [{ check: true, bump: true }, /--check writes nothing/],
  [{ against: 'HEAD' }, /--against is only valid with/],
  [{ check: true, against: ' ' }, /--against is empty/],
  [{ check: true, jobs: 0 }, /--jobs is 0/],
  [{ check: true, app: ['clok'] }, /“clok”. Did you mean clock/],
])('release refuses the options %j', async (options, message) => {
  const root = await repository(sources({ clock: '1.0.0' }), { listed: ['clock'] });
  const error = await refusal(releaseIn(root, options));
  expect(error.message).toMatch(message);
  expect(error.exit).toBe(2);
});

test('a release that only records sources says what it has written', async () => {
  const root = await repository(sources({ clock: '1.0.0' }), { listed: ['clock'] });
  await releaseIn(root);
  rmSync(join(root, 'appreg.lock.json'));
  const context = contextIn(root);
  expect(await runRelease(context, {})).toBe(0);
  expect(context.printed.out).toEqual(['1 app: 1 unchanged']);
  expect(context.printed.log).toEqual(['Stored: appreg.lock.json.']);
  const again = contextIn(root);
  expect(await runRelease(again, {})).toBe(0);
  expect(again.printed.log).toEqual([]);
});
