import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runEditApp } from '../../src/cli/commands/edit-app.ts';
import { runRelease } from '../../src/cli/commands/release.ts';
import { writeFiles } from '../bundle/tree.ts';
import { commitAll, git } from '../support/folders.ts';
import { contextIn, snapshot } from './author-support.ts';
import { releaseIn, repository, sources, statesOf, textOf } from './release-fixture.ts';

/** Texts and icons of listed apps, which release compares with what was last published. */

const ICON = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8"/></svg>\n';
const OTHER_ICON = ICON.replace('rect', 'path');
const THEIR_ICON = ICON.replace('rect', 'g');
const ICON_PATH = 'apps/clock/icon.svg';

function described(texts: object = {}): string {
  return JSON.stringify({ name: 'Clock', description: 'Tells the time.', color: '#112233', ...texts });
}

/** A repository in git with a described app, in a folder of its own, that release has listed. */
async function released(): Promise<string> {
  const root = await repository({
    ...sources({ clock: '1.0.0', lamp: '1.0.0' }),
    'src/clock/app.json': described(),
    'src/clock/icon.svg': ICON,
    'src/lamp/app.json': described({ name: 'Lamp' }),
    'src/lamp/icon.svg': ICON,
  });
  git(root, 'init', '--quiet', '-b', 'main');
  commitAll(root);
  expect(await releaseIn(root)).toMatchObject({ code: 0, report: { summary: { published: 2, changedTexts: 0 } } });
  commitAll(root);
  return root;
}

function describeClock(root: string, texts: object, files: Record<string, string> = {}): void {
  writeFiles(root, { 'src/clock/app.json': described(texts), ...files });
  commitAll(root);
}

interface Entry {
  name: string;
  description: string;
  blockStyle: { color: string; iconUrl: string };
}

function entryOf(root: string): Entry {
  return JSON.parse(textOf(root, 'registry.json') ?? '').apps.clock;
}

/** Changes the entry in the manifest alone, as from elsewhere. */
function editElsewhere(root: string, from: string, to: string): void {
  const text = textOf(root, 'registry.json') ?? '';
  expect(text).toContain(from);
  writeFiles(root, { 'registry.json': text.replace(from, to) });
  commitAll(root);
}

function recordOf(root: string): Record<string, string> | undefined {
  return JSON.parse(textOf(root, 'appreg.lock.json') ?? '').descriptions?.clock;
}

test('a listed app is recorded with its texts and its icon', async () => {
  const root = await released();
  expect(recordOf(root)).toMatchObject({ name: 'Clock', description: 'Tells the time.', color: '#112233' });
  const before = snapshot(root);
  expect(await releaseIn(root)).toMatchObject({ code: 0, report: { summary: { unchanged: 2 }, notable: false } });
  expect(snapshot(root)).toBe(before);
});

test('changed texts and a changed icon are reported, planned and published without a version', async () => {
  const root = await released();
  describeClock(root, { color: '#445566', name: 'Wall clock' }, { 'src/clock/icon.svg': OTHER_ICON });
  const before = snapshot(root);
  const changes = {
    fields: [
      { field: 'name', before: 'Clock', after: 'Wall clock' },
      { field: 'color', before: '#112233', after: '#445566' },
    ],
    icon: { before: expect.any(String), after: expect.any(String) },
    conflicts: [],
    differences: [],
    published: false,
    error: null,
  };
  for (const mode of [{ check: true }, { check: true, against: 'HEAD' }, { dryRun: true }]) {
    const run = await releaseIn(root, mode);
    expect(run).toMatchObject({ code: 0, report: { outcome: 'clean', notable: true, summary: { changedTexts: 1 } } });
    expect(statesOf(run)).toEqual({ clock: 'unchanged', lamp: 'unchanged' });
    expect(run.apps['clock']?.changes).toEqual({ ...changes, fields: expect.arrayContaining(changes.fields) });
    expect(run.apps['lamp']?.changes).toMatchObject({ fields: [], icon: null });
    if ('dryRun' in mode)
      expect(run.report.plan?.map(({ path }) => path)).toEqual([ICON_PATH, 'registry.json', 'appreg.lock.json']);
  }
  expect(snapshot(root)).toBe(before);

  const run = await releaseIn(root);
  expect(run).toMatchObject({ code: 0, report: { summary: { published: 0, changedTexts: 1, failed: 0 } } });
  expect(run.apps['clock']?.changes).toMatchObject({ published: true });
  expect(entryOf(root)).toMatchObject({ name: 'Wall clock', blockStyle: { color: '#445566' } });
  expect(textOf(root, ICON_PATH)).toBe(OTHER_ICON);
  expect(recordOf(root)).toMatchObject({ name: 'Wall clock', color: '#445566' });
  commitAll(root);
  expect(await releaseIn(root)).toMatchObject({ report: { summary: { changedTexts: 0 }, notable: false } });
});

