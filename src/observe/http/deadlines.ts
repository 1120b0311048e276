import type { Failure } from '../../core/facts/facts.ts';
import { failureFact } from './failure.ts';

/** The message of an expired deadline. */
const TOTAL_TIMEOUT = 'TOTAL_TIMEOUT';

function reasonOf(signal: AbortSignal | undefined): Error {
  const reason: unknown = signal?.reason;
  return reason instanceof Error ? reason : new Error(String(reason));
}

/** The failure of a probe whose deadline ended: it expired, or the run was interrupted. */
export function timeoutFailure({ message }: Error, url: string): Failure {
  return message === TOTAL_TIMEOUT
    ? failureFact('time', TOTAL_TIMEOUT, 'the time limit was reached', url)
    : failureFact('time', 'INTERRUPTED', 'the run was interrupted', url);
}

/**
 * The deadlines of all probes of a run. One timer and one listener for all: a timer and an AbortController with its
 * listeners per probe cost as much as the request itself.
 */
export class Deadlines {
  private readonly running = new Set<Deadline>();
  private readonly interrupted: AbortSignal | undefined;
  private timer: NodeJS.Timeout | undefined = undefined;
  /** When the timer fires, as of Date.now(). */
  private due = Infinity;

  /** @param interrupted ends all of them */
  constructor(interrupted: AbortSignal | undefined) {
    this.interrupted = interrupted;
    interrupted?.addEventListener('abort', this.interrupt, { once: true });
  }

  /** Starts one. @param total the probe's time budget, in milliseconds */
  open(total: number): Deadline {
    const deadline = new Deadline(total, this);
    if (this.interrupted?.aborted) deadline.end(reasonOf(this.interrupted));
    else this.running.add(deadline);
    deadline.resume();
    return deadline;
  }

  /** Ends the probes in flight. */
  end(reason: Error): void {
    for (const deadline of this.running) deadline.end(reason);
  }

  close(): void {
    this.interrupted?.removeEventListener('abort', this.interrupt);
    this.clear();
  }

  remove(deadline: Deadline): void {
    this.running.delete(deadline);
    if (this.running.size === 0) this.clear();
  }

  /** Fires at this time at the latest. */
  schedule(time: number): void {
    if (time >= this.due) return;
    clearTimeout(this.timer);
    this.due = time;
    this.timer = setTimeout(() => this.check(), Math.max(0, time - Date.now()));
  }

  private readonly interrupt = (): void => this.end(reasonOf(this.interrupted));

  private clear(): void {
    clearTimeout(this.timer);
    this.due = Infinity;
  }

  private check(): void {
    this.due = Infinity;
    const now = Date.now();
    let next = Infinity;
    for (const deadline of this.running) {
      if (deadline.until <= now) deadline.end(new Error(TOTAL_TIMEOUT));
      else next = Math.min(next, deadline.until);
    }
    this.schedule(next);
  }
}

/** The time budget of a probe. It is paused while the probe is queued, and while received bytes are processed. */
export class Deadline {
  /** As of Date.now(). Infinity while it is paused. */
  until = Infinity;
  private readonly all: Deadlines;
  /** Milliseconds left when it was last resumed, and when that was. */
  private left: number;
  private resumedAt = 0;
  private reason: Error | null = null;
  private callback: ((reason: Error) => void) | null = null;
  private controller: AbortController | null = null;

  constructor(total: number, all: Deadlines) {
    this.left = total;
    this.all = all;
  }

  /** The reason why it ended, or null. */
  get ended(): Error | null {
    return this.reason;
  }

  /** The same as a signal, for APIs that take one. */
  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.reason) this.controller.abort(this.reason);
    return this.controller.signal;
  }

  /** Sets the function that is called at the end, replacing the previous one. */
  onEnd(callback: ((reason: Error) => void) | null): void {
    this.callback = callback;
  }

  pause(): void {
    if (this.until === Infinity) return;
    this.until = Infinity;
    this.left -= Date.now() - this.resumedAt;
  }

  resume(): void {
    if (this.reason || this.until !== Infinity) return;
    this.resumedAt = Date.now();
    this.until = this.resumedAt + this.left;
    this.all.schedule(this.until);
  }

  end(reason: Error): void {
    this.all.remove(this);
    this.reason = reason;
    this.controller?.abort(reason);
    this.callback?.(reason);
  }

  /** The probe has finished. */
  stop(): void {
    this.all.remove(this);
  }
}
