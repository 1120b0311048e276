import { setTimeout as sleep } from 'node:timers/promises';
import type { LookupFunction } from 'node:net';
import { blockedPort } from '../../core/http/blocked-ports.ts';
import { hopOrigins } from '../../core/http/cors.ts';
import type { Failure, Hop, HostFacts, Probe } from '../../core/facts/facts.ts';
import { header, retryAfter } from '../../core/http/headers.ts';
import { secretsOf } from '../../core/text/text.ts';
import { parseUrl } from '../../core/http/url.ts';
import { originOf } from '../../core/http/probe.ts';
import type { Body } from './body.ts';
import { requestHop, type HopRequest } from './hop.ts';
import { type Deadline, type Deadlines, openDeadlines } from './deadlines.ts';
import { isTransientFailure } from './failure.ts';
import type { AddressPolicy } from './address-policy.ts';
import { redactor } from './redact.ts';
import { type ConnectionPool, openConnectionPool } from './pool.ts';
import { openCircuitBreaker, type CircuitBreaker, requestKindOf } from './circuit-breaker.ts';
import { type RequestShape, shapedHeaders } from '../registry/request-shape.ts';
import type { ProxyFor } from './proxy.ts';
import { openTrust } from './tls.ts';

/** Redirects that are followed; further ones are not (interface.md). */
const MAX_REDIRECTS = 5;
/** Attempts refused by a host while other requests were in flight that do not count as retries. */
const MAX_CROWDED = 5;

export interface HttpOptions {
  /** Requests in flight at once, per host. Default 32. */
  concurrency?: number;
  /** The proxy for a URL. Default: none. */
  proxyFor?: ProxyFor;
  /** PEM text of additional trusted authorities, or null. */
  ca?: string | null;
  /** PEM text of NODE_EXTRA_CA_CERTS, or null. */
  machineCa?: string | null;
  /** Headers for one origin only; their values are removed from all facts. */
  secrets?: { origin: string; headers: readonly (readonly [string, string])[] } | null;
  /** Ends all probes, with failures. */
  signal?: AbortSignal;
  /** Overrides of the defaults, in milliseconds. */
  connectTimeout?: number;
  headersTimeout?: number;
  idleTimeout?: number;
  /** Attempts after the first. Default 2. */
  retries?: number;
  backoff?: (attempt: number) => number;
  /** The longest wait of a probe at the host's request (Retry-After). Default 30 s. */
  maxWait?: number;
  /** Resolves names instead of the system resolver. */
  lookup?: LookupFunction | null;
  /**
   * Decides for every connection, redirects included, whether it may be made. Not to be used with a proxy, which
   * resolves names itself.
   */
  guard?: AddressPolicy | null;
}

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
  /** Milliseconds in total: hops, attempts and waits. */
  total: number;
  /** Called for a final 2xx response, once per attempt. Without it the body is not read. */
  body?: (hop: Hop) => Body;
}

export interface HttpClient {
  /** Requests a URL, follows redirects and retries if that may help. Never throws for network errors. */
  probe(ask: ProbeRequest): Promise<Probe>;
  /** The hosts that refused requests temporarily, and the concurrency that they accepted. */
  hosts(): HostFacts[];
  close(): Promise<void>;
}

export function openHttpClient(options: HttpOptions = {}): HttpClient {
  const pool = openConnectionPool({
    concurrency: Math.max(1, Math.floor(options.concurrency ?? 32)),
    trust: openTrust(options.ca ?? null, options.machineCa ?? null),
    timeout: options.connectTimeout ?? 10_000,
    lookup: options.lookup ?? null,
    guard: options.guard ?? null,
    proxyFor: options.proxyFor ?? (() => null),
    headersTimeout: options.headersTimeout ?? 15_000,
    idleTimeout: options.idleTimeout ?? 15_000,
  });
  const breaker = openCircuitBreaker();
  const deadlines = openDeadlines(options.signal);
  const secret = (options.secrets?.headers ?? []).map(([, value]) => value);
  const conceal = secret.length === 0 ? null : redactor(secret);
  return {
    probe: (ask) => visit(ask, options, pool, breaker, deadlines, conceal),
    hosts: () => pool.limited(),
    close() {
      deadlines.close();
      return pool.close();
    },
  };
}

