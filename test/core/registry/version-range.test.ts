import * as fc from 'fast-check';
import satisfies from 'semver/functions/satisfies.js';
import validRange from 'semver/ranges/valid.js';
import { expect, test } from 'vitest';
import { onlyVersionOf, versionRange } from '../../../src/core/registry/version-range.ts';

test.each<[string, string[], string[]]>([
  ['1.2.0', ['1.2.0', '1.2.0+build'], ['1.2.0-rc.1', '1.2.1']],
  ['<1.2.0', ['1.1.9', '1.2.0-rc.1', '0.0.0'], ['1.2.0']],
  ['<2.0.0-0', ['1.9.9', '1.0.0-rc.1'], ['2.0.0-rc.1', '2.0.0']],
  ['^1.2', ['1.2.0', '1.9.9', '1.3.0-rc.1'], ['1.1.9', '2.0.0-rc.1', '2.0.0']],
  ['^0.2.1', ['0.2.1', '0.2.9'], ['0.2.0', '0.3.0-0', '0.3.0']],
  ['^0.0.3', ['0.0.3'], ['0.0.2', '0.0.4']],
  ['~1.2.3', ['1.2.3', '1.2.9'], ['1.2.2', '1.3.0']],
  ['1.x', ['1.0.0', '1.9.9'], ['0.9.9', '2.0.0']],
  ['*', ['0.0.0', '1.0.0-rc.1', '99.0.0'], []],
  ['1.2 - 1.4', ['1.2.0', '1.4.9'], ['1.1.9', '1.5.0']],
  ['>=1.2 <1.4 || 2.x', ['1.2.0', '1.3.9', '2.5.0'], ['1.4.0', '3.0.0']],
  ['>1', ['2.0.0'], ['1.0.0', '1.9.9']],
  ['>*', [], ['0.0.0', '1.0.0']],
  ['> 1.2.3', ['1.2.4'], ['1.2.3']],
  ['>=9007199254740993.0.0', ['9007199254740993.0.0'], ['9007199254740992.0.0']],
  ['^9007199254740993.0.0', ['9007199254740993.1.0'], ['9007199254740994.0.0']],
])('%s includes %j, and not %j', (text, inside, outside) => {
  const range = versionRange(text);
  expect(inside.filter((version) => range?.includes(version) !== true)).toEqual([]);
  expect(outside.filter((version) => range?.includes(version) !== false)).toEqual([]);
});

test.each([
  '',
  ' ',
  '||',
  '1 ||',
  'latest',
  '1.2.3.4',
  '01.2.3',
  '*.1',
  '1.x.3',
  '^',
  '1.2-beta',
  '=>1',
  '1.0.0-01',
  'a',
])('“%s” is not a range', (text) => {
  expect(versionRange(text)).toBeNull();
});

test('no invalid version is in a range, and a long text is not a range', () => {
  expect(versionRange('*')?.includes('v1.2.0')).toBe(false);
  expect(versionRange(`1.0.0${' || 1.0.0'.repeat(50)}`)).toBeNull();
});

test('the only version of a range', () => {
  const only = ['1.2.0', '= 1.2.0', '1.2', '^1.2.0', '>=1.2.0'].map((text) => {
    const range = versionRange(text);
    return range === null ? undefined : onlyVersionOf(range);
  });
  expect(only).toEqual(['1.2.0', '1.2.0', null, null, null]);
});

const number = fc.integer({ min: 0, max: 3 }).map(String);
const pre = fc.constantFrom('', '', '', '-0', '-rc.1', '-rc.2', '-alpha');
const version = fc.tuple(number, number, number, pre).map(([a, b, c, d]) => `${a}.${b}.${c}${d}`);
const partial = fc.oneof(
  version,
  number,
  fc.tuple(number, number).map(([a, b]) => `${a}.${b}`),
  fc.tuple(number, fc.constantFrom('x', 'X', '*')).map(([a, x]) => `${a}.${x}`),
  fc.tuple(number, number).map(([a, b]) => `${a}.${b}.x`),
  fc.constantFrom('*', 'x'),
);
const operator = fc.constantFrom('', '', '^', '~', '~>', '>', '>=', '<', '<=', '=', '> ', '>= ', '^ ');
const simple = fc.tuple(operator, partial).map(([sign, text]) => `${sign}${text}`);
/** A whole version before a hyphen is left out: the package includes its pre-releases, and its documentation does not. */
const shorter = fc.oneof(
  number,
  fc.tuple(number, number).map(([a, b]) => `${a}.${b}`),
);
const hyphen = fc.tuple(shorter, partial).map(([from, to]) => `${from} - ${to}`);
const alternative = fc.oneof(
  simple,
  hyphen,
  fc.tuple(simple, simple).map(([a, b]) => `${a} ${b}`),
);
const range = fc.array(alternative, { minLength: 1, maxLength: 2 }).map((all) => all.join(' || '));

test('ranges are those of the semver package, with pre-releases', () => {
  fc.assert(
    fc.property(range, fc.array(version, { minLength: 1, maxLength: 20 }), (text, versions) => {
      expect(validRange(text, { includePrerelease: true })).not.toBeNull();
      const own = versionRange(text);
      expect(versions.filter((one) => own?.includes(one))).toEqual(
        versions.filter((one) => satisfies(one, text, { includePrerelease: true })),
      );
    }),
    { numRuns: 2000 },
  );
});
