import * as fc from 'fast-check';
import semver from 'semver';
import { describe, expect, test } from 'vitest';
import { byPrecedence, comparePrecedence, latestOf } from '../../../src/core/registry/precedence.ts';
import {
  bump,
  isComparable,
  isPlainVersion,
  isPromotion,
  isSemver,
  likelyVersion,
  withoutBuild,
} from '../../../src/core/registry/version.ts';
import { runs } from '../../support/property-runs.ts';
import { expectWithin } from '../../support/timing.ts';

const VALID = [
  '0.0.4',
  '1.2.3',
  '10.20.30',
  '1.1.2-prerelease+meta',
  '1.1.2+meta',
  '1.1.2+meta-valid',
  '1.0.0-alpha',
  '1.0.0-beta',
  '1.0.0-alpha.beta',
  '1.0.0-alpha.beta.1',
  '1.0.0-alpha.1',
  '1.0.0-alpha0.valid',
  '1.0.0-alpha.0valid',
  '1.0.0-alpha-a.b-c-somethinglong+build.1-aef.1-its-okay',
  '1.0.0-rc.1+build.1',
  '2.0.0-rc.1+build.123',
  '1.2.3-beta',
  '10.2.3-DEV-SNAPSHOT',
  '1.2.3-SNAPSHOT-123',
  '1.0.0',
  '2.0.0',
  '1.1.7',
  '2.0.0+build.1848',
  '2.0.1-alpha.1227',
  '1.0.0-alpha+beta',
  '1.2.3----RC-SNAPSHOT.12.9.1--.12+788',
  '1.2.3----R-S.12.9.1--.12+meta',
  '1.2.3----RC-SNAPSHOT.12.9.1--.12',
  '1.0.0+0.build.1-rc.10000aaa-kk-0.1',
  '99999999999999999999999.999999999999999999.99999999999999999',
  '1.0.0-0A.is.legal',
  '0.0.0',
  '1.2.3-0',
  '1.2.3-00a',
  '1.2.3+001',
  '1.2.3--',
  '1.2.3+-',
];
const INVALID = [
  '1',
  '1.2',
  '1.2.3-0123',
  '1.2.3-0123.0123',
  '1.1.2+.123',
  '+invalid',
  '-invalid',
  '-invalid+invalid',
  '-invalid.01',
  'alpha',
  'alpha.beta',
  'alpha.beta.1',
  'alpha.1',
  'alpha+beta',
  'alpha_beta',
  'alpha.',
  'alpha..',
  'beta',
  '1.0.0-alpha_beta',
  '-alpha.',
  '1.0.0-alpha..',
  '1.0.0-alpha..1',
  '1.0.0-alpha...1',
  '1.0.0-alpha....1',
  '1.0.0-alpha.....1',
  '01.1.1',
  '1.01.1',
  '1.1.01',
  '1.2.3.DEV',
  '1.2-SNAPSHOT',
  '1.2.31.2.3----RC-SNAPSHOT.12.09.1--..12+788',
  '1.2-RC-SNAPSHOT',
  '-1.0.3-gamma+b7718',
  '+justmeta',
  '9.8.7+meta+meta',
  '9.8.7-whatever+meta+meta',
  '99999999999999999999999.999999999999999999.99999999999999999----RC-SNAPSHOT.12.09.1--------------------------------..12',
  '1.0.0-',
  '1.0.0+',
  '1.0.0-+b',
  '',
  ' 1.2.3',
  '1.2.3 ',
  '1.2.3\n',
  '\n1.2.3',
  'v1.2.3',
  '=1.2.3',
  '1.2.3\u0000',
  '1.2.3-α',
  '１.２.３',
  '1.2.3-a\u200b',
  '1e3.0.0',
  '0x1.0.0',
  '1.2.3-rc.1\r',
  '1. 2.3',
  '1..3',
  '.1.2',
  '1.2.',
  '00.0.0',
  '-0.0.0',
];

