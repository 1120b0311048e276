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
  private current: number;
  /** Responses since the size changed. */
  private responses = 0;
  /** Rounds of responses before the window grows by one; doubled after each refusal. */
  private rounds = 1;
  private isHalved = false;

  /** @param limit the maximum window, in requests */
  constructor(limit: number) {
    this.limit = limit;
    this.current = Math.min(INITIAL_SIZE, limit);
  }

  /** Requests that may be in flight. */
  get size(): number {
    return this.current;
  }

  /** @returns true if the window grew */
  answered(): boolean {
    this.responses += 1;
    if (this.current >= this.limit || this.responses < this.responsesToGrow()) return false;
    this.current = Math.min(this.limit, this.isHalved ? this.current + 1 : this.current * 2);
    this.responses = 0;
    return true;
  }

  halve(): void {
    this.current = Math.max(1, this.current >> 1);
    if (this.isHalved) this.rounds = Math.min(this.rounds * 2, MAX_ROUNDS);
    this.responses = 0;
    this.isHalved = true;
  }

  private responsesToGrow(): number {
    return this.isHalved ? Math.max(this.current, INITIAL_SIZE) * this.rounds : RESPONSES_TO_DOUBLE;
  }
}
