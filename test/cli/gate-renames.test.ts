import { renameSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commitAll, folder, git, write } from '../support/folders.ts';
import { BASE, entry, lintAgainst, manifestOf, pullRequest, registryFiles, versions } from './gate-fixture.ts';

/** A published version that is gone is reported wherever the registry was moved. */

const WITHOUT_1_1 = { 'apps/a/versions.json': versions('a', '1.0.0') };
const WITHDRAWN = 'version-withdrawn a 1.1.0';

describe.each(['committed', 'not committed'] as const)('a registry that was changed and %s', (state) => {
  const done = (root: string): void => void (state === 'committed' && commitAll(root));

  test('is compared under another name of its manifest', async () => {
    const root = pullRequest();
    renameSync(join(root, 'registry.json'), join(root, 'core.json'));
    write(root, WITHOUT_1_1);
    done(root);
    for (const paths of [[], ['core.json']]) {
      const { code, found } = await lintAgainst(root, 'main', { paths });
      expect(code).toBe(1);
      expect(found).toContain(WITHDRAWN);
    }
  });

  test('is compared under another configured name, without a configuration before', async () => {
    const { 'appreg.config.json': _, ...files } = registryFiles();
    const root = pullRequest(files);
    renameSync(join(root, 'registry.json'), join(root, 'core.json'));
    write(root, { ...WITHOUT_1_1, 'appreg.config.json': { manifest: 'core.json', baseUrl: BASE } });
    done(root);
    const { code, found } = await lintAgainst(root, 'main');
    expect(code).toBe(1);
    expect(found).toContain(WITHDRAWN);
  });

  test('is compared if it lists no app any more', async () => {
    const root = pullRequest();
    unlinkSync(join(root, 'registry.json'));
    write(root, { 'core.json': { apps: {} } });
    done(root);
    const { code, found } = await lintAgainst(root, 'main');
    expect(code).toBe(1);
    expect(found).toEqual(expect.arrayContaining(['app-withdrawn a', 'app-withdrawn b']));
  });

  test('is compared if only the case of its name differs', async () => {
    const root = pullRequest();
    renameSync(join(root, 'registry.json'), join(root, 'Registry.json'));
    write(root, WITHOUT_1_1);
    done(root);
    const { code, found } = await lintAgainst(root, 'main');
    expect(code).toBe(1);
    expect(found).toContain(WITHDRAWN);
  });

  test('is compared in another folder, with or without its configuration', async () => {
    const moved = pullRequest(registryFiles('site/'));
    renameSync(join(moved, 'site'), join(moved, 'public'));
    write(join(moved, 'public'), WITHOUT_1_1);
    done(moved);
    const inFolder = await lintAgainst(join(moved, 'public'), 'main');
    expect(inFolder.code).toBe(1);
    expect(inFolder.found).toContain(WITHDRAWN);
    const named = await lintAgainst(moved, 'main', { paths: ['public'] });
    expect(named.found).toContain(WITHDRAWN);

    const down = pullRequest();
    write(down, { 'site/x': '' });
    for (const name of ['registry.json', 'apps']) renameSync(join(down, name), join(down, 'site', name));
    write(join(down, 'site'), WITHOUT_1_1);
    done(down);
    const { code, found } = await lintAgainst(down, 'main', { paths: ['site'] });
    expect(code).toBe(1);
    expect(found).toContain(WITHDRAWN);
  });

  test('is compared if the folder of its apps has another name', async () => {
    const root = pullRequest();
    renameSync(join(root, 'apps'), join(root, 'products'));
    write(root, {
      'registry.json': JSON.stringify(manifestOf(['a', 'b'])).replaceAll('/apps/', '/products/'),
      'products/a/versions.json': versions('a', '1.0.0'),
    });
    done(root);
    const { code, found } = await lintAgainst(root, 'main');
    expect(code).toBe(1);
    expect(found).toContain(WITHDRAWN);
  });

  test('is compared as one metadata file that has another path', async () => {
    const root = pullRequest();
    renameSync(join(root, 'apps/a/versions.json'), join(root, 'apps/a/list.json'));
    write(root, {
      'registry.json': JSON.stringify(manifestOf(['a', 'b'])).replace('a/versions.json', 'a/list.json'),
      'apps/a/list.json': versions('a', '1.0.0'),
    });
    done(root);
    const { code, found } = await lintAgainst(root, 'main', { paths: ['apps/a/list.json'] });
    expect(code).toBe(1);
    expect(found).toContain('version-withdrawn 1.1.0');
  });
});

