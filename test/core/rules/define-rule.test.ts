import { message } from '../../../src/core/text/message.ts';
import { expect, test } from 'vitest';
import { causeInfo } from '../../../src/core/rules/cause.ts';
import { defineRule } from '../../../src/core/rules/rule.ts';

const BASE = {
  on: 'app',
  needs: ['key'],
  severity: 'warning',
  spec: null,
  symptom: null,
  owner: 'author',
  title: 'Example',
  failsWhen: 'a key is not as expected',
  why: 'For a test.',
  examples: { bad: 'bad', good: 'good' },
} as const;
const PROBLEM = { message: message`The key is wrong.`, advice: message`Change it.` };

test('a check returns only causes that its rule declares', () => {
  const causes = { short: { title: 'The key is short' }, 'status-*': { title: 'This status' } };
  const declared = [
    defineRule({ ...BASE, id: 'one', causes, check: () => ({ ...PROBLEM, cause: 'short' }) }),
    defineRule({ ...BASE, id: 'two', causes, check: ({ key }) => ({ ...PROBLEM, cause: `status-${key}` }) }),
    // @ts-expect-error the cause is misspelled
    defineRule({ ...BASE, id: 'three', causes, check: () => ({ ...PROBLEM, cause: 'shrt' }) }),
    // @ts-expect-error the rule declares no causes
    defineRule({ ...BASE, id: 'four', check: () => ({ ...PROBLEM, cause: 'short' }) }),
  ];
  expect(declared.map(({ id }) => id)).toEqual(['one', 'two', 'three', 'four']);
});

test('a rule that hides apps states the reason', () => {
  // @ts-expect-error hiddenReason is missing
  expect(defineRule({ ...BASE, id: 'one', hidesApp: true, check: () => null }).id).toBe('one');
});

test('a declared cause is found by its name or by the prefix of its family', () => {
  const causes = { 'status-404': { title: 'Not found' }, 'status-*': { title: 'This status' } };
  expect(causeInfo(causes, 'status-404')?.title).toBe('Not found');
  expect(causeInfo(causes, 'status-500')?.title).toBe('This status');
  expect(causeInfo(causes, 'toString')).toBeUndefined();
  expect(causeInfo(causes, null)).toBeUndefined();
  expect(causeInfo(undefined, 'status-404')).toBeUndefined();
});
