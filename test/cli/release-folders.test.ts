import { cpSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runRelease } from '../../src/cli/commands/release.ts';
import { writeFiles } from '../bundle/tree.ts';
import { commitAll, folder, git } from '../support/folders.ts';
import { contextIn } from './author-support.ts';
import { releaseIn, repository, sources, statesOf } from './release-fixture.ts';

/** Listed apps whose folders are removed or renamed, or that are of another repository. */

const ICON = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8"/></svg>\n';

function appJson(name: string, description: string): string {
  return `${JSON.stringify({ name, description, color: '#112233' }, null, 2)}\n`;
}

function appFiles(key: string, name: string): Record<string, string> {
  return {
    ...sources({ [key]: '1.0.0' }),
    [`src/${key}/app.json`]: appJson(name, `The ${name}.`),
    [`src/${key}/icon.svg`]: ICON,
  };
}

/** A repository in git whose apps are released. The registry also lists an app of another repository. */
async function released(): Promise<string> {
  const root = await repository(
    { ...appFiles('gate', 'Garden gate'), ...appFiles('lamp', 'Lamp'), ...appFiles('radio', 'Radio') },
    { listed: ['foreign'] },
  );
  git(root, 'init', '--quiet', '-b', 'main');
  commitAll(root);
  expect(await releaseIn(root)).toMatchObject({ code: 0, report: { summary: { published: 3 } } });
  commitAll(root);
  git(root, 'tag', 'base');
  return root;
}

function rename(root: string, files: Record<string, string> = {}): void {
  renameSync(join(root, 'src/gate'), join(root, 'src/gateway'));
  writeFiles(root, files);
  commitAll(root);
}

async function textOf(root: string, options: object): Promise<string> {
  const context = contextIn(root);
  await runRelease(context, options);
  return context.printed.out.join('\n');
}

describe('an app of another repository', () => {
  test('is named in one line, and fails nothing', async () => {
    const root = await released();
    for (const mode of [{ check: true }, { check: true, against: 'base' }, { dryRun: true }, {}]) {
      const run = await releaseIn(root, mode);
      expect(run).toMatchObject({ code: 0, report: { notable: false, summary: { unchanged: 3, withoutFolder: 1 } } });
      expect(run.report.withoutFolder).toMatchObject([{ key: 'foreign', formerFolder: null, renamedTo: null }]);
    }
    expect((await textOf(root, { check: true })).split('\n')).toEqual([
      '  1 listed app has no folder here: foreign. It stays listed; appreg remove-app removes an app for all subscribers.',
      '3 apps: 3 unchanged',
    ]);
  });

  test('is not reported for selected apps', async () => {
    const root = await released();
    expect((await releaseIn(root, { check: true, app: ['lamp'] })).report.withoutFolder).toEqual([]);
  });
});

