import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runPublishVersion } from '../../src/cli/commands/publish-version.ts';
import { tarGz } from '../publish/memory.ts';
import { contextIn, refusal, snapshot } from './author-support.ts';
import { workspace, type Options, publish, listedVersions, lintsClean } from './publish-fixture.ts';

/** publish-version: --dry-run, interrupted runs, and refused arguments. */

describe('4. an interrupted publish-version can be run again', () => {
  test('and lists an artifact that is stored but not listed', async () => {
    const dir = await workspace();
    await publish(dir, '1.0.0');
    writeFileSync(join(dir, 'apps/a/versions.json'), '{\n  "versions": []\n}\n');
    expect((await publish(dir, '1.0.0')).printed.out.join('\n')).toContain(
      'already-there apps/a/versions/1.0.0.tar.gz',
    );
    expect(listedVersions(dir)).toHaveLength(1);
  });

  test('and stores the missing artifact of a listed version', async () => {
    const dir = await workspace();
    await publish(dir, '1.0.0');
    rmSync(join(dir, 'apps/a/versions/1.0.0.tar.gz'));
    await publish(dir, '1.0.0');
    await lintsClean(dir);
  });

  test.each([
    ['the host in uppercase', (url: string) => url.replace('apps.example.com', 'APPS.example.com')],
    ['the default port', (url: string) => url.replace('apps.example.com', 'apps.example.com:443')],
    ['an escaped letter', (url: string) => url.replace('versions', 'version%73')],
  ])('and stores the missing artifact of a URL with %s', async (_, rewrite) => {
    const dir = await workspace();
    await publish(dir, '1.0.0');
    const file = join(dir, 'apps/a/versions.json');
    const [{ artifactUrl = '' } = {}] = listedVersions(dir);
    expect(rewrite(artifactUrl)).not.toBe(artifactUrl);
    writeFileSync(file, readFileSync(file, 'utf8').replace(artifactUrl, rewrite(artifactUrl)));
    const artifact = join(dir, 'apps/a/versions/1.0.0.tar.gz');
    const bytes = readFileSync(artifact);
    rmSync(artifact);
    await publish(dir, '1.0.0');
    expect(readFileSync(artifact)).toEqual(bytes);
  });

  test('and concurrent runs in one process all add their version', async () => {
    const dir = await workspace();
    await publish(dir, '1.0.0');
    const codes = ['b', 'c', 'd', 'e'];
    for (const code of codes) writeFileSync(join(dir, `${code}.tar.gz`), tarGz(code));
    await Promise.all(codes.map((code) => publish(dir, 'patch', { artifact: `${code}.tar.gz` })));
    // Each is higher than those before it; a number is skipped if a higher one was listed meanwhile.
    const versions = listedVersions(dir).map(({ version }) => version);
    expect(new Set(versions).size).toBe(5);
    expect(versions).toEqual(versions.toSorted());
    expect(new Set(listedVersions(dir).map(({ artifactChecksum }) => artifactChecksum)).size).toBe(5);
    await lintsClean(dir);
  });
});

describe('the lock file of a workspace that is published as a folder', () => {
  test('is in the plan and in the results', async () => {
    const dir = await workspace();
    writeFileSync(join(dir, 'appreg.lock.json'), '{"lock":1,"apps":{}}');
    const planned = await publish(dir, '1.0.0', { artifact: '../one.tar.gz', dryRun: true });
    expect(planned.printed.out.join('\n')).toContain('edit   appreg.lock.json  (the lock file, with a 1.0.0)');
    const done = await publish(dir, '1.0.0');
    expect(done.printed.out.join('\n')).toContain('\n  edited appreg.lock.json');
    expect(readFileSync(join(dir, 'appreg.lock.json'), 'utf8')).toContain(listedVersions(dir)[0]!.artifactChecksum);
  });

  test('is checked before anything is written', async () => {
    const dir = await workspace();
    writeFileSync(join(dir, 'appreg.lock.json'), '{');
    const before = snapshot(dir);
    for (const dryRun of [true, false])
      expect(await refusal(publish(dir, '1.0.0', { artifact: '../one.tar.gz', dryRun }))).toMatchObject({
        code: 'lock-file-invalid',
        exit: 2,
      });
    expect(snapshot(dir)).toEqual(before);
  });
});

