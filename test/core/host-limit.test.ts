import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostLimit } from '../../src/core/host-limit.ts';
import { load } from '../support/host-load.ts';

test.each<{ name: string; counts: Parameters<typeof load>[0]; most: number | null }>([
  { name: 'all beyond 8 refused', counts: { 1: [9, 0], 8: [30, 0], 9: [0, 4] }, most: 8 },
  { name: 'nothing seen between 6 and 9', counts: { 6: [30, 0], 10: [0, 3] }, most: 9 },
  { name: 'answers that the host had ended', counts: { 6: [200, 0], 8: [40, 0], 9: [20, 4], 15: [20, 5] }, most: 8 },
  { name: 'one refusal within the limit', counts: { 3: [40, 1], 8: [30, 0], 9: [0, 12] }, most: 8 },
  { name: 'three refusals by chance', counts: { 1: [60, 0], 4: [120, 0], 5: [80, 1], 6: [40, 2] }, most: null },
  { name: 'two requests at once', counts: { 1: [30, 0], 2: [30, 0], 3: [0, 9], 6: [0, 4] }, most: 2 },
  { name: 'every tenth request refused', counts: { 1: [9, 1], 3: [27, 3], 6: [54, 6] }, most: null },
  { name: 'every second request refused', counts: { 1: [20, 20], 2: [3, 3], 6: [3, 3] }, most: null },
  { name: 'one refusal', counts: { 5: [100, 0], 6: [0, 1] }, most: null },
  { name: 'few answers', counts: { 1: [2, 0], 6: [0, 2] }, most: null },
  { name: 'nothing', counts: {}, most: null },
])('$name', ({ counts, most }) => {
  expect(hostLimit(load(counts))?.most ?? null).toBe(most);
});

test('a limit between what was answered and what was refused is found, wherever it is', () => {
  const counts = fc.record({
    most: fc.integer({ min: 1, max: 31 }),
    answered: fc.integer({ min: 60, max: 500 }),
    refused: fc.integer({ min: 3, max: 6 }),
  });
  fc.assert(
    fc.property(counts, ({ most, answered, refused }) => {
      const facts = load({ [most]: [answered, 0], [most + 1]: [0, refused] });
      expect(hostLimit(facts)).toEqual({ most, sent: refused, refused });
    }),
  );
});
