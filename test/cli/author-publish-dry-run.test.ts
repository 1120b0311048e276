import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { publishVersion } from '../../src/cli/commands/publish-version/run.ts';
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

  test('and concurrent runs in one process all add their version', async () => {
    const dir = await workspace();
    await publish(dir, '1.0.0');
    const codes = ['b', 'c', 'd', 'e'];
    for (const code of codes) writeFileSync(join(dir, `${code}.tar.gz`), tarGz(code));
    await Promise.all(codes.map((code) => publish(dir, 'patch', { artifact: `${code}.tar.gz` })));
    expect(
      listedVersions(dir)
        .map(({ version }) => version)
        .sort(),
    ).toEqual(['1.0.0', '1.0.1', '1.0.2', '1.0.3', '1.0.4']);
    expect(new Set(listedVersions(dir).map(({ artifactChecksum }) => artifactChecksum)).size).toBe(5);
    await lintsClean(dir);
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
});

describe('before it writes anything, publish-version refuses', () => {
  const wrong: [what: string, key: string, word: string, options: Options, code: string, exit: number][] = [
    ['no source', 'a', '1.0.0', {}, 'option-missing', 2],
    ['two sources', 'a', '1.0.0', { artifact: 'x', entry: 'y' }, 'option-conflict', 2],
    ['a UI without an entry', 'a', '1.0.0', { artifact: 'x', ui: 'y' }, 'option-conflict', 2],
    ['a hostile key', '../../a', '1.0.0', { artifact: '../one.tar.gz' }, 'app-key-invalid', 1],
    ['an unknown app', 'b', '1.0.0', { artifact: '../one.tar.gz' }, 'app-unknown', 2],
    ['an invalid version', 'a', 'v1', { artifact: '../one.tar.gz' }, 'version-invalid', 2],
    ['a pre-release', 'a', '1.0.0-rc.1', { artifact: '../one.tar.gz' }, 'prerelease-not-allowed', 1],
    [
      'an increment without an earlier version',
      'a',
      'patch',
      { artifact: '../one.tar.gz' },
      'no-version-to-increment',
      2,
    ],
    ['a missing artifact', 'a', '1.0.0', { artifact: 'gone.tar.gz' }, 'file-unreadable', 2],
    ['a missing entry point', 'a', '1.0.0', { entry: 'gone.ts' }, 'entry-point-missing', 2],
    ['a file that is not an archive', 'a', '1.0.0', { artifact: '../i.svg' }, 'rule-violation', 1],
    ['a URL with a password', 'a', '1.0.0', { artifactUrl: 'https://me:pw@x.test/a.tar.gz' }, 'url-invalid', 2],
  ];
  test.each(wrong)('%s', async (_, key, word, options, code, exit) => {
    const dir = await workspace();
    const before = snapshot(dir);
    expect(await refusal(publishVersion(contextIn(dir), key, word, options))).toMatchObject({ code, exit });
    expect(snapshot(dir)).toBe(before);
  });

  test('--allow-prerelease accepts a pre-release, with a warning', async () => {
    const dir = await workspace();
    const { printed } = await publish(dir, '1.0.0-rc.1', { artifact: '../one.tar.gz', allowPrerelease: true });
    expect(printed.log.join()).toContain('version-not-plain');
  });
});
