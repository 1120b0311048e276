import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commitAll, folder, git, write } from '../support/folders.ts';
import { BASE, entry, lintAgainst, manifestOf, pullRequest, registryFiles, versions } from './gate-fixture.ts';

/** Every form of a base, and every comparison that cannot be made. */

const WITHOUT_1_1 = { 'apps/a/versions.json': versions('a', '1.0.0') };
const WITHDRAWN = 'version-withdrawn a 1.1.0';

test('a base URL that does not fit the manifest is an error, and the files are compared where they are meant', async () => {
  const root = pullRequest();
  write(root, { 'appreg.config.json': { baseUrl: 'https://www.example.com/' }, ...WITHOUT_1_1 });
  const { code, found } = await lintAgainst(root, 'main');
  expect(code).toBe(1);
  expect(found).toEqual(expect.arrayContaining([WITHDRAWN, expect.stringContaining('base-url-mismatched')]));
});

describe('a comparison that was requested and not made is incomplete', () => {
  test.each<[name: string, change: (root: string) => void, reason: RegExp]>([
    [
      'metadata that was moved to another host',
      (root) =>
        write(root, { 'registry.json': { apps: { a: entry('a', 'https://cdn.example.net/'), b: entry('b') } } }),
      /^the app “a” was not compared with main: its metadata file was not observed \(it is not in the workspace\)$/,
    ],
    [
      'a manifest without a metadata URL, whose error is excepted',
      (root) =>
        write(root, {
          'appreg.config.json': { baseUrl: BASE, rules: { 'schema-violation': 'off' } },
          'registry.json': { apps: { a: { ...entry('a'), appMetadataUrl: undefined }, b: entry('b') } },
        }),
      /^the app “a” was not compared with main/,
    ],
    [
      'a metadata file that cannot be parsed, whose error is turned off',
      (root) =>
        write(root, {
          'appreg.config.json': { baseUrl: BASE, rules: { 'document-unreadable': 'off' } },
          'apps/a/versions.json': '{',
        }),
      /^the app “a” was not compared with main/,
    ],
    [
      'a manifest that cannot be parsed, whose error is turned off',
      (root) =>
        write(root, {
          'appreg.config.json': { baseUrl: BASE, rules: { 'document-unreadable': 'off' } },
          'registry.json': '{',
        }),
      /^the registry was not compared with main/,
    ],
  ])('for %s', async (_, change, reason) => {
    const root = pullRequest();
    change(root);
    const { code, outcome, notCompared } = await lintAgainst(root, 'main');
    expect({ code, outcome, notCompared }).toEqual({
      code: 2,
      outcome: 'incomplete',
      notCompared: expect.arrayContaining([expect.stringMatching(reason)]),
    });
  });

  test('for metadata that was on another host before', async () => {
    const root = pullRequest({
      ...registryFiles(),
      'registry.json': { apps: { a: entry('a', 'https://cdn.example.net/'), b: entry('b') } },
    });
    write(root, { 'registry.json': manifestOf(['a', 'b']) });
    const { code, notCompared } = await lintAgainst(root, 'main');
    expect({ code, notCompared }).toEqual({
      code: 2,
      notCompared: [
        'the app “a” was not compared with main: its metadata file is not one of the files in main, but on another host',
      ],
    });
  });

  test('for metadata that is in no commit of the base', async () => {
    const { 'apps/a/versions.json': later, ...files } = registryFiles();
    const root = pullRequest(files);
    write(root, { 'apps/a/versions.json': later });
    const { code, notCompared } = await lintAgainst(root, 'main');
    expect({ code, notCompared }).toEqual({
      code: 2,
      notCompared: ['the app “a” was not compared with main: its metadata file is not in main'],
    });
  });

  test('for a file in Git LFS, unless its content was fetched', async () => {
    const content = JSON.stringify(versions('a', '1.0.0', '1.1.0'));
    const oid = createHash('sha256').update(content).digest('hex');
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${content.length}\n`;
    const root = pullRequest({ ...registryFiles(), 'apps/a/versions.json': pointer });
    write(root, WITHOUT_1_1);
    const { code, notCompared } = await lintAgainst(root, 'main');
    expect({ code, notCompared }).toEqual({ code: 2, notCompared: [expect.stringContaining('git lfs fetch')] });
    write(root, { [`.git/lfs/objects/${oid.slice(0, 2)}/${oid.slice(2, 4)}/${oid}`]: content });
    expect((await lintAgainst(root, 'main')).found).toContain(WITHDRAWN);
  });

  test('for a file in a submodule', async () => {
    const other = folder({ 'versions.json': versions('a', '1.0.0', '1.1.0') });
    git(other, 'init', '--quiet');
    commitAll(other);
    const { 'apps/a/versions.json': _, ...files } = registryFiles();
    const root = folder(files);
    git(root, 'init', '--quiet', '--initial-branch=main');
    git(root, 'submodule', '--quiet', 'add', other, 'apps/a');
    commitAll(root);
    write(root, WITHOUT_1_1);
    const { code, notCompared } = await lintAgainst(root, 'main');
    expect({ code, notCompared }).toEqual({
      code: 2,
      notCompared: [expect.stringContaining('is in a submodule in main')],
    });
  });
});

/** A pull request against a branch in which a file is broken since the last commit. */
function broken(path: string): string {
  const root = pullRequest();
  git(root, 'checkout', '--quiet', 'main');
  write(root, { [path]: '{' });
  commitAll(root);
  git(root, 'checkout', '--quiet', '-B', 'change');
  write(root, { ...registryFiles(), ...WITHOUT_1_1 });
  return root;
}

describe('a file that cannot be parsed in the base', () => {
  test.each(['apps/a/versions.json', 'registry.json'])('is compared with its last valid commit: %s', async (path) => {
    const { code, found } = await lintAgainst(broken(path), 'main');
    expect(code).toBe(1);
    expect(found).toContain(WITHDRAWN);
  });

  test.each([
    ['apps/a/versions.json', 'the app “a” was not compared with main: its metadata file cannot be read in main'],
    [
      'registry.json',
      'the registry was not compared with main: registry.json cannot be parsed in main, nor in a commit before it',
    ],
  ])('can be repaired if it was never valid: %s', async (path, reason) => {
    const root = pullRequest({ ...registryFiles(), [path]: '{' });
    write(root, registryFiles());
    const { code, outcome, notCompared } = await lintAgainst(root, 'main');
    expect({ code, notCompared }).toEqual({ code: 0, notCompared: [reason] });
    expect(outcome).not.toBe('incomplete');
  });

  test('is incomplete in a shallow clone, which lacks the earlier commits', async () => {
    const root = broken('apps/a/versions.json');
    commitAll(root);
    const clone = join(folder(), 'clone');
    git(root, 'clone', '--quiet', '--depth=1', '--no-single-branch', `file://${root}`, clone);
    const { code, notCompared } = await lintAgainst(clone, 'origin/main');
    expect({ code, notCompared }).toEqual({ code: 2, notCompared: [expect.stringContaining('git fetch --unshallow')] });
  });
});

