import { describe, expect, test } from 'vitest';
import { code, initial, legible, untrusted } from '../../../src/service/pages/untrusted-text.ts';
import { isLight, tile } from '../../../src/service/pages/tile.ts';
import { findingsOf } from '../../../src/service/pages/findings.ts';
import { appCount, schedule, stateOf, versionState } from '../../../src/service/pages/states.ts';
import { due, relative } from '../../../src/service/pages/time.ts';
import { finding, report } from '../../support/reports.ts';
import { app, FAILING, FRESH, NOW, subscription, version } from './views.ts';

/** Untrusted texts, times and states, as the pages show them. */

describe('a text of a registry', () => {
  test.each([
    ['Clock', 'Clock'],
    ['<b>"x"</b>', '<b>"x"</b>'],
    ['a\u202eb', 'a\\u{202e}b'],
    ['a\u0000\u001b[31m', 'a\\u{0}\\u{1b}[31m'],
    ['line\nbreak', 'line\\u{a}break'],
    // These join letters and emoji, so their effect is visible.
    ['👩\u200d👧', '👩\u200d👧'],
    ['می\u200cخواهم', 'می\u200cخواهم'],
    ['a\u200d\u200db', 'a\\u{200d}\\u{200d}b'],
    ['\u200dx', '\\u{200d}x'],
    [`e${'\u0301'.repeat(500)}!`, `e${'\u0301'.repeat(4)}!`],
    ['https://u:secretsecret@h.test/?sig=abcdefghijklmnop', 'https://REDACTED@h.test/?sig=REDACTED'],
    ['\ud800', '\\u{d800}'],
  ])('%j is shown as %j', (text, shown) => {
    expect(legible(text)).toBe(shown);
  });

  test('is truncated to the maximum length', () => {
    expect(legible('x'.repeat(1_000_000), 50)).toBe(`${'x'.repeat(49)}…`);
    expect(legible(`${'\u0301'.repeat(1_000_000)}x`, 50).length).toBeLessThan(50);
  });

  test('is escaped, with its own direction', () => {
    expect(String(untrusted('<b>&\'"'))).toBe('<bdi>&lt;b&gt;&amp;&#39;&quot;</bdi>');
    expect(String(untrusted(' \u200b'))).toContain('no name');
    expect(String(code('a<b'))).toBe('<code dir="ltr">a&lt;b</code>');
    expect(String(code(''))).toContain('empty');
  });

  test.each([
    ['clock', 'C'],
    ['  “quoted”', 'Q'],
    ['متجر', 'م'],
    ['👩\u200d👧 family', '👩\u200d👧'],
    ['123', '1'],
    [`e${'\u0301'.repeat(500)}`, `E${'\u0301'.repeat(4)}`],
    ['', '?'],
    ['---', '?'],
  ])('%j has the initial %j', (name, letter) => {
    expect(initial(name)).toBe(letter);
  });
});

describe('the tile of an app', () => {
  test.each([
    ['#ffffff', true],
    ['#f5c518', true],
    ['#000000', false],
    ['#336699', false],
    ['#FF0000', true],
  ])('treats the color %s as light: %j', (color, light) => {
    expect(isLight(color)).toBe(light);
  });

  test('contains only valid colors', () => {
    expect(String(tile(app({ color: '#336699' })))).toContain('fill="#336699"');
    expect(String(tile(app({ icon: 'ab', iconFragment: '#a"b' })))).toContain('src="icons/ab#a&quot;b"');
    for (const color of ['red', '#fff', '#33669', '#336699"/><script>', 'url(x)', null])
      expect(String(tile(app({ color })))).not.toContain('<rect');
  });
});

function seconds(from: number): string {
  return new Date(NOW.getTime() + from * 1000).toISOString();
}

describe('times', () => {
  test.each([
    [0, 'just now'],
    [-59, 'just now'],
    [30, 'in less than a minute'],
    [-60, '1 min ago'],
    [-119, '1 min ago'],
    [-720, '12 min ago'],
    [2880, 'in 48 min'],
    [3600, 'in 1 hour'],
    [-11_400, '3 h 10 min ago'],
    [-400_000, '5 days ago'],
  ])('%i s from now are shown as %s', (from, words) => {
    expect(relative(seconds(from), NOW)).toBe(words);
  });

  test('in the past are shown as due', () => {
    expect(String(due(seconds(-1), NOW))).toBe('due now');
    expect(String(due(seconds(3600), NOW))).toContain('in 1 hour');
  });
});

describe('states', () => {
  test('of a registry are described', () => {
    expect(stateOf(subscription())).toEqual({ tone: 'good', word: 'Working' });
    expect(stateOf(subscription({ warnings: 1 })).word).toBe('Working, 1 warning');
    expect(stateOf(subscription({ state: 'problems', errors: 2 }))).toEqual({ tone: 'warn', word: '2 problems' });
    expect(stateOf(FAILING)).toEqual({ tone: 'bad', word: 'Not refreshing' });
    expect(stateOf(FRESH).tone).toBe('busy');
    expect(stateOf(FAILING, true).word).toBe('Waiting for a check');
    expect(String(schedule(FRESH, NOW))).not.toContain('Next');
    expect(String(schedule(subscription(), NOW))).toContain('Next check');
    expect(appCount(FRESH)).toBe('Apps unknown yet');
    expect(appCount(subscription({ apps: 3, visible: 1 }))).toBe('3 apps, 2 of them not installable');
  });

  test.each([
    [{}, 'Verified'],
    [{ state: 'pending', offered: false }, 'Being verified'],
    [{ state: 'refused', offered: false }, 'Refused'],
    [{ state: 'withdrawn', offered: false }, 'Withdrawn'],
    [{ swappedChecksum: 'sha256:x' }, 'Swapped'],
  ] as const)('of the version %j are described', (more, word) => {
    expect(versionState(version(more)).word).toBe(word);
  });

  test('of an app come with its findings, also those that were reported for another app', () => {
    const findings = [
      finding({ app: 'clock' }),
      finding({ app: 'lamp', evidence: { alsoApps: ['clock'] } }),
      finding({ app: 'lamp' }),
      finding({ app: 'clock', severity: 'note' }),
    ];
    expect(findingsOf(report({ findings }), 'clock')).toEqual(findings.slice(0, 2));
  });
});