const number = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.maxSafeNat()).map(String);
const label = fc.oneof(number, fc.stringMatching(/^[0-9A-Za-z-]{0,5}[A-Za-z-][0-9A-Za-z-]{0,3}$/));
const plain = fc.tuple(number, number, number).map((parts) => parts.join('.'));
const version = fc
  .tuple(plain, fc.array(label, { maxLength: 3 }), fc.array(fc.stringMatching(/^[0-9A-Za-z-]{1,4}$/), { maxLength: 2 }))
  .map(
    ([core, pre, build]) =>
      core + (pre.length > 0 ? `-${pre.join('.')}` : '') + (build.length > 0 ? `+${build.join('.')}` : ''),
  );

describe('the grammar', () => {
  test.each(VALID)('accepts %j', (text) => expect(isSemver(text)).toBe(true));
  test.each(INVALID)('rejects %j', (text) => expect([isSemver(text), isPlainVersion(text)]).toEqual([false, false]));

  test('defines a plain version as MAJOR.MINOR.PATCH', () => {
    expect(VALID.filter(isPlainVersion)).toEqual(VALID.filter((text) => /^[0-9.]+$/.test(text)));
  });

  test('agrees with the semver package, except for numbers above 2^53', () => {
    fc.assert(
      fc.property(fc.oneof(version, fc.stringMatching(/^[0-9a.+-]{0,12}$/)), (text) => {
        const theirs = semver.parse(text);
        // The package ignores text around a version and rejects numbers above 2^53.
        if (theirs !== null) expect(isSemver(text)).toBe(theirs.raw === text && /^\d/.test(text));
        else if (isSemver(text))
          expect(text.split(/[.+-]/).some((part) => Number(part) > Number.MAX_SAFE_INTEGER)).toBe(true);
      }),
      { numRuns: runs(3000) },
    );
  });
});

describe('precedence', () => {
  test('follows the order of SemVer', () => {
    const chain = [
      '0.0.0-0',
      '0.0.0',
      '1.0.0-alpha',
      '1.0.0-alpha.1',
      '1.0.0-alpha.beta',
      '1.0.0-beta',
      '1.0.0-beta.2',
      '1.0.0-beta.11',
      '1.0.0-rc.1',
      '1.0.0',
      '1.9.0',
      '1.10.0',
      '1.11.0',
      '2.0.0',
      '2.1.0',
      '2.1.1',
      '10.0.0',
      '9007199254740991.0.0',
    ];
    for (const [i, a] of chain.entries()) {
      for (const [k, b] of chain.entries())
        expect(Math.sign(comparePrecedence(a, b)), `${a} ${b}`).toBe(Math.sign(i - k));
    }
  });

  test('agrees with the semver package', () => {
    fc.assert(
      fc.property(version, version, (a, b) => {
        if (semver.valid(a) === null || semver.valid(b) === null) return;
        expect(Math.sign(comparePrecedence(a, b)), `${a} ${b}`).toBe(semver.compare(a, b));
      }),
      { numRuns: runs(3000) },
    );
  });

  test('ignores build metadata, which withoutBuild removes', () => {
    expect(comparePrecedence('1.0.0+a', '1.0.0+b')).toBe(0);
    fc.assert(
      fc.property(version, version, (a, b) => {
        expect(comparePrecedence(a, b) === 0).toBe(withoutBuild(a) === withoutBuild(b));
      }),
    );
  });

  test('compares numbers above 2^53 in pre-releases exactly', () => {
    expect(comparePrecedence('1.0.0-9007199254740993', '1.0.0-9007199254740992')).toBeGreaterThan(0);
  });

  test.each(['9007199254740992.0.0', '1.99999999999999999999.0', `1.0.0-${'a'.repeat(251)}`])(
    'puts %s, which is not compared, below all others',
    (large) => {
      expect([isSemver(large), isComparable(large)]).toEqual([true, false]);
      expect(comparePrecedence(large, '0.0.0-0')).toBeLessThan(0);
      expect(comparePrecedence('0.0.0-0', large)).toBeGreaterThan(0);
      expect(comparePrecedence(`${large}+a`, `${large}+b`)).toBe(0);
      expect(latestOf([large, '0.0.1', large])).toBe('0.0.1');
    },
  );

  test('is a total order, also of versions that are not compared', () => {
    const large = fc
      .tuple(fc.bigInt({ min: 2n ** 53n, max: 10n ** 20n }), plain)
      .map(([n, rest]) => rest.replace(/^\d+/, String(n)));
    fc.assert(
      fc.property(fc.array(fc.oneof(version, large), { maxLength: 8 }), (list) => {
        const sorted = byPrecedence(list, (one) => one);
        for (const [i, a] of sorted.entries())
          for (const b of sorted.slice(i)) expect(comparePrecedence(a, b)).toBeLessThanOrEqual(0);
      }),
    );
  });

  test('of 10,000 versions is found within half a second, as each is parsed once', () => {
    const list = Array.from({ length: 10_000 }, (_, i) => `${i % 7}.${i % 13}.${i}-rc.${i}`);
    expectWithin(500, () => expect(byPrecedence(list, (one) => one)).toHaveLength(10_000));
  });
});

