import { expect, test } from 'vitest';
import { retirementText } from '../../src/html/about.ts';

test.each([
  ['It stops.', 'It stops. Use 1.2.1 instead.'],
  ['It stops', 'It stops. Use 1.2.1 instead.'],
  ['Does it stop?', 'Does it stop? Use 1.2.1 instead.'],
])('what an author says about a retired version ends as a sentence: %s', (message, end) => {
  const retired = { reason: 'broken', message, since: null, use: '1.2.1' } as const;
  expect(retirementText(retired)).toBe(`The author retired this version because it does not work: ${end}`);
});
