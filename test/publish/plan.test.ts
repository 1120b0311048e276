import { expect, test } from 'vitest';
import { changedLines } from '../../src/publish/plan.ts';

test.each([
  ['an insertion', 'a\nc', 'a\nb\nc', [], ['b']],
  ['a removal', 'a\r\nb\r\nc', 'a\r\nc', ['b'], []],
  [
    'a list that becomes empty',
    '{\n "x": {\n  "a": 1\n }\n}',
    '{\n "x": {}\n}',
    [' "x": {', '  "a": 1', ' }'],
    [' "x": {}'],
  ],
  ['a repeated line', 'a\na', 'a\na\na', [], ['a']],
  ['no change', 'a\nb', 'a\nb', [], []],
])('%s', (_, before, after, removed, added) => {
  expect(changedLines(before, after)).toEqual({ removed, added });
});
