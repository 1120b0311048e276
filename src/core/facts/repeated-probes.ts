import type { RepeatedProbe, SideProbe, Probe, HttpViews } from './facts.ts';
import { statusOf } from '../http/probe.ts';

/** Whether a status follows the kind of request, or comes and goes: read off what was repeated (Web.repeated). */

// The first says that there were too many requests, the second that none came in time; a limit sends the third as well.
const OF_A_LIMIT = new Set([429, 408, 503]);

/** True for a status that refuses the request, and says nothing of a limit. */
export function refusalOf(status: number): boolean {
  return status >= 400 && !OF_A_LIMIT.has(status);
}

/**
 * Whether such a visit was refused, so that the request is worth repeating. A preflight that gets 503 each time keeps
 * browsers away.
 */
export function mayBeRepeated(of: SideProbe, visit: Probe): boolean {
  const isPreflight = of === 'preflight' || of === 'HEAD preflight';
  const status = statusOf(visit);
  return visit.failure === null && (refusalOf(status) || (isPreflight && status === 503));
}

/**
 * True where the status did not follow the request: a plain GET was refused too, or the same request passed. A limit that
 * plain GETs alone met, and a failed connection (0), decide nothing.
 */
export function isUnsteady({ plain, same }: RepeatedProbe): boolean {
  return (
    plain.some((status) => refusalOf(status) || (status >= 400 && same.includes(status))) ||
    same.some((status) => status >= 200 && status < 400)
  );
}

/** The repeated requests that show that this kind is refused now and then; null where none do. */
export function unsteadyOf(web: HttpViews, of: SideProbe): RepeatedProbe | null {
  return (web.repeatedProbes ?? []).find((one) => one.of === of && isUnsteady(one)) ?? null;
}
