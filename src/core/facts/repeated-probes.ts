import type { RepeatedProbe, SideProbe, Probe, HttpViews } from './facts.ts';
import { statusOf } from '../http/probe.ts';

/** Whether a status depends on the kind of request or is intermittent, derived from `repeatedProbes`. */

// 429: too many requests; 408: the request did not arrive in time; a limit may also send 503.
const OF_A_LIMIT = new Set([429, 408, 503]);

/** True for a status that refuses the request and does not indicate a limit. */
export function isRefusalStatus(status: number): boolean {
  return status >= 400 && !OF_A_LIMIT.has(status);
}

/**
 * Whether such a probe was refused, so that the request is worth repeating. A preflight that consistently gets 503
 * blocks browsers.
 */
export function mayBeRepeated(of: SideProbe, probe: Probe): boolean {
  const isPreflight = of === 'preflight' || of === 'HEAD preflight';
  const status = statusOf(probe);
  return probe.failure === null && (isRefusalStatus(status) || (isPreflight && status === 503));
}

/**
 * True if the status did not depend on the request: a plain GET was refused too, or the same request passed. A limit
 * that only plain GETs hit, and a failed connection (0), are inconclusive.
 */
export function isIntermittent({ plain, same }: RepeatedProbe): boolean {
  return (
    plain.some((status) => isRefusalStatus(status) || (status >= 400 && same.includes(status))) ||
    same.some((status) => status >= 200 && status < 400)
  );
}

/** The repeated requests that show that this kind is refused intermittently; null if none do. */
export function intermittentRefusal(web: HttpViews, of: SideProbe): RepeatedProbe | null {
  return (web.repeatedProbes ?? []).find((one) => one.of === of && isIntermittent(one)) ?? null;
}
