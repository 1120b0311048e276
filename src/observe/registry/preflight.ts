import { hopOrigins, PROBE_HEADER } from '../../core/http/cors.ts';
import type { HttpViews, Missing, Probe } from '../../core/facts/facts.ts';
import { notRequested } from '../http/circuit-breaker.ts';
import type { ObserveContext } from './context.ts';
import { knownAsUnanswered } from './repeated-probes.ts';
import { ALL_GROUPS, type RequestShape } from './request-shape.ts';
import { probeSide } from './retry-probes.ts';

const SAME_ORIGIN: Missing = {
  missing: { code: 'same-origin' },
  intentional: true,
};

export interface Preflight {
  url: string;
  /** The origin of the page. */
  page: string;
  /** The value of Origin at this URL. */
  origin: string | null;
  method: 'GET' | 'HEAD';
  /** The URLs of the redirect chain, this one included. */
  chain: readonly string[];
}

/**
 * One preflight, for a request with a header that is not safelisted.
 * @param send sends the request
 */
export async function probePreflight(
  { url, page, origin, method, chain }: Preflight,
  { http, secretNames, timeouts }: ObserveContext,
  send = probeSide,
): Promise<Probe> {
  const hasSecrets = secretNames !== null && chain.every((hop) => new URL(hop).origin === secretNames.origin);
  const requestedHeaders = [PROBE_HEADER, ...(hasSecrets ? secretNames.names : [])].sort();
  const headers: [string, string][] = [
    ['access-control-request-method', method],
    ['access-control-request-headers', requestedHeaders.join(',')],
  ];
  const shape: RequestShape = { page, mode: 'cors', destination: 'empty', groups: ALL_GROUPS };
  const total = timeouts.small;
  const probe = await send(http, { method: 'OPTIONS', url, origin, accept: '*/*', headers, shape, total });
  return notRequested(probe) === null ? { ...probe, requestedHeaders } : probe;
}

/** The preflights that a browser sends to each of these URLs before a GET; null at the page’s own origin. */
export function preflightsOf(urls: readonly string[], page: string): (Preflight | null)[] {
  const hops = hopOrigins(page, urls);
  return urls.map((url, i) => {
    const hop = hops[i];
    return hop?.checked ? { url, page, origin: hop.origin, method: 'GET', chain: urls.slice(0, i + 1) } : null;
  });
}

/**
 * The preflights of a GET with a header that is not safelisted, at every URL of its redirect chain: after each redirect
 * the Fetch standard starts over (HTTP-redirect fetch → main fetch), with `Origin: null` once it has become that.
 * @param chain the URLs of a plain GET and its redirects; at least one
 */
export async function probePreflights(
  chain: readonly string[],
  page: string,
  context: ObserveContext,
): Promise<Pick<HttpViews, 'preflight' | 'preflights'>> {
  const [preflight, ...redirected] = await Promise.all(
    preflightsOf(chain, page).map(async (request): Promise<Probe | Missing> => {
      if (request === null) return SAME_ORIGIN;
      const known = await knownAsUnanswered('preflight', request.url, context);
      if (known !== null) return known;
      const probe = await probePreflight(request, context);
      return notRequested(probe) ?? probe;
    }),
  );
  if (preflight === undefined) throw new Error('A preflight needs a URL.');
  return redirected.length === 0 ? { preflight } : { preflight, preflights: redirected };
}
