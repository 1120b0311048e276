/** When a registry is refreshed next. Times in milliseconds. */

const MINUTE = 60_000;
/** Subscribers expect hourly refreshes (spec section 8), so jitter is limited to a small part of that. */
const JITTER = 0.05;
/** Maximum factor by which the interval increases. */
const MAX_FACTOR = 6;

export interface EndedRefresh {
  now: number;
  interval: number;
  /** Consecutive failed refreshes, including this one; 0 if the manifest was usable. */
  failures: number;
  /** True if something was deferred to the next refresh. */
  unfinished: boolean;
  /** Duration of this refresh in milliseconds. */
  duration: number;
  /** Random number from 0 to 1. */
  random: number;
}

export function nextCheckTime(ended: EndedRefresh): number {
  return Math.round(ended.now + waitAfter(ended) * (1 + JITTER * ended.random));
}

function waitAfter({ interval, failures, unfinished, duration }: EndedRefresh): number {
  if (failures > 0) return interval * failureFactor(failures);
  // The next refresh is soon, but uses no more than a fifth of the time.
  return unfinished ? Math.min(interval, Math.max(MINUTE, duration * 4)) : interval;
}

/** Short failures end soon; after a day of failures, the interval increases. */
function failureFactor(failures: number): number {
  if (failures <= 2) return failures === 1 ? 1 / 12 : 1 / 4;
  return failures <= 24 ? 1 : Math.min(MAX_FACTOR, 1 + (failures - 24) / 2);
}
