import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findApps, type ReleaseEntry } from '../../src/release/find-apps.ts';
import { readVersion } from '../../src/release/read-version.ts';
import { tree } from '../bundle/tree.ts';

const ENTRY = { folder: 'apps/*', entry: 'main.ts', version: 'VERSION' };
const app = (folder: string) => ({ [`${folder}/main.ts`]: 'export {}', [`${folder}/VERSION`]: '1.0.0\n' });

async function keysIn(files: Record<string, string>, entries: readonly ReleaseEntry[]): Promise<string[]> {
  return (await findApps(tree(files), entries)).map(({ key, folder }) => `${key}=${folder}`);
}

test('a file in place of the folder apps/ is refused', async () => {
  await expect(findApps(tree({ apps: '' }), [])).rejects.toMatchObject({ code: 'not-a-folder', exit: 2 });
});

describe('folders', () => {
  test.each<{ name: string; files: Record<string, string>; entries: ReleaseEntry[]; keys: string[] }>([
    {
      name: 'a glob',
      files: { ...app('apps/b'), ...app('apps/a'), 'apps/README.md': '' },
      entries: [ENTRY],
      keys: ['a=apps/a', 'b=apps/b'],
    },
    {
      name: 'a deep glob',
      files: app('x/y/z/app'),
      entries: [{ ...ENTRY, folder: 'x/**/app' }],
      keys: ['app=x/y/z/app'],
    },
    { name: 'a name', files: app('one'), entries: [{ ...ENTRY, folder: 'one' }], keys: ['one=one'] },
    { name: 'a trailing slash', files: app('one'), entries: [{ ...ENTRY, folder: 'one/' }], keys: ['one=one'] },
    {
      name: 'a name with brackets',
      files: app('a[1]'),
      entries: [{ ...ENTRY, folder: 'a[1]', key: 'a1' }],
      keys: ['a1=a[1]'],
    },
    {
      name: 'an exclusion',
      files: { ...app('apps/a'), ...app('apps/lib') },
      entries: [{ ...ENTRY, folder: 'apps/!(lib)' }],
      keys: ['a=apps/a'],
    },
    {
      name: 'a key template',
      files: app('apps/a'),
      entries: [{ ...ENTRY, key: 'acme-{name}' }],
      keys: ['acme-a=apps/a'],
    },
    {
      name: 'the first entry',
      files: app('apps/a'),
      entries: [{ ...ENTRY, folder: 'apps/a' }, ENTRY],
      keys: ['a=apps/a'],
    },
    {
      name: 'two keys',
      files: app('a'),
      entries: [
        { ...ENTRY, folder: 'a' },
        { ...ENTRY, folder: 'a', key: 'a-beta' },
      ],
      keys: ['a=a', 'a-beta=a'],
    },
    {
      name: 'installed packages',
      files: { ...app('x/a'), ...app('x/node_modules/b') },
      entries: [{ ...ENTRY, folder: 'x/**/{a,b}' }],
      keys: ['a=x/a'],
    },
    {
      name: 'app.json',
      files: { 'apps/a/app.json': '{"entry":"main.ts"}', 'apps/b/app.json': '{"name":"B"}' },
      entries: [],
      keys: ['a=apps/a'],
    },
  ])('$name', async ({ files, entries, keys }) => {
    expect(await keysIn(files, entries)).toEqual(keys);
  });

  test('of entries that give a folder the same key the first one counts, and as a whole', async () => {
    const root = tree({ ...app('apps/a'), 'apps/a/other.ts': '', 'apps/a/ui.ts': '' });
    const first = { folder: 'apps/a', entry: 'other.ts', version: 'V' };
    const [found, ...others] = await findApps(root, [first, { ...ENTRY, key: 'a', ui: 'ui.ts' }]);
    expect(others).toEqual([]);
    expect(found).toMatchObject({ entry: 'other.ts', ui: null, versionFile: join(root, 'apps/a/V') });
  });

  test('the configuration may be in a folder of its own', async () => {
    const root = tree({ ...app('apps/a'), 'registry/x': '' });
    mkdirSync(join(root, '.git'));
    const [found] = await findApps(join(root, 'registry'), [{ ...ENTRY, folder: '../apps/*' }]);
    expect(found).toMatchObject({ key: 'a', folder: '../apps/a', problem: null });
  });

  test('a thousand folders are found', async () => {
    const root = tree(Object.assign({}, ...Array.from({ length: 1000 }, (_, i) => app(`apps/app-${i}`))));
    const apps = await findApps(root, [ENTRY]);
    expect(apps.filter((one) => 'version' in readVersion(one))).toHaveLength(1000);
  });
});