async function visit(
  ask: ProbeRequest,
  options: HttpOptions,
  pool: ConnectionPool,
  breaker: CircuitBreaker,
  deadlines: Deadlines,
  conceal: ((text: string) => string) | null,
): Promise<Probe> {
  const fault = urlFault(ask.url);
  const made: Probe = {
    method: ask.method,
    origin: ask.origin,
    hops: [],
    failure: fault,
    attempts: 0,
    retryAfterMs: 0,
  };
  if (fault) return made;
  const deadline = deadlines.open(ask.total);
  const troubles: string[] = [];
  let crowded = 0;
  try {
    for (;;) {
      made.attempts += 1;
      const { hops, failure, isCrowded } = await attempt(ask, options, pool, breaker, deadline);
      // Given up between two attempts: keep the result of the previous one.
      if (failure?.phase === 'unasked' && made.attempts > 1) {
        made.attempts -= 1;
        break;
      }
      made.hops = hops;
      made.failure = failure;
      const last = hops.at(-1)!;
      const isLimited = last.status === 429 || last.status === 503;
      const origin = originOf(last.url);
      if (made.attempts > 1 && last.status !== 0) breaker.recordRateLimit(origin, isLimited);
      // With fewer concurrent requests it may succeed.
      if (isCrowded && crowded < MAX_CROWDED) crowded += 1;
      if (made.attempts - crowded > (options.retries ?? 2) || deadline.ended || pool.dead(origin)) break;
      const wait = waitBefore(ask, made, last, options, isCrowded === true);
      if (wait === null) break;
      troubles.push(failure ? failure.code : `status ${last.status}`);
      await sleep(wait, undefined, { signal: deadline.signal }).catch(() => {});
      // The deadline expired during the wait: keep the last result.
      if (deadline.ended) break;
    }
  } finally {
    deadline.stop();
  }
  if (troubles.length > 0) made.retriedErrors = troubles;
  noteHost(made, requestKindOf(ask), pool, breaker);
  return withoutSecrets(made, conceal);

  /** Milliseconds until the next attempt, or null for none. */
  function waitBefore(
    { method }: ProbeRequest,
    so: Probe,
    last: Hop,
    { backoff = usualBackoff, maxWait = 30_000 }: HttpOptions,
    isCrowded: boolean,
  ): number | null {
    // Fewer concurrent requests help here, rather than time.
    const pause = (): number => (isCrowded ? backoff(1) / 4 : backoff(Math.max(1, so.attempts - crowded)));
    if (so.failure) return isTransientFailure(so.failure) ? pause() : null;
    const asked = last.status === 429 || last.status === 503;
    // A 501 or 405 for OPTIONS or HEAD is usually permanent; only statuses declared temporary are retried.
    if (!asked && (method !== 'GET' || (last.status !== 408 && (last.status < 500 || last.status > 599)))) return null;
    const seconds = asked ? retryAfter(header(last.headers, 'retry-after'), Date.now()) : null;
    if (seconds === null) {
      // A rate limit applies to all connections of the host.
      const wait = pause();
      if (last.status === 429) pool.slow(originOf(last.url), wait);
      return wait;
    }
    const wait = seconds * 1000;
    if (so.retryAfterMs + wait > maxWait) return null;
    so.retryAfterMs += wait;
    pool.slow(originOf(last.url), wait);
    return wait;
  }
}

function usualBackoff(attempt: number): number {
  return 400 * 2 ** attempt + Math.random() * 200;
}

/** One attempt: the exchanges along the redirects. The last hop is the response, or the one that failed (status 0). */
async function attempt(
  ask: ProbeRequest,
  options: HttpOptions,
  pool: ConnectionPool,
  breaker: CircuitBreaker,
  deadline: Deadline,
): Promise<{ hops: Hop[]; failure: Failure | null; isCrowded?: boolean }> {
  const hops: Hop[] = [];
  let at = withoutFragment(ask.url);
  for (;;) {
    const url = at.href;
    const exchanged = await requestHop(requestFor(ask, at, hops, options), pool, breaker, deadline);
    const { hop, failure, location, crowded: isCrowded = false } = exchanged;
    hops.push(hop);
    if (failure) return { hops, failure, isCrowded };
    // Redirects of a preflight are not allowed; its first response is final.
    if (location === undefined || ask.method === 'OPTIONS') return { hops, failure: null, isCrowded };
    const next = location === null ? null : parseUrl(location, url);
    const trouble = redirectFault(next, location, hops);
    if (trouble)
      return {
        hops,
        failure: { phase: 'redirect', ...trouble, url: next ? withoutUserinfo(next) : url, got: null, expected: null },
      };
    at = withoutFragment(next!.href);
  }
}

