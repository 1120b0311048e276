import { expect, test } from 'vitest';
import { CLAIM_SECONDS } from '../../src/db/deliveries.ts';
import { waitAfterAttempt } from '../../src/jobs/deliver-webhooks.ts';

/** The waits from the first attempt on, for a random number. */
function waits(random: number): number[] {
  const all: number[] = [];
  for (let attempts = 1; ; attempts++) {
    const wait = waitAfterAttempt(attempts, null, random);
    if (wait === null) return all;
    all.push(wait);
  }
}

test('the first attempt is repeated within 30 seconds, also after a crash', () => {
  expect(waits(0)[0]).toBe(18_000);
  expect(waits(1)[0]).toBe(22_000);
  expect(CLAIM_SECONDS).toBeLessThan(30);
});

test('attempts are repeated with growing waits, for about three days', () => {
  const medium = waits(0.5);
  expect(medium).toEqual(medium.toSorted((a, b) => a - b));
  const hours = medium.reduce((sum, wait) => sum + wait, 0) / 3_600_000;
  expect(hours).toBeGreaterThan(71);
  expect(hours).toBeLessThan(73);
});

test('a receiver can ask for a longer wait, but not for more than the longest', () => {
  expect(waitAfterAttempt(1, 60_000, 0.5)).toBe(60_000);
  expect(waitAfterAttempt(1, 1000, 0.5)).toBe(20_000);
  expect(waitAfterAttempt(1, 10 ** 12, 0.5)).toBe(22 * 3_600_000);
  expect(waitAfterAttempt(11, 60_000, 0.5)).toBeNull();
});