test('a metadata file on another host in both states is named, and is no part of the comparison', async () => {
  const files = {
    ...registryFiles(),
    'registry.json': { apps: { a: entry('a', 'https://cdn.example.net/'), b: entry('b') } },
  };
  const root = pullRequest(files);
  write(root, { 'apps/b/versions.json': versions('b', '2.0.0', '2.1.0', '2.2.0') });
  const { code, outcome, notCompared } = await lintAgainst(root, 'main');
  expect(code).toBe(0);
  expect(outcome).not.toBe('incomplete');
  expect(notCompared).toEqual([
    expect.stringMatching(/^the app “a” was not compared with main: its metadata file is not one/),
  ]);
});

describe('a name of several things is refused with the forms to write', () => {
  test('a folder and a branch', async () => {
    const root = pullRequest();
    write(root, { ...WITHOUT_1_1, 'main/registry.json': manifestOf([]) });
    const { code, outcome, error } = await lintAgainst(root, 'main');
    expect({ code, outcome, error }).toEqual({
      code: 2,
      outcome: 'incomplete',
      error: {
        code: 'baseline-ambiguous',
        message: '“main” is a folder and a branch, so it is unclear which of them is meant.',
        hint: 'Write ./main for the folder, or refs/heads/main for the branch.',
      },
    });
    expect((await lintAgainst(root, 'refs/heads/main')).found).toContain(WITHDRAWN);
    expect((await lintAgainst(root, './main')).found).not.toContain(WITHDRAWN);
  });

  test('a branch and a tag', async () => {
    const root = pullRequest();
    write(root, WITHOUT_1_1);
    commitAll(root);
    git(root, 'tag', 'main');
    const { code, error } = await lintAgainst(root, 'main');
    expect(code).toBe(2);
    expect(error).toMatchObject({
      code: 'baseline-ambiguous',
      hint: 'Write refs/heads/main for the branch, or refs/tags/main for the tag.',
    });
    expect((await lintAgainst(root, 'refs/heads/main')).found).toContain(WITHDRAWN);
  });
});

