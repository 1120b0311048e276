// Scenario: the states of apps while commits are made, reverted and merged in a git repository.
import { expect, test } from 'vitest';
import { writeFiles } from '../bundle/tree.ts';
import { commitAll, git } from '../support/folders.ts';
import { type Run, releaseIn, repository, sources, statesOf, textOf } from './release-fixture.ts';

/** The check, the dry run and the publication, which have to agree; the last one writes. */
const MODES = [{ check: true }, { check: true, against: 'HEAD' }, { dryRun: true }, {}] as const;

/** Runs every mode. @returns the publication */
async function agreed(root: string, code: number, states: Record<string, string>, options: object = {}): Promise<Run> {
  let last: Run | null = null;
  for (const mode of MODES) {
    last = await releaseIn(root, { ...options, ...mode });
    expect([last.code, statesOf(last)], JSON.stringify(mode)).toEqual([code, states]);
  }
  if (last === null) throw new Error('there are modes');
  return last;
}

/** A git repository whose apps are published and committed. */
async function committed(versions: Record<string, string>, options: object = {}): Promise<string> {
  const root = await repository(sources(versions), { listed: Object.keys(versions), ...options });
  git(root, 'init', '--quiet');
  commitAll(root);
  await published(root);
  return root;
}

async function published(root: string, options: object = {}): Promise<void> {
  expect(await releaseIn(root, options)).toMatchObject({ code: 0 });
  commitAll(root);
}

function change(root: string, version: string, code = `export const app = '${version}';\n`): void {
  writeFiles(root, { 'src/clock/main.ts': code, 'src/clock/VERSION': `${version}\n` });
  commitAll(root);
}

const FIRST = { 'src/clock/main.ts': "export const app = 'clock';\n", 'src/clock/VERSION': '1.0.0\n' };

test('a reverted commit fails, and publishes nothing', async () => {
  const root = await committed({ clock: '1.0.0', lamp: '1.0.0' });
  change(root, '1.1.0');
  const commit = git(root, 'rev-parse', 'HEAD').trim();
  await published(root);
  git(root, 'revert', '--no-edit', commit);
  const before = textOf(root, 'apps/clock/versions.json');
  const { apps, report } = await agreed(root, 1, { clock: 'reverted', lamp: 'unchanged' });
  expect(report).toMatchObject({
    outcome: 'findings',
    summary: { reverted: 1, unchanged: 1, published: 0, failed: 0 },
  });
  expect(apps['clock']).toMatchObject({
    declared: '1.0.0',
    listed: '1.1.0',
    message: expect.stringContaining('declares 1.0.0; 1.1.0 stays the newest'),
    advice: expect.stringContaining('declare a version above 1.1.0 in src/clock/VERSION'),
  });
  expect(apps['clock']?.listedChecksum).toBe(apps['clock']?.checksum);
  expect(textOf(root, 'apps/clock/versions.json')).toBe(before);
  // Nothing is raised: the author decides which code subscribers get.
  expect(statesOf(await releaseIn(root, { bump: true, app: ['clock'] }))).toEqual({ clock: 'reverted' });
  expect(textOf(root, 'src/clock/VERSION')).toBe('1.0.0\n');
});

test.each([
  ['the configuration', { 'appreg.config.json': { maintenance: true } }],
  ['app.json', { 'src/clock/app.json': { maintenance: true } }],
])('%s declares a maintenance branch', async (_, setting) => {
  const root = await committed({ clock: '1.0.0' });
  change(root, '1.1.0');
  await published(root);
  const config = JSON.parse(textOf(root, 'appreg.config.json') ?? '');
  const [[file, value] = []] = Object.entries(setting);
  if (file === undefined) throw new Error('there is a setting');
  const content = file === 'appreg.config.json' ? { ...config, release: [{ ...config.release[0], ...value }] } : value;
  writeFiles(root, { ...FIRST, [file]: JSON.stringify(content) });
  commitAll(root);
  await agreed(root, 0, { clock: 'unchanged' });
});

test('a pre-release above makes no plain version reverted or behind', async () => {
  const root = await committed({ clock: '1.4.0' });
  change(root, '2.0.0-beta.1');
  await published(root, { allowPrerelease: true });
  change(root, '1.4.0', "export const app = 'clock';\n");
  await agreed(root, 0, { clock: 'unchanged' });
  change(root, '1.4.0', 'export const app = 3;\n');
  const { apps } = await releaseIn(root, { bump: true });
  expect(apps['clock']).toMatchObject({ state: 'new', declared: '1.4.1', listed: '2.0.0-beta.1' });
  commitAll(root);
  await agreed(root, 0, { clock: 'new' });
});

test('behind names the command that publishes an older version', async () => {
  const root = await committed({ clock: '2.0.0' });
  change(root, '1.4.1');
  const { apps } = await agreed(root, 1, { clock: 'behind' });
  expect(apps['clock']?.advice).toContain('appreg publish-version clock 1.4.1 --entry src/clock/main.ts --allow-lower');
});

test('a pre-release is promoted with the same code, and no other version has the bytes of another', async () => {
  const root = await committed({ clock: '1.0.0', lamp: '1.0.0' });
  change(root, '1.1.0-beta.1', 'export const app = 2;\n');
  await published(root, { allowPrerelease: true });
  change(root, '1.2.0', 'export const app = 2;\n');
  await agreed(root, 1, { clock: 'broken', lamp: 'unchanged' });
  change(root, '1.1.0', 'export const app = 2;\n');
  const { apps } = await agreed(root, 0, { clock: 'new', lamp: 'unchanged' });
  expect(apps['clock']).toMatchObject({ published: true, listed: '1.1.0-beta.1' });
  commitAll(root);
  change(root, '1.1.1', 'export const app = 2;\n');
  const refused = await agreed(root, 1, { clock: 'broken', lamp: 'unchanged' });
  expect(refused.apps['clock']?.advice).toContain('release --allow-same clock');
  // It opens the guard for one app.
  await agreed(root, 1, { clock: 'broken', lamp: 'unchanged' }, { allowSame: ['lamp'] });
  await agreed(root, 0, { clock: 'new', lamp: 'unchanged' }, { allowSame: ['clock'] });
});

test('--allow-same with an unknown key is refused', async () => {
  const root = await committed({ clock: '1.0.0' });
  await expect(releaseIn(root, { check: true, allowSame: ['clok'] })).rejects.toMatchObject({ code: 'app-unknown' });
});