test('a new version is published together with changed texts', async () => {
  const root = await released();
  describeClock(root, { color: '#445566' }, { 'src/clock/VERSION': '1.1.0\n', 'src/clock/main.ts': 'export {};\n' });
  const run = await releaseIn(root);
  expect(run).toMatchObject({ code: 0, report: { summary: { new: 1, published: 1, changedTexts: 1 } } });
  expect(entryOf(root).blockStyle.color).toBe('#445566');
  expect(textOf(root, 'apps/clock/versions.json')).toContain('1.1.0');
});

test('the text names what changes, and what subscribers keep', async () => {
  const root = await released();
  describeClock(root, { color: '#445566' });
  const context = contextIn(root);
  expect(await runRelease(context, { check: true })).toBe(0);
  expect(context.printed.out.join('\n').split('\n')).toEqual([
    '  state  app    declared  highest listed',
    '+ texts  clock  1.0.0     1.0.0',
    '    color: “#112233” → “#445566”',
    '',
    '2 apps: 2 unchanged, 1 with changed texts',
  ]);
});

describe('a text that was changed elsewhere', () => {
  test.each([
    ['app.json is as before', {}, 'Clock'],
    ['app.json has another text, too', { name: 'Wall clock' }, 'Wall clock'],
  ])('is a conflict, and not overwritten: %s', async (_, texts, name) => {
    const root = await released();
    editElsewhere(root, '"name": "Clock"', '"name": "Their clock"');
    describeClock(root, texts, { 'src/clock/VERSION': '1.1.0\n', 'src/clock/main.ts': 'export {};\n' });
    for (const mode of [{ check: true }, { check: true, against: 'HEAD' }, { dryRun: true }, {}]) {
      const run = await releaseIn(root, mode);
      expect(run).toMatchObject({ code: 1, report: { outcome: 'findings', summary: { conflicts: 1, failed: 0 } } });
      expect(run.apps['clock']?.changes).toMatchObject({
        fields: [],
        conflicts: [{ field: 'name', published: 'Their clock', described: name, recorded: 'Clock' }],
      });
    }
    expect(entryOf(root).name).toBe('Their clock');
    // Its version does not wait for it.
    expect(textOf(root, 'apps/clock/versions.json')).toContain('1.1.0');
    expect(recordOf(root)?.['name']).toBe('Clock');
  });

  test('is no conflict once app.json has it, or edit-app replaced it', async () => {
    const root = await released();
    editElsewhere(root, '"name": "Clock"', '"name": "Their clock"');
    const context = contextIn(root);
    expect(await runRelease(context, { check: true })).toBe(1);
    expect(context.printed.out.join('\n')).toContain('appreg edit-app clock --name Clock');
    describeClock(root, { name: 'Their clock' });
    expect(await releaseIn(root)).toMatchObject({ code: 0, report: { summary: { changedTexts: 0, conflicts: 0 } } });
    expect(recordOf(root)?.['name']).toBe('Their clock');

    editElsewhere(root, '"name": "Their clock"', '"name": "Other clock"');
    expect(await releaseIn(root, { check: true })).toMatchObject({ code: 1 });
    expect(await runEditApp(contextIn(root), 'clock', { name: 'Their clock' })).toBe(0);
    expect(await releaseIn(root)).toMatchObject({ code: 0, report: { summary: { conflicts: 0 } } });
  });

  test('stops no other field', async () => {
    const root = await released();
    editElsewhere(root, '"name": "Clock"', '"name": "Their clock"');
    describeClock(root, { color: '#445566' });
    const run = await releaseIn(root);
    expect(run).toMatchObject({ code: 1, report: { summary: { conflicts: 1, changedTexts: 1 } } });
    expect(entryOf(root)).toMatchObject({ name: 'Their clock', blockStyle: { color: '#445566' } });
  });

  test('is a conflict for an icon file as well', async () => {
    const root = await released();
    writeFiles(root, { [ICON_PATH]: THEIR_ICON });
    commitAll(root);
    for (const files of [{}, { 'src/clock/icon.svg': OTHER_ICON }]) {
      describeClock(root, {}, files);
      const run = await releaseIn(root);
      expect(run).toMatchObject({ code: 1, report: { summary: { conflicts: 1 } } });
      expect(run.apps['clock']?.changes).toMatchObject({ icon: null, conflicts: [{ field: 'icon' }] });
      expect(textOf(root, ICON_PATH)).toBe(THEIR_ICON);
    }
    describeClock(root, {}, { 'src/clock/icon.svg': THEIR_ICON });
    expect(await releaseIn(root)).toMatchObject({ code: 0, report: { summary: { conflicts: 0, changedTexts: 0 } } });
  });
});

/** Removes what is recorded of the texts, as in an older lock file. */
function forget(root: string): void {
  const { descriptions: _, ...lock } = JSON.parse(textOf(root, 'appreg.lock.json') ?? '');
  writeFiles(root, { 'appreg.lock.json': JSON.stringify(lock) });
  commitAll(root);
}

