/** Admits a limited number at once, the others in FIFO order. */
export interface Semaphore {
  acquire(): Promise<void>;
  release(): void;
}

/** @param limit how many are admitted at once */
export function openSemaphore(limit: number): Semaphore {
  const waiting: (() => void)[] = [];
  let held = 0;
  return {
    async acquire() {
      if (held >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
      else held += 1;
    },
    release() {
      const next = waiting.shift();
      if (next) next();
      else held -= 1;
    },
  };
}
