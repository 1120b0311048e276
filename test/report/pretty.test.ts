import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { counted } from '../../src/core/text/text.ts';
import type { Snapshot } from '../../src/core/facts/facts.ts';
import { judge } from '../../src/core/engine/judge.ts';
import type { Report } from '../../src/core/findings/report.ts';
import { json } from '../../src/report/index.ts';
import { pretty } from '../../src/report/pretty.ts';
import { PLAIN } from '../../src/report/style.ts';
import { elapsedTime, byteSize } from '../../src/report/words.ts';
import { runs } from '../support/property-runs.ts';
import { entry, metadataWith, snapshot } from '../support/snapshots.ts';

const lint = (facts: Snapshot, seconds = 0.4): Report => judge(facts, { command: 'lint', seconds });
const show = (report: Report, verbose = false): string => pretty(report, { style: PLAIN, verbose });
const last = (text: string): string => text.split('\n').at(-1)!;

describe('the last line', () => {
  test.each([
    ['no findings', lint(snapshot(['a'])), /^✓ No problems \(1 app, 1 version, \d+ bytes, 0\.4 s\)$/],
    ['warnings alone', lint(snapshot({ apps: { a: entry('a', { name: '' }) } })), /^! 0 errors, 1 warning \(1 app/],
    ['notes alone', lint(snapshot({ apps: {} })), /^✓ 0 errors, 0 warnings, 1 note \(0 apps, 0 versions, \d+ bytes/],
    ['errors', lint(snapshot('{')), /^✗ 1 error, 0 warnings \(0 apps/],
    [
      'an incomplete run',
      lint({ ...snapshot(['a']), incomplete: 'it was interrupted' }),
      /^Incomplete: 0 errors, 0 warnings so far \(1 app/,
    ],
  ])('summarizes the result: %s', (_, report, line) => expect(last(show(report))).toMatch(line));
});

test('a finding has position, severity, message, rule, subject and advice', () => {
  const text = show(lint(snapshot(['a'], { a: metadataWith('1.0.0', 'v2') })));
  expect(text).toContain(
    'apps/a/versions.json\n  9:18  error  “v2” is not a semantic version.  version-not-semver (a v2)\n    → Write it as "2.0.0".\n',
  );
});

test('hidden apps have a reason, and checks that need the network are counted once', () => {
  const text = show(lint(snapshot(['a b', 'c'], { c: metadataWith('1.0.0') })));
  expect(text).toContain('1 app that subscribers will not see:\n  a b  hidden, because of app-key-unsafe\n');
  expect(text.match(/need the network \(appreg verify <registry-url>\)/g)).toHaveLength(1);
  expect(text).toContain('2 icons not inspected: not in the workspace.\n2 artifacts not hashed: not in the workspace.');
});

test('no line is printed twice', () => {
  const report = lint(
    snapshot(
      { more: 1, apps: { 'a b': entry('a'), c: entry('c', { name: '' }), d: entry('d', { appMetadataUrl: 'x' }) } },
      { 'a b': metadataWith('v1'), c: '{', d: metadataWith('1.0', '1.0.0') },
    ),
  );
  for (const verbose of [false, true]) {
    const lines = show(report, verbose)
      .split('\n')
      .filter((line) => line.trim() !== '' && !line.trimStart().startsWith('→') && !/^ {6}\S+: /.test(line));
    expect(lines.filter((line, i) => lines.indexOf(line) !== i)).toEqual([]);
  }
});

test('each location is printed once as the heading of its findings', () => {
  const text = show(lint(snapshot(['a', 'b'], { a: metadataWith('v1', '1.0'), b: metadataWith('v1') })));
  expect(text.match(/^apps\/a\/versions\.json$/gm)).toHaveLength(1);
  expect(text.match(/^apps\/b\/versions\.json$/gm)).toHaveLength(1);
});

test('--verbose prints evidence and every check that was not made', () => {
  const report = lint(snapshot(['a'], { a: metadataWith('v1') }));
  expect(show(report)).not.toContain('version: v1');
  expect(show(report, true)).toContain('      version: v1');
  expect(show(report, true)).toContain('Not judged:');
  expect(show(report, true)).toContain('  unreachable: needs the network');
});

test('the reason for an incomplete run is printed without --verbose', () => {
  const report = lint({ ...snapshot(['a']), incomplete: 'it was interrupted' });
  expect(show(report)).toContain('Incomplete: it was interrupted');
});

test('at most 200 findings and 200 apps are printed, followed by the number of the others', () => {
  const keys = Array.from({ length: 1500 }, (_, i) => `a.${i}`);
  const report = lint(snapshot(keys));
  const text = show(report);
  expect(text.match(/→/g)).toHaveLength(200);
  expect(text).toContain('… and 1,300 more findings; --format json lists them all.');
  expect(text).toContain('1,500 apps that subscribers will not see:');
  expect(text).toContain('… and 1,300 more apps');
});

describe('hostile text', () => {
  const evil = '\u001b[2J\u001b[1;31m\r\n\u0007\u009b31m\u202e\u2066\u200b\u2028\ufeff\u0000\u007f\ud800::error::x';
  const hostile = lint({
    ...snapshot(
      {
        [evil]: 1,
        apps: {
          [evil]: entry('a', {
            name: evil,
            appMetadataUrl: evil,
            blockStyle: { iconUrl: `https://x.test/${evil}`, color: evil },
          }),
        },
      },
      { [evil]: { versions: [{ version: evil, artifactUrl: evil, artifactChecksum: evil }], [evil]: 1 } },
    ),
    target: evil,
    orphans: [evil],
    incomplete: evil,
  });

  test('contains no control characters and starts no line', () => {
    for (const verbose of [false, true]) {
      const text = show(hostile, verbose);
      expect(hostile.findings.length).toBeGreaterThan(5);
      // oxlint-disable-next-line no-control-regex
      expect(text).not.toMatch(
        /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\p{Cs}/u,
      );
      expect(text).not.toMatch(/^::error/m);
    }
    expect(json(hostile)).not.toMatch(/[\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2066\ufeff]/);
    expect(JSON.parse(json(hostile))).toEqual(JSON.parse(JSON.stringify(hostile)));
  });

  test('contains no control characters in any field', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (raw) => {
        const name = raw.replace(/\p{Cs}/gu, 'x');
        const text = show(
          lint({ ...snapshot({ apps: { [name]: entry(name, { description: name }) }, [name]: name }), target: name }),
          true,
        );
        // oxlint-disable-next-line no-control-regex
        expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('words', () => {
  test.each([
    [0, '0 errors'],
    [1, '1 error'],
    [2, '2 errors'],
    [1000, '1,000 errors'],
    [1234567, '1,234,567 errors'],
  ])('the count %d is %s', (n, text) => expect(counted(n, 'error')).toBe(text));
  test.each([
    [0, '0 bytes'],
    [1, '1 byte'],
    [999, '999 bytes'],
    [1000, '1.0 kB'],
    [1449, '1.4 kB'],
    [999_949, '999.9 kB'],
    [999_950, '1.0 MB'],
    [1_000_000, '1.0 MB'],
    [43_000_000, '43.0 MB'],
    [2.5e9, '2.5 GB'],
    [5e15, '5000.0 TB'],
  ])('the size %d is %s', (n, text) => expect(byteSize(n)).toBe(text));
  test.each([
    [0, '0.0 s'],
    [0.04, '0.0 s'],
    [0.44, '0.4 s'],
    [9.94, '9.9 s'],
    [9.96, '10 s'],
    [59.4, '59 s'],
    [59.6, '1 min 0 s'],
    [119.6, '2 min 0 s'],
    [200, '3 min 20 s'],
    [3725, '62 min 5 s'],
  ])('the duration of %d seconds is %s', (n, text) => expect(elapsedTime(n)).toBe(text));
});
