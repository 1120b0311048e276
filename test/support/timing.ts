import { expect } from 'vitest';

/** A busy machine lengthens a run; the code itself takes no less than the shortest one. */
const ATTEMPTS = 3;

/** The duration of the shortest of a few runs. @param enough no further run after one that takes less, in milliseconds */
export function shortestRun(run: () => unknown, enough = 0): number {
  let shortest = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS && shortest >= enough; attempt += 1) {
    const start = performance.now();
    run();
    shortest = Math.min(shortest, performance.now() - start);
  }
  return shortest;
}

/** Fails if the code takes at least this time, in milliseconds, also when it is repeated. */
export function expectWithin(milliseconds: number, run: () => unknown): void {
  expect(shortestRun(run, milliseconds)).toBeLessThan(milliseconds);
}
