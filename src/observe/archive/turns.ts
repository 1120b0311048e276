/**
 * Shares a thread between owners: one of them works at a time, and each waiting owner gets a turn before one gets a
 * second turn, however many artifacts it has.
 */
export interface Turns {
  /** Waits for a turn. @returns the function that ends it */
  take(owner: string): Promise<() => void>;
}

/** @param defer runs a callback once other events of the thread were handled */
export function openTurns(defer: (callback: () => void) => void): Turns {
  /** Those that wait, by owner, in the order of the next turns. */
  const waiting = new Map<string, (() => void)[]>();
  let isTaken = false;

  function start(): void {
    const [next] = waiting;
    if (next === undefined) {
      isTaken = false;
      return;
    }
    const [owner, queue] = next;
    const resume = queue.shift();
    waiting.delete(owner);
    if (queue.length > 0) waiting.set(owner, queue);
    resume?.();
  }

  return {
    async take(owner) {
      if (isTaken) await new Promise<void>((resolve) => waiting.set(owner, [...(waiting.get(owner) ?? []), resolve]));
      isTaken = true;
      return () => defer(start);
    },
  };
}
