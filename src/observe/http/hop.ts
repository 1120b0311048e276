import type { Failure, Hop } from '../../core/facts/facts.ts';
import { isMachineLimit, machineLimitText } from '../../core/errors/machine-limit.ts';
import { parseUrl, blockedPort } from '../../core/url/url.ts';
import { type CircuitBreaker, isTemporaryRefusal } from './circuit-breaker.ts';
import { type Deadline, timeoutFailure } from './deadlines.ts';
import { ConnectFailure, failureFact, failureOf } from './failure.ts';
import { TLS_EXPECTED } from '../../core/http/failed-request.ts';
import type { Refusal, Turn } from './host-queue.ts';
import type { ConnectionPool, PooledConnection } from './pool.ts';
import { receiveResponse, type ReceivedResponse } from './receive.ts';
import { type HopRequest, isHttpUrl, urlWithoutFragment } from './request.ts';
import { isConnectionLoss, sendRequest } from './send.ts';

/** One request and its response. */

interface HopResult extends ReceivedResponse {
  hop: Hop;
  /** Present if the host refused it temporarily; null if its load is not the reason. */
  refusal: Refusal | null;
}

/** Sends one request in its turn, and receives its response. */
export async function requestHop(
  request: HopRequest,
  turn: Turn,
  pool: ConnectionPool,
  breaker: CircuitBreaker,
  deadline: Deadline,
): Promise<HopResult> {
  const { origin, href } = request.url;
  const hop: Hop = { url: href, status: 0, headers: [], address: null, tls: null };
  if (request.withCredentials) hop.withCredentials = true;
  const notSent = (failure: Failure): HopResult => ({ hop, failure, location: undefined, refusal: null });
  const skipped = reasonToSkip(request, pool, breaker);
  if (skipped) return notSent(skipped);
  deadline.pause();
  const pooled = await pool.acquire(origin, turn, deadline);
  deadline.resume();
  const { proxy } = pooled.host;
  if (proxy) hop.proxy = proxy.facts;
  try {
    // Other requests may have failed while this one waited.
    const skippedNow = reasonToSkip(request, pool, breaker);
    if (skippedNow) return notSent(skippedNow);
    if (deadline.ended) return notSent(timeoutFailure(deadline.ended, href));
    if (request.fresh) pooled.connection?.close();
    const sentAt = Date.now();
    const response = await sendRequest(pooled, request, deadline);
    pool.recordResponseTime(origin, Date.now() - sentAt);
    const received = await receiveResponse(response, hop, request, deadline);
    const { credentialsFor } = request;
    if (credentialsFor !== null && (hop.status === 401 || hop.status === 403)) hop.credentialsFor = credentialsFor;
    return { hop, ...received, refusal: recordOutcome(pooled, request, hop, '') };
  } catch (error) {
    if (deadline.ended) return notSent(timeoutFailure(deadline.ended, href));
    const failure = await withProtocol(connectionFailure(error, href, pooled), request, pooled, pool);
    if (isMachineLimit(failure.code) && failure.phase !== 'body')
      return notSent(failureFact('not-sent', failure.code, machineLimitText(failure.code), href));
    const connect = error instanceof ConnectFailure ? error : null;
    hop.address = connect?.address ?? pooled.connection?.address ?? null;
    hop.tls = connect?.tls ?? null;
    return { ...notSent(failure), refusal: recordOutcome(pooled, request, { status: 0, headers: [] }, failure.code) };
  } finally {
    noteConnection(hop, pooled);
    pool.release(pooled);
  }
}

function connectionFailure(error: unknown, url: string, { connection }: PooledConnection): Failure {
  const failure = failureOf(error, 'headers', url);
  const alert = connection?.alert ?? '';
  // In TLS 1.3 a host rejects the client only after the client considers the handshake complete.
  return isConnectionLoss(failure.code) && alert.startsWith('ERR_SSL')
    ? { ...failure, phase: 'tls', code: alert }
    : failure;
}

/** The failure of an unencrypted request to a port for TLS, whose server closes the connection without a response. */
async function withProtocol(
  failure: Failure,
  { url }: HopRequest,
  { host }: PooledConnection,
  pool: ConnectionPool,
): Promise<Failure> {
  const mayBeTls = url.protocol === 'http:' && host.proxy === null && isConnectionLoss(failure.code);
  if (!mayBeTls || failure.phase !== 'headers' || !(await pool.acceptsTls(url))) return failure;
  return failureFact('headers', TLS_EXPECTED, 'the server expects TLS on this port', url.href);
}

