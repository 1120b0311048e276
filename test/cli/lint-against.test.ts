import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runLint } from '../../src/cli/commands/lint.ts';
import { configAt } from '../support/config-at.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { type Serving, startServer } from '../../src/serve/server.ts';
import { cliContext } from '../support/cli-context.ts';

const BASE = 'https://apps.example.com/';
const digest = (digit: string): string => `sha256:${'0123456789abcde'.repeat(4)}${digit.repeat(4)}`;

let folder: string;
let serving: Serving;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'appreg-against-'));
  put('live/registry.json', {
    apps: {
      a: {
        name: 'A',
        description: 'Does a thing.',
        blockStyle: { iconUrl: `${BASE}apps/a/icon.svg`, color: '#112233' },
        appMetadataUrl: `${BASE}apps/a/versions.json`,
      },
    },
  });
  put('live/appreg.config.json', { baseUrl: BASE });
  put('live/apps/a/versions.json', { versions: [version('1.0.0', '1'), version('1.1.0', '2')] });
  cpSync(join(folder, 'live'), join(folder, 'next'), { recursive: true });
  serving = await startServer({
    root: join(folder, 'live'),
    host: '127.0.0.1',
    port: 0,
    manifest: 'registry.json',
    serviceOrigins: [],
    rewriteFrom: BASE,
    https: false,
  });
});
afterEach(async () => {
  await serving.close();
  rmSync(folder, { recursive: true });
});

function put(path: string, value: unknown): void {
  mkdirSync(join(folder, path, '..'), { recursive: true });
  writeFileSync(join(folder, path), `${JSON.stringify(value, null, 2)}\n`);
}

function version(number: string, digit: string): Record<string, string> {
  const artifactUrl = `${BASE}apps/a/versions/${number}.tar.gz`;
  return { version: number, artifactUrl, artifactChecksum: digest(digit) };
}

async function linted(against: string | null, paths: string[] = []): Promise<{ code: number; found: string[] }> {
  const cwd = join(folder, 'next');
  const context = cliContext({
    cwd,
    options: { format: 'json' },
    config: (from = cwd) => configAt(from, null, {}),
  });
  const code = await runLint(context, paths, against === null ? {} : { against });
  const report: Report = JSON.parse(context.printed.out.join('\n'));
  return { code, found: report.findings.map((f) => `${f.rule} ${f.version}`) };
}

test('lint --against a URL accepts new versions', async () => {
  put('next/apps/a/versions.json', { versions: [version('1.0.0', '1'), version('1.1.0', '2'), version('1.2.0', '3')] });
  expect((await linted(serving.manifestUrl)).found.filter((line) => !line.startsWith('artifact-moved'))).toEqual([]);
});

test('lint --against a URL reports changed and withdrawn versions', async () => {
  put('next/apps/a/versions.json', { versions: [version('1.0.0', '9')] });
  const { code, found } = await linted(serving.manifestUrl);
  expect(code).toBe(1);
  expect(found).toContain('artifact-changed 1.0.0');
  expect(found).toContain('version-withdrawn 1.1.0');
});

test('lint --against a missing registry is refused, and changes no file', async () => {
  const before = readFileSync(join(folder, 'next/apps/a/versions.json'));
  await expect(linted(`${serving.manifestUrl}.gone`)).rejects.toMatchObject({ code: 'baseline-unusable', exit: 2 });
  expect(readFileSync(join(folder, 'next/apps/a/versions.json'))).toEqual(before);
});

test.each(['../live', '../live/apps/a/versions.json'])(
  'lint --against %s reports changed versions of one metadata file',
  async (against) => {
    put('next/apps/a/versions.json', { versions: [version('1.0.0', '9')] });
    const { code, found } = await linted(against, ['apps/a/versions.json']);
    expect(code).toBe(1);
    expect(found).toContain('artifact-changed 1.0.0');
    expect(found).toContain('version-withdrawn 1.1.0');
  },
);

test('lint of one metadata file compares it with the lock file, as lint of the workspace does', async () => {
  const recorded = (number: string, digit: string): object => {
    const { artifactUrl, artifactChecksum } = version(number, digit);
    return { [number]: { artifactChecksum, artifactUrl, bytes: 9, firstSeen: '2026-01-01T00:00:00Z' } };
  };
  put('next/appreg.lock.json', { lock: 1, apps: { a: { ...recorded('1.0.0', '1'), ...recorded('1.1.0', '2') } } });
  put('next/apps/a/versions.json', { versions: [version('1.0.0', '9')] });
  const forbidden = ['artifact-changed 1.0.0', 'version-withdrawn 1.1.0'];
  for (const paths of [[], ['apps/a/versions.json']]) {
    const { code, found } = await linted(null, paths);
    expect(code).toBe(1);
    expect(found).toEqual(expect.arrayContaining(forbidden));
  }
  // A file that no app of the manifest has was never published.
  put('next/apps/b/versions.json', { versions: [version('1.0.0', '9')] });
  const { found } = await linted(null, ['apps/b/versions.json']);
  expect(found.filter((line) => forbidden.includes(line))).toEqual([]);
});

test('lint --against an unusable baseline is refused, not ignored', async () => {
  await expect(linted('')).rejects.toMatchObject({ code: 'option-invalid', exit: 2 });
  await expect(linted('../live/registry.json', ['apps/a/versions.json'])).rejects.toMatchObject({
    code: 'baseline-unusable',
    exit: 2,
  });
});

test('an invalid lock file is refused with its own advice', async () => {
  for (const text of ['{', '{}']) {
    writeFileSync(join(folder, 'next/appreg.lock.json'), text);
    await expect(linted(null)).rejects.toMatchObject({
      code: 'lock-file-invalid',
      exit: 2,
      hint: 'Restore it from version control, or delete it and run appreg lock again.',
    });
  }
});
