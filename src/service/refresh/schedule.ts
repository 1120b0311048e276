/** When a registry is looked at again. Pure; moments in milliseconds. */

const MINUTE = 60_000;
/** Subscribers are told of an hour (spec section 8), so nothing is spread over more than a small part of it. */
const SPREAD = 0.05;
const MOST = 6;

export interface Ended {
  now: number;
  interval: number;
  /** Failed refreshes in a row, this one included; 0 where the manifest could be used. */
  failures: number;
  /** Whether something was left for the next refresh. */
  unfinished: boolean;
  /** Milliseconds that this refresh took. */
  took: number;
  /** From 0 to 1. */
  chance: number;
}

export function nextCheck(ended: Ended): number {
  return Math.round(ended.now + waitAfter(ended) * (1 + SPREAD * ended.chance));
}

function waitAfter({ interval, failures, unfinished, took }: Ended): number {
  if (failures > 0) return interval * slower(failures);
  // Its turn comes soon, but it does not take more than a fifth of anybody's time.
  return unfinished ? Math.min(interval, Math.max(MINUTE, took * 4)) : interval;
}

/** A short trouble is over soon; what has failed for a day is asked ever more rarely. */
function slower(failures: number): number {
  if (failures <= 2) return failures === 1 ? 1 / 12 : 1 / 4;
  return failures <= 24 ? 1 : Math.min(MOST, 1 + (failures - 24) / 2);
}
