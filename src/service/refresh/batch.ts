/** Many small questions to the database as few large ones: a statement costs both sides more than a row does. */

/**
 * Gathers what is asked while a statement is under way into the next one. A statement that fails is tried with each by
 * itself, so that nobody fails for another's sake.
 * @param run answers for all of them, in their order @param most of them at once
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
      // Those who come in the same moment go together.
      setImmediate(() => void work());
    });
}
