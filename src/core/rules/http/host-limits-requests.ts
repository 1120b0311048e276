import type { HostFacts } from '../../facts/facts.ts';
import { hostOf } from '../../http/probe.ts';
import { message } from '../../text/message.ts';
import { counted } from '../../text/text.ts';
import { defineRule, type Problem } from '../rule.ts';

export const hostLimitsRequests = defineRule({
  id: 'host-limits-requests',
  title: 'Host that limits requests',
  on: 'host',
  needs: ['facts'],
  severity: 'warning',
  spec: null,
  symptom: null,
  owner: 'host',
  causes: {
    rate: { title: 'The host limits the rate of requests' },
    requests: { title: 'The host refuses requests with an error status' },
    connections: { title: 'The host refuses connections' },
  },
  failsWhen:
    'a host accepts only a limited number of requests at once or in a second, and refuses more (429, 503, a connection refused or reset). `verify` then sends fewer at once, then slower ones, and retries what was refused',
  why: 'A browser opens 6 connections to a host, and sends 100 requests at once with HTTP/2: beyond the limit, icons and files are missing, different ones each time.',
  examples: {
    bad: `4 concurrent requests: 40 answered
8 concurrent requests: 20 answered
9 concurrent requests: 0 answered, 3 refused (status 503)`,
    good: `4 concurrent requests: 40 answered
8 concurrent requests: 20 answered
9 concurrent requests: 20 answered`,
  },
  check({ facts }) {
    if (facts.interval !== undefined) return rateProblem(facts, facts.interval);
    const limit = hostLimit(facts);
    if (limit === null) return null;
    const host = hostOf(facts.origin);
    const { most, sent, refused } = limit;
    return {
      cause: facts.refusals.some((how) => how.startsWith('status ')) ? 'requests' : 'connections',
      message: message`${host} limits concurrent requests to about ${most}: it refused ${refused} of ${counted(sent, 'request')} beyond that (${facts.refusals.join(', ')}).`,
      advice: message`Raise the limits of requests and connections per client (nginx: limit_req, limit_conn), or exempt static files.`,
      evidence: { host, limit: most, refusals: facts.refusals },
    };
  },
});

/** @param interval in milliseconds */
function rateProblem({ origin, load, refusals }: HostFacts, interval: number): Problem<'rate'> {
  const host = hostOf(origin);
  const { answered, refused } = sumOf(load);
  const perSecond = Number((1000 / interval).toPrecision(2));
  return {
    cause: 'rate',
    message: message`${host} limits the rate of requests: it refused ${refused} of ${counted(answered + refused, 'request')} (${refusals.join(', ')}), and answered all only when about ${perSecond} were sent a second.`,
    advice: message`Raise the limit of requests per client (nginx: limit_req, with burst and nodelay), or exempt static files.`,
    evidence: { host, perSecond, refused, refusals },
  };
}

/** The number of concurrent requests that a host accepts. */
interface HostLimit {
  /** Requests in flight up to which (almost) all were answered. */
  most: number;
  /** The requests sent while more were in flight: how many there were, and how many were refused. */
  sent: number;
  refused: number;
}

/** The probability at which the distribution of the refusals is no longer attributed to chance. */
const SIGNIFICANCE = 0.001;
/** The factor by which a host refuses more often above its limit than below, where it may also fail intermittently. */
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
