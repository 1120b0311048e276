import type { HostFacts } from '../../core/facts/facts.ts';
import { ConcurrencyWindow } from './concurrency-window.ts';
import type { Deadline } from './deadlines.ts';
import { RequestPace } from './request-pace.ts';

/**
 * The turn of a request. `new`: in FIFO order. `again`: before those, for one that was refused. `alone`: when nothing
 * else waits or is in flight, and nothing was for the milliseconds of `pause`; after a while, the others wait for it. `control`: at once, to find out if the
 * host refuses all requests.
 */
export interface Turn {
  readonly lane: 'new' | 'again' | 'alone' | 'control';
  readonly pause: number;
  /** True for a request that was alone and refused: no other is admitted before it is sent again, or given up. */
  readonly isNext?: true;
}

export const NEW: Turn = { lane: 'new', pause: 0 };
export const AGAIN: Turn = { lane: 'again', pause: 0 };
export const CONTROL: Turn = { lane: 'control', pause: 0 };

/** An admitted request. */
export interface Sent {
  readonly lane: Turn['lane'];
  /** Requests in flight when it was written, this one included; before that, when it was admitted. */
  inFlight: number;
  isWritten: boolean;
  isRefused: boolean;
  /** True for one that was alone and refused: others wait until it is sent again or given up. */
  isHeld: boolean;
  /** True for one that is alone, and for the first one to its host. */
  readonly isAlone: boolean;
  /** Number of times that the limits had been lowered when it was admitted. */
  readonly lowerings: number;
}

/**
 * The reason of a temporary refusal, as far as the client can tell. `crowded`: fewer or slower requests may help.
 * `unlikely`: load is probably not the reason, since the host has answered no request of this kind, or other refusals had
 * other reasons. `alone`: nothing else was in flight.
 */
export type Refusal = 'crowded' | 'unlikely' | 'alone';

/** Milliseconds for which one that is to be alone lets others go first. */
const MAX_YIELD = 3000;

interface Waiting {
  readonly turn: Turn;
  /** As of Date.now(). */
  readonly since: number;
  isAdmitted: boolean;
  resolve(sent: Sent): void;
}

/**
 * The requests to one host: admits those that may be in flight, as slowly as the host requires, and learns both limits
 * from its refusals: first fewer at once, then slower.
 */
export class HostQueue {
  private readonly window: ConcurrencyWindow;
  private readonly pace = new RequestPace();
  private readonly waiting: Readonly<Record<Turn['lane'], Waiting[]>> = { control: [], again: [], new: [], alone: [] };
  /** By the number of requests in flight. */
  private readonly counts = new Map<number, { answered: number; refused: number }>();
  private readonly refusals = new Set<string>();
  private readonly answeredKinds = new Set<string>();
  /** Kinds that were refused alone, and never answered. */
  private readonly refusedKinds = new Set<string>();
  /** Refused requests that were answered later, and those that were refused alone while the host answered others. */
  private cured = 0;
  private faulty = 0;
  private admitted = 0;
  private written = 0;
  private lowerings = 0;
  private timer: NodeJS.Timeout | undefined = undefined;
  /** As of Date.now(). */
  private pausedUntil = 0;
  private lastAdmission = 0;
  /** The end of the last request that a limit of the host may count. */
  private lastLoad = 0;
  /** One is alone: in flight, or waiting for the end of its pause. */
  private isAloneInFlight = false;
  private isQuiet = false;
  private hasAdmitted = false;

  /** @param limit the maximum number of requests in flight */
  constructor(limit: number) {
    this.window = new ConcurrencyWindow(limit);
  }

  /**
   * Resolves when a request may be sent.
   * @param deadline when it ends, the request is admitted at once
   */
  enter(turn: Turn, deadline: Pick<Deadline, 'ended' | 'onEnd'>): Promise<Sent> {
    if (deadline.ended) return Promise.resolve(this.admit(turn));
    return new Promise<Sent>((resolve) => {
      const queue = this.waiting[turn.lane];
      const waiting: Waiting = {
        turn,
        since: Date.now(),
        isAdmitted: false,
        resolve(sent) {
          waiting.isAdmitted = true;
          deadline.onEnd(null);
          resolve(sent);
        },
      };
      if (turn.isNext) {
        this.isAloneInFlight = false;
        this.isQuiet = true;
        queue.unshift(waiting);
      } else queue.push(waiting);
      this.admitWaiting();
      if (waiting.isAdmitted) return;
      deadline.onEnd(() => {
        queue.splice(queue.indexOf(waiting), 1);
        waiting.resolve(this.admit(turn));
      });
    });
  }

  /** The request is being written; until then the connection was being made. */
  write(sent: Sent): void {
    if (sent.isWritten) return;
    this.written += 1;
    sent.isWritten = true;
    sent.inFlight = this.written;
  }

  /** The request has ended. */
  leave({ lane, isWritten, isRefused, isHeld }: Sent): void {
    if (isWritten) this.written -= 1;
    this.admitted -= 1;
    if (lane === 'alone' && !isHeld) this.isAloneInFlight = false;
    if (isWritten && lane !== 'control' && !(lane === 'alone' && isRefused)) this.lastLoad = Date.now();
    this.admitWaiting();
  }

  /** A request that was alone and refused is not sent again. */
  endAlone(): void {
    this.isAloneInFlight = false;
    this.admitWaiting();
  }

