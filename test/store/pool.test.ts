import { expect, test } from 'vitest';
import { asDone } from '../../src/store/pool.ts';

/** Work on several items at a time, whose results are taken one by one. */

/** Work that ends when `end` is called. */
function controlled(): { started: number[]; work(item: number): Promise<number>; end(item: number): void } {
  const started: number[] = [];
  const ends = new Map<number, () => void>();
  return {
    started,
    work(item) {
      started.push(item);
      return new Promise((resolve) => void ends.set(item, () => resolve(item)));
    },
    end: (item) => ends.get(item)?.(),
  };
}

test('a result is there as soon as it is known, and no more work is started than allowed', async () => {
  const { started, work, end } = controlled();
  const results = asDone([1, 2, 3], 2, work);
  const first = results.next();
  expect(started).toEqual([1, 2]);
  end(2);
  expect((await first).value).toBe(2);
  expect(started).toEqual([1, 2]);
  const second = results.next();
  expect(started).toEqual([1, 2, 3]);
  end(3);
  expect((await second).value).toBe(3);
  end(1);
  expect((await results.next()).value).toBe(1);
  expect(await results.next()).toMatchObject({ done: true });
});

test('after an error no more work is started, and the error is thrown once all started work has ended', async () => {
  const { started, work, end } = controlled();
  const failing = async (item: number): Promise<number> => {
    if (item === 1) throw new Error('the first');
    await work(item);
    throw new Error('the second');
  };
  let isOver = false;
  const next = asDone([1, 2, 3], 2, failing)
    .next()
    .finally(() => (isOver = true));
  const failure = expect(next).rejects.toThrow('the first');
  await new Promise((resolve) => void setImmediate(resolve));
  expect({ isOver, started }).toEqual({ isOver: false, started: [2] });
  end(2);
  await failure;
});
