/** Takes jobs from a queue while there are any and there is room for more. */
export interface Poller {
  /** Signals that there may be new jobs. */
  wake(): void;
  /** There is room again: takes the jobs that were left in the queue. */
  resume(): void;
  /** Takes no new jobs. */
  stop(): Promise<void>;
}

export interface PollerOptions {
  /** Milliseconds between two polls of an empty queue. */
  interval: number;
  hasRoom(): boolean;
  /** Takes jobs and starts them. @returns how many there were */
  take(): Promise<number>;
  onError(error: unknown): void;
}

export function startPoller({ interval, hasRoom, take, onError }: PollerOptions): Poller {
  let stopped = false;
  let polling: Promise<void> | null = null;
  /** Whether the queue may have jobs: new ones were signalled since the last poll, or the last one found some. */
  let mayHaveJobs = false;

  async function poll(): Promise<void> {
    try {
      for (;;) {
        if (stopped || !mayHaveJobs || !hasRoom()) return;
        mayHaveJobs = false;
        // More jobs may follow, even after a partial batch.
        if ((await take()) > 0) mayHaveJobs = true;
      }
    } catch (error) {
      onError(error);
    } finally {
      polling = null;
    }
  }

  function wake(): void {
    mayHaveJobs = true;
    if (!stopped && hasRoom()) polling ??= poll();
  }

  const timer = setInterval(wake, interval);
  return {
    wake,
    resume() {
      if (mayHaveJobs) wake();
    },
    async stop() {
      stopped = true;
      clearInterval(timer);
      await polling;
    },
  };
}
