import { hopOrigins, PROBE_HEADER } from '../../core/http/cors.ts';
import type { Missing, Probe, HttpViews } from '../../core/facts/facts.ts';
import { probeTwice } from './retry-probes.ts';
import type { HttpClient } from '../http/client.ts';
import { notRequested } from '../http/circuit-breaker.ts';
import { ALL_GROUPS, type RequestShape } from './request-shape.ts';

const OWN: Missing = { missing: 'a browser sends no preflight to the page’s own origin', intentional: true };

/** Additional header names that a browser would send, in lower case, and the only origin that gets them. */
export interface SecretNames {
  origin: string;
  names: readonly string[];
}

export interface Preflight {
  url: string;
  /** The origin of the page. */
  page: string;
  /** The value of Origin at this URL. */
  origin: string | null;
  method: 'GET' | 'HEAD';
  /** The URLs of the redirect chain, this one included. */
  along: readonly string[];
}
interface Asking {
  http: HttpClient;
  secretNames: SecretNames | null;
  total: { small: number };
}

/**
 * One preflight, for a request with a header that is not safelisted.
 * @param visit sends the request
 */
export async function probePreflight(
  { url, page, origin, method, along }: Preflight,
  { http, secretNames, total }: Asking,
  visit = probeTwice,
): Promise<Probe> {
  const own = secretNames !== null && along.every((one) => new URL(one).origin === secretNames.origin);
  const asked = [PROBE_HEADER, ...(own ? secretNames.names : [])].sort();
  const headers: [string, string][] = [
    ['access-control-request-method', method],
    ['access-control-request-headers', asked.join(',')],
  ];
  const shape: RequestShape = { page, mode: 'cors', destination: 'empty', groups: ALL_GROUPS };
  const made = await visit(http, {
    method: 'OPTIONS',
    url,
    origin,
    accept: '*/*',
    headers,
    shape,
    total: total.small,
  });
  return notRequested(made) === null ? { ...made, requestedHeaders: asked } : made;
}

/** The preflights that a browser sends to each of these URLs before a GET; null at the page’s own origin. */
export function preflightsOf(urls: readonly string[], page: string): (Preflight | null)[] {
  return hopOrigins(page, urls).map(({ origin, checked }, i) =>
    checked ? { url: urls[i]!, page, origin, method: 'GET', along: urls.slice(0, i + 1) } : null,
  );
}

/**
 * The preflights of a GET with a header that is not safelisted, at every URL of its redirect chain: after each redirect
 * the Fetch standard starts over (HTTP-redirect fetch → main fetch), with `Origin: null` once it has become that.
 * @param urls the redirect chain of a plain GET
 */
export async function probePreflights(
  urls: readonly string[],
  page: string,
  context: Asking,
): Promise<Pick<HttpViews, 'preflight' | 'preflights'>> {
  const [preflight, ...more] = await Promise.all(
    preflightsOf(urls, page).map(async (asked): Promise<Probe | Missing> => {
      if (asked === null) return OWN;
      const visit = await probePreflight(asked, context);
      return notRequested(visit) ?? visit;
    }),
  );
  return more.length === 0 ? { preflight: preflight! } : { preflight: preflight!, preflights: more };
}
