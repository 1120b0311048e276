import type { HostFacts } from './facts.ts';

/** How many requests at once a host answers. */
export interface HostLimit {
  /** Requests under way up to which (almost) all were answered. */
  most: number;
  /** Of those that were sent while more were under way: how many there were, and how many were refused. */
  sent: number;
  refused: number;
}

/** Refusals within the limit, as a share of all refusals: a host may fail now and then besides. */
const WITHIN = 0.1;
/** The probability at which the distribution of the refusals is no longer taken for chance. */
const SIGNIFICANCE = 0.001;

/**
 * The number of requests under way above which a host refuses some; null where refusals do not depend on that number,
 * or are too few to tell. Requests above it may be answered too: the host is done with some before the client is.
 */
export function hostLimit({ load }: HostFacts): HostLimit | null {
  const all = sumOf(load);
  const allowed = Math.floor(all.refused * WITHIN);
  let within = { answered: 0, refused: 0 };
  let most = 0;
  for (const { underWay, answered, refused } of load) {
    if (within.refused + refused > allowed) {
      most = underWay - 1;
      break;
    }
    within = { answered: within.answered + answered, refused: within.refused + refused };
  }
  const share = (within.answered + within.refused) / (all.answered + all.refused);
  if (most < 1 || atMost(within.refused, all.refused, share) > SIGNIFICANCE) return null;
  const beyond = { answered: all.answered - within.answered, refused: all.refused - within.refused };
  return { most, sent: beyond.answered + beyond.refused, refused: beyond.refused };
}

/** The probability of at most `successes` in so many trials (binomial distribution). */
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

function sumOf(load: HostFacts['load']): { answered: number; refused: number } {
  return {
    answered: load.reduce((sum, { answered }) => sum + answered, 0),
    refused: load.reduce((sum, { refused }) => sum + refused, 0),
  };
}
