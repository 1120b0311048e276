/** When an attempt is repeated. Pure; times in milliseconds. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The waits after each failed attempt: three days in total. */
const WAITS = [
  20 * SECOND,
  2 * MINUTE,
  10 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  18 * HOUR,
  22 * HOUR,
];
/** The waits are longer or shorter by up to this part, so that deliveries that failed together are not repeated together. */
const JITTER = 0.1;

/**
 * The wait until the next attempt; null if there is none.
 * @param attempts so far, at least one
 * @param retryAfter milliseconds that the receiver asked for; null if it did not
 * @param random a number from 0 to 1
 */
export function waitAfterAttempt(attempts: number, retryAfter: number | null, random: number): number | null {
  const wait = WAITS[attempts - 1];
  if (wait === undefined) return null;
  const jittered = wait * (1 + JITTER * (2 * random - 1));
  // A receiver cannot ask for more than the longest wait.
  return Math.round(Math.max(jittered, Math.min(retryAfter ?? 0, Math.max(...WAITS))));
}