function noteConnection(hop: Hop, { connection }: PooledConnection): void {
  if (hop.status !== 0) {
    hop.address = connection?.address ?? null;
    hop.tls = connection?.tls ?? null;
  }
  if (connection && connection.failedAddresses.length > 0) hop.failedAddresses = connection.failedAddresses;
}

// Other failures do not depend on the number of requests in flight.
const REFUSALS = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'SOCKET_CLOSED']);

/**
 * Records the outcome of a request in the queue of its host.
 * @param response with status 0 if the request failed with `code`
 */
function recordOutcome(
  { host, sent }: PooledConnection,
  { kind }: HopRequest,
  response: Pick<Hop, 'status' | 'headers'>,
  code: string,
): Refusal | null {
  const { status } = response;
  if (isTemporaryRefusal(response)) return host.queue.refused(sent, kind, `status ${status}`);
  if (status !== 0) host.queue.answered(sent, kind);
  return REFUSALS.has(code) ? host.queue.refused(sent, kind, code) : null;
}

/** The reason why the request is not sent, or null: its host is down, or has failed too often. */
function reasonToSkip(
  { url, kind, accept, isRepeat }: HopRequest,
  pool: ConnectionPool,
  breaker: CircuitBreaker,
): Failure | null {
  const down = pool.downReason(url.origin);
  if (down) return { ...down, url: url.href };
  if (isRepeat) return null;
  const reason = breaker.openReason(url.origin, kind, accept);
  return reason === null ? null : failureFact('not-sent', 'NOT_SENT', reason, url.href);
}

// Follows redirects, one request after the other.

/** Redirects that are followed; further ones are not. */
const MAX_REDIRECTS = 5;

/** The exchanges along the redirects. */
export interface RedirectChain {
  hops: Hop[];
  /** The response, or the hop that failed (status 0). */
  last: Hop;
  failure: Failure | null;
  /** Of the last request. */
  refusal: Refusal | null;
}

/**
 * @param start the URL of the first request
 * @param follows false for a preflight, whose redirects are not allowed: its first response is final
 * @param request sends one request
 */
export async function followRedirects(
  start: string,
  follows: boolean,
  request: (url: URL, before: readonly Hop[]) => Promise<HopResult>,
): Promise<RedirectChain> {
  const hops: Hop[] = [];
  let url = urlWithoutFragment(start);
  for (;;) {
    const { hop, failure, location, refusal } = await request(url, hops);
    hops.push(hop);
    if (failure || location === undefined || !follows) return { hops, last: hop, failure, refusal };
    const next = nextUrl(location, url, hops);
    if (!(next instanceof URL)) return { hops, last: hop, failure: next, refusal };
    url = next;
  }
}

/** The URL to follow, or why it is not followed. */
function nextUrl(location: string | null, from: URL, hops: readonly Hop[]): URL | Failure {
  const fail = (code: string, message: string, url = from.href): Failure => failureFact('redirect', code, message, url);
  if (location === null) return fail('REDIRECT_NO_LOCATION', 'the redirect has no Location header');
  const next = parseUrl(location, from.href);
  if (!next) return fail('REDIRECT_BAD_LOCATION', 'the redirect leads to a URL that is not http(s)');
  const shown = withoutUserinfo(next);
  if (!isHttpUrl(next)) return fail('REDIRECT_BAD_LOCATION', 'the redirect leads to a URL that is not http(s)', shown);
  if (blockedPort(next.host) !== null)
    return fail('REDIRECT_BLOCKED_PORT', 'the redirect leads to a port that browsers block', shown);
  if (next.username !== '' || next.password !== '')
    return fail('REDIRECT_CREDENTIALS', 'the redirect leads to a URL with credentials', shown);
  const target = urlWithoutFragment(next.href);
  if (hops.some((hop) => hop.url === target.href))
    return fail('REDIRECT_LOOP', 'the redirect leads to a URL that was already requested', shown);
  return hops.length > MAX_REDIRECTS ? fail('REDIRECT_LIMIT', `more than ${MAX_REDIRECTS} redirects`, shown) : target;
}

function withoutUserinfo(url: URL): string {
  const copy = new URL(url.href);
  copy.username = '';
  copy.password = '';
  return copy.href;
}
