import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostLimit } from '../../../../src/core/rules/http/host-limits-requests.ts';
import { load } from '../../../support/host-load.ts';

test.each<{ name: string; counts: Parameters<typeof load>[0]; most: number | null }>([
  { name: 'all beyond 8 refused', counts: { 1: [9, 0], 8: [30, 0], 9: [0, 4] }, most: 8 },
  { name: 'nothing seen between 6 and 9', counts: { 6: [30, 0], 10: [0, 3] }, most: 9 },
  { name: 'answers that the host had ended', counts: { 6: [200, 0], 8: [40, 0], 9: [20, 4], 15: [20, 5] }, most: 8 },
  {
    name: 'a burst of requests, most of them refused',
    counts: { 4: [120, 0], 8: [120, 0], 9: [20, 3], 10: [20, 1], 13: [0, 4], 24: [0, 9] },
    most: 8,
  },
  { name: 'one refusal within the limit', counts: { 3: [40, 1], 8: [30, 0], 9: [0, 12] }, most: 8 },
  {
    name: 'connections that are reset late',
    counts: { 4: [120, 0], 8: [120, 1], 9: [40, 1], 10: [36, 1], 11: [2, 2], 14: [0, 8] },
    most: 10,
  },
  { name: 'three refusals by chance', counts: { 1: [60, 0], 4: [120, 0], 5: [80, 1], 6: [40, 2] }, most: null },
  { name: 'two requests at once', counts: { 1: [30, 0], 2: [30, 0], 3: [0, 9], 6: [0, 4] }, most: 2 },
  { name: 'every tenth request refused', counts: { 1: [9, 1], 3: [27, 3], 6: [54, 6] }, most: null },
  { name: 'every second request refused', counts: { 1: [20, 20], 2: [3, 3], 6: [3, 3] }, most: null },
  { name: 'one refusal', counts: { 5: [100, 0], 6: [0, 1] }, most: null },
  { name: 'few answers', counts: { 1: [2, 0], 6: [0, 2] }, most: null },
  { name: 'nothing', counts: {}, most: null },
])('the limit is inferred from the counts: $name', ({ counts, most }) => {
  expect(hostLimit(load(counts))?.most ?? null).toBe(most);
});

test('any limit between answered and refused requests is found', () => {
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

test('random refusals are taken for a limit in less than 1% of runs', () => {
  // A linear congruential generator (Numerical Recipes), so that every run sees the same numbers.
  let seed = 1;
  const random = (): number => (seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32) / 2 ** 32;
  let found = 0;
  for (let run = 0; run < 1000; run += 1) {
    const counts: Record<number, [answered: number, refused: number]> = {};
    for (let inFlight = 1; inFlight <= 12; inFlight += 1) {
      const sent = 1 + Math.floor(random() * 40);
      const refused = Array.from({ length: sent }, random).filter((value) => value < 0.08).length;
      counts[inFlight] = [sent - refused, refused];
    }
    if (hostLimit(load(counts)) !== null) found += 1;
  }
  expect(found).toBeLessThan(10);
});
