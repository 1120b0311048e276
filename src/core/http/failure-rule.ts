import type { Probe } from '../facts/facts.ts';
import { isAnswered } from './probe.ts';
import { tlsCause } from './tls-cause.ts';
import { isLoopback, urlParts } from './url.ts';

/** The rule that reports a failed probe, and the codes of failures that only the subscriber service has. */

/** The subscriber service could not connect; it does not report the phase. */
export const NOT_REACHED = 'NOT_REACHED';
/** The subscriber service only connects to the default ports. */
export const PORT_REFUSED = 'PORT_REFUSED';
/** The subscriber service does not send requests over plain http. */
export const INSECURE_REFUSED = 'INSECURE_REFUSED';

/**
 * The rule that reports why there is no complete 2xx response; null when there is one. Each failure belongs to one
 * rule.
 */
export function ruleOfFailure(
  probe: Probe,
): 'tls-untrusted' | 'redirect-excessive' | 'redirect-insecure' | 'url-insecure' | 'unreachable' | null {
  if (isAnswered(probe)) return null;
  if (probe.failure?.code === INSECURE_REFUSED) {
    if (probe.hops.some(({ url }) => url.startsWith('https:'))) return 'redirect-insecure';
    // On loopback, url-insecure is only a warning for local tests, and does not say that nothing was requested.
    return isLoopback(urlParts(probe.failure.url)?.hostname ?? '') ? 'unreachable' : 'url-insecure';
  }
  if (tlsCause(probe) !== null) return 'tls-untrusted';
  const code = probe.failure?.code;
  return code === 'REDIRECT_LOOP' || code === 'REDIRECT_LIMIT' ? 'redirect-excessive' : 'unreachable';
}
