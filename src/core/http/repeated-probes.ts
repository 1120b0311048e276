import { lastHop, originOf, statusOf } from './probe.ts';
import type { Failure, HttpViews, Probe, RepeatedProbe, SideProbe } from '../facts/facts.ts';

/** Tests of a status that depends on the kind of request or is intermittent, derived from `repeatedProbes`. */

// 429: too many requests; 408: the request did not arrive in time; a limit may also send 503.
const OF_A_LIMIT = new Set([429, 408, 503]);

/** True for a status that refuses the request and does not indicate a limit. */
export function isRefusalStatus(status: number): boolean {
  return status >= 400 && !OF_A_LIMIT.has(status);
}

/**
 * True if such a probe was refused or not answered, so that the request is worth repeating. A preflight that
 * consistently gets 503 blocks browsers.
 */
export function mayBeRepeated(of: SideProbe, probe: Probe): boolean {
  if (probe.failure !== null) return isWithoutAnswer(probe.failure);
  const isPreflight = of === 'preflight' || of === 'HEAD preflight';
  const status = statusOf(probe);
  return isRefusalStatus(status) || (isPreflight && status === 503);
}

/** The host accepted the connection, and then did not respond, or closed it. */
function isWithoutAnswer({ phase, code }: Failure): boolean {
  if (phase === 'time') return code !== 'INTERRUPTED';
  return phase === 'headers' && /^(HEADERS_TIMEOUT|SOCKET_CLOSED|ECONNRESET|EPIPE|HPE_INVALID_EOF_STATE)$/.test(code);
}

/** True if the host answered each plain GET, and at the same time none of the other requests. */
export function isUnanswered({ plain, same }: RepeatedProbe): boolean {
  return (
    plain.length > 1 &&
    same.length > 1 &&
    plain.every((status) => (status >= 200 && status < 400) || status === 416) &&
    same.every((status) => status === 0)
  );
}

/** True if repeated requests show that the host of a probe never answers this kind of request. */
export function isNeverAnswered(web: HttpViews, of: SideProbe, probe: Probe): boolean {
  if (probe.failure === null || !isWithoutAnswer(probe.failure)) return false;
  const origin = originOf(lastHop(probe)?.url ?? '');
  return (web.repeatedProbes ?? []).some((one) => one.of === of && originOf(one.url) === origin && isUnanswered(one));
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

/** Describes the end of a request that a host never answers, for a sentence. */

/** @param code of the failure */
export function unanswered(code: string | null): string {
  if (code === null) return 'it gets no response';
  return code.endsWith('_TIMEOUT')
    ? 'no response arrives in time'
    : `the connection is closed before a response arrives (${code})`;
}
