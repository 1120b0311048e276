import type { HostFacts } from '../../core/facts/facts.ts';

/** An admitted request. */
export interface Sent {
  /** Requests in flight when it was written, this one included; before that, when it was admitted. */
  inFlight: number;
  isWritten: boolean;
  /** Number of times the window had been halved when it was admitted. */
  halvings: number;
}

/** The number of connections that browsers open to one host for HTTP/1.1. */
const INITIAL_SIZE = 6;
/** Responses until the window doubles. New connections take three round trips to their first response. */
const RESPONSES_TO_DOUBLE = 2;
const MAX_ROUNDS = 8;

/**
 * Limits the requests in flight to one host: starts with as many as a browser opens, doubles while responses arrive,
 * halves when the host refuses some, and then grows by one after some rounds of responses (slow start and congestion
 * avoidance of RFC 5681, counted in requests instead of segments).
 */
export class ConcurrencyWindow {
  private readonly limit: number;
  private readonly waiting: ((sent: Sent) => void)[] = [];
  /** By the number of requests in flight. */
  private readonly counts = new Map<number, { answered: number; refused: number }>();
  private readonly refusals = new Set<string>();
  private readonly answeredKinds = new Set<string>();
  private admitted = 0;
  private written = 0;
  private size: number;
  /** Responses since the size changed. */
  private responses = 0;
  /** Rounds of responses before the window grows by one; doubled after each refusal. */
  private rounds = 1;
  private halvings = 0;

  /** @param limit the maximum window, in requests */
  constructor(limit: number) {
    this.limit = limit;
    this.size = Math.min(INITIAL_SIZE, limit);
  }

  /** Resolves when a request may be sent. Requests are admitted in FIFO order. */
  async enter(): Promise<Sent> {
    if (this.admitted < this.size) return this.admit();
    return new Promise<Sent>((resolve) => this.waiting.push(resolve));
  }

  /** The request is being written; until then the connection was being made. */
  write(sent: Sent): void {
    if (sent.isWritten) return;
    this.written += 1;
    sent.isWritten = true;
    sent.inFlight = this.written;
  }

  leave({ isWritten }: Sent): void {
    if (isWritten) this.written -= 1;
    this.admitted -= 1;
    this.admitWaiting();
  }

  /** @param kind of the request */
  answered(sent: Sent, kind: string): void {
    this.countOf(sent).answered += 1;
    this.answeredKinds.add(kind);
    this.responses += 1;
    if (this.size >= this.limit || this.responses < this.responsesToGrow()) return;
    const grown = this.halvings === 0 ? this.size * 2 : this.size + 1;
    this.size = Math.min(this.limit, grown);
    this.responses = 0;
    this.admitWaiting();
  }

  /**
   * The host refused the request temporarily.
   * @param kind of the request: if the host has not answered any of that kind yet, concurrency may not be the cause
   * @param how `status 503`, or the code of a failure
   * @returns whether fewer concurrent requests may help
   */
  refused(sent: Sent, kind: string, how: string): boolean {
    if (!this.answeredKinds.has(kind)) return false;
    this.countOf(sent).refused += 1;
    this.refusals.add(how);
    // Once for all requests that were in flight together.
    if (sent.halvings === this.halvings) this.halve();
    return sent.inFlight > 1;
  }

  /** The counts; null if no request was refused. */
  load(): Omit<HostFacts, 'origin'> | null {
    if (this.refusals.size === 0) return null;
    const load = [...this.counts].map(([inFlight, { answered, refused }]) => ({ inFlight, answered, refused }));
    return { load: load.sort((a, b) => a.inFlight - b.inFlight), refusals: [...this.refusals].sort() };
  }

  private admit(): Sent {
    this.admitted += 1;
    return { inFlight: this.admitted, isWritten: false, halvings: this.halvings };
  }

  private admitWaiting(): void {
    while (this.admitted < this.size) {
      const next = this.waiting.shift();
      if (!next) return;
      next(this.admit());
    }
  }

  private responsesToGrow(): number {
    return this.halvings === 0 ? RESPONSES_TO_DOUBLE : Math.max(this.size, INITIAL_SIZE) * this.rounds;
  }

  private halve(): void {
    this.size = Math.max(1, this.size >> 1);
    if (this.halvings > 0) this.rounds = Math.min(this.rounds * 2, MAX_ROUNDS);
    this.responses = 0;
    this.halvings += 1;
  }

  private countOf({ inFlight }: Sent): { answered: number; refused: number } {
    const count = this.counts.get(inFlight) ?? { answered: 0, refused: 0 };
    this.counts.set(inFlight, count);
    return count;
  }
}

/** Admits a limited number at once, the others in FIFO order. */
interface Semaphore {
  acquire(): Promise<void>;
  release(): void;
  /** Halves the number that is admitted at once; those already admitted stay. At least one is. */
  halve(): void;
  /** Number of requests that are admitted at once. */
  limit(): number;
}

/** @param initial how many are admitted at once */
export function openSemaphore(initial: number): Semaphore {
  const waiting: (() => void)[] = [];
  let limit = initial;
  let held = 0;
  return {
    async acquire() {
      if (held >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
      else held += 1;
    },
    release() {
      const next = held > limit ? undefined : waiting.shift();
      if (next) next();
      else held -= 1;
    },
    halve() {
      limit = Math.max(1, Math.min(limit, held) >> 1);
    },
    limit: () => limit,
  };
}
