import type { HostFacts } from '../../core/facts/facts.ts';

/**
 * How many requests may be under way to one host at once: as many as a browser opens at first, twice as many while
 * answers come, half as many when the host refuses some, and then one more after some rounds of answers (the slow
 * start and the congestion avoidance of RFC 5681, in requests in place of segments).
 */
export interface ConcurrencyWindow {
  /** Resolves when a request may be sent. Requests are admitted in the order in which they came. */
  enter(): Promise<Sent>;
  /** The request is written now: until then the connection was made. */
  write(sent: Sent): void;
  leave(sent: Sent): void;
  /** @param view how the host was asked */
  answered(sent: Sent, view: string): void;
  /**
   * The host refused the request for now.
   * @param view how it was asked: where it has answered nothing of that kind yet, it need not be a matter of numbers
   * @param how `status 503`, or the code of a failure
   * @returns whether fewer requests at once may help
   */
  refused(sent: Sent, view: string, how: string): boolean;
  /** What was counted; null where no request was refused. */
  load(): Omit<HostFacts, 'origin'> | null;
}

/** A request that was admitted. */
export interface Sent {
  /** Requests under way when it was written, this one included; until then, when it was admitted. */
  underWay: number;
  isWritten: boolean;
  /** How often the window had been halved by then. */
  halvings: number;
}

/** The connections that browsers open to one host for HTTP/1.1. */
const FIRST = 6;
/** Answers until the window is doubled. Connections that are made meanwhile take three round trips to their first answer. */
const DOUBLING = 2;
const MOST_ROUNDS = 8;

/** @param most the largest window, in requests */
export function openConcurrencyWindow(most: number): ConcurrencyWindow {
  const waiting: ((sent: Sent) => void)[] = [];
  const counts = new Map<number, { answered: number; refused: number }>();
  const refusals = new Set<string>();
  let admitted = 0;
  let written = 0;
  let size = Math.min(FIRST, most);
  /** Answers since the size was changed. */
  let answers = 0;
  /** Rounds of answers before the window grows by one; twice as many after each refusal. */
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
      // Once for all requests that were under way together.
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