describe('without a record', () => {
  test('texts that agree are recorded', async () => {
    const root = await released();
    forget(root);
    expect(await releaseIn(root, { check: true })).toMatchObject({ code: 0, report: { notable: false } });
    expect(await releaseIn(root)).toMatchObject({ code: 0, report: { summary: { unchanged: 2, changedTexts: 0 } } });
    expect(recordOf(root)).toMatchObject({ name: 'Clock', color: '#112233' });
  });

  test('a text that differs is reported, and one that is missing is written', async () => {
    const root = await released();
    forget(root);
    describeClock(root, { name: 'Wall clock' });
    rmSync(join(root, ICON_PATH));
    commitAll(root);
    for (const mode of [{ check: true }, {}]) {
      const run = await releaseIn(root, mode);
      expect(run).toMatchObject({ code: 0, report: { summary: { conflicts: 0, changedTexts: 1 } } });
      expect(run.apps['clock']?.changes).toMatchObject({
        fields: [],
        icon: { before: null },
        differences: [{ field: 'name', published: 'Clock', described: 'Wall clock' }],
      });
    }
    expect(entryOf(root).name).toBe('Clock');
    expect(textOf(root, ICON_PATH)).toBe(ICON);
    commitAll(root);

    // Both are recorded, so from now on it is known which of them changes.
    const context = contextIn(root);
    expect(await runRelease(context, {})).toBe(0);
    expect(context.printed.out.join('\n')).toContain('The published name is “Clock”, and stays');
    describeClock(root, { name: 'New clock' });
    expect(await releaseIn(root)).toMatchObject({ code: 0, report: { summary: { conflicts: 0, changedTexts: 1 } } });
    expect(entryOf(root).name).toBe('New clock');
    commitAll(root);
    editElsewhere(root, '"name": "New clock"', '"name": "Their clock"');
    expect(await releaseIn(root)).toMatchObject({ code: 1, report: { summary: { conflicts: 1 } } });
  });
});

test('an icon with another name is stored beside the old one, and the entry names it', async () => {
  const root = await released();
  rmSync(join(root, 'src/clock/icon.svg'));
  describeClock(root, {}, { 'src/clock/logo.svg': OTHER_ICON });
  const run = await releaseIn(root);
  expect(run).toMatchObject({ code: 0, report: { summary: { changedTexts: 1 } } });
  expect(entryOf(root).blockStyle.iconUrl).toMatch(/\/apps\/clock\/logo\.svg$/);
  expect(readFileSync(join(root, 'apps/clock/logo.svg'), 'utf8')).toBe(OTHER_ICON);
  commitAll(root);
  expect(await releaseIn(root)).toMatchObject({ code: 0, report: { summary: { changedTexts: 0 } } });
});

test('texts of an app that its author has to change first are reported, and not published', async () => {
  const root = await released();
  describeClock(root, { color: '#445566' }, { 'src/clock/main.ts': 'export const changed = 1;\n' });
  const run = await releaseIn(root);
  expect(run).toMatchObject({ code: 1, report: { summary: { changed: 1, changedTexts: 1 } } });
  expect(run.apps['clock']?.changes).toMatchObject({ fields: [{ field: 'color' }], published: false });
  expect(entryOf(root).blockStyle.color).toBe('#112233');
});

test('a maintenance branch does not publish the texts of its older version', async () => {
  const root = await released();
  describeClock(root, { color: '#445566', maintenance: true });
  const run = await releaseIn(root);
  expect(run).toMatchObject({ code: 0, report: { summary: { changedTexts: 0 } } });
  expect(entryOf(root).blockStyle.color).toBe('#112233');
});

test('texts that are not committed are not published', async () => {
  const root = await released();
  writeFiles(root, { 'src/clock/app.json': described({ color: '#445566' }) });
  const run = await releaseIn(root);
  expect(run).toMatchObject({ code: 1, report: { summary: { broken: 1 } } });
  expect(run.apps['clock']?.message).toContain('src/clock/app.json is not committed in git');
  expect(entryOf(root).blockStyle.color).toBe('#112233');
  expect(await releaseIn(root, { allowDirty: true })).toMatchObject({ code: 0 });
  expect(entryOf(root).blockStyle.color).toBe('#445566');
});

test('the metadata file of a listed app does not move', async () => {
  const root = await released();
  for (const file of ['elsewhere', 'another']) {
    describeClock(root, { appMetadataUrl: `https://127.0.0.1:30999/${file}.json` });
    const context = contextIn(root);
    expect(await runRelease(context, {})).toBe(file === 'elsewhere' ? 0 : 1);
    expect(context.printed.out.join('\n')).toContain('appreg edit-app clock --metadata-url');
    expect(textOf(root, 'registry.json')).not.toContain(file);
    commitAll(root);
  }
});
