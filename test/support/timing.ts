import { expect } from 'vitest';

/** A busy machine lengthens a run; the code itself takes no less than the shortest one. */
const ATTEMPTS = 3;

/** The duration of the shortest of a few runs, in milliseconds. */
export function shortestRun(run: () => unknown): number {
  let shortest = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const start = performance.now();
    run();
    shortest = Math.min(shortest, performance.now() - start);
  }
  return shortest;
}

/**
 * Fails if the code takes at least this time, in milliseconds, also when it is repeated. Time that the processor spends
 * on other processes does not count.
 */
export function expectWithin(milliseconds: number, run: () => unknown): void {
  let shortest = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS && shortest >= milliseconds; attempt += 1) {
    const [start, cpu] = [performance.now(), process.cpuUsage()];
    run();
    const { user, system } = process.cpuUsage(cpu);
    // Each of them may contain more than the code: the waiting for a processor, or the work of other threads.
    shortest = Math.min(shortest, performance.now() - start, (user + system) / 1000);
  }
  expect(shortest).toBeLessThan(milliseconds);
}