function redirectFault(
  next: URL | null,
  location: string | null,
  hops: readonly Hop[],
): { code: string; message: string } | null {
  if (location === null) return { code: 'REDIRECT_NO_LOCATION', message: 'a redirect without Location' };
  if (!next || (next.protocol !== 'https:' && next.protocol !== 'http:'))
    return { code: 'REDIRECT_BAD_LOCATION', message: 'a redirect to what is no http(s) URL' };
  if (blockedPort(next.host) !== null)
    return { code: 'REDIRECT_BLOCKED_PORT', message: 'a redirect to a port that browsers block' };
  if (next.username !== '' || next.password !== '')
    return { code: 'REDIRECT_CREDENTIALS', message: 'a redirect to a URL with credentials' };
  if (hops.some((hop) => hop.url === withoutFragment(next.href).href))
    return { code: 'REDIRECT_LOOP', message: 'a redirect to a URL that was asked before' };
  return hops.length > MAX_REDIRECTS
    ? { code: 'REDIRECT_LIMIT', message: `more than ${MAX_REDIRECTS} redirects` }
    : null;
}

function requestFor(ask: ProbeRequest, at: URL, before: readonly Hop[], options: HttpOptions): HopRequest {
  const url = at.href;
  const headers = shapedHeaders(ask.shape ?? null, before, url);
  headers.push(['accept', ask.accept], ...((ask.headers ?? []) as [string, string][]));
  if (ask.origin !== null) {
    const chain = hopOrigins(ask.origin, [...before.map((hop) => hop.url), url]);
    const { origin } = chain.at(-1)!;
    if (origin !== null) headers.push(['origin', origin]);
  }
  const { secrets } = options;
  // Secrets are only sent to their origin, and not after a redirect away from it. A preflight carries none.
  if (
    secrets &&
    ask.method !== 'OPTIONS' &&
    [...before.map((hop) => hop.url), url].every((one) => originOf(one) === secrets.origin)
  ) {
    for (const [name, value] of secrets.headers) headers.push([name.toLowerCase(), value]);
  }
  return {
    method: ask.method,
    at,
    url,
    headers,
    body: ask.body ?? null,
    view: requestKindOf(ask),
    fresh: ask.fresh === true,
    ranged: headers.some(([name]) => name === 'range'),
  };
}

function urlFault(url: string): Failure | null {
  const parsed = parseUrl(url);
  const fine =
    parsed &&
    (parsed.protocol === 'https:' || parsed.protocol === 'http:') &&
    parsed.username === '' &&
    parsed.password === '';
  return fine
    ? null
    : {
        phase: 'url',
        code: 'URL_UNUSABLE',
        message: 'no absolute http(s) URL without credentials',
        url,
        got: null,
        expected: null,
      };
}

function withoutFragment(url: string): URL {
  const parsed = new URL(url);
  if (url.includes('#')) parsed.hash = '';
  return parsed;
}

function withoutUserinfo(url: URL): string {
  const copy = new URL(url.href);
  copy.username = '';
  copy.password = '';
  return copy.href;
}

/** Remembers a host that cannot be connected to, so that thousands of files on it do not each wait for it. */
function noteHost(made: Probe, view: string, pool: ConnectionPool, breaker: CircuitBreaker): void {
  const last = made.hops.at(-1);
  if (!last || made.failure?.phase === 'unasked' || made.failure?.code === 'INTERRUPTED') return;
  const origin = originOf(last.url);
  breaker.record(origin, view, made);
  if (made.failure?.phase === 'time') return;
  const { phase } = made.failure ?? {};
  const unconnected =
    last.status === 0 && (phase === 'dns' || phase === 'connect' || phase === 'tls' || phase === 'proxy');
  pool.note(origin, unconnected ? made.failure : null);
}

/** Drops cookies, and secrets that a host may echo. */
function withoutSecrets(made: Probe, conceal: ((text: string) => string) | null): Probe {
  for (const hop of made.hops) {
    for (const line of hop.headers)
      if (line[0] === 'set-cookie') line[1] = 'REDACTED';
      else if (conceal) line[1] = conceal(line[1]);
    // Object stores quote the signature that they reject.
    if (hop.excerpt !== undefined)
      hop.excerpt = redactor(made.hops.flatMap(({ url }) => secretsOf(url)))(conceal?.(hop.excerpt) ?? hop.excerpt);
  }
  return made;
}
