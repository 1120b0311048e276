import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runLint } from '../../src/cli/commands/lint.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { cliContext } from '../support/cli-context.ts';
import { configAt } from '../support/config-at.ts';
import { entry } from '../support/snapshots.ts';
import * as tar from '../support/tar-builder.ts';

/** A work tree that lacks files which git has: a sparse checkout, and Git LFS without its content. */

const BASE = 'https://apps.example.com/';
const ARCHIVE = tar.tgz(tar.entry('app.js', 'export const a = 1;\n'));
const ICON = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><rect width="8" height="8"/></svg>',
);

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'appreg-checkout-'));
  put('appreg.config.json', JSON.stringify({ baseUrl: BASE }));
  put('registry.json', JSON.stringify({ apps: { a: entry('a'), b: entry('b') } }));
  for (const key of ['a', 'b']) {
    put(`apps/${key}/icon.svg`, ICON);
    put(`apps/${key}/versions/1.0.0.tar.gz`, ARCHIVE);
    put(
      `apps/${key}/versions.json`,
      JSON.stringify({
        versions: [
          {
            version: '1.0.0',
            artifactUrl: `${BASE}apps/${key}/versions/1.0.0.tar.gz`,
            artifactChecksum: `sha256:${sha256(ARCHIVE)}`,
          },
        ],
      }),
    );
  }
  git('init', '--quiet', '-b', 'main');
  commit();
});
afterEach(() => rmSync(root, { recursive: true }));

function git(...args: string[]): void {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@a.test', ...args], { cwd: root });
}

function commit(): void {
  git('add', '.');
  git('commit', '--quiet', '-m', 'x');
}

function put(path: string, content: string | Uint8Array): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), content);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function pointerTo(bytes: Uint8Array): string {
  return `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256(bytes)}\nsize ${bytes.length}\n`;
}

async function lint(): Promise<{ code: number; report: Report; reasons: string[] }> {
  const config = (from = root): ReturnType<typeof configAt> => configAt(from, null, {});
  const context = cliContext({ cwd: root, options: { format: 'json' }, config });
  const code = await runLint(context, [], {});
  const report = JSON.parse(context.printed.out.join('\n')) as Report;
  const reasons = report.notJudged
    .filter((one) => one.code === 'not-checked-out' || one.code === 'lfs-not-fetched')
    .map(({ rule, app, code: reason }) => `${rule} ${app} ${reason}`);
  return { code, report, reasons };
}

async function printed(): Promise<string> {
  const config = (from = root): ReturnType<typeof configAt> => configAt(from, null, {});
  const context = cliContext({ cwd: root, options: { format: 'pretty' }, config });
  await runLint(context, [], {});
  return context.printed.out.join('\n');
}

const errorsIn = ({ findings }: Report): string[] =>
  findings.filter(({ severity }) => severity === 'error').map(({ rule, cause, app }) => `${rule} ${cause} ${app}`);

describe('a sparse checkout', () => {
  test('leaves an app unjudged that git has: it is not missing', async () => {
    git('sparse-checkout', 'set', '--no-cone', '/*', '!/apps/b/');
    const { code, report, reasons } = await lint();
    expect(code).toBe(0);
    expect(errorsIn(report)).toEqual([]);
    expect(report.apps.map(({ key, visible }) => [key, visible])).toEqual([
      ['a', true],
      ['b', null],
    ]);
    expect(reasons).toContain('document-unreadable b not-checked-out');
    expect(await printed()).toContain(
      '1 metadata file not read: not part of this sparse checkout (git sparse-checkout',
    );
    expect(report.notJudged.find(({ code: reason }) => reason === 'not-checked-out')!.reason).toBe(
      'git has it, but it is not part of this sparse checkout (git sparse-checkout add <folder>)',
    );
  });

  test('leaves artifacts and icons unjudged', async () => {
    git('sparse-checkout', 'set', '--no-cone', '/*', '!/apps/b/versions/', '!/apps/b/icon.svg');
    const { code, report, reasons } = await lint();
    expect(code).toBe(0);
    expect(errorsIn(report)).toEqual([]);
    expect(reasons).toContain('artifact-checksum-mismatch b not-checked-out');
    expect(reasons).toContain('icon-not-image b not-checked-out');
  });

  test('without the manifest is an error that says so', async () => {
    git('sparse-checkout', 'set', '--no-cone', '/*', '!/registry.json');
    const { code, report } = await lint();
    expect(code).toBe(1);
    expect(report.findings).toMatchObject([
      {
        rule: 'file-missing',
        cause: 'not-checked-out',
        message:
          'The manifest registry.json is not checked out: git has it, but it is not part of this sparse checkout.',
        advice: expect.stringContaining('git sparse-checkout add') as string,
      },
    ]);
  });

  test('has missing files as well: git does not have them either', async () => {
    git('rm', '--quiet', 'apps/a/versions.json');
    git('sparse-checkout', 'set', '--no-cone', '/*', '!/apps/b/');
    const { code, report } = await lint();
    expect(code).toBe(1);
    expect(errorsIn(report)).toEqual(['file-missing missing a']);
  });
});

/** Replaces files by pointers, as a checkout without LFS has them. */
function replace(files: Record<string, Uint8Array>, attributes: string): void {
  put('.gitattributes', attributes);
  for (const [path, bytes] of Object.entries(files)) put(path, pointerTo(bytes));
}

describe('Git LFS without its content', () => {
  test('leaves artifacts and icons unjudged whose pointer has the listed digest', async () => {
    replace(
      { 'apps/a/versions/1.0.0.tar.gz': ARCHIVE, 'apps/a/icon.svg': ICON },
      '*.tar.gz filter=lfs\n*.svg filter=lfs\n',
    );
    const { code, report, reasons } = await lint();
    expect(code).toBe(0);
    expect(errorsIn(report)).toEqual([]);
    expect(reasons).toContain('artifact-checksum-mismatch a lfs-not-fetched');
    expect(reasons).toContain('icon-not-image a lfs-not-fetched');
  });

  test('is an error for an artifact with another digest', async () => {
    replace({ 'apps/a/versions/1.0.0.tar.gz': Buffer.from('other') }, '*.tar.gz filter=lfs\n');
    expect(errorsIn((await lint()).report)).toEqual(['artifact-checksum-mismatch git-lfs-pointer a']);
  });

  test('leaves a metadata file unjudged', async () => {
    replace({ 'apps/a/versions.json': Buffer.from('{}') }, 'apps/*/versions.json filter=lfs\n');
    const { report, reasons } = await lint();
    expect(errorsIn(report)).toEqual([]);
    expect(reasons).toContain('document-unreadable a lfs-not-fetched');
  });

  test('is an error for a pointer that git stores as a file: it is what a host serves', async () => {
    replace({ 'apps/a/versions/1.0.0.tar.gz': ARCHIVE, 'apps/b/versions.json': Buffer.from('{}') }, '');
    expect(errorsIn((await lint()).report)).toEqual([
      'artifact-checksum-mismatch git-lfs-pointer a',
      'document-unreadable git-lfs-pointer b',
    ]);
  });
});