test('a copy of the manifest is compared with the one that lists the same metadata files', async () => {
  const root = pullRequest();
  write(root, { ...WITHOUT_1_1, 'core.json': manifestOf(['a', 'b']) });
  const { code, found } = await lintAgainst(root, 'main', { paths: ['core.json'] });
  expect(code).toBe(1);
  expect(found).toContain(WITHDRAWN);
});

test('the configuration of the base says which of its manifests the registry was', async () => {
  const root = pullRequest({ ...registryFiles(), 'core.json': { apps: {} } });
  write(root, {
    ...WITHOUT_1_1,
    'core.json': manifestOf(['a', 'b']),
    'appreg.config.json': { manifest: 'core.json', baseUrl: BASE },
  });
  const { code, found } = await lintAgainst(root, 'main');
  expect(code).toBe(1);
  expect(found).toContain(WITHDRAWN);
});

test('configurations of the base are found in YAML and package.json, and are never executed', async () => {
  const mark = join(folder(), 'executed');
  const configurations: [name: string, content: unknown][] = [
    ['appreg.config.yaml', 'manifest: core.json\n'],
    ['package.json', { appreg: { manifest: 'core.json' } }],
    [
      'appreg.config.cjs',
      `require('fs').writeFileSync(${JSON.stringify(mark)}, ''); module.exports = { manifest: 'core.json' };`,
    ],
  ];
  for (const [name, content] of configurations) {
    const { 'appreg.config.json': _, 'registry.json': manifest, ...files } = registryFiles();
    const root = pullRequest({ ...files, 'core.json': manifest, [name]: content });
    git(root, 'rm', '--quiet', name);
    renameSync(join(root, 'core.json'), join(root, 'registry.json'));
    write(root, { ...WITHOUT_1_1, 'appreg.config.json': { baseUrl: BASE } });
    const { code, found } = await lintAgainst(root, 'main');
    expect([name, code, found]).toEqual([name, 1, expect.arrayContaining([WITHDRAWN])]);
    await expect(import('node:fs/promises').then(({ access }) => access(mark))).rejects.toMatchObject({
      code: 'ENOENT',
    });
  }
});

test('a registry that is added beside another one was never there', async () => {
  const root = pullRequest(registryFiles('one/'));
  const { 'two/registry.json': _, ...files } = registryFiles('two/', { baseUrl: `${BASE}two/` });
  write(root, { ...files, 'two/registry.json': manifestOf(['a', 'b'], `${BASE}two/`) });
  const { code, outcome, notCompared } = await lintAgainst(join(root, 'two'), 'main');
  expect({ code, outcome, notCompared }).toEqual({
    code: 0,
    outcome: expect.not.stringMatching('incomplete'),
    notCompared: ['the registry was not compared with main: there was no registry.json in main'],
  });
});

test('several manifests that the registry may have been are refused', async () => {
  const root = pullRequest({ 'x/one.json': manifestOf(['a']), 'y/two.json': manifestOf(['b']) });
  git(root, 'rm', '--quiet', '-r', 'x', 'y');
  write(root, registryFiles());
  const { code, outcome, error } = await lintAgainst(root, 'main');
  expect({ code, outcome, error }).toMatchObject({
    code: 2,
    outcome: 'incomplete',
    error: { code: 'baseline-unusable', message: expect.stringContaining('x/one.json, y/two.json') },
  });
});

test('an app under another key is reported as withdrawn, together with the new one', async () => {
  const root = pullRequest();
  renameSync(join(root, 'apps/a'), join(root, 'apps/c'));
  write(root, { 'registry.json': { apps: { b: entry('b'), c: entry('c') } } });
  expect((await lintAgainst(root, 'main')).found).toContain('app-withdrawn a');
});
