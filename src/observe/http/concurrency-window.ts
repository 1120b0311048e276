import type { HostFacts } from '../../core/facts/facts.ts';

/**
 * Limits the requests in flight to one host: starts with as many as a browser opens, doubles while responses arrive,
 * halves when the host refuses some, and then grows by one after some rounds of responses (slow start and congestion
 * avoidance of RFC 5681, counted in requests instead of segments).
 */
export interface ConcurrencyWindow {
  /** Resolves when a request may be sent. Requests are admitted in FIFO order. */
  enter(): Promise<Sent>;
  /** The request is being written; until then the connection was being made. */
  write(sent: Sent): void;
  leave(sent: Sent): void;
  /** @param view the kind of request */
  answered(sent: Sent, view: string): void;
  /**
   * The host refused the request temporarily.
   * @param view the kind of request: if the host has not answered any of that kind yet, concurrency may not be the
   * cause
   * @param how `status 503`, or the code of a failure
   * @returns whether fewer concurrent requests may help
   */
  refused(sent: Sent, view: string, how: string): boolean;
  /** The counts; null if no request was refused. */
  load(): Omit<HostFacts, 'origin'> | null;
}

/** An admitted request. */
export interface Sent {
  /** Requests in flight when it was written, this one included; before that, when it was admitted. */
  underWay: number;
  isWritten: boolean;
  /** Number of times the window had been halved when it was admitted. */
  halvings: number;
}

/** The number of connections that browsers open to one host for HTTP/1.1. */
const FIRST = 6;
/** Responses until the window doubles. New connections take three round trips to their first response. */
const DOUBLING = 2;
const MOST_ROUNDS = 8;

/** @param most the maximum window, in requests */
export function openConcurrencyWindow(most: number): ConcurrencyWindow {
  const waiting: ((sent: Sent) => void)[] = [];
  const counts = new Map<number, { answered: number; refused: number }>();
  const refusals = new Set<string>();
  let admitted = 0;
  let written = 0;
  let size = Math.min(FIRST, most);
  /** Responses since the size changed. */
  let answers = 0;
  /** Rounds of responses before the window grows by one; doubled after each refusal. */
  let rounds = 1;
  let halvings = 0;
  const answeredViews = new Set<string>();

  function admit(): Sent {
    admitted += 1;
    return { underWay: admitted, isWritten: false, halvings };
  }

  function admitWaiting(): void {
    while (admitted < size && waiting.length > 0) waiting.shift()!(admit());
  }

  function countOf(sent: Sent): { answered: number; refused: number } {
    let count = counts.get(sent.underWay);
    if (!count) counts.set(sent.underWay, (count = { answered: 0, refused: 0 }));
    return count;
  }

  return {
    async enter() {
      return admitted < size ? admit() : new Promise<Sent>((resolve) => waiting.push(resolve));
    },
    write(sent) {
      if (sent.isWritten) return;
      written += 1;
      Object.assign(sent, { isWritten: true, underWay: written });
    },
    leave({ isWritten }) {
      if (isWritten) written -= 1;
      admitted -= 1;
      admitWaiting();
    },
    answered(sent, view) {
      countOf(sent).answered += 1;
      answeredViews.add(view);
      answers += 1;
      if (size >= most || answers < (halvings === 0 ? DOUBLING : Math.max(size, FIRST) * rounds)) return;
      size = Math.min(most, halvings === 0 ? size * 2 : size + 1);
      answers = 0;
      admitWaiting();
    },
    refused(sent, view, how) {
      if (!answeredViews.has(view)) return false;
      countOf(sent).refused += 1;
      refusals.add(how);
      // Once for all requests that were in flight together.
      if (sent.halvings === halvings) {
        size = Math.max(1, size >> 1);
        if (halvings > 0) rounds = Math.min(rounds * 2, MOST_ROUNDS);
        answers = 0;
        halvings += 1;
      }
      return sent.underWay > 1;
    },
    load() {
      if (refusals.size === 0) return null;
      const load = [...counts].map(([count, { answered, refused }]) => ({ underWay: count, answered, refused }));
      return { load: load.sort((a, b) => a.underWay - b.underWay), refusals: [...refusals].sort() };
    },
  };
}