describe('an error in the configuration', () => {
  test.each<{ name: string; files: Record<string, string>; entries: ReleaseEntry[]; code: string; message: RegExp }>([
    {
      name: 'nothing configured',
      files: { x: '' },
      entries: [],
      code: 'release-unconfigured',
      message: /does not say where the apps are/,
    },
    {
      name: 'no match',
      files: app('apps/a'),
      entries: [{ ...ENTRY, folder: 'aps/*' }],
      code: 'release-folder-missing',
      message: /"aps\/\*" in "release" matches no folder/,
    },
    {
      name: 'a file',
      files: app('apps/a'),
      entries: [{ ...ENTRY, folder: 'apps/a/VERSION' }],
      code: 'release-folder-missing',
      message: /matches no folder/,
    },
    {
      name: 'two folders',
      files: { ...app('a/x'), ...app('b/x') },
      entries: [{ ...ENTRY, folder: '{a,b}/*' }],
      code: 'release-key-duplicate',
      message: /a\/x and b\/x: x/,
    },
    {
      name: 'one key for all',
      files: { ...app('a/x'), ...app('a/y') },
      entries: [{ ...ENTRY, folder: 'a/*', key: 'z' }],
      code: 'release-key-duplicate',
      message: /a\/x and a\/y: z/,
    },
    {
      name: 'an unsafe folder',
      files: app('apps/my app'),
      entries: [ENTRY],
      code: 'release-key-invalid',
      message: /apps\/my app: “my app” is not a valid app key/,
    },
    {
      name: 'an unsafe template',
      files: app('apps/a'),
      entries: [{ ...ENTRY, key: '../{name}' }],
      code: 'release-key-invalid',
      message: /“\.\.\/a” is not a valid app key/,
    },
    { name: 'a device', files: app('apps/nul'), entries: [ENTRY], code: 'release-key-invalid', message: /device name/ },
    {
      name: 'a placeholder',
      files: app('apps/a'),
      entries: [{ ...ENTRY, key: '{folder}' }],
      code: 'release-key-invalid',
      message: /unknown placeholder \{folder\}/,
    },
  ])('$name', async ({ files, entries, code, message }) => {
    await expect(findApps(tree(files), entries)).rejects.toMatchObject({
      code,
      exit: 2,
      message: expect.stringMatching(message),
    });
  });
});

async function problemIn(root: string, entry: ReleaseEntry = ENTRY): Promise<string | undefined> {
  const [first] = await findApps(root, [entry]);
  const version = first?.problem === null ? readVersion(first) : first?.problem;
  return version && 'message' in version ? version.message : undefined;
}

describe('a broken app', () => {
  test.each<{ name: string; files: Record<string, string>; entry: Partial<ReleaseEntry>; message: RegExp }>([
    {
      name: 'without an entry point',
      files: { 'apps/a/VERSION': '1.0.0' },
      entry: {},
      message: /entry point apps\/a\/main\.ts does not exist/,
    },
    {
      name: 'without a UI',
      files: app('apps/a'),
      entry: { ui: 'ui.tsx' },
      message: /UI entry point apps\/a\/ui\.tsx does not exist/,
    },
    {
      name: 'without a version',
      files: app('apps/a'),
      entry: { version: 'package.json' },
      message: /version file apps\/a\/package\.json does not exist/,
    },
    {
      name: 'with a folder as version',
      files: { ...app('apps/a'), 'apps/a/v/x': '' },
      entry: { version: 'v' },
      message: /apps\/a\/v is not a regular file/,
    },
    {
      name: 'with an invalid version',
      files: { ...app('apps/a'), 'apps/a/VERSION': 'v1' },
      entry: {},
      message: /apps\/a\/VERSION contains “v1”/,
    },
    {
      name: 'with an unusable app.json',
      files: { ...app('apps/a'), 'apps/a/app.json': '{' },
      entry: {},
      message: /^apps\/a\/app\.json:1:2: /,
    },
    {
      name: 'that leads out',
      files: { ...app('apps/a'), 'apps/a/app.json': '{"entry":"../b/main.ts"}' },
      entry: {},
      message:
        /^apps\/a\/app\.json:1:10: “entry” must be a relative path inside the folder, such as "main\.ts", not “\.\.\/b\/main\.ts”\.$/,
    },
    {
      name: 'whose app.json has two faults',
      files: { ...app('apps/a'), 'apps/a/app.json': '{"entri":"main.ts",\n"ui":3}' },
      entry: {},
      message:
        /has 2 errors:\n {2}.*:1:2: Unknown field “entri”\. Did you mean entry\?\n {2}.*:2:6: “ui” must be text or null, not 3\.$/,
    },
  ])('$name', async ({ files, entry, message }) => {
    expect(await problemIn(tree(files), { ...ENTRY, ...entry })).toMatch(message);
  });

  test('whose entry is not configured', async () => {
    expect(await problemIn(tree(app('apps/a')), { folder: 'apps/*' })).toMatch(/apps\/a has no entry point/);
  });

  test.skipIf(process.platform === 'win32')(
    'that is a link out of the repository, or has a file that is one',
    async () => {
      const outside = tree(app('secret'));
      const root = tree({ ...app('apps/b'), ...app('apps/c'), 'real/main.ts': '', 'real/VERSION': '1.0.0' });
      symlinkSync(join(outside, 'secret'), join(root, 'apps/a'));
      for (const [at, name] of [
        ['b', 'main.ts'],
        ['c', 'VERSION'],
      ] as const) {
        rmSync(join(root, `apps/${at}/${name}`));
        symlinkSync(join(outside, `secret/${name}`), join(root, `apps/${at}/${name}`));
      }
      symlinkSync(join(root, 'real'), join(root, 'apps/d'));
      symlinkSync(join(root, 'gone'), join(root, 'apps/e'));
      const apps = await findApps(root, [ENTRY]);
      const problems = apps
        .map((one) => one.problem ?? readVersion(one))
        .map((one) => ('message' in one ? one.message : one.version));
      expect(problems).toEqual([
        expect.stringContaining('which is outside of the repository'),
        'The entry point apps/b/main.ts is outside of the repository.',
        'apps/c/VERSION is a link to a file outside of the app’s folder.',
        // A link inside the repository.
        '1.0.0',
        'apps/e is a link to a folder that does not exist.',
      ]);
    },
  );
});

test('an app.json may contain the version itself', async () => {
  const [found] = await findApps(
    tree({ ...app('apps/a'), 'apps/a/app.json': '{"entry":"main.ts","version":"1.2.3"}' }),
    [],
  );
  expect(readVersion(found!)).toMatchObject({ version: '1.2.3' });
});