describe('a base is found as', () => {
  test('a branch, a tag, a commit, and the branch of a remote', async () => {
    const origin = pullRequest();
    git(origin, 'tag', 'v1', 'main');
    const clone = join(folder(), 'clone');
    git(origin, 'clone', '--quiet', `file://${origin}`, clone);
    write(clone, WITHOUT_1_1);
    const commit = git(clone, 'rev-parse', 'origin/main');
    for (const ref of ['origin/main', 'v1', commit, commit.slice(0, 9), 'HEAD'])
      expect([ref, (await lintAgainst(clone, ref)).found]).toEqual([ref, expect.arrayContaining([WITHDRAWN])]);
  });

  test('the commit that a shallow clone has', async () => {
    const origin = pullRequest();
    const clone = join(folder(), 'clone');
    git(origin, 'clone', '--quiet', '--depth=1', '--branch=main', `file://${origin}`, clone);
    write(clone, WITHOUT_1_1);
    expect((await lintAgainst(clone, 'origin/main')).found).toContain(WITHDRAWN);
  });

  test('a ref in a linked work tree, and a linked work tree as a folder', async () => {
    const root = pullRequest();
    const linked = join(folder(), 'linked');
    git(root, 'worktree', 'add', '--quiet', linked, 'main');
    write(linked, WITHOUT_1_1);
    expect((await lintAgainst(linked, 'change')).found).toContain(WITHDRAWN);
    write(root, WITHOUT_1_1);
    git(linked, 'checkout', '--quiet', '.');
    expect((await lintAgainst(root, linked)).found).toContain(WITHDRAWN);
  });

  test('a folder whose manifest has another name', async () => {
    const root = pullRequest();
    const before = folder();
    cpSync(root, before, { recursive: true });
    rmSync(join(before, '.git'), { recursive: true });
    renameSync(join(before, 'registry.json'), join(before, 'core.json'));
    write(root, WITHOUT_1_1);
    expect((await lintAgainst(root, before)).found).toContain(WITHDRAWN);
    write(before, { 'appreg.config.json': { baseUrl: BASE, manifest: 'core.json' }, 'registry.json': { apps: {} } });
    expect((await lintAgainst(root, before)).found).toContain(WITHDRAWN);
  });

  test('a file that is a link, before and now', async () => {
    const files = registryFiles();
    const root = pullRequest({ ...files, 'lists/a.json': files['apps/a/versions.json'] });
    git(root, 'checkout', '--quiet', 'main');
    rmSync(join(root, 'apps/a/versions.json'));
    symlinkSync('../../lists/a.json', join(root, 'apps/a/versions.json'));
    commitAll(root);
    git(root, 'checkout', '--quiet', '-B', 'change');
    write(root, { 'lists/a.json': versions('a', '1.0.0') });
    expect((await lintAgainst(root, 'main')).found).toContain(WITHDRAWN);
    git(root, 'checkout', '--quiet', '.');
    rmSync(join(root, 'apps/a'), { recursive: true });
    mkdirSync(join(root, 'apps/a'));
    write(root, WITHOUT_1_1);
    expect((await lintAgainst(root, 'main')).found).toContain(WITHDRAWN);
  });

  test('a folder of a repository of several registries', async () => {
    const root = pullRequest({ ...registryFiles('one/'), ...registryFiles('two/') });
    write(join(root, 'one'), WITHOUT_1_1);
    expect((await lintAgainst(join(root, 'one'), 'main')).found).toContain(WITHDRAWN);
    const { code, notCompared } = await lintAgainst(join(root, 'two'), 'main');
    expect({ code, notCompared }).toEqual({ code: 0, notCompared: [] });
  });
});

test('an error that is excepted does not explain why an app was not compared', async () => {
  const root = pullRequest();
  rmSync(join(root, 'apps/a/versions.json'));
  const broken = await lintAgainst(root, 'main');
  expect({ code: broken.code, notCompared: broken.notCompared }).toEqual({ code: 1, notCompared: [] });
  write(root, {
    'appreg.config.json': {
      baseUrl: BASE,
      exceptions: [{ rule: 'file-missing', app: 'a', reason: 'It comes later.' }],
    },
  });
  const { code, outcome, notCompared } = await lintAgainst(root, 'main');
  expect({ code, outcome, notCompared }).toEqual({
    code: 2,
    outcome: 'incomplete',
    notCompared: [expect.stringMatching(/^the app “a” was not compared with main: .*file-missing/)],
  });
});

describe('one metadata file', () => {
  const paths = ['apps/a/versions.json'];

  test('that is new is said not to be compared', async () => {
    const { 'apps/a/versions.json': added, ...files } = registryFiles();
    const root = pullRequest({ ...files, 'registry.json': manifestOf(['b']) });
    write(root, { 'registry.json': manifestOf(['a', 'b']), 'apps/a/versions.json': added });
    const { code, notCompared } = await lintAgainst(root, 'main', { paths });
    expect(code).toBe(0);
    expect(notCompared).toEqual(['the registry was not compared with main: its metadata file is not in main']);
  });

  test('that cannot be parsed is incomplete if its error is turned off', async () => {
    const root = pullRequest();
    write(root, {
      'appreg.config.json': { baseUrl: BASE, rules: { 'document-unreadable': 'off' } },
      'apps/a/versions.json': '{',
    });
    const { code, outcome } = await lintAgainst(root, 'main', { paths });
    expect({ code, outcome }).toEqual({ code: 2, outcome: 'incomplete' });
  });
});
