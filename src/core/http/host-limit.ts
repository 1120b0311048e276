import type { HostFacts } from '../facts/facts.ts';

/** The number of concurrent requests that a host accepts. */
export interface HostLimit {
  /** Requests in flight up to which (almost) all were answered. */
  most: number;
  /** The requests sent while more were in flight: how many there were, and how many were refused. */
  sent: number;
  refused: number;
}

/** The probability at which the distribution of the refusals is no longer attributed to chance. */
const SIGNIFICANCE = 0.001;
/** How many times more often a host refuses above its limit than below, where it may also fail intermittently. */
const CONTRAST = 8;
/** The share of refusals among the requests at one number in flight that exceeds intermittent failures. */
const CERTAIN = 0.05;

interface Count {
  answered: number;
  refused: number;
}

/**
 * The number of requests in flight above which a host refuses some; null if refusals do not depend on that number, or
 * are too few to decide. Requests above it may be answered too: the host finishes some before the client does.
 */
export function hostLimit({ load }: HostFacts): HostLimit | null {
  const all = sumOf(load);
  let best: { most: number; within: Count; beyond: Count; likelihood: number } | null = null;
  let within = { answered: 0, refused: 0 };
  for (const [i, count] of load.entries()) {
    const beyond = { answered: all.answered - within.answered, refused: all.refused - within.refused };
    const likelihood = logLikelihood(within) + logLikelihood(beyond);
    if (i > 0 && likelihood > (best?.likelihood ?? -Infinity))
      best = { most: count.inFlight - 1, within, beyond, likelihood };
    within = sumOf([within, count]);
  }
  if (best === null) return null;
  const share = totalOf(best.within) / totalOf(all);
  const isChance = atMost(best.within.refused, all.refused, share) > SIGNIFICANCE;
  if (isChance || rateOf(best.beyond) < rateOf(best.within) * CONTRAST) return null;
  const most = Math.min(best.most, lowestRefusing(load) - 1);
  const beyond = sumOf(load.filter(({ inFlight }) => inFlight > most));
  return { most, sent: totalOf(beyond), refused: beyond.refused };
}

/**
 * The lowest number of requests in flight at which the host refused more than a few. The host never has more requests
 * than the client has in flight, so its limit is below that number.
 */
function lowestRefusing(load: HostFacts['load']): number {
  return load.find((count) => count.refused >= 2 && rateOf(count) >= CERTAIN)?.inFlight ?? Infinity;
}

/** The log-likelihood of these counts if each request is refused with the same probability. */
function logLikelihood({ answered, refused }: Count): number {
  const total = answered + refused;
  const term = (count: number): number => (count === 0 ? 0 : count * Math.log(count / total));
  return term(answered) + term(refused);
}

function rateOf(count: Count): number {
  return totalOf(count) === 0 ? 0 : count.refused / totalOf(count);
}

function totalOf({ answered, refused }: Count): number {
  return answered + refused;
}

/** The probability of at most `successes` in `trials` (binomial distribution). */
function atMost(successes: number, trials: number, probability: number): number {
  if (probability >= 1) return successes >= trials ? 1 : 0;
  let term = (1 - probability) ** trials;
  let sum = term;
  for (let k = 1; k <= successes; k += 1) {
    term *= ((trials - k + 1) / k) * (probability / (1 - probability));
    sum += term;
  }
  return sum;
}

function sumOf(counts: readonly Count[]): Count {
  return {
    answered: counts.reduce((sum, { answered }) => sum + answered, 0),
    refused: counts.reduce((sum, { refused }) => sum + refused, 0),
  };
}
