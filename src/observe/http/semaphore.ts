/** Admits a limited number at once, the others in FIFO order. */
interface Semaphore {
  acquire(): Promise<void>;
  release(): void;
  /** Halves the number that is admitted at once; those already admitted stay. At least one is. */
  halve(): void;
  /** Number of requests that are admitted at once. */
  limit(): number;
}

/** @param initial how many are admitted at once */
export function openSemaphore(initial: number): Semaphore {
  const waiting: (() => void)[] = [];
  let limit = initial;
  let held = 0;
  return {
    async acquire() {
      if (held >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
      else held += 1;
    },
    release() {
      const next = held > limit ? undefined : waiting.shift();
      if (next) next();
      else held -= 1;
    },
    halve() {
      limit = Math.max(1, Math.min(limit, held) >> 1);
    },
    limit: () => limit,
  };
}