  /** @param kind of the request */
  answered(sent: Sent, kind: string): void {
    this.countOf(sent).answered += 1;
    this.answeredKinds.add(kind);
    this.pace.answered();
    if (this.window.answered()) this.admitWaiting();
  }

  /**
   * The host refused the request temporarily.
   * @param kind of the request
   * @param how `status 503`, or the code of a failure
   * @returns null if neither fewer nor slower requests may help
   */
  refused(sent: Sent, kind: string, how: string): Refusal | null {
    sent.isRefused = true;
    const isResponse = how.startsWith('status ');
    const isKnown = this.answeredKinds.has(kind);
    if (isKnown) {
      this.countOf(sent).refused += 1;
      this.refusals.add(how);
      // Once for all requests that were in flight together.
      if (!sent.isAlone && sent.lane !== 'control' && sent.lowerings === this.lowerings) this.lower(how);
    }
    if (!isResponse) return isKnown && sent.inFlight > 1 ? 'crowded' : null;
    if (!isKnown && this.refusedKinds.has(kind)) return null;
    if (sent.isAlone) {
      if (!isKnown) this.refusedKinds.add(kind);
      sent.isHeld = sent.lane === 'alone';
      return 'alone';
    }
    return isKnown && this.isLoadLikely() ? 'crowded' : 'unlikely';
  }

  /** A request that was refused with others in flight was answered. */
  recordCure(): void {
    this.cured += 1;
  }

  /** A request was refused alone, while the host answered another one. */
  recordFault(): void {
    this.faulty += 1;
    if (!this.isLoadLikely()) this.pace.reset();
  }

  /** No request is sent for this number of milliseconds. */
  pause(milliseconds: number): void {
    this.pausedUntil = Math.max(this.pausedUntil, Date.now() + milliseconds);
  }

  /** The host answered a request that came this number of milliseconds after another, and refuses earlier ones. */
  slowTo(milliseconds: number): void {
    this.pace.slowTo(milliseconds);
  }

  /** The counts; null if no request was refused. */
  load(): Omit<HostFacts, 'origin'> | null {
    if (this.refusals.size === 0) return null;
    const load = [...this.counts].map(([inFlight, { answered, refused }]) => ({ inFlight, answered, refused }));
    // Slower requests are the reason of answers only if refused ones were answered later.
    const interval = this.cured > this.faulty ? this.pace.interval : 0;
    return {
      load: load.sort((a, b) => a.inFlight - b.inFlight),
      refusals: [...this.refusals].sort(),
      ...(interval > 0 ? { interval: Math.round(interval) } : {}),
    };
  }

  close(): void {
    clearTimeout(this.timer);
  }

  /** True if refusals seem to depend on the number of requests. */
  private isLoadLikely(): boolean {
    return this.faulty <= this.cured;
  }

  private lower(how: string): void {
    const { size } = this.window;
    const mayBeRate = how.startsWith('status ') && this.isLoadLikely() && (size === 1 || this.pace.interval > 0);
    if (size > 1) this.window.halve();
    const isSlower = mayBeRate && this.pace.refused(how === 'status 429');
    if (size > 1 || isSlower) this.lowerings += 1;
  }

  private admit({ lane }: Turn): Sent {
    const isAlone = lane === 'alone' || !this.hasAdmitted;
    this.hasAdmitted = true;
    this.admitted += 1;
    this.lastAdmission = Date.now();
    if (lane === 'alone') {
      this.isAloneInFlight = true;
      this.isQuiet = false;
    }
    return {
      lane,
      inFlight: this.admitted,
      isWritten: false,
      isRefused: false,
      isHeld: false,
      isAlone,
      lowerings: this.lowerings,
    };
  }

  private admitWaiting(): void {
    clearTimeout(this.timer);
    for (let due = this.nextDue(); due !== null; due = this.nextDue()) {
      const wait = due.at - Date.now();
      if (wait > 0) {
        this.timer = setTimeout(() => this.admitWaiting(), wait);
        return;
      }
      const next = this.waiting[due.lane].shift();
      next?.resolve(this.admit(next.turn));
    }
  }

  /** The lane of the next request, and when it may be sent; null if none may before another one ends. */
  private nextDue(): { lane: Turn['lane']; at: number } | null {
    const { control, again, new: others, alone } = this.waiting;
    if (control.length > 0) return { lane: 'control', at: 0 };
    if (this.isAloneInFlight) return null;
    const [first] = alone;
    const isOverdue = first !== undefined && Date.now() - first.since > MAX_YIELD;
    const lane = again.length > 0 ? 'again' : 'new';
    if (!this.isQuiet && !isOverdue && again.length + others.length > 0) {
      if (this.admitted >= this.window.size) return null;
      const { interval } = this.pace;
      return {
        lane,
        at: interval === 0 ? this.pausedUntil : Math.max(this.pausedUntil, this.lastAdmission + interval),
      };
    }
    this.isQuiet = first !== undefined && this.admitted === 0;
    return first && this.isQuiet
      ? { lane: 'alone', at: Math.max(this.pausedUntil, this.lastLoad + first.turn.pause) }
      : null;
  }

  private countOf({ inFlight }: Sent): { answered: number; refused: number } {
    const count = this.counts.get(inFlight) ?? { answered: 0, refused: 0 };
    this.counts.set(inFlight, count);
    return count;
  }
}
