/** Releases the semaphore. Must be called once. */
export type Leave = () => void;

/**
 * Limits concurrency overall and per client, so that no client starves the others.
 * @param all total slots @param each slots per client
 * @returns a function that waits for a slot; null if none was free within `patience` milliseconds
 */
export function openFairSemaphore(all: number, each: number): (who: string, patience: number) => Promise<Leave | null> {
  const inside = new Map<string, number>();
  let waiting: { who: string; enter(leave: Leave): void }[] = [];
  let taken = 0;

  function mayEnter(who: string): boolean {
    return taken < all && (inside.get(who) ?? 0) < each;
  }

  function enter(who: string): Leave {
    taken += 1;
    inside.set(who, (inside.get(who) ?? 0) + 1);
    return () => {
      taken -= 1;
      const left = inside.get(who)! - 1;
      if (left === 0) inside.delete(who);
      else inside.set(who, left);
      // Not simply the first, which may have reached its own limit.
      const next = waiting.find((one) => mayEnter(one.who));
      if (next === undefined) return;
      waiting = waiting.filter((one) => one !== next);
      next.enter(enter(next.who));
    };
  }

  return async (who, patience) => {
    if (mayEnter(who)) return enter(who);
    return new Promise((done) => {
      const one = {
        who,
        enter(leave: Leave) {
          clearTimeout(timer);
          done(leave);
        },
      };
      const timer = setTimeout(() => {
        waiting = waiting.filter((other) => other !== one);
        done(null);
      }, patience);
      waiting.push(one);
    });
  };
}
