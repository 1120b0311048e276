import { describe, expect, test } from 'vitest';
import { ConcurrencyWindow } from '../../../src/observe/http/concurrency-window.ts';

/** @returns the size after so many responses */
function sizeAfter(window: ConcurrencyWindow, answers: number): number {
  for (let i = 0; i < answers; i += 1) window.answered();
  return window.size;
}

describe('the window while requests are answered', () => {
  test.each([
    { answers: 0, size: 6 },
    { answers: 1, size: 6 },
    { answers: 2, size: 12 },
    { answers: 4, size: 24 },
    { answers: 6, size: 32 },
    { answers: 60, size: 32 },
  ])('grows with answers: after $answers answers, $size requests may be in flight', ({ answers, size }) => {
    expect(sizeAfter(new ConcurrencyWindow(32), answers)).toBe(size);
  });
  test('does not exceed the limit of the run', () => {
    expect(sizeAfter(new ConcurrencyWindow(2), 0)).toBe(2);
    expect(sizeAfter(new ConcurrencyWindow(2), 20)).toBe(2);
  });
});

describe('the window when requests are refused', () => {
  test('is halved, and grows by one with each later round', () => {
    const window = new ConcurrencyWindow(32);
    sizeAfter(window, 2);
    window.halve();
    expect(window.size).toBe(6);
    expect(sizeAfter(window, 5)).toBe(6);
    expect(sizeAfter(window, 1)).toBe(7);
  });
  test('grows more slowly after each further refusal', () => {
    const window = new ConcurrencyWindow(32);
    window.halve();
    window.halve();
    expect(window.size).toBe(1);
    expect(sizeAfter(window, 11)).toBe(1);
    expect(sizeAfter(window, 1)).toBe(2);
  });
  test('is at least one', () => {
    const window = new ConcurrencyWindow(1);
    window.halve();
    expect(window.size).toBe(1);
  });
});
