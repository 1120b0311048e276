import type { Failure, Hop } from '../../core/facts/facts.ts';
import { codings, header, headerLines } from '../../core/http/headers.ts';
import { type ClientResponse, send } from './response.ts';
import { type Deadline, TOTAL_TIMEOUT } from './deadlines.ts';
import { failureOf } from './failure.ts';
import type { Body } from './body.ts';
import type { PooledConnection, ConnectionPool } from './pool.ts';
import { requestWithNodeHttp } from './node-http.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';

/** One request and its response. */
export interface HopRequest {
  method: 'GET' | 'HEAD' | 'OPTIONS';
  /** Without a fragment. */
  at: URL;
  url: string;
  headers: [string, string][];
  body: ((hop: Hop) => Body) | null;
  /** True if a range was requested, so that 206 is expected. */
  ranged: boolean;
  /** The kind of request, as the circuit breaker counts it. */
  view: string;
  /** Use a new connection. */
  fresh: boolean;
}

export interface HopResult {
  hop: Hop;
  failure: Failure | null;
  /** The target of a redirect, null if it names none; undefined for other responses. */
  location: string | null | undefined;
  /** True if the host refused it temporarily, and fewer concurrent requests may help. */
  crowded?: boolean;
}

/** An unused body is drained up to this size, which is cheaper than a new connection. */
const DRAINED = 65_536;
const DRAIN_TIME = 1000;
const EXCERPT = 2048;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export async function requestHop(
  request: HopRequest,
  pool: ConnectionPool,
  breaker: CircuitBreaker,
  deadline: Deadline,
): Promise<HopResult> {
  const { origin } = request.at;
  const hop: Hop = { url: request.url, status: 0, headers: [], address: null, tls: null };
  const before = reasonToSkip(request, origin, pool, breaker);
  if (before) return { hop, failure: before, location: undefined };
  deadline.pause();
  const pooled = await pool.acquire(origin, deadline);
  deadline.resume();
  const { proxy } = pooled.host;
  if (proxy) hop.proxy = proxy.facts;
  try {
    // Other requests may have failed while this one waited.
    const meanwhile = reasonToSkip(request, origin, pool, breaker);
    if (meanwhile) return { hop, failure: meanwhile, location: undefined };
    if (deadline.ended) return { hop, failure: outOfTime(deadline.ended, request.url), location: undefined };
    if (request.fresh) pooled.connection?.close();
    const answer = await ask(pooled, request, deadline);
    const taken = await take(answer, hop, request, deadline);
    taken.crowded = recordOutcome(pooled, request, hop.status, '');
    return taken;
  } catch (error) {
    if (deadline.ended) return { hop, failure: outOfTime(deadline.ended, request.url), location: undefined };
    const failure = failureOf(error, 'headers', request.url);
    const alert = pooled.connection?.alert ?? '';
    // In TLS 1.3 a host rejects the client only after the client considers the handshake complete.
    if (isBroken(failure.code) && alert.startsWith('ERR_SSL')) Object.assign(failure, { phase: 'tls', code: alert });
    Object.assign(hop, {
      address: (error as { address?: string }).address ?? pooled.connection?.address ?? null,
      tls: (error as { tls?: Hop['tls'] }).tls ?? null,
    });
    return { hop, failure, location: undefined, crowded: recordOutcome(pooled, request, 0, failure.code) };
  } finally {
    if (hop.status !== 0)
      Object.assign(hop, { address: pooled.connection?.address ?? null, tls: pooled.connection?.tls ?? null });
    if (pooled.connection && pooled.connection.failedAddresses.length > 0)
      hop.failedAddresses = pooled.connection.failedAddresses;
    pool.release(pooled);
  }
}

// Other failures do not depend on the number of requests in flight.
const REFUSALS = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'SOCKET_CLOSED']);

/**
 * Records the outcome of a request for the concurrency window.
 * @param status 0 if the request failed with `code`
 * @returns whether the host refused it temporarily, and fewer concurrent requests may help
 */
function recordOutcome({ host, sent }: PooledConnection, { view }: HopRequest, status: number, code: string): boolean {
  if (status === 429 || status === 503) return host.window.refused(sent, view, `status ${status}`);
  if (status !== 0) host.window.answered(sent, view);
  return REFUSALS.has(code) && host.window.refused(sent, view, code);
}

