import { describe, expect, test } from 'vitest';
import { type Sent, ConcurrencyWindow } from '../../../src/observe/http/concurrency-window.ts';

/** Fills the window, and returns the requests that were admitted. */
async function fillWindow(window: ConcurrencyWindow): Promise<Sent[]> {
  const sent: Sent[] = [];
  for (let i = 0; i < 100; i += 1) void window.enter().then((one) => sent.push(one));
  await new Promise(setImmediate);
  return sent;
}

/** Answers requests one after the other, with the window always full. @returns the most that were in flight */
async function peakAfter(window: ConcurrencyWindow, answers: number): Promise<number> {
  const sent = await fillWindow(window);
  let peak = sent.length;
  let ended = 0;
  for (let i = 0; i < answers; i += 1) {
    const one = sent.shift()!;
    window.answered(one, 'GET');
    window.leave(one);
    ended += 1;
    await new Promise(setImmediate);
    peak = Math.max(peak, sent.length);
  }
  expect(ended).toBe(answers);
  return peak;
}

describe('the window while requests are answered', () => {
  test('admits six requests at the start, as a browser opens connections', async () => {
    expect(await fillWindow(new ConcurrencyWindow(32))).toHaveLength(6);
  });
  test.each([
    { answers: 1, peak: 6 },
    { answers: 2, peak: 12 },
    { answers: 4, peak: 24 },
    { answers: 6, peak: 32 },
    { answers: 60, peak: 32 },
  ])('grows with answers: after $answers answers, $peak requests are in flight', async ({ answers, peak }) => {
    expect(await peakAfter(new ConcurrencyWindow(32), answers)).toBe(peak);
  });
  test('does not exceed the limit of the run', async () => {
    expect(await fillWindow(new ConcurrencyWindow(2))).toHaveLength(2);
    expect(await peakAfter(new ConcurrencyWindow(2), 20)).toBe(2);
  });
});

describe('the window when requests are refused', () => {
  test('is halved once per round, and grows by one with each later round', async () => {
    const window = new ConcurrencyWindow(32);
    const sent = await fillWindow(window);
    for (let i = 0; i < 2; i += 1) {
      const one = sent.shift()!;
      window.answered(one, 'GET');
      window.leave(one);
    }
    await new Promise(setImmediate);
    expect(sent).toHaveLength(12);
    for (const one of sent.splice(8)) {
      expect(window.refused(one, 'GET', 'status 503')).toBe(true);
      window.leave(one);
    }
    await new Promise(setImmediate);
    // 8 are left, and 6 is the window now.
    expect(sent).toHaveLength(8);
    for (let i = 0; i < 8; i += 1) {
      const one = sent.shift()!;
      window.answered(one, 'GET');
      window.leave(one);
    }
    await new Promise(setImmediate);
    expect(sent).toHaveLength(7);
    const { load, refusals } = window.load()!;
    expect(refusals).toEqual(['status 503']);
    expect(load.reduce((sum, { answered }) => sum + answered, 0)).toBe(10);
    expect(load.reduce((sum, { refused }) => sum + refused, 0)).toBe(4);
    expect(load.map(({ inFlight }) => inFlight)).toEqual(load.map(({ inFlight }) => inFlight).sort((a, b) => a - b));
  });
  test('is not reduced if a request was alone', async () => {
    const window = new ConcurrencyWindow(32);
    const first = await window.enter();
    window.answered(first, 'GET');
    window.leave(first);
    expect(window.refused(await window.enter(), 'GET', 'ECONNRESET')).toBe(false);
  });
  test('is not reduced by a method that the host never answered', async () => {
    const window = new ConcurrencyWindow(32);
    const sent = await fillWindow(window);
    window.answered(sent[0]!, 'GET');
    expect(window.refused(sent[1]!, 'OPTIONS', 'ECONNRESET')).toBe(false);
    expect(window.load()).toBeNull();
  });
  test('is not reduced for a host that has answered nothing', async () => {
    const window = new ConcurrencyWindow(32);
    for (const one of await fillWindow(window)) expect(window.refused(one, 'GET', 'ECONNREFUSED')).toBe(false);
    expect(window.load()).toBeNull();
  });
});
