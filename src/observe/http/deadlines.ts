/** The time budget of a probe. It is paused while the probe is queued. */
export interface Deadline {
  /** Why it ended, or null. */
  readonly ended: Error | null;
  /** The same as a signal, for APIs that take one. */
  readonly signal: AbortSignal;
  /** Sets the function that is called at the end, replacing the previous one. */
  onEnd(act: (() => void) | null): void;
  pause(): void;
  resume(): void;
}

/** The deadlines of all probes of a run. */
export interface Deadlines {
  /**
   * Starts one.
   * @param total the probe's time budget, in milliseconds
   */
  open(total: number): VisitClock;
  close(): void;
}

interface VisitClock extends Deadline {
  /** The probe has finished. */
  stop(): void;
}

interface Running {
  /** As of Date.now(). Infinity while it is paused. */
  until: number;
  end(reason: Error): void;
}

/** The message of an expired deadline. */
export const TOTAL_TIMEOUT = 'TOTAL_TIMEOUT';

/**
 * One timer and one listener for all: a timer and an AbortController with its listeners per probe cost as much as the
 * request itself.
 * @param interrupted ends all of them
 */
export function openDeadlines(interrupted: AbortSignal | undefined): Deadlines {
  const running = new Set<Running>();
  let timer: NodeJS.Timeout | null = null;
  let due = Infinity;

  function ring(at: number): void {
    if (at >= due) return;
    clearTimeout(timer ?? undefined);
    due = at;
    timer = setTimeout(check, Math.max(0, at - Date.now()));
  }

  function check(): void {
    timer = null;
    due = Infinity;
    const now = Date.now();
    let next = Infinity;
    for (const one of running)
      if (one.until <= now) one.end(new Error(TOTAL_TIMEOUT));
      else next = Math.min(next, one.until);
    ring(next);
  }

  function rest(): void {
    clearTimeout(timer ?? undefined);
    timer = null;
    due = Infinity;
  }

  const interrupt = (): void => {
    for (const one of running) one.end(interrupted!.reason as Error);
  };
  interrupted?.addEventListener('abort', interrupt, { once: true });

  return {
    open(total) {
      let left = total;
      let since = 0;
      let ended: Error | null = null;
      let act: (() => void) | null = null;
      let controller: AbortController | null = null;
      const self: Running = {
        until: Infinity,
        end(reason) {
          running.delete(self);
          ended = reason;
          controller?.abort(reason);
          act?.();
        },
      };
      const deadline: VisitClock = {
        get ended() {
          return ended;
        },
        get signal() {
          controller ??= new AbortController();
          if (ended) controller.abort(ended);
          return controller.signal;
        },
        onEnd(next) {
          act = next;
        },
        pause() {
          if (self.until === Infinity) return;
          self.until = Infinity;
          left -= Date.now() - since;
        },
        resume() {
          if (ended || self.until !== Infinity) return;
          since = Date.now();
          self.until = since + left;
          ring(self.until);
        },
        stop() {
          running.delete(self);
          if (running.size === 0) rest();
        },
      };
      if (interrupted?.aborted) ended = interrupted.reason as Error;
      else running.add(self);
      deadline.resume();
      return deadline;
    },
    close() {
      interrupted?.removeEventListener('abort', interrupt);
      rest();
    },
  };
}
