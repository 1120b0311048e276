import { describe, expect, test } from 'vitest';
import { NO_CHANGES } from '../../src/core/release/entry-changes.ts';
import { releaseReport, type ReleasedApp } from '../../src/core/release/report.ts';
import { withoutFolder } from '../../src/core/release/without-folder.ts';
import { needsAttention, releaseAsMarkdown, releaseAsText, releaseLabel } from '../../src/report/release.ts';

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

describe('texts and icons', () => {
  const conflict = { field: 'color', published: '#999999', described: '#112233', recorded: '#112233' } as const;
  const changed: ReleasedApp = {
    ...app('clock', 'unchanged'),
    message: null,
    advice: null,
    changes: {
      ...NO_CHANGES,
      fields: [{ field: 'name', before: 'Clock', after: 'Wall\u001b[31m clock' }],
      icon: { before: 'a', after: 'b' },
    },
  };
  const conflicting: ReleasedApp = { ...changed, key: 'lamp', changes: { ...NO_CHANGES, conflicts: [conflict] } };

  test('that change are named, with control characters escaped', () => {
    const lines = releaseAsText(reportOf(changed)).split('\n');
    expect(lines[1]).toMatch(/^\+ texts {2}clock/);
    expect(lines.slice(2, 4)).toEqual(['    name: “Clock” → “Wall\\u{1b}[31m clock”', '    icon: changed']);
    expect(needsAttention(changed)).toBe(false);
    expect(releaseLabel(changed)).toBe('texts');
    expect(releaseAsMarkdown(reportOf(changed))).toContain('| texts | `clock` |');
  });

  test('that were changed elsewhere fail, with the command that replaces them', () => {
    const text = releaseAsText(reportOf(conflicting));
    expect(text).toContain('! conflict  lamp');
    expect(text).toContain("appreg edit-app lamp --color '#112233'");
    expect(text).toContain('1 with a conflict');
    expect(needsAttention(conflicting)).toBe(true);
    expect(reportOf(conflicting)).toMatchObject({ outcome: 'findings', notable: true, summary: { conflicts: 1 } });
    expect(releaseAsMarkdown(reportOf(conflicting))).toContain('| **conflict** | `lamp` |');
  });
});

test('listed apps without a folder are one line, and a lost one has its own', () => {
  const nothing = { formerFolder: null, renamed: null, listed: '1.0.0' };
  const report = releaseReport('0.1.0', [], new Set(), {
    withoutFolder: [
      withoutFolder({ ...nothing, key: 'other' }),
      withoutFolder({ ...nothing, key: 'radio', formerFolder: 'src/radio' }),
      withoutFolder({ ...nothing, key: 'gate', renamed: { key: 'gateway', folder: 'src/gateway', declared: '1.2.0' } }),
    ],
  });
  expect(report).toMatchObject({ outcome: 'findings', summary: { withoutFolder: 3 } });
  const lines = releaseAsText(report).split('\n');
  expect(lines[0]).toMatch(/^~ gate → gateway: .*gateway 1\.2\.0.*gate stays listed with 1\.0\.0/);
  expect(lines[2]).toMatch(/^! The folder src\/radio was removed; radio stays listed/);
  expect(lines[4]).toMatch(/^ {2}1 listed app has no folder here: other\./);
  expect(lines.at(-1)).toBe('0 apps: 1 without the former folder');
  const markdown = releaseAsMarkdown(report);
  expect(markdown).toContain('gate → gateway: ');
  expect(markdown).toContain('**No folder:** The folder `src/radio` was removed');
});
