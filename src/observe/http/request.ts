import { hopOrigins } from '../../core/http/cors.ts';
import type { Failure, Hop } from '../../core/facts/facts.ts';
import { originOf } from '../../core/http/probe.ts';
import { parseUrl } from '../../core/url/url.ts';
import { type RequestShape, shapedHeaders } from './request-shape.ts';
import type { BodyReader } from './body.ts';
import { requestKindOf } from './circuit-breaker.ts';
import { failureFact } from './failure.ts';

/** Input of a probe, and the requests that it consists of. */

/** Number of repetitions of a probe, and the pause before them. */
export interface RetryOptions {
  /** Attempts after the first. Default 2. */
  retries?: number;
  backoff?: (attempt: number) => number;
  /** The longest wait of a probe at the host's request (Retry-After). Default 30 s. */
  maxWait?: number;
}

/** A request to record. */
export interface ProbeRequest {
  method: 'GET' | 'HEAD' | 'OPTIONS';
  url: string;
  /** The origin of the requesting page, as a browser sends it; null for a server-side client. */
  origin: string | null;
  accept: string;
  /** The browser's request shape; without it, that of a server-side client. */
  shape?: RequestShape;
  headers?: readonly (readonly [string, string])[];
  /** Over a new connection. */
  fresh?: boolean;
  /**
   * True for a file that the host need not have: its absence is a result as well. It is requested once, and however the host
   * fails to respond, requests for other files go on.
   */
  optional?: boolean;
  /**
   * For a request that plain GETs accompany: the wait for it is bounded by the time that the host takes for those.
   * `repeat` is the confirmation, which is sent even if the host did not answer several requests of that kind.
   */
  side?: 'first' | 'repeat';
  /** True if the response is read as browsers read it, also if it is not valid HTTP. */
  tolerant?: boolean;
  /** Milliseconds in total: hops, attempts and waits. */
  total: number;
  /** Called for a final 2xx response, once per attempt. Without it the body is not read. */
  body?: (hop: Hop) => BodyReader;
}

/** Headers for one origin only. */
export interface SecretHeaders {
  origin: string;
  headers: readonly (readonly [string, string])[];
}

export interface HopRequest {
  method: 'GET' | 'HEAD' | 'OPTIONS';
  /** Without a fragment. */
  url: URL;
  headers: [string, string][];
  body: ((hop: Hop) => BodyReader) | null;
  /** True if the headers contain the secrets of the client. */
  withCredentials: boolean;
  /** The origin of the secrets of the client if they are not sent; null if there are none, or if they are. */
  credentialsFor: string | null;
  /** True if a range was requested, so that 206 is expected. */
  isRange: boolean;
  /** The kind of request, as the circuit breaker counts it. */
  kind: string;
  accept: string;
  /** True for a request that the circuit breaker does not stop. */
  isRepeat: boolean;
  /** Use a new connection. */
  fresh: boolean;
  /** See `ProbeRequest`. */
  tolerant: boolean;
}

/**
 * The request to one URL of the redirect chain.
 * @param before the hops that led to it
 */
export function hopRequest(
  probe: ProbeRequest,
  url: URL,
  before: readonly Hop[],
  secrets: SecretHeaders | null,
): HopRequest {
  const { href } = url;
  const chain = [...before.map((hop) => hop.url), href];
  const headers = shapedHeaders(probe.shape ?? null, before, href);
  headers.push(['accept', probe.accept]);
  for (const [name, value] of probe.headers ?? []) headers.push([name, value]);
  const origin = probe.origin === null ? null : hopOrigins(probe.origin, chain).at(-1)?.origin;
  if (typeof origin === 'string') headers.push(['origin', origin]);
  // Secrets are only sent to their origin, and not after a redirect away from it. A preflight carries none.
  const hasSecrets = secrets !== null && secrets.headers.length > 0 && probe.method !== 'OPTIONS';
  const credentials = hasSecrets && chain.every((hop) => originOf(hop) === secrets.origin) ? secrets.headers : [];
  for (const [name, value] of credentials) headers.push([name.toLowerCase(), value]);
  return {
    method: probe.method,
    url,
    headers,
    body: probe.body ?? null,
    kind: requestKindOf(probe),
    accept: probe.accept,
    isRepeat: probe.side === 'repeat',
    fresh: probe.fresh === true,
    tolerant: probe.tolerant === true,
    withCredentials: credentials.length > 0,
    credentialsFor: hasSecrets && credentials.length === 0 ? secrets.origin : null,
    isRange: headers.some(([name]) => name === 'range'),
  };
}

/** The reason why a URL is not requested, or null. */
export function urlFailure(url: string): Failure | null {
  return isRequestable(url)
    ? null
    : failureFact('url', 'URL_UNUSABLE', 'not an absolute http(s) URL without credentials', url);
}

/** True if a listed URL can be requested: the rules about URLs report the others. */
export function isRequestable(url: string | null): url is string {
  if (url === null) return false;
  const parsed = parseUrl(url);
  return parsed !== null && isHttpUrl(parsed) && parsed.username === '' && parsed.password === '';
}

/** True for a URL with the scheme http or https. */
export function isHttpUrl({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

/** Parses an absolute URL, and removes its fragment. */
export function urlWithoutFragment(url: string): URL {
  const parsed = new URL(url);
  if (url.includes('#')) parsed.hash = '';
  return parsed;
}
