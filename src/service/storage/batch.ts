/** Batches many small queries into few large ones: a statement is more expensive than a row, for both sides. */

/**
 * Collects requests into a batch while a statement is running. If a statement fails, each request is retried
 * separately, so that one does not fail because of another.
 * @param run returns the results of all requests, in order @param most maximum batch size
 */
export function inBatches<Asked, Answer>(
  run: (asked: readonly Asked[]) => Promise<readonly Answer[]>,
  most: number,
): (one: Asked) => Promise<Answer> {
  interface Waiting {
    one: Asked;
    resolve(answer: Answer): void;
    reject(error: unknown): void;
  }
  let waiting: Waiting[] = [];
  let busy = false;

  async function answer(batch: readonly Waiting[]): Promise<void> {
    try {
      const answers = await run(batch.map(({ one }) => one));
      for (const [i, { resolve }] of batch.entries()) resolve(answers[i]!);
    } catch (error) {
      if (batch.length === 1) batch[0]!.reject(error);
      else for (const one of batch) await answer([one]);
    }
  }

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most);
      waiting = waiting.slice(most);
      await answer(batch);
    }
    busy = false;
  }

  return (one) =>
    new Promise((resolve, reject) => {
      waiting.push({ one, resolve, reject });
      if (busy) return;
      busy = true;
      // Requests of the same event loop turn share a batch.
      setImmediate(() => void work());
    });
}
