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

describe('folders', () => {
  test.each<[string, Record<string, string>, ReleaseEntry[], string[]]>([
    ['a glob', { ...app('apps/b'), ...app('apps/a'), 'apps/README.md': '' }, [ENTRY], ['a=apps/a', 'b=apps/b']],
    ['a deep glob', app('x/y/z/app'), [{ ...ENTRY, folder: 'x/**/app' }], ['app=x/y/z/app']],
    ['a name', app('one'), [{ ...ENTRY, folder: 'one' }], ['one=one']],
    ['a trailing slash', app('one'), [{ ...ENTRY, folder: 'one/' }], ['one=one']],
    ['a name with brackets', app('a[1]'), [{ ...ENTRY, folder: 'a[1]', key: 'a1' }], ['a1=a[1]']],
    ['an exclusion', { ...app('apps/a'), ...app('apps/lib') }, [{ ...ENTRY, folder: 'apps/!(lib)' }], ['a=apps/a']],
    ['a key template', app('apps/a'), [{ ...ENTRY, key: 'acme-{name}' }], ['acme-a=apps/a']],
    ['the first entry', app('apps/a'), [{ ...ENTRY, folder: 'apps/a' }, ENTRY], ['a=apps/a']],
    [
      'two keys',
      app('a'),
      [
        { ...ENTRY, folder: 'a' },
        { ...ENTRY, folder: 'a', key: 'a-beta' },
      ],
      ['a=a', 'a-beta=a'],
    ],
    [
      'installed packages',
      { ...app('x/a'), ...app('x/node_modules/b') },
      [{ ...ENTRY, folder: 'x/**/{a,b}' }],
      ['a=x/a'],
    ],
    ['app.json', { 'apps/a/app.json': '{"entry":"main.ts"}', 'apps/b/app.json': '{"name":"B"}' }, [], ['a=apps/a']],
  ])('%s', async (_, files, entries, keys) => {
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

  test('a thousand folders are found within five seconds', { timeout: 30_000 }, async () => {
    const root = tree(Object.assign({}, ...Array.from({ length: 1000 }, (_, i) => app(`apps/app-${i}`))));
    const started = performance.now();
    const apps = await findApps(root, [ENTRY]);
    expect(apps.filter((one) => 'version' in readVersion(one))).toHaveLength(1000);
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe('an error in the configuration', () => {
  test.each<[string, Record<string, string>, ReleaseEntry[], string, RegExp]>([
    ['nothing configured', { x: '' }, [], 'release-unconfigured', /does not say where the apps are/],
    [
      'no match',
      app('apps/a'),
      [{ ...ENTRY, folder: 'aps/*' }],
      'release-folder-missing',
      /"aps\/\*" in "release" matches no folder/,
    ],
    ['a file', app('apps/a'), [{ ...ENTRY, folder: 'apps/a/VERSION' }], 'release-folder-missing', /matches no folder/],
    [
      'two folders',
      { ...app('a/x'), ...app('b/x') },
      [{ ...ENTRY, folder: '{a,b}/*' }],
      'release-key-duplicate',
      /a\/x and b\/x: x/,
    ],
    [
      'one key for all',
      { ...app('a/x'), ...app('a/y') },
      [{ ...ENTRY, folder: 'a/*', key: 'z' }],
      'release-key-duplicate',
      /a\/x and a\/y: z/,
    ],
    [
      'an unsafe folder',
      app('apps/my app'),
      [ENTRY],
      'release-key-invalid',
      /apps\/my app: “my app” is not a valid app key/,
    ],
    [
      'an unsafe template',
      app('apps/a'),
      [{ ...ENTRY, key: '../{name}' }],
      'release-key-invalid',
      /“\.\.\/a” is not a valid app key/,
    ],
    ['a device', app('apps/nul'), [ENTRY], 'release-key-invalid', /device name/],
    [
      'a placeholder',
      app('apps/a'),
      [{ ...ENTRY, key: '{folder}' }],
      'release-key-invalid',
      /unknown placeholder \{folder\}/,
    ],
  ])('%s', async (_, files, entries, code, message) => {
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
  test.each<[string, Record<string, string>, Partial<ReleaseEntry>, RegExp]>([
    ['without an entry point', { 'apps/a/VERSION': '1.0.0' }, {}, /entry point apps\/a\/main\.ts does not exist/],
    ['without a UI', app('apps/a'), { ui: 'ui.tsx' }, /UI entry point apps\/a\/ui\.tsx does not exist/],
    [
      'without a version',
      app('apps/a'),
      { version: 'package.json' },
      /version file apps\/a\/package\.json does not exist/,
    ],
    [
      'with a folder as version',
      { ...app('apps/a'), 'apps/a/v/x': '' },
      { version: 'v' },
      /apps\/a\/v is not a regular file/,
    ],
    ['with an invalid version', { ...app('apps/a'), 'apps/a/VERSION': 'v1' }, {}, /apps\/a\/VERSION contains “v1”/],
    ['with an unusable app.json', { ...app('apps/a'), 'apps/a/app.json': '{' }, {}, /apps\/a\/app\.json is not JSON/],
    [
      'that leads out',
      { ...app('apps/a'), 'apps/a/app.json': '{"entry":"../b/main.ts"}' },
      {},
      /"entry" in apps\/a\/app\.json/,
    ],
  ])('%s', async (_, files, entry, message) => {
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
