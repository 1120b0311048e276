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

/** Delays of the event loop of this process, during which time limits mean nothing. */
export interface EventLoop {
  /** The longest delay since a moment. @param from of performance.now() @returns milliseconds */
  delaySince(from: number): number;
  stop(): void;
}

/** Milliseconds between two measurements, and from which a delay is recorded. */
const INTERVAL = 50;
const RECORDED = 100;
/** Delays that are kept: those of the last minutes at least, since each has some length. */
const KEPT = 1000;

export function watchEventLoop(): EventLoop {
  let measuredAt = performance.now();
  const delays: { until: number; milliseconds: number }[] = [];
  const overdue = (): number => performance.now() - measuredAt - INTERVAL;

  const timer = setInterval(() => {
    const milliseconds = overdue();
    measuredAt = performance.now();
    if (milliseconds < RECORDED) return;
    delays.push({ until: measuredAt, milliseconds });
    if (delays.length > KEPT) delays.shift();
  }, INTERVAL).unref();

  return {
    delaySince: (from) =>
      delays.reduce((most, { until, milliseconds }) => (until < from ? most : Math.max(most, milliseconds)), overdue()),
    stop: () => clearInterval(timer),
  };
}
