import { type Db } from './database.ts';

/** Batches many small queries into few large ones: a statement is more expensive than a row, for both sides. */

/**
 * Collects requests into a batch while a statement is running. If a statement fails, each request is retried
 * separately, so that one does not fail because of another.
 * @param run returns the results of all requests, in order
 * @param limit maximum batch size
 */
export function inBatches<Request, Result>(
  run: (requests: readonly Request[]) => Promise<readonly Result[]>,
  limit: number,
): (request: Request) => Promise<Result> {
  interface Waiting {
    request: Request;
    resolve(result: Result): void;
    reject(error: unknown): void;
  }
  let waiting: Waiting[] = [];
  let busy = false;

  async function runBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await run(batch.map(({ request }) => request));
      if (results.length !== batch.length) throw new Error('A batch has one result for each request.');
      for (const [i, result] of results.entries()) batch[i]?.resolve(result);
    } catch (error) {
      const [first, ...others] = batch;
      if (others.length === 0) first?.reject(error);
      else for (const one of batch) await runBatch([one]);
    }
  }

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, limit);
      waiting = waiting.slice(limit);
      await runBatch(batch);
    }
    busy = false;
  }

  return (request) =>
    new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject });
      if (busy) return;
      busy = true;
      // Requests of the same event loop turn share a batch.
      setImmediate(() => void work());
    });
}

/** The same for statements: users of the same connections share the batches. */
export function inBatchesOf<Request, Result>(
  run: (db: Db, requests: readonly Request[]) => Promise<readonly Result[]>,
  limit: number,
): (db: Db, request: Request) => Promise<Result> {
  const byDatabase = new WeakMap<Db, (request: Request) => Promise<Result>>();
  return (db, request) => {
    let batched = byDatabase.get(db);
    if (batched === undefined) byDatabase.set(db, (batched = inBatches((requests) => run(db, requests), limit)));
    return batched(request);
  };
}
