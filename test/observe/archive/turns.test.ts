import { expect, test } from 'vitest';
import { openTurns } from '../../../src/observe/archive/turns.ts';

test('one owner works at a time, and each gets a turn before one gets a second one', async () => {
  const turns = openTurns((callback) => void setImmediate(callback));
  const order: string[] = [];
  let working = 0;
  async function work(owner: string, count: number): Promise<void> {
    for (let i = 0; i < count; i += 1) {
      const endTurn = await turns.take(owner);
      working += 1;
      expect(working).toBe(1);
      order.push(owner);
      await Promise.resolve();
      working -= 1;
      endTurn();
    }
  }
  // The first one has three artifacts, the others have one each.
  await Promise.all([work('a', 4), work('a', 4), work('a', 4), work('b', 3), work('c', 2)]);
  expect(order).toHaveLength(17);
  const untilAllOfOthers = order.slice(0, order.lastIndexOf('b') + 1);
  expect(untilAllOfOthers.filter((owner) => owner === 'a').length).toBeLessThanOrEqual(5);
  expect(order.indexOf('b')).toBeLessThanOrEqual(2);
  expect(order.indexOf('c')).toBeLessThanOrEqual(3);
});

test('a turn is free again after its owner ended it', async () => {
  const turns = openTurns((callback) => callback());
  (await turns.take('a'))();
  (await turns.take('a'))();
  (await turns.take('b'))();
});
