import type { Hop, Probe } from '../facts/facts.ts';
import { headerValue, headerLines, stripSpace } from './headers.ts';
import { isPage } from './copies.ts';
import { finalHop } from './probe.ts';
import { parseUrl, urlParts } from '../url/url.ts';

/**
 * The Fetch standard's CORS check and preflight check as a browser performs them, hop by hop. Credentials are omitted.
 */

/**
 * The origin requested with if the user named none: a reserved name (RFC 2606), so no host can allow it specifically.
 */
export const PROBE_ORIGIN = 'https://appreg-probe.invalid';

/** The header that the preflight requests: one that no list of allowed headers names by chance. */
export const PROBE_HEADER = 'x-appreg-probe';

/** Faults of an Access-Control-Allow-Origin header that no browser accepts. */
export type InvalidCorsCause =
  | 'two-headers'
  | 'list'
  | 'empty'
  | 'null'
  | 'unset-variable'
  | 'misspelled-wildcard'
  | 'partial-wildcard'
  | 'upper-case'
  | 'trailing-slash'
  | 'no-scheme'
  | 'wrong-scheme'
  | 'wrong-port'
  | 'default-port'
  | 'full-url'
  | 'no-origin';

/** The reason why a value of the header does not let a page in. */
type RefusedValue = { code: 'invalid'; cause: InvalidCorsCause } | { code: 'refused'; cause: 'other-origin' };

/** The outcome of a failed CORS check: the code, and the cause within it. */
type CorsFailure = { code: 'missing'; cause: 'absent'; value: null } | (RefusedValue & { value: string });

export type CorsFault = (CorsFailure | { code: 'refused'; cause: 'redirect-null-origin'; value: string }) & {
  /** The Origin that the browser sends on this hop: the caller's, or "null" after a redirect to another host. */
  sent: string;
  /** The response that fails the check, and its index in the redirect chain. */
  hop: Hop;
  index: number;
};

/** The value of the Origin header if the response must pass the CORS check; a browser sends none to its own origin. */
export type HopOrigin = { checked: true; origin: string } | { checked: false; origin: null };

/**
 * The Origin headers that a browser at `origin` sends along a redirect chain (Fetch: redirect-taint, response
 * tainting). Once a hop redirects from a foreign origin to another one, Origin is `null`, and once a response was
 * checked, all later ones are.
 */
export function hopOrigins(origin: string, urls: readonly string[]): HopOrigin[] {
  const list: HopOrigin[] = [];
  let tainted = origin === 'null';
  let checked = false;
  let last: string | null = null;
  for (const url of urls) {
    const own = urlParts(url)?.origin ?? 'null';
    if (last !== null && own !== last && last !== origin) tainted = true;
    if (own !== origin || tainted) checked = true;
    list.push(checked ? { checked, origin: tainted ? 'null' : origin } : { checked, origin: null });
    last = own;
  }
  return list;
}

/** The CORS check of one response; null when it passes. */
export function corsCheck(origin: string, headers: Hop['headers']): CorsFailure | null {
  const lines = headerLines(headers, 'access-control-allow-origin');
  if (lines.length === 0) return { code: 'missing', cause: 'absent', value: null };
  const value = stripSpace(lines.join(', '));
  if (value === '*' || value === origin) return null;
  if (lines.length > 1) return { code: 'invalid', cause: 'two-headers', value };
  return { ...classify(value, origin), value };
}

/**
 * Classifies a single value that does not allow `origin`: it names another origin, or it is not a value that browsers
 * accept.
 */
