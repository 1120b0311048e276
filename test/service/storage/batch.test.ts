import { expect, test } from 'vitest';
import { inBatches } from '../../../src/service/storage/batch.ts';

const shortDelay = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

test('what is asked in one moment, or while another statement is running, goes together', async () => {
  const batches: number[][] = [];
  const ask = inBatches(async (asked: readonly number[]) => {
    batches.push([...asked]);
    await shortDelay();
    return asked.map((one) => one * 10);
  }, 3);
  const first = [ask(1), ask(2)];
  await new Promise(setImmediate);
  const rest = [3, 4, 5, 6].map(ask);
  expect(await Promise.all([...first, ...rest])).toEqual([10, 20, 30, 40, 50, 60]);
  expect(batches).toEqual([[1, 2], [3, 4, 5], [6]]);
  expect(await ask(7)).toBe(70);
});

test('nobody fails for another’s sake', async () => {
  const ask = inBatches(async (asked: readonly number[]) => {
    if (asked.includes(2)) throw new Error('two');
    return asked;
  }, 10);
  const answers = await Promise.allSettled([ask(1), ask(2), ask(3)]);
  expect(answers.map((one) => (one.status === 'fulfilled' ? one.value : String(one.reason)))).toEqual([
    1,
    'Error: two',
    3,
  ]);
});
