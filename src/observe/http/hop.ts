import type { Failure, Hop } from '../../core/facts/facts.ts';
import { isMachineLimit, machineLimitText } from '../../core/http/machine-limit.ts';
import type { CircuitBreaker } from './circuit-breaker.ts';
import { ConnectFailure } from './connect-failure.ts';
import { type Deadline, timeoutFailure } from './deadlines.ts';
import { failureFact, failureOf } from './failure.ts';
import type { ConnectionPool, PooledConnection } from './pool.ts';
import { receiveResponse, type ReceivedResponse } from './receive.ts';
import type { HopRequest } from './request.ts';
import { isConnectionLoss, sendRequest } from './send.ts';

/** One request and its response. */

export interface HopResult extends ReceivedResponse {
  hop: Hop;
  /** True if the host refused it temporarily, and fewer concurrent requests may help. */
  isCrowded: boolean;
}

/** Sends one request, and receives its response. */
export async function requestHop(
  request: HopRequest,
  pool: ConnectionPool,
  breaker: CircuitBreaker,
  deadline: Deadline,
): Promise<HopResult> {
  const { origin, href } = request.url;
  const hop: Hop = { url: href, status: 0, headers: [], address: null, tls: null };
  if (request.withCredentials) hop.withCredentials = true;
  const notSent = (failure: Failure): HopResult => ({ hop, failure, location: undefined, isCrowded: false });
  const skipped = reasonToSkip(request, pool, breaker);
  if (skipped) return notSent(skipped);
  deadline.pause();
  const pooled = await pool.acquire(origin, deadline);
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
    return { hop, ...received, isCrowded: recordOutcome(pooled, request, hop.status, '') };
  } catch (error) {
    if (deadline.ended) return notSent(timeoutFailure(deadline.ended, href));
    const failure = connectionFailure(error, href, pooled);
    if (isMachineLimit(failure.code) && failure.phase !== 'body')
      return notSent(failureFact('not-sent', failure.code, machineLimitText(failure.code), href));
    const connect = error instanceof ConnectFailure ? error : null;
    hop.address = connect?.address ?? pooled.connection?.address ?? null;
    hop.tls = connect?.tls ?? null;
    return { ...notSent(failure), isCrowded: recordOutcome(pooled, request, 0, failure.code) };
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
 * Records the outcome of a request for the concurrency window.
 * @param status 0 if the request failed with `code`
 * @returns whether the host refused it temporarily, and fewer concurrent requests may help
 */
function recordOutcome({ host, sent }: PooledConnection, { kind }: HopRequest, status: number, code: string): boolean {
  if (status === 429 || status === 503) return host.window.refused(sent, kind, `status ${status}`);
  if (status !== 0) host.window.answered(sent, kind);
  return REFUSALS.has(code) && host.window.refused(sent, kind, code);
}

/** Why the request is not sent, or null: its host is down, or has failed too often. */
function reasonToSkip(
  { url, kind, isRepeat }: HopRequest,
  pool: ConnectionPool,
  breaker: CircuitBreaker,
): Failure | null {
  const down = pool.downReason(url.origin);
  if (down) return { ...down, url: url.href };
  if (isRepeat) return null;
  const reason = breaker.openReason(url.origin, kind);
  return reason === null ? null : failureFact('not-sent', 'NOT_SENT', reason, url.href);
}