describe('5. publish-version --dry-run', () => {
  test('makes every read and check, prints the plan and writes nothing', async () => {
    const dir = await workspace();
    await publish(dir, '1.0.0');
    const before = snapshot(join(dir, '..'));
    const { printed } = await publish(dir, 'patch', { artifact: '../two.tar.gz', dryRun: true, readBack: true });
    expect(printed.out.join('\n')).toMatch(
      /^would publish a 1\.0\.1[^]*create apps\/a\/versions\/1\.0\.1\.tar\.gz[^]*edit   apps\/a\/versions\.json[^]*\+ .*"version": "1\.0\.1"/,
    );
    expect(
      JSON.parse(
        (await publish(dir, 'patch', { artifact: '../two.tar.gz', dryRun: true, format: 'json' })).printed.out.join(),
      ),
    ).toMatchObject({
      version: '1.0.1',
      status: 'planned',
      steps: [
        { kind: 'create', outcome: null },
        { kind: 'edit', outcome: null },
      ],
    });
    expect(await refusal(publish(dir, '1.0.0', { artifact: '../two.tar.gz', dryRun: true }))).toMatchObject({
      code: 'immutable',
      exit: 1,
    });
    expect((await publish(dir, '1.0.0', { artifact: '../one.tar.gz', dryRun: true })).printed.out.join('\n')).toMatch(
      /^already published as a 1\.0\.0/,
    );
    expect(snapshot(join(dir, '..'))).toBe(before);
  });

  test('prints what would be written for a version that is published', async () => {
    const dir = await workspace();
    const artifact = '../one.tar.gz';
    await publish(dir, '1.0.0', { artifact, notes: 'First.' });
    rmSync(join(dir, 'apps/a/versions/1.0.0.tar.gz'));
    const before = snapshot(dir);
    const { printed } = await publish(dir, '1.0.0', { artifact, notes: 'Other.', dryRun: true });
    expect(printed.out.join('\n')).toMatch(
      /^already published as a 1\.0\.0[^]*Nothing was written\. The plan:\ncreate apps\/a\/versions\/1\.0\.0\.tar\.gz .*\nedit   apps\/a\/versions\.about\.json {2}\(the notes of a 1\.0\.0, in place of “First\.”\)$/,
    );
    expect(snapshot(dir)).toBe(before);
  });
});

describe('before it writes anything, publish-version refuses', () => {
  const wrong: { what: string; key: string; word: string; options: Options; code: string; exit: number }[] = [
    { what: 'no source', key: 'a', word: '1.0.0', options: {}, code: 'option-missing', exit: 2 },
    {
      what: 'two sources',
      key: 'a',
      word: '1.0.0',
      options: { artifact: 'x', entry: 'y' },
      code: 'option-conflict',
      exit: 2,
    },
    {
      what: 'a UI without an entry',
      key: 'a',
      word: '1.0.0',
      options: { artifact: 'x', ui: 'y' },
      code: 'option-conflict',
      exit: 2,
    },
    {
      what: 'a hostile key',
      key: '../../a',
      word: '1.0.0',
      options: { artifact: '../one.tar.gz' },
      code: 'app-key-invalid',
      exit: 1,
    },
    {
      what: 'an unknown app',
      key: 'b',
      word: '1.0.0',
      options: { artifact: '../one.tar.gz' },
      code: 'app-unknown',
      exit: 2,
    },
    {
      what: 'an invalid version',
      key: 'a',
      word: 'v1',
      options: { artifact: '../one.tar.gz' },
      code: 'version-invalid',
      exit: 2,
    },
    {
      what: 'a pre-release',
      key: 'a',
      word: '1.0.0-rc.1',
      options: { artifact: '../one.tar.gz' },
      code: 'prerelease-not-allowed',
      exit: 1,
    },
    {
      what: 'an increment without an earlier version',
      key: 'a',
      word: 'patch',
      options: { artifact: '../one.tar.gz' },
      code: 'no-version-to-increment',
      exit: 2,
    },
    {
      what: 'a missing artifact',
      key: 'a',
      word: '1.0.0',
      options: { artifact: 'gone.tar.gz' },
      code: 'file-unreadable',
      exit: 2,
    },
    {
      what: 'a missing entry point',
      key: 'a',
      word: '1.0.0',
      options: { entry: 'gone.ts' },
      code: 'entry-point-missing',
      exit: 2,
    },
    {
      what: 'a file that is not an archive',
      key: 'a',
      word: '1.0.0',
      options: { artifact: '../i.svg' },
      code: 'rule-violation',
      exit: 1,
    },
    {
      what: 'a URL with a password',
      key: 'a',
      word: '1.0.0',
      options: { artifactUrl: 'https://me:pw@x.test/a.tar.gz' },
      code: 'url-invalid',
      exit: 2,
    },
  ];
  test.each(wrong)('$what', async ({ key, word, options, code, exit }) => {
    const dir = await workspace();
    const before = snapshot(dir);
    expect(await refusal(runPublishVersion(contextIn(dir), key, word, options))).toMatchObject({ code, exit });
    expect(snapshot(dir)).toBe(before);
  });

  test('--allow-prerelease accepts a pre-release, with a warning', async () => {
    const dir = await workspace();
    const { printed } = await publish(dir, '1.0.0-rc.1', { artifact: '../one.tar.gz', allowPrerelease: true });
    expect(printed.log.join()).toContain('version-not-plain');
  });
});
