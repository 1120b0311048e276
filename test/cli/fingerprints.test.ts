import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runLint } from '../../src/cli/commands/lint.ts';
import type { GlobalOptions } from '../../src/cli/io/invocation.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { cliContext } from '../support/cli-context.ts';
import { configAt } from '../support/config-at.ts';
import { entry, metadataWith } from '../support/snapshots.ts';

/** A finding is recognized from every folder, in every clone, and not in another registry. */

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'appreg-fingerprints-'));
  git('init', '--quiet', '-b', 'main', 'repo');
  putRegistry('repo/r');
});
afterEach(() => rmSync(top, { recursive: true }));

function git(...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@a.test', ...args], { cwd: top });
}

function put(path: string, value: unknown): void {
  mkdirSync(join(top, path, '..'), { recursive: true });
  writeFileSync(join(top, path), typeof value === 'string' ? value : `${JSON.stringify(value, null, 2)}\n`);
}

/** A registry with three findings: in the manifest, in a metadata file, and about an icon. */
function putRegistry(folder: string, baseUrl: string | null = null): void {
  put(`${folder}/registry.json`, { apps: { a: entry('a', { description: '' }) } });
  put(`${folder}/apps/a/versions.json`, metadataWith('1.0.0', 'v2'));
  put(`${folder}/apps/a/icon.svg`, 'no image');
  if (baseUrl !== null) put(`${folder}/appreg.config.json`, { baseUrl });
}

interface Run {
  code: number;
  report: Report;
  text: string;
}

async function run(
  cwd: string,
  paths: string[] = [],
  options: { baseline?: string } = {},
  globals: GlobalOptions = { format: 'json' },
): Promise<Run> {
  const folder = join(top, cwd);
  const config = (from = folder): ReturnType<typeof configAt> => configAt(from, null, {});
  const context = cliContext({ cwd: folder, options: globals, config });
  const code = await runLint(context, paths, options);
  const text = context.printed.out.join('\n');
  return { code, report: globals.format === 'json' ? JSON.parse(text) : null, text };
}

const fingerprintsIn = ({ report }: Run): string[] => report.findings.map(({ fingerprint }) => fingerprint).toSorted();

describe('the fingerprints of a registry are the same', () => {
  test.each<[string, string, string[]]>([
    ['from the folder above', 'repo', ['r']],
    ['from outside of the repository', '', ['repo/r']],
    ['by its manifest', 'repo', ['r/registry.json']],
    ['from a folder below', 'repo/r/apps', ['..']],
    ['from a folder beside', 'repo/r/apps/a', ['../..']],
  ])('%s', async (_, cwd, paths) => {
    const expected = await run('repo/r');
    expect(expected.report.findings).toHaveLength(3);
    expect(expected.report.registries).toEqual(['r/registry.json']);
    const other = await run(cwd, paths);
    expect(fingerprintsIn(other)).toEqual(fingerprintsIn(expected));
    expect(other.report.registries).toEqual(['r/registry.json']);
  });

  test('in a work tree, in a copy of the repository, and behind a link', async () => {
    const expected = fingerprintsIn(await run('repo/r'));
    git('-C', 'repo', 'add', '.');
    git('-C', 'repo', 'commit', '--quiet', '-m', 'x');
    git('-C', 'repo', 'worktree', 'add', '--quiet', '../tree');
    expect(fingerprintsIn(await run('tree', ['r']))).toEqual(expected);
    cpSync(join(top, 'repo'), join(top, 'deep/copy'), { recursive: true });
    expect(fingerprintsIn(await run('deep/copy/r'))).toEqual(expected);
    symlinkSync(join(top, 'repo/r'), join(top, 'link'), 'junction');
    expect(fingerprintsIn(await run('', ['link']))).toEqual(expected);
  });

  test('in another folder, if the base URL is configured', async () => {
    putRegistry('repo/r', 'https://apps.example.com/');
    const before = await run('repo', ['r']);
    expect(before.report.registries).toEqual(['https://apps.example.com/registry.json']);
    renameSync(join(top, 'repo/r'), join(top, 'moved'));
    expect(fingerprintsIn(await run('moved'))).toEqual(fingerprintsIn(before));
  });
});