describe('the latest version', () => {
  test.each([
    [[], null],
    [['1.0.0'], '1.0.0'],
    [['1.9.0', '1.10.0', '1.2.0'], '1.10.0'],
    [['1.0.0', '2.0.0-rc.1'], '1.0.0'],
    [['2.0.0-rc.1', '2.0.0-rc.2'], '2.0.0-rc.2'],
    [['1.0.0+a-b', '2.0.0-x'], '1.0.0+a-b'],
    [['0.0.0', '0.0.1-0'], '0.0.0'],
  ])('of %j is %j', (versions, latest) => expect(latestOf(versions)).toBe(latest));

  test('does not depend on the order of the list', () => {
    fc.assert(
      fc.property(fc.array(version, { maxLength: 6 }), (list) => {
        expect(latestOf(list.toReversed())).toBe(latestOf(list));
      }),
    );
  });
});

describe('bump', () => {
  test.each([
    ['1.2.3', 'major', '2.0.0'],
    ['1.2.3', 'minor', '1.3.0'],
    ['1.2.3', 'patch', '1.2.4'],
    ['0.0.0', 'patch', '0.0.1'],
    ['9007199254740993.0.9', 'patch', '9007199254740993.0.10'],
    ['1.9.9', 'minor', '1.10.0'],
    ['1.2.3-rc.1', 'patch', null],
    ['v1.2.3', 'patch', null],
  ] as const)('%s by %s gives %s', (from, part, to) => expect(bump(from, part)).toBe(to));

  test('returns a higher plain version', () => {
    fc.assert(
      fc.property(plain, fc.constantFrom('major', 'minor', 'patch'), (from, part) => {
        const to = bump(from, part)!;
        expect(isPlainVersion(to)).toBe(true);
        expect(comparePrecedence(to, from)).toBeGreaterThan(0);
      }),
    );
  });
});

test('a suggested version is valid and differs from the text', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[vV= ]{0,2}[0-9.,]{0,8}[ab-]?$/), version), (text) => {
      const meant = likelyVersion(text);
      if (meant === null) return;
      expect(isSemver(meant)).toBe(true);
      expect(meant).not.toBe(text);
    }),
    { numRuns: runs(2000) },
  );
});

test('100,000 hostile characters are handled within half a second', () => {
  expectWithin(500, () => {
    for (const text of [
      '1.2.3-'.padEnd(100_000, '0'),
      '1.2.3-'.padEnd(100_000, 'a.'),
      `1.2.3-${'-'.repeat(100_000)}!`,
      '0'.repeat(100_000),
      '1.'.repeat(50_000),
      `1.2.3+${'a.'.repeat(50_000)}`,
      'v'.repeat(100_000),
      ' '.repeat(100_000),
    ]) {
      isSemver(text);
      likelyVersion(text);
    }
  });
});

test.each([
  ['1.1.0-beta.1', '1.1.0', true],
  ['1.1.0-0', '1.1.0', true],
  ['1.1.0-beta.1', '1.1.1', false],
  ['1.1.0-beta.1', '1.1.0-rc.1', false],
  ['1.1.0', '1.1.0', false],
  ['1.1.0+b', '1.1.0', false],
  ['11.1.0-beta.1', '1.1.0', false],
  ['1.1.0-beta.1', '1.1.0+b', false],
  ['1.1.0-01', '1.1.0', false],
])('%s is promoted to %s: %j', (from, to, expected) => {
  expect(isPromotion(from, to)).toBe(expected);
});
