/** The first interval between requests, and the longest one that refusals lead to, in milliseconds. */
const FIRST_INTERVAL = 50;
const LONGEST_INTERVAL = 500;
/** The longest one at all. */
const MAX_INTERVAL = 10_000;
/** Below this, requests are sent without an interval. */
const MIN_INTERVAL = 10;
/** Of the last outcomes at one interval, the number of refusals that slows requests down: one may be a fault. */
const RECENT = 6;
const REFUSALS_TO_SLOW = 2;
/** Responses in a row until the interval is shortened, and until one that was too short is tried again. */
const ANSWERS_TO_QUICKEN = 10;
const ANSWERS_TO_FORGET = 50;
/** Margin above an interval that was too short. */
const MARGIN = 1.25;

/**
 * Learns the interval between requests to a host that refuses some even one at a time: it doubles with refusals, and is
 * shortened with responses, not below one that was too short.
 */
export class RequestPace {
  private current = 0;
  private tooShort = 0;
  /** Since the interval changed: true for a refusal. */
  private recent: boolean[] = [];
  private answers = 0;

  /** Milliseconds from one request to the next; 0 for no limit. */
  get interval(): number {
    return this.current;
  }

  /** Without any refusal before, this does nothing. */
  answered(): void {
    if (this.current === 0 && this.recent.length === 0) return;
    this.note(false);
    this.answers += 1;
    if (this.answers % ANSWERS_TO_FORGET === 0) this.tooShort *= 0.7;
    if (this.answers % ANSWERS_TO_QUICKEN !== 0) return;
    const quicker = Math.max(this.current * 0.8, this.tooShort * MARGIN);
    if (quicker < this.current) this.current = quicker < MIN_INTERVAL ? 0 : quicker;
  }

  /**
   * @param isLimit true if the host says that it limits the rate (429)
   * @returns true if requests slow down
   */
  refused(isLimit: boolean): boolean {
    this.note(true);
    this.answers = 0;
    if (!isLimit && this.recent.filter(Boolean).length < REFUSALS_TO_SLOW) return false;
    this.tooShort = this.current;
    this.change(
      this.current === 0 ? FIRST_INTERVAL : Math.max(this.current, Math.min(LONGEST_INTERVAL, this.current * 2)),
    );
    return true;
  }

  /** Refusals were not caused by the rate. */
  reset(): void {
    this.tooShort = 0;
    this.change(0);
  }

  /** The host answered after an interval of this length, and refused shorter ones. */
  slowTo(interval: number): void {
    if (interval > this.current) this.change(interval);
  }

  private change(interval: number): void {
    this.current = Math.min(MAX_INTERVAL, interval);
    this.recent = [];
    this.answers = 0;
  }

  private note(isRefusal: boolean): void {
    this.recent.push(isRefusal);
    if (this.recent.length > RECENT) this.recent.shift();
  }
}