test('two registries in one repository have other fingerprints', async () => {
  putRegistry('repo/s');
  const both = await run('repo', ['r', 's']);
  expect(new Set(fingerprintsIn(both)).size).toBe(both.report.findings.length);
  expect(both.report.registries).toEqual(['r/registry.json', 's/registry.json']);
  expect(fingerprintsIn(both)).toEqual(
    [...fingerprintsIn(await run('repo/r')), ...fingerprintsIn(await run('repo/s'))].toSorted(),
  );
});

test('SARIF and GitLab have the fingerprints of JSON', async () => {
  const expected = fingerprintsIn(await run('repo/r'));
  const gitlab = await run('repo', ['r'], {}, { format: 'gitlab' });
  const violations = JSON.parse(gitlab.text) as { fingerprint: string }[];
  expect(violations.map(({ fingerprint }) => fingerprint).toSorted()).toEqual(expected);
  const sarif = await run('repo', ['r'], {}, { format: 'sarif' });
  const { runs } = JSON.parse(sarif.text) as {
    runs: { results: { partialFingerprints: Record<string, string> }[] }[];
  };
  const results = runs.flatMap(({ results: all }) => all);
  expect(results.map(({ partialFingerprints }) => partialFingerprints['appreg/v2']).toSorted()).toEqual(expected);
});

describe('a baseline', () => {
  test('is recognized from another folder', async () => {
    put('before.json', (await run('repo/r')).text);
    const again = await run('repo', ['r'], { baseline: '../before.json' });
    expect(again).toMatchObject({ code: 0, report: { outcome: 'clean', resolved: [] } });
  });

  test('of another registry is refused', async () => {
    putRegistry('repo/s');
    put('before.json', (await run('repo/s')).text);
    await expect(run('repo/r', [], { baseline: '../../before.json' })).rejects.toMatchObject({
      code: 'baseline-report-invalid',
      exit: 2,
      message: '--baseline: ../../before.json is a report about “s/registry.json”, and not about “r/registry.json”.',
    });
    putRegistry('repo/r', 'https://apps.example.com/');
    await expect(run('repo/r', [], { baseline: '../../before.json' })).rejects.toMatchObject({
      code: 'baseline-report-invalid',
      message: /not about “https:\/\/apps\.example\.com\/registry\.json”/,
    });
  });

  test('names its findings that no longer occur, of the registries that are checked', async () => {
    putRegistry('repo/s');
    put('before.json', (await run('repo', ['r', 's'])).text);
    put('repo/r/apps/a/versions.json', metadataWith('1.0.0'));
    const { code, report } = await run('repo', ['r'], { baseline: '../before.json' });
    expect(code).toBe(0);
    expect(report.resolved).toEqual([
      {
        rule: 'version-not-semver',
        app: 'a',
        version: 'v2',
        registry: 'r/registry.json',
        fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      },
    ]);
    const line = '1 finding of the baseline no longer occurs: version-not-semver (a v2). Write the baseline again';
    for (const format of ['pretty', 'markdown'] as const) {
      const { text } = await run('repo', ['r', 's'], { baseline: '../before.json' }, { format });
      expect(text.replaceAll('\\', '')).toContain(line);
    }
  });

  test('of an older version is refused, with the reason', async () => {
    const { report } = await run('repo/r');
    const findings = report.findings.map(({ fingerprint, registry, ...finding }) => ({
      ...finding,
      more: [fingerprint, registry],
    }));
    const { registries, ...rest } = report;
    put('before.json', { ...rest, more: registries, findings });
    await expect(run('repo/r', [], { baseline: '../../before.json' })).rejects.toMatchObject({
      code: 'baseline-report-invalid',
      message: /is of an older version of appreg \(.+\): its findings have no fingerprints\. Write it again/,
    });
  });
});
