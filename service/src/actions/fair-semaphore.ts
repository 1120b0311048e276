/** Releases the slot. Must be called once. */
type Release = () => void;

interface Waiting {
  client: string;
  start(release: Release): void;
}

/**
 * Limits concurrency overall and per client, so that no client starves the others: once half of the slots are taken,
 * a client gets no second one, and clients without a slot are served first.
 * @param total slots
 * @param perClient slots per client
 * @returns a function that waits for a slot; null if none was free within `timeout` milliseconds
 */
export function openFairSemaphore(
  total: number,
  perClient: number,
): (client: string, timeout: number) => Promise<Release | null> {
  const slotsByClient = new Map<string, number>();
  let waiting: Waiting[] = [];
  let taken = 0;

  const slotsOf = (client: string): number => slotsByClient.get(client) ?? 0;
  function isFree(client: string): boolean {
    const own = slotsOf(client);
    return taken < total && own < perClient && (own === 0 || taken < total / 2);
  }

  function acquire(client: string): Release {
    taken += 1;
    slotsByClient.set(client, slotsOf(client) + 1);
    return () => {
      taken -= 1;
      const left = slotsOf(client) - 1;
      if (left === 0) slotsByClient.delete(client);
      else slotsByClient.set(client, left);
      serveWaiting();
    };
  }

  function serveWaiting(): void {
    for (;;) {
      const free = waiting.filter((one) => isFree(one.client));
      const next = free.find((one) => slotsOf(one.client) === 0) ?? free[0];
      if (next === undefined) return;
      waiting = waiting.filter((one) => one !== next);
      next.start(acquire(next.client));
    }
  }

  return async (client, timeout) => {
    if (isFree(client)) return acquire(client);
    return new Promise((resolve) => {
      const request: Waiting = {
        client,
        start(release) {
          clearTimeout(timer);
          resolve(release);
        },
      };
      const timer = setTimeout(() => {
        waiting = waiting.filter((one) => one !== request);
        resolve(null);
      }, timeout);
      waiting.push(request);
    });
  };
}
