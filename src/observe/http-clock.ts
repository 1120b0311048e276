import type { Clock } from './http-exchange.ts';

/** The clocks of all visits of a run. */
export interface Clocks {
  /** Starts one. @param total milliseconds that the visit has */
  open(total: number): VisitClock;
  close(): void;
}

interface VisitClock extends Clock {
  /** The visit is over. */
  stop(): void;
}

/**
 * The time that a visit has stands still between `hold` and `go`; when it is over, the signal says so.
 * @param interrupted ends all of them. One listener for all: a signal made of two for each visit
 * (`AbortSignal.any`) costs more than the request, and is kept until a full garbage collection.
 */
export function openClocks(interrupted: AbortSignal | undefined): Clocks {
  const running = new Set<AbortController>();
  const interrupt = (): void => {
    for (const one of running) one.abort(interrupted!.reason);
  };
  interrupted?.addEventListener('abort', interrupt, { once: true });
  return {
    open(total) {
      const ending = new AbortController();
      let left = total;
      let since = 0;
      let timer: NodeJS.Timeout | null = null;
      const clock: VisitClock = {
        signal: ending.signal,
        hold() {
          if (timer === null) return;
          clearTimeout(timer);
          timer = null;
          left -= Date.now() - since;
        },
        go() {
          since = Date.now();
          timer ??= setTimeout(() => ending.abort(new Error('TOTAL_TIMEOUT')), Math.max(0, left));
        },
        stop() {
          clock.hold();
          running.delete(ending);
        },
      };
      if (interrupted?.aborted) ending.abort(interrupted.reason);
      else running.add(ending);
      clock.go();
      return clock;
    },
    close() {
      interrupted?.removeEventListener('abort', interrupt);
    },
  };
}
