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
  ['>=1', ['9007199254740991.0.0'], ['9007199254740992.0.0']],
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
  '>=9007199254740992.0.0',
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
