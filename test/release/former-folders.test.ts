import { expect, test } from 'vitest';
import { formerFolders } from '../../src/release/former-folders.ts';
import type { ReleaseEntry } from '../../src/release/find-apps.ts';
import { commitAll, folder, git } from '../support/folders.ts';

const FILES = {
  'teams/home/apps/clock/main.ts': '',
  'teams/home/apps/clock/VERSION': '1.0.0\n',
  'teams/work/apps/lamp/app.json': '{}',
  // Published files.
  'teams/work/apps/radio/versions.json': '{}',
  'apps/door/app.json': '{}',
  'apps/gate/versions.json': '{}',
  'one/[main]/main.ts': '',
  'node_modules/x/apps/y/main.ts': '',
};

const CASES: [ReleaseEntry[], Record<string, string>][] = [
  [[], { door: 'apps/door' }],
  [
    [{ folder: 'teams/*/apps/*', entry: 'main.ts', version: 'VERSION' }],
    { clock: 'teams/home/apps/clock', lamp: 'teams/work/apps/lamp', door: 'apps/door' },
  ],
  [
    [{ folder: '**/apps/{clock,lamp}', key: 'acme-{name}', entry: 'main.ts' }],
    { 'acme-clock': 'teams/home/apps/clock', 'acme-lamp': 'teams/work/apps/lamp', door: 'apps/door' },
  ],
  [[{ folder: 'one/[main]', key: 'main', entry: 'main.ts' }], { main: 'one/[main]', door: 'apps/door' }],
];

test.each(CASES)('the folders of %j are the same in a folder and at a ref', async (entries, expected) => {
  const root = folder(FILES);
  git(root, 'init', '--quiet', '-b', 'main');
  commitAll(root);
  for (const against of ['main', '.']) {
    const found = await formerFolders(against, { root, cwd: root }, entries);
    expect(Object.fromEntries(found?.folders ?? [])).toEqual(expected);
  }
});

test('a workspace below the top of its repository has folders of its own', async () => {
  const top = folder({ 'site/src/clock/main.ts': '', 'src/lamp/main.ts': '' });
  git(top, 'init', '--quiet', '-b', 'main');
  commitAll(top);
  const root = `${top}/site`;
  const found = await formerFolders('main', { root, cwd: root }, [{ folder: 'src/*', entry: 'main.ts' }]);
  expect(Object.fromEntries(found?.folders ?? [])).toEqual({ clock: 'src/clock' });
});

test('a live registry has no folders of apps', async () => {
  expect(await formerFolders('https://apps.example.com/registry.json', { root: '/', cwd: '/' }, [])).toBeNull();
});
