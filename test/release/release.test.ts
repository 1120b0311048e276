import { chmodSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDirectory, recordVersions, registryState, release, type Repository } from '../../src/node.ts';
import type { ReleaseReport } from '../../src/core/release/report.ts';
import { releaseAsText, releaseSummary } from '../../src/report/release.ts';
import type { ReleaseOptions } from '../../src/release/release.ts';
import { folder, write } from '../support/folders.ts';

/** A release as a program makes it, without the command line. */

function repositoryIn(root: string, said: string[] = []): Repository {
  return {
    root,
    config: {
      baseUrl: 'https://apps.example.com/',
      release: [{ folder: 'sources/*', entry: 'main.ts', version: 'VERSION' }],
    },
    openStore: async () => openDirectory(join(root, 'store')),
    listener: {
      log: (text) => void said.push(text),
      progress(text) {
        said.push(text);
        return { update: (next) => void said.push(next()), stop: () => void said.push('done') };
      },
    },
  };
}

function workspace(): string {
  const icon = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"/>';
  return folder({
    'store/registry.json': '{ "apps": {} }',
    'sources/clock/main.ts': 'export default 1;',
    'sources/clock/VERSION': '1.0.0',
    'sources/clock/app.json': '{ "name": "Clock", "description": "Shows the time.", "color": "#1864ab" }',
    'sources/clock/icon.svg': icon,
  });
}

test('a program checks, publishes and checks again', async () => {
  const root = workspace();
  const said: string[] = [];
  const repository = repositoryIn(root, said);
  const check = await release(repository, { action: 'check' });
  expect(check.report.summary).toMatchObject({ new: 1, published: 0 });
  expect(said).toEqual([
    `Reading ${join(root, 'store')}`,
    'done',
    'Building 1 app',
    'Building: 1 of 1 app, clock',
    'done',
  ]);
  const outcomes: string[] = [];
  const asked: string[] = [];
  said.length = 0;
  const { report, plan } = await release(repository, {
    action: 'publish',
    readBack: async ({ artifactUrl }) => void asked.push(artifactUrl),
    onResult: ({ app, outcome }) => void outcomes.push(`${app.key} ${outcome}`),
  });
  expect({ plan, outcome: report.outcome, outcomes }).toEqual({
    plan: null,
    outcome: 'clean',
    outcomes: ['clock published'],
  });
  expect(said).toContain('Publishing: 1 of 1 app, clock');
  expect(asked).toEqual(['https://apps.example.com/apps/clock/versions/1.0.0.tar.gz']);
  expect((await release(repository, { action: 'check' })).report.summary).toMatchObject({ new: 0, unchanged: 1 });
});

test('a check, a dry run and a release have the same warnings', async () => {
  const root = workspace();
  write(root, { 'sources/clock/VERSION': '1.0.0-rc.1' });
  const runs = [{ action: 'check' }, { action: 'publish', dryRun: true }, { action: 'publish' }] as const;
  const found: string[][] = [];
  for (const run of runs) {
    const rules: string[] = [];
    const onFindings: ReleaseOptions['onFindings'] = ({ key }, findings) =>
      void rules.push(...findings.map(({ rule }) => `${key} ${rule}`));
    await release(repositoryIn(root), { ...run, allow: { prerelease: true }, onFindings });
    found.push(rules);
  }
  expect(found).toEqual([['clock version-not-plain'], ['clock version-not-plain'], ['clock version-not-plain']]);
});

test('a dry run returns the plan, and writes nothing', async () => {
  const root = workspace();
  const before = readFileSync(join(root, 'store/registry.json'), 'utf8');
  const { report, plan } = await release(repositoryIn(root), { action: 'publish', dryRun: true });
  expect(plan?.steps.map(({ kind, path }) => `${kind} ${path}`)).toContain('create apps/clock/versions/1.0.0.tar.gz');
  expect(report.plan).toHaveLength(plan?.steps.length ?? 0);
  expect(readFileSync(join(root, 'store/registry.json'), 'utf8')).toBe(before);
});

test('a dry run plans what an interrupted run did not write', async () => {
  const root = workspace();
  await release(repositoryIn(root), { action: 'publish' });
  const lost = ['appreg.lock.json', 'apps/clock/versions/1.0.0.tar.gz'].map((path) => join(root, 'store', path));
  for (const path of lost) rmSync(path);
  const { plan } = await release(repositoryIn(root), { action: 'publish', dryRun: true });
  expect(plan?.steps.map(({ path }) => join(root, 'store', path)).toSorted()).toEqual(lost.toSorted());
  expect(lost.some((path) => existsSync(path))).toBe(false);
  await release(repositoryIn(root), { action: 'publish' });
  expect(lost.every((path) => existsSync(path))).toBe(true);
});

