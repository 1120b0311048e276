import { beforeEach, describe, expect, test } from 'vitest';
import { runLint } from '../../src/cli/commands/lint.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { folder, write } from '../support/folders.ts';
import { contextIn } from './author-support.ts';

/** `lint` of one metadata file judges the about file beside it, as lint of its folder does. */

const BASE = 'https://apps.example.com/';
const VERSIONS = 'apps/clock/versions.json';
const ABOUT = 'apps/clock/versions.about.json';

let root: string;
beforeEach(() => {
  const version = (number: string, digit: string): object => ({
    version: number,
    artifactUrl: `${BASE}apps/clock/versions/${number}.tar.gz`,
    artifactChecksum: `sha256:${digit.repeat(64)}`,
  });
  root = folder({
    'appreg.config.json': { baseUrl: BASE },
    'registry.json': {
      apps: {
        clock: {
          name: 'Clock',
          description: 'Shows the time.',
          blockStyle: { iconUrl: 'https://other.example.com/icon.svg', color: '#336699' },
          appMetadataUrl: `${BASE}${VERSIONS}`,
        },
      },
    },
    [VERSIONS]: { versions: [version('1.0.0', 'a'), version('2.0.0', 'b')] },
  });
});

const aboutRules = ['about-invalid', 'about-version-unknown', 'all-versions-deprecated', 'replacement-invalid'];

async function linted(target: string): Promise<{ report: Report; about: unknown[] }> {
  const context = contextIn(root, { format: 'json' });
  await runLint(context, [target], {});
  const report = JSON.parse(context.printed.out.join('\n')) as Report;
  const found = report.findings.filter(({ rule }) => aboutRules.includes(rule));
  return {
    report,
    about: found.map(({ rule, severity, file, line, column, message }) => [
      rule,
      severity,
      file,
      line,
      column,
      message,
    ]),
  };
}

const retired = (use: string): object => ({ deprecated: { reason: 'broken', message: 'It does not start.', use } });

describe('an about file', () => {
  test.each<[string, string | object]>([
    ['that is not JSON', '{ "schema": 1, '],
    ['with another form', '{\n  "schema": 1,\n  "versions": [] }'],
    ['about a version that is not listed', { schema: 1, versions: { '3.0.0': {} } }],
    ['with a replacement that is lower', { schema: 1, versions: { '2.0.0': retired('1.0.0') } }],
    ['that retires all', { schema: 1, versions: { '1.0.0': retired('2.0.0'), '2.0.0': retired('3.0.0') } }],
  ])('%s has the same findings', async (_, content) => {
    write(root, { [ABOUT]: content });
    const { about } = await linted('.');
    expect(about).not.toEqual([]);
    expect((await linted(VERSIONS)).about).toEqual(about);
    expect((await linted(ABOUT)).about).toEqual(about);
  });

  test('without faults, or absent, changes nothing', async () => {
    const without = await linted(VERSIONS);
    write(root, { [ABOUT]: { schema: 1, versions: { '1.0.0': retired('2.0.0') } } });
    const { report, about } = await linted(VERSIONS);
    expect(about).toEqual([]);
    expect(report.findings).toEqual(without.report.findings);
  });

  test('is not judged by versions that are not known', async () => {
    write(root, { [VERSIONS]: '{ "versions": 1 }', [ABOUT]: { schema: 1, versions: { '9.0.0': {} } } });
    for (const target of ['.', VERSIONS]) expect((await linted(target)).about).toEqual([]);
    write(root, { [ABOUT]: '{' });
    for (const target of ['.', VERSIONS])
      expect((await linted(target)).about).toEqual([['about-invalid', 'error', ABOUT, 1, 2, expect.any(String)]]);
  });
});
