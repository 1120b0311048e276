import type { Probe } from '../facts/facts.ts';
import { corsCheck } from './cors.ts';
import { headerValue, tokens } from './headers.ts';
import { isTransportFailure } from './probe.ts';

/** The Fetch standard's check of the response to a preflight. */

/** Reasons why a preflight for GET or HEAD is refused. */
type SafePreflightCause =
  | 'no-answer'
  | 'not-http'
  | 'redirect'
  | 'status'
  | 'origin'
  | 'methods-malformed'
  | 'headers-malformed'
  | 'header-refused';

export interface PreflightFault<C extends string = SafePreflightCause> {
  cause: C;
  /** The failing header or status, as sent; null when there is none. */
  value: string | null;
  /** The request header that is not allowed. */
  header: string | null;
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'POST']);

/**
 * The CORS-preflight check (Fetch: CORS-preflight fetch, steps 7 and on); null when the request is allowed.
 * @param requestedHeaders the names in Access-Control-Request-Headers, in lower case
 */
export function preflightFault(
  probe: Probe,
  requestedHeaders: readonly string[],
  method?: 'GET' | 'HEAD',
): PreflightFault | null;
export function preflightFault(
  probe: Probe,
  requestedHeaders: readonly string[],
  method: string,
): PreflightFault<SafePreflightCause | 'method-refused'> | null;
export function preflightFault(
  probe: Probe,
  requestedHeaders: readonly string[],
  method = 'GET',
): PreflightFault<SafePreflightCause | 'method-refused'> | null {
  const answer = probe.hops[0];
  if (!answer || answer.status === 0 || probe.origin === null)
    return {
      cause: isTransportFailure(probe) ? 'no-answer' : 'not-http',
      value: probe.failure?.code ?? null,
      header: null,
    };
  const { status, headers } = answer;
  if (status >= 300 && status < 400) return { cause: 'redirect', value: String(status), header: null };
  // The CORS check comes first in the standard, but a failing status is more useful for fixing the host.
  if (status < 200 || status > 299) return { cause: 'status', value: String(status), header: null };
  const origin = corsCheck(probe.origin, headers);
  if (origin) return { cause: 'origin', value: origin.value, header: null };
  const allowMethods = headerValue(headers, 'access-control-allow-methods');
  const methods = allowMethods === null ? [] : tokens(allowMethods);
  if (methods === null) return { cause: 'methods-malformed', value: allowMethods, header: null };
  const allowHeaders = headerValue(headers, 'access-control-allow-headers');
  const allowed = allowHeaders === null ? [] : tokens(allowHeaders)?.map((name) => name.toLowerCase());
  if (!allowed) return { cause: 'headers-malformed', value: allowHeaders, header: null };
  if (!SAFE_METHODS.has(method) && !methods.includes(method) && !methods.includes('*'))
    return { cause: 'method-refused', value: allowMethods, header: null };
  for (const name of requestedHeaders) {
    // `*` covers every name but this one.
    const byName = name === 'authorization';
    if (!allowed.includes(name) && (byName || !allowed.includes('*')))
      return { cause: 'header-refused', value: allowHeaders, header: name };
  }
  return null;
}
