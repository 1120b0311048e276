import { expect, test } from 'vitest';
import { inBatches } from '../../src/db/batch.ts';

const shortDelay = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

test('calls at the same moment, or during another statement, are sent together', async () => {
  const batches: number[][] = [];
  const call = inBatches(async (values: readonly number[]) => {
    batches.push([...values]);
    await shortDelay();
    return values.map((one) => one * 10);
  }, 3);
  const first = [call(1), call(2)];
  await new Promise(setImmediate);
  const rest = [3, 4, 5, 6].map(call);
  expect(await Promise.all([...first, ...rest])).toEqual([10, 20, 30, 40, 50, 60]);
  expect(batches).toEqual([[1, 2], [3, 4, 5], [6]]);
  expect(await call(7)).toBe(70);
});

test('a failed call does not fail the other calls of its batch', async () => {
  const call = inBatches(async (values: readonly number[]) => {
    if (values.includes(2)) throw new Error('two');
    return values;
  }, 10);
  const answers = await Promise.allSettled([call(1), call(2), call(3)]);
  expect(answers.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)))).toEqual([
    1,
    'Error: two',
    3,
  ]);
});
