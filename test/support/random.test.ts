import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { noise, randomNumbers } from './random.ts';

test('noise is the same in every call, other for another number, and cannot be compressed', () => {
  expect(noise(1000)).toEqual(noise(1000));
  expect(noise(1000, 1)).not.toEqual(noise(1000));
  expect(gzipSync(noise(100_000)).length).toBeGreaterThan(100_000);
});

test('random numbers are from 0 to 1, and the same in every sequence', () => {
  const [one, other] = [randomNumbers(), randomNumbers()];
  const numbers = Array.from({ length: 200_000 }, one);
  expect(numbers.slice(0, 1000)).toEqual(Array.from({ length: 1000 }, other));
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  expect(mean).toBeCloseTo(0.5, 2);
});
