import { setTimeout as sleep } from 'node:timers/promises';

/** The result of a promise, or `otherwise` if it takes longer. */
export async function within<Result>(
  milliseconds: number,
  result: Promise<Result>,
  otherwise: Result,
): Promise<Result> {
  const deadline = new AbortController();
  const late = sleep(milliseconds, otherwise, { signal: deadline.signal }).catch(() => otherwise);
  return Promise.race([result, late]).finally(() => deadline.abort());
}
