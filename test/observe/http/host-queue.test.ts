import { describe, expect, onTestFinished, test } from 'vitest';
import { AGAIN, CONTROL, HostQueue, NEW, type Sent, type Turn } from '../../../src/observe/http/host-queue.ts';

const ENDLESS = { ended: null, onEnd: () => {} };

function open(limit = 32): HostQueue {
  const queue = new HostQueue(limit);
  onTestFinished(() => queue.close());
  return queue;
}

/** Enters, and notes the requests that were admitted. */
function enter(queue: HostQueue, count: number, turn: Turn = NEW, admitted: Sent[] = []): Sent[] {
  for (let i = 0; i < count; i += 1)
    void queue.enter(turn, ENDLESS).then((sent) => {
      queue.write(sent);
      admitted.push(sent);
    });
  return admitted;
}

const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

function answer(queue: HostQueue, sent: Sent, kind = 'GET'): void {
  queue.answered(sent, kind);
  queue.leave(sent);
}

function refuse(queue: HostQueue, sent: Sent, how = 'status 503', kind = 'GET'): string | null {
  const refusal = queue.refused(sent, kind, how);
  queue.leave(sent);
  return refusal;
}

/** A queue whose host has answered a GET. */
async function known(limit?: number): Promise<HostQueue> {
  const queue = open(limit);
  const first = await queue.enter(NEW, ENDLESS);
  queue.write(first);
  answer(queue, first);
  return queue;
}

describe('the requests to a host', () => {
  test('are admitted six at once, then more with each response', async () => {
    const queue = open();
    const sent = enter(queue, 20);
    await settled();
    expect(sent).toHaveLength(6);
    answer(queue, sent.shift()!);
    answer(queue, sent.shift()!);
    await settled();
    expect(sent).toHaveLength(12);
  });

  test('are halved once for all that were refused together', async () => {
    const queue = await known();
    const sent = enter(queue, 30);
    await settled();
    expect(sent).toHaveLength(6);
    for (const one of sent.splice(2)) expect(refuse(queue, one)).toBe('crowded');
    await settled();
    expect(sent).toHaveLength(3);
    const { load, refusals } = queue.load()!;
    expect(refusals).toEqual(['status 503']);
    expect(load.reduce((sum, { refused }) => sum + refused, 0)).toBe(4);
  });

  test('that were refused come before others', async () => {
    const queue = await known(1);
    const first = await queue.enter(NEW, ENDLESS);
    const order: string[] = [];
    const later = [queue.enter(NEW, ENDLESS).then(() => order.push('new')), queue.enter(AGAIN, ENDLESS)];
    void later[1]!.then((sent) => {
      order.push('again');
      answer(queue, sent as Sent);
    });
    answer(queue, first);
    await Promise.all(later);
    expect(order).toEqual(['again', 'new']);
  });

  test('are admitted at once when their deadline ends', async () => {
    const queue = await known(1);
    queue.pause(60_000);
    const callbacks: (((reason: Error) => void) | null)[] = [];
    const sent = queue.enter(NEW, { ended: null, onEnd: (callback) => void callbacks.push(callback) });
    callbacks[0]?.(new Error('end'));
    await expect(sent).resolves.toMatchObject({ lane: 'new' });
    await expect(queue.enter(NEW, { ended: new Error('end'), onEnd: () => {} })).resolves.toMatchObject({
      lane: 'new',
    });
  });
});