/** Why the request is not sent, or null: its host is down, or has failed too often. */
function reasonToSkip(
  { url, view }: HopRequest,
  origin: string,
  pool: ConnectionPool,
  breaker: CircuitBreaker,
): Failure | null {
  const dead = pool.dead(origin);
  if (dead) return { ...dead, url };
  const message = breaker.openReason(origin, view);
  return message === null ? null : { phase: 'unasked', code: 'UNASKED', message, url, got: null, expected: null };
}

async function ask(
  pooled: PooledConnection,
  { method, at, url, headers }: HopRequest,
  deadline: Deadline,
): Promise<ClientResponse> {
  const { pathname, search, protocol } = at;
  // Unencrypted requests are sent to the proxy itself, with the absolute URL (RFC 9112, section 3.2.2).
  const proxy = protocol === 'http:' ? pooled.host.proxy : null;
  const login = proxy?.authorization ? ['proxy-authorization', proxy.authorization] : [];
  // Without `reset` the client would close the connection after every HEAD.
  const options = {
    method,
    path: proxy ? url : pathname + search,
    headers: [...headers.flat(), ...login],
    reset: false,
  };
  if (pooled.host.continues) return requestWithNodeHttp(pooled, { ...options, signal: deadline.signal });
  const before = pooled.connection;
  const hadRested = before !== null && before.answers > 0;
  try {
    const answer = await once(pooled, options, deadline);
    if (answer.statusCode !== 408 || !hadRested || pooled.connection !== before) return answer;
    // The host reports that it closes an idle connection (RFC 9110, section 15.5.9).
    answer.body.destroy();
  } catch (error) {
    if (isContinue(error)) {
      pooled.host.continues = true;
      return requestWithNodeHttp(pooled, { ...options, signal: deadline.signal });
    }
    // The host closed an idle connection just as it was reused: not a fault, a new one is made.
    const rested = hadRested && pooled.connection === before;
    if (!rested || !isBroken((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
  return once(pooled, options, deadline);
}

async function once(
  pooled: PooledConnection,
  options: Parameters<typeof send>[1],
  deadline: Deadline,
): Promise<ClientResponse> {
  const answer = await send(pooled, options, deadline);
  if (pooled.connection) pooled.connection.answers += 1;
  return answer;
}

/** The client reports “100 Continue” only through this error message. */
function isContinue(error: unknown): boolean {
  return error instanceof Error && error.message === 'bad response';
}

function isBroken(code: string): boolean {
  return /^(UND_ERR_SOCKET|SOCKET_CLOSED|ECONNRESET|EPIPE)$/.test(code);
}

async function take(answer: ClientResponse, hop: Hop, request: HopRequest, deadline: Deadline): Promise<HopResult> {
  hop.status = answer.statusCode;
  if (answer.continued) hop.unsolicitedContinue = true;
  hop.headers = pairsOf(answer.headers);
  const { status } = hop;
  if (REDIRECTS.has(status)) {
    await discard(answer, request, hop);
    const [location = null, other] = new Set(headerLines(hop.headers, 'location'));
    return other === undefined
      ? { hop, failure: null, location }
      : { hop, failure: severalLocations(request.url), location: undefined };
  }
  let body: Body | null = null;
  let failure = framingFault(hop) ?? refusalOfProxy(hop);
  if (failure) answer.body.destroy();
  else if (status === 206 && !request.ranged) {
    failure = {
      phase: 'headers',
      code: 'PARTIAL_UNASKED',
      message: 'a part of the file, unasked',
      url: request.url,
      got: null,
      expected: null,
    };
  } else if (status >= 200 && status < 300 && request.method === 'GET' && request.body) body = request.body(hop);
  if (failure || request.method === 'HEAD') await discard(answer, request, hop);
  else if (body) failure = await read(answer, body, hop, deadline);
  else if (status >= 200 && status < 300) await discard(answer, request, hop);
  else await excerptOf(answer, hop);
  return { hop, failure, location: undefined };
}

/** Clients differ in which of them they follow; browsers reject such a response. */
function severalLocations(url: string): Failure {
  const message = 'a redirect with several Location lines that differ';
  return { phase: 'redirect', code: 'REDIRECT_SEVERAL_LOCATIONS', message, url, got: null, expected: null };
}

/** Two framing headers that disagree: intermediaries may see different bodies. */
function framingFault(hop: Hop): Failure | null {
  const lengths = new Set(headerLines(hop.headers, 'content-length'));
  const base = { phase: 'headers' as const, url: hop.url, got: null, expected: null };
  if (lengths.size > 1) return { ...base, code: 'HPE_UNEXPECTED_CONTENT_LENGTH', message: 'several lengths' };
  if (lengths.size === 0 || header(hop.headers, 'transfer-encoding') === null) return null;
  return { ...base, code: 'HPE_INVALID_TRANSFER_ENCODING', message: 'a length and chunks' };
}

/** A proxy's response to an unencrypted request: 407, or an error page generated by Squid. */
function refusalOfProxy({ url, status, headers, proxy }: Hop): Failure | null {
  const told = header(headers, 'x-squid-error');
  if (!proxy || url.startsWith('https:') || (status !== 407 && told === null)) return null;
  const message = `the proxy answered ${status}${told === null ? '' : ` (${told})`}`;
  return { phase: 'proxy', code: `PROXY_${status}`, message, url, got: null, expected: null };
}

/** Passes the body on; returns the failure that ended it early, or null. */
async function read(answer: ClientResponse, body: Body, hop: Hop, deadline: Deadline): Promise<Failure | null> {
  const length = header(hop.headers, 'content-length');
  const expected = length !== null && /^\d{1,15}$/.test(length) ? Number(length) : null;
  let got = 0;
  let tooLarge = false;
  try {
    await answer.body.pass((chunk) => {
      const before = got;
      got += chunk.length;
      if (got <= body.limit) return body.write(chunk);
      tooLarge = body.over === 'fail';
      if (tooLarge) return false;
      // One byte beyond the limit shows the consumer that the body was cut.
      const busy = body.write(chunk.subarray(0, body.limit + 1 - before));
      return busy ? busy.then(() => false as const) : false;
    }, body.instant === true);
    return tooLarge
      ? {
          phase: 'size',
          code: 'TOO_LARGE',
          message: `more than ${body.limit} bytes`,
          url: hop.url,
          got,
          expected: body.limit,
        }
      : null;
  } catch (error) {
    if (deadline.ended) return { ...outOfTime(deadline.ended, hop.url), got, expected };
    return { ...failureOf(error, 'body', hop.url), got, expected };
  }
}

/** The beginning of an error's body, which often names the cause. It may be truncated. */
async function excerptOf(answer: ClientResponse, hop: Hop): Promise<void> {
  const chunks: Buffer[] = [];
  let got = 0;
  try {
    await answer.body.pass((chunk) => {
      if (got < EXCERPT) chunks.push(chunk);
      got += chunk.length;
      return got > DRAINED ? false : undefined;
    });
  } catch {
    // The status is the result; a failing body adds nothing to it.
  }
  // Compressed bodies are not text.
  if (got > 0 && codings(hop.headers).length === 0) hop.excerpt = Buffer.concat(chunks).toString('utf8', 0, EXCERPT);
}

/** Drains a small body so that the connection can be reused, and aborts one that is large or slow. */
async function discard({ body }: ClientResponse, { method }: HopRequest, hop: Hop): Promise<void> {
  const length = method === 'HEAD' ? null : header(hop.headers, 'content-length');
  if (!body.reusable || Number(length ?? 0) > DRAINED) return body.destroy();
  let got = 0;
  const drained = body.pass((chunk) => ((got += chunk.length) > DRAINED ? false : undefined), true);
  if (drained === undefined) return;
  const timer = setTimeout(() => body.destroy(), DRAIN_TIME);
  await drained.catch(() => {});
  clearTimeout(timer);
}

function outOfTime({ message }: Error, url: string): Failure {
  const total = message === TOTAL_TIMEOUT;
  return {
    phase: 'time',
    code: total ? TOTAL_TIMEOUT : 'INTERRUPTED',
    message: total ? 'the time limit was reached' : 'the run was interrupted',
    url,
    got: null,
    expected: null,
  };
}

/** Header lines as pairs, names in lower case. */
function pairsOf(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) pairs.push([raw[i]!.toLowerCase(), raw[i + 1]!]);
  return pairs;
}
