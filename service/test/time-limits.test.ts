import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { watchEventLoop } from '../src/time-limits.ts';

function block(milliseconds: number): void {
  for (const until = performance.now() + milliseconds; performance.now() < until;);
}

test('the delay of the event loop is measured, also before it is over, and belongs to its time', async () => {
  const eventLoop = watchEventLoop();
  const started = performance.now();
  block(300);
  expect(eventLoop.delaySince(started)).toBeGreaterThan(200);
  await sleep(100);
  expect(eventLoop.delaySince(started)).toBeGreaterThan(200);
  // A busy machine can delay the event loop again.
  await expect
    .poll(async () => {
      const later = performance.now();
      await sleep(60);
      return eventLoop.delaySince(later) < eventLoop.delaySince(started);
    })
    .toBe(true);
  eventLoop.stop();
});
