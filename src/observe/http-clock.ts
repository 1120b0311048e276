import type { Clock } from './http-exchange.ts';

/**
 * The time that a visit has, in milliseconds. It stands still between `hold` and `go`; when it is over, the signal says so.
 * @param interrupted ends it as well
 */
export function openClock(total: number, interrupted: AbortSignal | undefined): Clock {
  const late = new AbortController();
  let left = total;
  let since = 0;
  let timer: NodeJS.Timeout | null = null;
  const clock: Clock = {
    signal: interrupted ? AbortSignal.any([late.signal, interrupted]) : late.signal,
    hold() {
      if (timer === null) return;
      clearTimeout(timer);
      timer = null;
      left -= Date.now() - since;
    },
    go() {
      since = Date.now();
      timer ??= setTimeout(() => late.abort(new Error('TOTAL_TIMEOUT')), Math.max(0, left));
    },
  };
  clock.go();
  return clock;
}
