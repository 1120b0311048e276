import { expect, test } from 'vitest';
import { NO_CHANGES } from '../../src/core/release/entry-changes.ts';
import { releaseReport, type ReleasedApp } from '../../src/core/release/report.ts';
import { releaseAsMarkdown, releaseAsText } from '../../src/report/release.ts';

function app(key: string, state: ReleasedApp['state']): ReleasedApp {
  const facts = { declared: '1.0.0', listed: '1.0.0', checksum: 'a', listedChecksum: 'b', published: false };
  return {
    key,
    folder: `src/${key}`,
    state,
    ...facts,
    message: 'A message.',
    advice: 'An advice.',
    changes: NO_CHANGES,
  };
}

const reportOf = (...apps: ReleasedApp[]) => releaseReport('0.1.0', apps, new Set());
const rebuilt = (count: number) => Array.from({ length: count }, (_, at) => app(`app-${at + 10}`, 'rebuilt'));

test('rebuilt apps are one line together', () => {
  const report = reportOf(...rebuilt(2), app('lamp', 'changed'));
  expect(releaseAsText(report).split('\n')).toEqual([
    '  state    app   declared  highest listed',
    '! changed  lamp  1.0.0     1.0.0',
    '    A message.',
    '    An advice.',
    '~ 2 apps rebuilt from the same sources: app-10, app-11. The published versions stay; no action is required.',
    '',
    '3 apps: 1 changed, 2 rebuilt',
  ]);
  const markdown = releaseAsMarkdown(report).split('\n');
  expect(markdown.filter((line) => line.includes('app-1'))).toEqual([
    '2 apps rebuilt from the same sources: `app-10`, `app-11`. The published versions stay; no action is required.',
  ]);
});

test('many rebuilt apps alone are a line and the summary', () => {
  const lines = releaseAsText(reportOf(...rebuilt(12))).split('\n');
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(/^~ 12 apps rebuilt .*app-19 and 2 more\./);
  expect(releaseAsMarkdown(reportOf(...rebuilt(12)))).not.toContain('|');
});

test('verbose shows each rebuilt app', () => {
  expect(releaseAsText(reportOf(...rebuilt(2)), undefined, true)).toMatch(/^~ rebuilt {2}app-10/m);
});

test('no line without rebuilt apps', () => {
  const report = reportOf(app('lamp', 'new'));
  expect(releaseAsText(report)).not.toContain('rebuilt');
  expect(releaseAsMarkdown(report)).not.toContain('rebuilt');
});
