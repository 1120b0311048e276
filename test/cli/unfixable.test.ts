import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runLint } from '../../src/cli/commands/lint.ts';
import type { Format } from '../../src/report/options.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { cliContext } from '../support/cli-context.ts';
import { configAt } from '../support/config-at.ts';
import { entry } from '../support/snapshots.ts';
import * as tar from '../support/tar-builder.ts';

/** Findings about published versions, which section 2.4 forbids to correct, are counted apart. */

const BASE = 'https://apps.example.com/';
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'appreg-unfixable-'));
  put('appreg.config.json', JSON.stringify({ baseUrl: BASE }));
  put('registry.json', JSON.stringify({ apps: { a: entry('a') } }));
  put(
    'apps/a/icon.svg',
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8"/></svg>',
  );
  git('init', '--quiet', '-b', 'main');
  publish({ '1.0.0': unsafe('1') });
});
afterEach(() => rmSync(root, { recursive: true }));

function git(...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@a.test', ...args], { cwd: root });
}

function put(path: string, content: string | Uint8Array): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), content);
}

/** An archive with a path out of it, and one that leaves nothing to find. */
const unsafe = (text: string): Buffer =>
  tar.tgz(tar.entry('app.js', `export const a = ${text};\n`), tar.entry('../evil', 'x'));
const sound = (text: string): Buffer => tar.tgz(tar.entry('app.js', `export const a = ${text};\n`));

function list(artifacts: Record<string, Buffer>): void {
  const versions = Object.entries(artifacts).map(([version, bytes]) => ({
    version,
    artifactUrl: `${BASE}apps/a/versions/${version}.tar.gz`,
    artifactChecksum: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
  }));
  put('apps/a/versions.json', JSON.stringify({ versions }));
  for (const [version, bytes] of Object.entries(artifacts)) put(`apps/a/versions/${version}.tar.gz`, bytes);
}

/** Lists the artifacts, and commits them. */
function publish(artifacts: Record<string, Buffer>): void {
  list(artifacts);
  git('add', '.');
  git('commit', '--quiet', '-m', 'x');
}

async function lint(
  options: { against?: string; baseline?: string } = {},
  format: Format = 'json',
): Promise<{ code: number; report: Report; text: string }> {
  const config = (from = root): ReturnType<typeof configAt> => configAt(from, null, {});
  const context = cliContext({ cwd: root, options: { format, maxWarnings: 0 }, config });
  const code = await runLint(context, [], options);
  const text = context.printed.out.join('\n');
  return { code, report: format === 'json' ? (JSON.parse(text) as Report) : (null as never), text };
}

const marks = ({ findings }: Report): unknown[] =>
  findings.map(({ rule, version, unfixable, baseline }) => [rule, version, unfixable, baseline]);

test('a fault of an earlier version is an error without a comparison', async () => {
  const { code, report } = await lint();
  expect(code).toBe(1);
  expect(marks(report)).toEqual([['artifact-unsafe-entry', '1.0.0', false, false]]);
  expect(report.apps).toMatchObject([{ key: 'a', visible: false }]);
});

test('it is counted apart with --against, and hides no version', async () => {
  const { code, report } = await lint({ against: 'HEAD' });
  expect(code).toBe(0);
  expect(report).toMatchObject({ outcome: 'clean', summary: { errors: 0, warnings: 0, excepted: 0, unfixable: 1 } });
  expect(marks(report)).toEqual([['artifact-unsafe-entry', '1.0.0', true, false]]);
  expect(report.findings[0]!.advice).toMatch(/^Only a new version changes this: /);
  expect(report.apps).toEqual([{ key: 'a', visible: true, because: [], latest: '1.0.0' }]);
  expect((await lint({ against: 'HEAD' }, 'pretty')).text).toContain(
    'No problems, 1 that only a new version changes (1 app',
  );
  expect((await lint({ against: 'HEAD' }, 'markdown')).text).toContain('published before: only a new version');
  expect(JSON.parse((await lint({ against: 'HEAD' }, 'gitlab')).text)).toEqual([]);
});

test('it is counted apart with --baseline, too', async () => {
  put('before.json', (await lint()).text);
  const { code, report } = await lint({ baseline: 'before.json' });
  expect(code).toBe(0);
  expect(report.summary).toMatchObject({ errors: 0, excepted: 0, unfixable: 1 });
  expect(marks(report)).toEqual([['artifact-unsafe-entry', '1.0.0', true, true]]);
});

test('a new version with the same fault counts', async () => {
  list({ '1.0.0': unsafe('1'), '1.1.0': unsafe('2') });
  const { code, report } = await lint({ against: 'HEAD' });
  expect(code).toBe(1);
  expect(marks(report)).toEqual([
    ['artifact-unsafe-entry', '1.0.0', true, false],
    ['artifact-unsafe-entry', '1.1.0', false, false],
  ]);
  expect(report.apps).toMatchObject([{ visible: true, latest: '1.0.0' }]);
});

test('a published version with other bytes counts, whatever is in them', async () => {
  list({ '1.0.0': unsafe('2') });
  const { code, report } = await lint({ against: 'HEAD' });
  expect(code).toBe(1);
  expect(marks(report)).toEqual([
    ['artifact-changed', '1.0.0', false, false],
    ['artifact-unsafe-entry', '1.0.0', false, false],
  ]);
});

test('a stored file that differs from the published one counts: it can be restored', async () => {
  publish({ '1.0.0': sound('1') });
  put('apps/a/versions/1.0.0.tar.gz', unsafe('1'));
  const { code, report } = await lint({ against: 'HEAD' });
  expect(code).toBe(1);
  expect(report.summary).toMatchObject({ errors: report.findings.length, unfixable: 0 });
});

test('a version number that cannot be written otherwise any more is counted apart', async () => {
  publish({ '1.0.0-rc.1': sound('1') });
  const { code, report } = await lint({ against: 'HEAD' });
  expect(code).toBe(0);
  expect(marks(report)).toContainEqual(['version-not-plain', '1.0.0-rc.1', true, false]);
});
