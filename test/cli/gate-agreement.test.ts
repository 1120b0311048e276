import { renameSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/cli/config/config.ts';
import { runAssemble } from '../../src/cli/commands/assemble.ts';
import { runDiff } from '../../src/cli/commands/diff.ts';
import { runVerify } from '../../src/cli/commands/verify.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { startServer } from '../../src/serve/server.ts';
import { cliContext } from '../support/cli-context.ts';
import { SVG } from '../support/live-registry.ts';
import { commitAll, git, write } from '../support/folders.ts';
import { contextIn, refusal } from './author-support.ts';
import { BASE, entry, lintAgainst, manifestOf, pullRequest, registryFiles, versions } from './gate-fixture.ts';
import { releaseIn, sources, statesOf } from './release-fixture.ts';

/** Every command that compares with a base finds the same registry in it. */

const CONFIG = {
  manifest: 'core.json',
  baseUrl: BASE,
  release: [{ folder: 'src/*', entry: 'main.ts', version: 'VERSION' }],
};

/** A repository whose manifest was renamed, and whose app `a` lists one version less. */
function renamed(): string {
  const root = pullRequest({ ...registryFiles(), ...sources({ a: '1.2.0', b: '2.2.0' }) });
  renameSync(join(root, 'registry.json'), join(root, 'core.json'));
  write(root, { 'appreg.config.json': CONFIG, 'apps/a/versions.json': versions('a', '1.0.0') });
  return root;
}

async function diffAgainst(root: string, before: string): Promise<{ code: number; diff: any; log: string[] }> {
  const context = contextIn(root, { format: 'json' });
  const code = await runDiff(context, before, undefined, { format: 'json' });
  return { code, diff: JSON.parse(context.printed.out.join('')), log: context.printed.log };
}

async function verifyAgainst(root: string, against: string): Promise<{ code: number; report: Report }> {
  const serving = await startServer({
    root,
    host: '127.0.0.1',
    port: 0,
    manifest: 'core.json',
    serviceOrigins: [],
    rewriteFrom: BASE,
    https: false,
  });
  try {
    const context = contextIn(root, { format: 'json' });
    const code = await runVerify(context, serving.manifestUrl, { against, skipArtifacts: true });
    return { code, report: JSON.parse(context.printed.out.join('')) };
  } finally {
    await serving.close();
  }
}

describe('a manifest that was renamed is found by', () => {
  test('lint and verify, which report the version that is gone, or was never served', async () => {
    const root = renamed();
    expect((await lintAgainst(root, 'main')).found).toContain('version-withdrawn a 1.1.0');
    const { report } = await verifyAgainst(root, 'main');
    expect(report.findings).toContainEqual(
      expect.objectContaining({ rule: 'deployment-stale', app: 'a', version: '1.1.0' }),
    );
  });

  test('diff, which shows it', async () => {
    const { code, diff } = await diffAgainst(renamed(), 'main');
    expect(code).toBe(0);
    expect(diff.apps).toContainEqual(
      expect.objectContaining({
        key: 'a',
        versions: [expect.objectContaining({ version: '1.1.0', change: 'removed' })],
      }),
    );
  });

  test('release --check, which compares with the versions of the base', async () => {
    const root = renamed();
    commitAll(root);
    const run = await releaseIn(root, { check: true, against: 'main' });
    expect(statesOf(run)).toEqual({ a: 'new', b: 'new' });
    expect(run.apps['a']).toMatchObject({ listed: '1.1.0' });
  });

  test('assemble --check, which misses the folder of an app', async () => {
    const root = renamed();
    write(root, {
      'appreg.config.json': { manifest: 'core.json', baseUrl: BASE },
      'apps/b/app.json': { name: 'B', description: 'Does a thing.', color: '#1864ab' },
      'apps/b/icon.svg': SVG,
    });
    rmSync(join(root, 'apps/a'), { recursive: true });
    const error = await refusal(runAssemble(contextIn(root), { check: true, against: 'main' }));
    expect(error.message).toContain('apps/a/app.json does not exist, but main lists the app');
  });
});

describe('a name of a folder and a branch is refused by', () => {
  const refused = { code: 'baseline-ambiguous', exit: 2 };

  test('diff, release, assemble and verify', async () => {
    const root = renamed();
    write(root, { main: 'a file' });
    await expect(diffAgainst(root, 'main')).rejects.toMatchObject(refused);
    await expect(releaseIn(root, { check: true, against: 'main' })).rejects.toMatchObject(refused);
    await expect(runAssemble(contextIn(root), { check: true, against: 'main' })).rejects.toMatchObject(refused);
    await expect(verifyAgainst(root, 'main')).rejects.toMatchObject(refused);
  });
});

test('a base without a registry is said by release and diff, which compare with no apps', async () => {
  const { 'registry.json': manifest, ...files } = registryFiles('', { release: CONFIG.release });
  const root = pullRequest({ ...files, ...sources({ a: '1.1.0', b: '2.1.0' }) });
  write(root, { 'registry.json': manifest });
  const line = 'Compared with no apps: there was no registry.json in main.';
  const { code, diff, log } = await diffAgainst(root, 'main');
  expect({ code, log }).toEqual({ code: 0, log: [line] });
  expect(diff.apps.map(({ key, change }: { key: string; change: string }) => `${change} ${key}`)).toEqual([
    'added a',
    'added b',
  ]);
  const run = await releaseIn(root, { check: true, against: 'main' });
  expect(run.context.printed.log).toContain(line);
});

test('an app whose versions are not known in the base fails diff and release', async () => {
  const moved = entry('a', 'https://cdn.example.net/');
  const root = pullRequest({
    ...registryFiles('', { release: CONFIG.release }),
    'registry.json': { apps: { a: moved, b: entry('b') } },
    ...sources({ a: '1.2.0', b: '2.2.0' }),
  });
  write(root, { 'registry.json': manifestOf(['a', 'b']) });
  const { code, log } = await diffAgainst(root, 'main');
  expect({ code, log }).toEqual({ code: 2, log: ['The app “a” was not compared: it is not in main.'] });
  const run = await releaseIn(root, { check: true, against: 'main' });
  expect(run.code).toBe(1);
  expect(run.apps['a']).toMatchObject({ state: 'broken', message: expect.stringContaining('are unknown') });
});

test('an app whose metadata file was never valid in the base can be released', async () => {
  const files = { ...registryFiles('', { release: CONFIG.release }), ...sources({ a: '1.2.0', b: '2.2.0' }) };
  const root = pullRequest({ ...files, 'apps/a/versions.json': '{' });
  write(root, files);
  const run = await releaseIn(root, { check: true, against: 'main' });
  expect(statesOf(run)).toEqual({ a: 'new', b: 'new' });
  expect(run.context.printed.log).toContain(
    'The app “a” is compared with no versions: its metadata file cannot be read in main.',
  );
});

test('verify reports a base whose metadata is not in it as incomplete', async () => {
  const root = pullRequest({
    ...registryFiles(),
    'registry.json': { apps: { a: entry('a', 'https://cdn.example.net/'), b: entry('b') } },
  });
  renameSync(join(root, 'registry.json'), join(root, 'core.json'));
  write(root, { 'core.json': manifestOf(['a', 'b']), 'appreg.config.json': CONFIG });
  const { code, report } = await verifyAgainst(root, 'main');
  expect({ code, outcome: report.outcome }).toEqual({ code: 2, outcome: 'incomplete' });
  expect(report.notJudged).toContainEqual(expect.objectContaining({ rule: '*', app: 'a', code: 'not-compared' }));
});

test('the configuration of a folder is not executed if it is the base', async () => {
  const root = renamed();
  git(root, 'worktree', 'add', '--quiet', 'base', 'main');
  unlinkSync(join(root, 'base/.git'));
  unlinkSync(join(root, 'base/appreg.config.json'));
  write(root, { 'base/appreg.config.cjs': 'throw new Error("executed");' });
  const context = cliContext({
    cwd: root,
    options: { format: 'json' },
    config: (from = root) => loadConfig({ from, file: null, env: {} }),
  });
  await expect(runDiff(context, './base', undefined, {})).rejects.toMatchObject({ code: 'config-unsupported' });
  expect((await lintAgainst(root, './base')).found).toContain('version-withdrawn a 1.1.0');
});

const ABOUT_VERSIONS = new Set(['version-withdrawn', 'deployment-stale', 'version-not-semver', 'no-valid-versions']);
const aboutVersions = ({ findings }: Report) =>
  findings.filter(({ app, rule }) => app === 'a' && ABOUT_VERSIONS.has(rule));

describe('an invalid text in place of a published version', () => {
  const cases: [listed: string, texts: readonly string[]][] = [
    ['v1.1.0', ['1.0.0', 'v1.1.0']],
    ['v1.0.0', ['v1.0.0', '1.1.0']],
    ['1.1', ['1.0.0', '1.1']],
  ];

  test.each(cases)('is one finding with one advice, and one line of diff: %s', async (listed, texts) => {
    const root = renamed();
    const { versions: before } = versions('a', '1.0.0', '1.1.0') as { versions: object[] };
    const meant = ['1.0.0', '1.1.0'].find((version) => !texts.includes(version))!;
    write(root, {
      'apps/a/versions.json': { versions: before.map((one, index) => ({ ...one, version: texts[index] })) },
    });
    const one = [
      expect.objectContaining({
        rule: 'version-withdrawn',
        cause: 'respelled',
        version: meant,
        advice: `Write it as "${meant}".`,
        message: expect.stringContaining(`is now written “${listed}”`),
      }),
    ];
    const { report } = await lintAgainst(root, 'main');
    expect(aboutVersions(report)).toEqual(one);
    // Nothing shows that the valid one was served.
    expect(aboutVersions((await verifyAgainst(root, 'main')).report)).toEqual([
      expect.objectContaining({ rule: 'version-not-semver', version: listed }),
    ]);
    const { diff } = await diffAgainst(root, 'main');
    expect(diff.summary).toMatchObject({ versionsAdded: 0, versionsRemoved: 1 });
    expect(diff.apps[0].versions).toEqual([
      expect.objectContaining({ version: meant, change: 'removed', listedAs: listed }),
    ]);
  });
});