describe('a removed folder', () => {
  test('fails the check if the state of --against had it, and is named otherwise', async () => {
    const root = await released();
    rmSync(join(root, 'src/radio'), { recursive: true });
    commitAll(root);
    const against = await releaseIn(root, { check: true, against: 'base' });
    expect(against).toMatchObject({ code: 1, report: { outcome: 'findings', notable: true } });
    expect(statesOf(against)).toEqual({ gate: 'unchanged', lamp: 'unchanged' });
    expect(against.report.withoutFolder).toMatchObject([
      { key: 'foreign', formerFolder: null },
      {
        key: 'radio',
        listed: '1.0.0',
        formerFolder: 'src/radio',
        renamedTo: null,
        message: expect.stringContaining('radio stays listed with 1.0.0') as string,
        advice: expect.stringContaining('appreg remove-app radio') as string,
      },
    ]);
    expect(await textOf(root, { check: true, against: 'base' })).toContain(
      '! The folder src/radio was removed; radio stays listed with 1.0.0, and gets no further versions.\n    Restore',
    );
    for (const mode of [{ check: true }, {}]) {
      const run = await releaseIn(root, mode);
      expect(run).toMatchObject({ code: 0, report: { summary: { withoutFolder: 2 } } });
      expect(run.report.withoutFolder[1]).toMatchObject({ key: 'radio', formerFolder: null });
    }
  });

  test('is found in a folder as well', async () => {
    const root = await released();
    const before = folder();
    cpSync(root, before, { recursive: true });
    rmSync(join(root, 'src/radio'), { recursive: true });
    const run = await releaseIn(root, { check: true, against: before });
    expect(run).toMatchObject({ code: 1, report: { withoutFolder: [{}, { formerFolder: 'src/radio' }] } });
  });

  test('is none if the state of --against has published files alone', async () => {
    const root = await released();
    git(root, 'checkout', '--quiet', '--orphan', 'pages');
    git(root, 'rm', '-r', '--quiet', '--cached', 'src');
    git(root, 'commit', '--quiet', '--message', 'Publish');
    git(root, 'checkout', '--quiet', '--force', 'main');
    rmSync(join(root, 'src/radio'), { recursive: true });
    commitAll(root);
    const run = await releaseIn(root, { check: true, against: 'pages' });
    expect(run).toMatchObject({ code: 0, report: { withoutFolder: [{}, { key: 'radio', formerFolder: null }] } });
  });
});

describe('a renamed folder', () => {
  test.each<[string, Record<string, string>]>([
    ['with the same code and texts', {}],
    ['with other code', { 'src/gateway/main.ts': 'export const other = 1;\n' }],
    ['with another name', { 'src/gateway/app.json': appJson('Gateway', 'Opens.') }],
    [
      'with other code and another name, as git detects',
      {
        'src/gateway/main.ts': 'export const other = 1;\n',
        'src/gateway/app.json': appJson('Gateway', 'The Garden gate.'),
      },
    ],
  ])('is one fact: %s', async (_, files) => {
    const root = await released();
    rename(root, files);
    const run = await releaseIn(root, { check: true, against: 'base' });
    expect(run).toMatchObject({ code: 1, report: { outcome: 'findings', summary: { withoutFolder: 2, new: 1 } } });
    expect(run.report.withoutFolder[1]).toMatchObject({
      key: 'gate',
      listed: '1.0.0',
      formerFolder: 'src/gate',
      renamedTo: 'gateway',
      message: expect.stringMatching(
        /^gate → gateway: .*gateway 1\.0\.0 is another app.*gate stays listed with 1\.0\.0/,
      ) as string,
      advice: expect.stringContaining('Give src/gateway its former name, src/gate.') as string,
    });
  });

  test('is named without --against, too', async () => {
    const root = await released();
    rename(root);
    const run = await releaseIn(root, { check: true });
    expect(run).toMatchObject({ code: 0, report: { notable: true, summary: { new: 1 } } });
    expect(run.report.withoutFolder[1]).toMatchObject({ key: 'gate', formerFolder: null, renamedTo: 'gateway' });
    expect(await textOf(root, { check: true, format: 'markdown' })).toContain('gate → gateway');
  });

  test('is no rename if both are other apps', async () => {
    const root = await released();
    rmSync(join(root, 'src/gate'), { recursive: true });
    writeFiles(root, { ...appFiles('tv', 'Television'), 'src/tv/main.ts': 'export const tv = 1;\n' });
    commitAll(root);
    const run = await releaseIn(root, { check: true, against: 'base' });
    expect(run.report.withoutFolder[1]).toMatchObject({ key: 'gate', formerFolder: 'src/gate' });
  });
});

test('a folder that only describes an app is its folder', async () => {
  const root = await repository(
    { ...appFiles('lamp', 'Lamp'), 'apps/foreign/app.json': '{ "name": "Foreign" }' },
    { listed: ['foreign'] },
  );
  await releaseIn(root);
  expect((await releaseIn(root, { check: true })).report.withoutFolder).toEqual([]);
});