function classify(value: string, origin: string): RefusedValue {
  if (value === '') return { code: 'invalid', cause: 'empty' };
  if (value === 'null') return { code: 'invalid', cause: 'null' };
  if (value === '(null)') return { code: 'invalid', cause: 'unset-variable' };
  if (isOrigin(value)) return refusal(value, origin);
  if (/[,\s]/.test(value)) return { code: 'invalid', cause: 'list' };
  if (value.includes('*'))
    return { code: 'invalid', cause: /^[*"']+$/.test(value) ? 'misspelled-wildcard' : 'partial-wildcard' };
  if (isOrigin(value.toLowerCase())) return { code: 'invalid', cause: 'upper-case' };
  if (value.endsWith('/') && isOrigin(value.slice(0, -1))) return { code: 'invalid', cause: 'trailing-slash' };
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(value)) return { code: 'invalid', cause: 'no-scheme' };
  const url = parseUrl(value);
  if (url && url.origin !== 'null' && /^[a-z]+:\/\/[^/?#]+$/.test(value))
    return { code: 'invalid', cause: 'default-port' };
  return { code: 'invalid', cause: url && url.origin !== 'null' ? 'full-url' : 'no-origin' };
}

/** A well-formed other origin is refused. A near miss of the requested one is a mistake with its own cause. */
function refusal(value: string, origin: string): RefusedValue {
  const other = new URL(value);
  if (other.protocol === 'ftp:' || other.protocol === 'ws:' || other.protocol === 'wss:')
    return { code: 'invalid', cause: 'wrong-scheme' };
  const requesting = parseUrl(origin);
  if (!requesting || other.hostname !== requesting.hostname) return { code: 'refused', cause: 'other-origin' };
  return { code: 'invalid', cause: other.protocol === requesting.protocol ? 'wrong-port' : 'wrong-scheme' };
}

// `URL` on its own accepts a star or a comma as part of the host.
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d+)?$/;

/** True for a serialized origin as a browser sends it: lower case, no path, no default port. */
export function isOrigin(text: string): boolean {
  return text.length < 500 && ORIGIN.test(text) && parseUrl(text)?.origin === text;
}

/** The first hop of a browser's probe that fails the CORS check; null when it passes (or no response was received). */
export function corsFault(probe: Probe): CorsFault | null {
  // A page in place of the file has no fault of its own: browser-refused reports it.
  if (probe.origin === null || isPage(probe.copy)) return null;
  const origins = hopOrigins(
    probe.origin,
    probe.hops.map((hop) => hop.url),
  );
  for (const [index, hop] of probe.hops.entries()) {
    const sent = origins[index]?.origin ?? null;
    // Status 0: no response. 304 and 407 never reach the check.
    if (sent === null || hop.status === 0 || hop.status === 407 || hop.status === 304) continue;
    const fault = corsCheck(sent, hop.headers);
    if (!fault) continue;
    const position = { sent, hop, index };
    if (fault.code === 'refused' && sent === 'null' && probe.origin !== 'null')
      return { ...fault, cause: 'redirect-null-origin', ...position };
    return { ...fault, ...position };
  }
  return null;
}

/** Another requested origin that the same resource allows by name, or null. */
export function otherAllowedOrigin(probe: Probe, probes: readonly Probe[]): string | null {
  for (const { origin, hops, failure } of probes) {
    const allowed = headerValue(hops.at(-1)?.headers ?? [], 'access-control-allow-origin');
    if (failure === null && origin !== probe.origin && allowed?.trim() === origin) return origin;
  }
  return null;
}

/** True if the host names no origin, as hosts that check Origin do for an unknown one. */
export function namesNoOrigin({ code, cause }: CorsFault): boolean {
  return code === 'missing' || cause === 'empty' || cause === 'null' || cause === 'unset-variable';
}

/**
 * The evidence of a finding about CORS: the requesting origin, the response of each hop, and possible effects of a
 * cache.
 * @param hop the response that it is about
 */
export function corsEvidence(
  probe: Probe,
  hop: Hop = finalHop(probe),
): Record<string, string | number | null | readonly string[]> {
  const corsHeaders = hop.headers
    .filter(([name]) => name.startsWith('access-control-'))
    .map(([name, value]) => `${name}: ${value}`);
  const origins =
    probe.origin === null
      ? []
      : hopOrigins(
          probe.origin,
          probe.hops.map((h) => h.url),
        );
  const evidence: Record<string, string | number | null | readonly string[]> = {
    requested: hop.url,
    origin: origins[probe.hops.indexOf(hop)]?.origin ?? null,
    status: hop.status,
    answered: corsHeaders,
    vary: headerValue(hop.headers, 'vary'),
  };
  const age = headerValue(hop.headers, 'age');
  if (age !== null) evidence['age'] = age;
  if (probe.hops.length > 1) evidence['hops'] = probe.hops.map((h) => `${h.status} ${h.url}`);
  return evidence;
}