test.each(['store', '.'])('nothing is published if the lock file in %s cannot be written', async (place) => {
  const root = workspace();
  const lock = join(root, place, 'appreg.lock.json');
  write(join(root, place), { 'appreg.lock.json': '{ "lock": 1, "apps": {} }' });
  chmodSync(lock, 0o444);
  const metadata = join(root, 'store/apps/clock/versions.json');
  const run = (): Promise<ReleaseReport> =>
    release(repositoryIn(root), { action: 'publish' }).then(({ report }) => report);

  if (place === '.') await expect(run()).rejects.toThrow('appreg.lock.json is read-only');
  else {
    const report = await run();
    expect(report).toMatchObject({ outcome: 'findings', summary: { new: 1, published: 0, failed: 1 } });
    expect(report.apps[0]!.message).toContain('appreg.lock.json is read-only');
    expect(report.apps[0]!.advice).toContain('chmod u+w');
  }
  expect(existsSync(metadata)).toBe(false);
  chmodSync(lock, 0o644);
  expect(await run()).toMatchObject({ outcome: 'clean', summary: { new: 1, published: 1, failed: 0 } });
  expect(readFileSync(lock, 'utf8')).toContain('"1.0.0"');
});

test('an unchanged app that cannot be recorded is named', async () => {
  const root = workspace();
  await release(repositoryIn(root), { action: 'publish' });
  const lock = join(root, 'store/appreg.lock.json');
  write(root, { 'store/appreg.lock.json': '{ "lock": 1, "apps": {} }' });
  chmodSync(lock, 0o444);
  const { report } = await release(repositoryIn(root), { action: 'publish' });
  expect(report).toMatchObject({ outcome: 'findings', summary: { unchanged: 1, published: 0, failed: 1 } });
  expect(releaseAsText(report)).toMatch(/^! unchanged {2}clock .*\n {4}appreg\.lock\.json is read-only\./m);
  expect(releaseSummary(report)).toBe('1 app: 1 unchanged, 1 not recorded');
});

test('a changed app is compared with a named state, and raised', async () => {
  const root = workspace();
  await release(repositoryIn(root), { action: 'publish' });
  write(root, { 'sources/clock/main.ts': 'export default 2;' });
  const repository = { ...repositoryIn(root), openStore: () => Promise.reject(new Error('not opened')) };
  const options = { action: 'bump', against: join(root, 'store') } as const;
  const { report } = await release(repository, options);
  expect(report.apps).toMatchObject([{ key: 'clock', state: 'new', declared: '1.0.1' }]);
  expect(readFileSync(join(root, 'sources/clock/VERSION'), 'utf8')).toBe('1.0.1');
});

test('the versions of a state are recorded once, and never changed', async () => {
  const root = workspace();
  await release(repositoryIn(root), { action: 'publish' });
  const store = join(root, 'store');
  rmSync(join(store, 'appreg.lock.json'));
  const options = {
    workspaceAt: async () => ({
      root: store,
      found: true,
      manifest: null,
      baseUrl: 'https://apps.example.com/',
      openStore: null,
    }),
  };
  const state = await registryState(store, options);
  expect(await recordVersions(store, state)).toMatchObject({ versions: 1, added: 1, changed: [], isIncomplete: false });
  expect(await recordVersions(store, state)).toMatchObject({ versions: 1, added: 0, changed: [] });
});

/** Of a workspace with a lock file: the lock files that are planned, and the report of the release. */
async function lockFilesOf(root: string, at: string): Promise<{ planned: string[]; report: ReleaseReport }> {
  const repository = { ...repositoryIn(root), openStore: async () => openDirectory(join(root, at)) };
  const { plan } = await release(repository, { action: 'publish', dryRun: true });
  const steps = plan?.steps.filter(({ path }) => path === 'appreg.lock.json') ?? [];
  const { report } = await release(repository, { action: 'publish' });
  return { planned: steps.map(({ what }) => what), report };
}

test('a dry run shows the lock file of the workspace beside that of the store', async () => {
  const root = workspace();
  write(root, { 'appreg.lock.json': '{ "lock": 1, "apps": {} }' });
  const { planned, report } = await lockFilesOf(root, 'store');
  expect(planned).toEqual(['the lock file, with clock 1.0.0', 'the lock file of the workspace, with clock 1.0.0']);
  expect(report.outcome).toBe('clean');
  for (const place of ['.', 'store'])
    expect(readFileSync(join(root, place, 'appreg.lock.json'), 'utf8')).toContain('"1.0.0"');
});

test('a workspace that is the store has one lock file', async () => {
  const root = workspace();
  write(root, { 'appreg.lock.json': '{ "lock": 1, "apps": {} }', 'registry.json': '{ "apps": {} }' });
  const { planned, report } = await lockFilesOf(root, '.');
  expect(planned).toEqual(['the lock file, with clock 1.0.0']);
  expect(report.outcome).toBe('clean');
});

test('a published version that is missing from the lock file of the workspace is said to be published', async () => {
  const root = workspace();
  const lock = join(root, 'appreg.lock.json');
  write(root, { 'appreg.lock.json': '{ "lock": 1, "apps": {} }' });
  const { report } = await release(repositoryIn(root), {
    action: 'publish',
    readBack: async () => void chmodSync(lock, 0o444),
  });
  chmodSync(lock, 0o644);
  expect(report).toMatchObject({ outcome: 'findings', summary: { new: 1, published: 1, failed: 1 } });
  expect(report.apps[0]!.message).toMatch(
    /^Published 1\.0\.0\. appreg\.lock\.json does not have it yet: appreg\.lock\.json is read-only/,
  );
  expect((await release(repositoryIn(root), { action: 'publish' })).report.outcome).toBe('clean');
  expect(readFileSync(lock, 'utf8')).toContain('"1.0.0"');
});
