import { expect, test } from 'vitest';
import type { EditStep } from '../../src/publish/edit-step.ts';
import { changedLines, describePlan, withKinds } from '../../src/publish/plan.ts';
import { editing } from './plan-fixture.ts';

const step = (path: string, isNew: boolean): EditStep => editing(() => 'new', { path, isNew });

test('an edit of a new file is shown as its creation, and later edits of it as edits', () => {
  const plan = { steps: [step('a', true), step('b', false), step('a', true)] };
  expect(withKinds(plan).map(({ kind }) => kind)).toEqual(['create', 'edit', 'edit']);
  expect(describePlan(plan)).toBe('create a  (a change)\nedit   b  (a change)\nedit   a  (a change)');
});

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
