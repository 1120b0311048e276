import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runLint } from '../../src/cli/commands/lint.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { folder } from '../support/folders.ts';
import { contextIn, refusal } from './author-support.ts';

/** A baseUrl that does not fit the manifest is an error, and hides nothing else. */

const BASE = 'https://apps.example.com/registry/';
const WRONG = [
  'https://www.apps.example.com/registry/',
  'https://apps.example.net/registry/',
  'https://apps.example.com:8443/registry/',
  'https://apps.example.com/',
  'https://apps.example.com/registry/v2/',
];

function entryOf(key: string, base = BASE): object {
  return {
    name: key,
    description: 'An app.',
    blockStyle: { iconUrl: `https://icons.example.com/${key}.svg`, color: '#112233' },
    appMetadataUrl: `${base}apps/${key}/versions.json`,
  };
}

/** A workspace of four apps, each with an error. */
function faulty(baseUrl: string, bases: Record<string, string> = {}): string {
  const keys = ['a', 'b', 'c', 'd'];
  const version = { version: '1.0', artifactUrl: 'https://cdn.example.com/a.tar.gz', artifactChecksum: 'md5:x' };
  return folder({
    'appreg.config.json': JSON.stringify({ baseUrl }),
    'registry.json': JSON.stringify({ apps: Object.fromEntries(keys.map((key) => [key, entryOf(key, bases[key])])) }),
    'apps/a/versions.json': JSON.stringify({ versions: [version] }),
    'apps/b/versions.json': '{ "versions": [',
    'apps/c/versions.json': JSON.stringify({ versions: [{ ...version, version: '1.0.0' }] }),
    'apps/d/versions.json': JSON.stringify({ versions: [] }),
  });
}

async function lint(root: string): Promise<{ code: number; report: Report; errors: string[] }> {
  const context = contextIn(root, { format: 'json' });
  const code = await runLint(context, [], {});
  const report = JSON.parse(context.printed.out.join('\n')) as Report;
  const errors = report.findings.flatMap(({ rule, app, severity }) =>
    severity === 'error' ? [`${rule} ${app ?? ''}`] : [],
  );
  return { code, report, errors };
}

describe('lint', () => {
  test.each(WRONG)('reports %s once, and all other errors', async (baseUrl) => {
    const { errors } = await lint(faulty(BASE));
    expect(errors.length).toBeGreaterThan(4);
    const wrong = await lint(faulty(baseUrl));
    expect(wrong.code).toBe(1);
    expect(wrong.errors.toSorted()).toEqual([...errors, 'base-url-mismatched '].toSorted());
    const [found] = wrong.report.findings.filter(({ rule }) => rule === 'base-url-mismatched');
    expect(found).toMatchObject({ file: 'registry.json', line: 1, evidence: { baseUrl, shown: BASE, apps: 4 } });
    expect(wrong.report.findings.map(({ rule }) => rule)).not.toContain('metadata-orphaned');
  });

  test.each(['pretty', 'sarif', 'junit', 'github', 'gitlab', 'markdown'])('names both in format %s', async (format) => {
    const context = contextIn(faulty(WRONG[0] ?? ''), { format });
    expect(await runLint(context, [], {})).toBe(1);
    const printed = context.printed.out.join('\n');
    expect(printed).toContain('base-url-mismatched');
    for (const part of ['https://www.apps.example.com/registry/', BASE]) expect(printed).toContain(part);
  });

  test('reports some apps at a similar address', async () => {
    const { errors } = await lint(faulty(BASE));
    const wrong = await lint(faulty(BASE, { b: 'https://www.apps.example.com/registry/' }));
    expect(wrong.errors.toSorted()).toEqual([...errors, 'base-url-mismatched '].toSorted());
  });

  test('says nothing about metadata files that are elsewhere', async () => {
    const root = faulty(BASE);
    const apps = { a: entryOf('a', 'https://lamp.example.org/'), x: entryOf('x', 'https://x.example.org/acme/main/') };
    writeFileSync(join(root, 'registry.json'), JSON.stringify({ apps: { ...apps, c: entryOf('c') } }));
    const { report } = await lint(root);
    expect(report.findings.map(({ rule }) => rule)).not.toContain('base-url-mismatched');
    for (const { advice } of report.findings.filter(({ rule }) => rule === 'metadata-orphaned')) {
      expect(advice).toContain('Keep the file');
      expect(advice).not.toContain('delete');
    }
  });

  test('--fix corrects the files that are meant', async () => {
    const root = faulty(WRONG[0] ?? '');
    const file = join(root, 'apps/d/versions.json');
    const version = { version: 'v1.0.0', artifactUrl: 'https://cdn.example.com/a.tar.gz', artifactChecksum: 'sha256:' };
    writeFileSync(file, JSON.stringify({ versions: [version] }));
    await runLint(contextIn(root), [], { fix: true });
    expect(readFileSync(file, 'utf8')).toContain('"1.0.0"');
  });
});

test.each(['http://apps.example.com/registry/', 'http://localhost.example.com/', 'http://10.0.0.1/'])(
  'the configuration with %s is refused, as by init',
  async (baseUrl) => {
    const error = await refusal(runLint(contextIn(faulty(baseUrl)), [], {}));
    expect(error).toMatchObject({ code: 'config-invalid', exit: 2 });
    expect(`${error.message} ${error.hint}`).toContain('only for localhost');
  },
);

test.each(['http://localhost:8080/', 'http://127.0.0.1/', 'http://[::1]:8080/x/', 'http://dev.localhost/'])(
  'the configuration with %s is accepted, as by init',
  async (baseUrl) => {
    expect(
      (await lint(faulty(baseUrl, Object.fromEntries(['a', 'b', 'c', 'd'].map((key) => [key, baseUrl]))))).errors,
    ).not.toContain('base-url-mismatched ');
  },
);
