import { describe, expect, test } from 'vitest';
import { isLight } from '../../../src/core/text/color.ts';
import { codeText, initial, sanitized, untrusted } from '../../../src/html/html.ts';
import { tile } from '../../src/ui/app-tile.ts';
import { findingsOf } from '../../src/ui/findings.ts';
import { byAttention, nextCheckText, progressText, stateDetails, stateOf, versionState } from '../../src/ui/states.ts';
import { dueTime, relativeText } from '../../src/ui/components.ts';
import { finding, report } from '../../../test/support/reports.ts';
import { app, FAILING, FRESH, NOW, PROBLEMS, subscription, SUSPECTED, version } from './views.ts';

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
    expect(sanitized(text)).toBe(shown);
  });

  test('is truncated to the maximum length', () => {
    expect(sanitized('x'.repeat(1_000_000), 50)).toBe(`${'x'.repeat(49)}…`);
    expect(sanitized(`${'\u0301'.repeat(1_000_000)}x`, 50).length).toBeLessThan(50);
  });

  test('is escaped, with its own direction', () => {
    expect(String(untrusted('<b>&\'"'))).toBe('<bdi>&lt;b&gt;&amp;&#39;&quot;</bdi>');
    expect(String(untrusted(' \u200b'))).toContain('no name');
    expect(String(codeText('a<b'))).toBe('<code dir="ltr">a&lt;b</code>');
    expect(String(codeText(''))).toContain('empty');
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
    [-119, '2 min ago'],
    [-720, '12 min ago'],
    [2880, 'in 48 min'],
    [3569, 'in 59 min'],
    [3660, 'in 1 h'],
    [-11_400, '3 h ago'],
    [-400_000, '5 days ago'],
  ])('%i s from now are shown as %s', (from, words) => {
    expect(relativeText(seconds(from), NOW)).toBe(words);
  });

  test('in the past are shown as due', () => {
    expect(String(dueTime(seconds(-1), NOW))).toBe('due now');
    expect(String(dueTime(seconds(3600), NOW))).toContain('in 1 h');
  });
});

describe('states', () => {
  test('of a registry are described by the last check', () => {
    expect(stateOf(subscription())).toEqual({ tone: 'good', word: 'Working' });
    expect(stateOf(PROBLEMS)).toEqual({ tone: 'bad', word: '3 problems' });
    expect(stateOf(FAILING)).toEqual({ tone: 'bad', word: 'Not refreshing' });
    expect(stateOf({ ...FAILING, state: 'checking' })).toEqual(stateOf(FAILING));
    expect(stateOf(FRESH)).toEqual({ tone: 'busy', word: 'First check in progress' });
    expect(stateOf({ ...FRESH, checking: false, state: 'new' }).word).toBe('Waiting for the first check');
    expect(String(nextCheckText(FRESH, NOW))).toBe('');
    expect(String(nextCheckText(subscription({ state: 'checking', checking: true }), NOW))).toContain('Checking now');
    expect(String(nextCheckText(subscription(), NOW, true))).toContain('Checking now');
    expect(String(nextCheckText(subscription(), NOW))).toContain('Next check');
  });

  test('of a registry do not contradict each other: suspected symptoms are possible problems', () => {
    expect(stateOf(SUSPECTED)).toEqual({ tone: 'warn', word: '1 possible problem' });
    expect(String(stateDetails(SUSPECTED, NOW))).toContain('113 warnings');
    expect(String(stateDetails(SUSPECTED, NOW))).not.toContain('does not refresh');
    expect(String(stateDetails(subscription({ warnings: 7 }), NOW))).toContain('7 warnings');
    expect(stateOf(subscription({ warnings: 7 })).word).toBe('Working');
    const details = String(stateDetails(PROBLEMS, NOW));
    expect(details).toContain('<li class="confirmed">Checksum mismatch</li>');
    expect(details).toContain('<li>1 possible problem</li>');
    expect(String(stateDetails(FAILING, NOW))).toContain('First failed');
    expect(String(stateDetails(subscription(), NOW))).toBe('');
  });

  test('of a check in progress say what was read and verified', () => {
    const progress = { apps: { total: 5000, read: 1 }, artifacts: { total: 31, verified: 11 } };
    expect(progressText(progress)).toBe('1 of 5,000 apps read, 11 of 31 versions verified');
    expect(progressText({ ...progress, artifacts: { total: 0, verified: 0 } })).toBe('1 of 5,000 apps read');
  });

  test('of registries are sorted by the attention that they need', () => {
    const official = subscription({ official: true });
    const list = [subscription(), FRESH, official, SUSPECTED, PROBLEMS, FAILING];
    expect(list.toSorted(byAttention)).toEqual([FAILING, PROBLEMS, SUSPECTED, FRESH, official, list[0]]);
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

  test('of an app come with its own findings, and apart from them with those that affect other apps', () => {
    const stored = report({
      findings: [
        finding({ app: 'clock' }),
        finding({ app: 'lamp', evidence: { alsoApps: ['clock'] } }),
        finding({ app: 'lamp' }),
        finding({ app: 'clock', severity: 'note' }),
      ],
    });
    const [own, shared] = stored.findings;
    expect(findingsOf(stored, 'clock')).toEqual({ own: [own], shared: [shared] });
  });
});
