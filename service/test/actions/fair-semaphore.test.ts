import { expect, test } from 'vitest';
import { openFairSemaphore } from '../../src/actions/fair-semaphore.ts';

test('a semaphore limits concurrent holders in total and per client, and serves all of them', async () => {
  const turn = openFairSemaphore(3, 2);
  let inside = 0;
  let most = 0;
  let done = 0;
  const mine = { inside: 0, most: 0 };
  const one = async (who: string): Promise<void> => {
    const leave = (await turn(who, 5000))!;
    most = Math.max(most, (inside += 1));
    if (who === 'mine') mine.most = Math.max(mine.most, (mine.inside += 1));
    await new Promise((later) => setTimeout(later, 1));
    inside -= 1;
    if (who === 'mine') mine.inside -= 1;
    done += 1;
    leave();
  };
  await Promise.all(Array.from({ length: 200 }, (_, i) => one(i % 2 === 0 ? 'mine' : `other ${i % 7}`)));
  expect([most, mine.most, done]).toEqual([3, 2, 200]);
});

test('a client at its limit does not block another client', async () => {
  const turn = openFairSemaphore(3, 1);
  const first = (await turn('mine', 0))!;
  const second = turn('mine', 5000);
  const other = (await turn('other', 0))!;
  expect(other).not.toBeNull();
  other();
  first();
  (await second)!();
});

test('a request for a turn times out, and does not take a turn later', async () => {
  const turn = openFairSemaphore(1, 1);
  const leave = (await turn('a', 0))!;
  expect(await turn('b', 10)).toBeNull();
  leave();
  const again = await turn('c', 0);
  expect(again).not.toBeNull();
});

test('a client gets no second turn once half of them are taken, and clients without one are served first', async () => {
  const turn = openFairSemaphore(4, 2);
  const [first, second] = [(await turn('a', 0))!, (await turn('a', 0))!];
  expect(await turn('b', 0)).not.toBeNull();
  expect(await turn('b', 0)).toBeNull();
  const last = (await turn('c', 0))!;
  const order: string[] = [];
  const waiting = ['b', 'c', 'd'].map(async (client) => {
    const leave = await turn(client, 5000);
    order.push(client);
    return leave;
  });
  first();
  await expect.poll(() => order).toEqual(['d']);
  second();
  last();
  await Promise.all(waiting);
  expect(order.toSorted()).toEqual(['b', 'c', 'd']);
});