describe('a request that is to be alone', () => {
  test('waits until no other is in flight, and holds others back', async () => {
    const queue = await known();
    const others = enter(queue, 2);
    await settled();
    const alone = enter(queue, 1, { lane: 'alone', pause: 0 });
    await settled();
    expect(alone).toEqual([]);
    for (const one of others.splice(0)) answer(queue, one);
    await settled();
    expect(alone).toMatchObject([{ isAlone: true, inFlight: 1 }]);
    enter(queue, 2, NEW, others);
    const control = enter(queue, 1, CONTROL);
    await settled();
    expect(others).toEqual([]);
    expect(control).toHaveLength(1);
    answer(queue, alone[0]!);
    await settled();
    expect(others).toHaveLength(2);
  });

  test('waits for its pause, and so do the others', async () => {
    const queue = await known();
    const order: string[] = [];
    const alone = queue.enter({ lane: 'alone', pause: 100 }, ENDLESS).then((sent) => {
      order.push('alone');
      queue.leave(sent);
    });
    await settled();
    expect(order).toEqual([]);
    const other = queue.enter(NEW, ENDLESS).then(() => order.push('other'));
    await Promise.all([alone, other]);
    expect(order).toEqual(['alone', 'other']);
  });

  test('is conclusive if it is refused', async () => {
    const queue = await known();
    const sent = await queue.enter({ lane: 'alone', pause: 0 }, ENDLESS);
    queue.write(sent);
    expect(refuse(queue, sent)).toBe('alone');
  });
});

describe('a request that was alone and refused', () => {
  test('is sent again before any other, except to find out if the host refuses all', async () => {
    const queue = await known();
    refuse(queue, await queue.enter({ lane: 'alone', pause: 0 }, ENDLESS));
    const others = enter(queue, 2);
    const alone = enter(queue, 1, { lane: 'alone', pause: 0 });
    const control = enter(queue, 1, CONTROL);
    await settled();
    expect([others, alone]).toEqual([[], []]);
    answer(queue, control[0]!);
    const again = enter(queue, 1, { lane: 'alone', pause: 0, isNext: true });
    await settled();
    expect(again).toHaveLength(1);
    expect([others, alone]).toEqual([[], []]);
    refuse(queue, again[0]!);
    queue.endAlone();
    await settled();
    expect(others).toHaveLength(2);
  });
});

describe('a refusal', () => {
  test('of the first request does not depend on others', async () => {
    const queue = open();
    expect(refuse(queue, await queue.enter(NEW, ENDLESS))).toBe('alone');
  });

  test('of a kind that was never answered is probably not caused by the load', async () => {
    const queue = await known();
    const sent = await queue.enter(NEW, ENDLESS);
    expect(refuse(queue, sent, 'status 503', 'OPTIONS')).toBe('unlikely');
    expect(queue.load()).toBeNull();
    const alone = await queue.enter({ lane: 'alone', pause: 0 }, ENDLESS);
    expect(refuse(queue, alone, 'status 503', 'OPTIONS')).toBe('alone');
    queue.endAlone();
    expect(refuse(queue, await queue.enter(NEW, ENDLESS), 'status 503', 'OPTIONS')).toBeNull();
  });

  test('of one connection is no limit, nor that of a kind that was never answered', async () => {
    const queue = await known();
    expect(refuse(queue, await queue.enter(NEW, ENDLESS), 'ECONNRESET')).toBeNull();
    expect(refuse(queue, await queue.enter(NEW, ENDLESS), 'ECONNRESET', 'OPTIONS')).toBeNull();
    const sent = enter(queue, 2);
    await settled();
    expect(sent.map((one) => refuse(queue, one, 'ECONNRESET'))).toEqual([null, 'crowded']);
  });

  test('of requests that are sent one at a time slows them down', async () => {
    const queue = await known(1);
    const refuseOne = async (): Promise<void> => void refuse(queue, await queue.enter(NEW, ENDLESS), 'status 429');
    await refuseOne();
    expect(queue.load()).not.toHaveProperty('interval');
    queue.recordCure();
    expect(queue.load()).toMatchObject({ interval: 50 });
    await refuseOne();
    expect(queue.load()).toMatchObject({ interval: 100 });
  });

  test('is probably not caused by the load once others had another reason', async () => {
    const queue = await known(1);
    expect(refuse(queue, await queue.enter(NEW, ENDLESS), 'status 429')).toBe('crowded');
    queue.recordFault();
    expect(queue.load()).not.toHaveProperty('interval');
    expect(refuse(queue, await queue.enter(NEW, ENDLESS), 'status 429')).toBe('unlikely');
    queue.recordCure();
    expect(refuse(queue, await queue.enter(NEW, ENDLESS), 'status 429')).toBe('crowded');
  });
});
