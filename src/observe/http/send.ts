import type { Dispatcher } from 'undici';
import { BodyStream, type ClientResponse, responseBodyOf } from './response.ts';
import type { Deadline } from './deadlines.ts';
import { systemErrorCode } from '../../platform/system-error.ts';
import type { HopRequest } from './request.ts';
import type { PooledConnection } from './pool.ts';
import { request } from 'node:http';
import { openSeparateSocket } from './separate-socket.ts';
import { requestTolerantly } from './tolerant-request.ts';

/** Sends a request over a pooled connection. */

/**
 * Rejects with the client's errors, or with the reason why the deadline ended. The request is sent again over a new
 * connection if the host closed an idle one just as it was reused.
 */
export async function sendRequest(
  pooled: PooledConnection,
  { method, url, headers, tolerant }: HopRequest,
  deadline: Deadline,
): Promise<ClientResponse> {
  // Unencrypted requests are sent to the proxy itself, with the absolute URL (RFC 9112, section 3.2.2).
  const proxy = url.protocol === 'http:' ? pooled.host.proxy : null;
  const authorization = proxy?.authorization ? ['proxy-authorization', proxy.authorization] : [];
  const options = {
    method,
    path: proxy ? url.href : url.pathname + url.search,
    headers: [...headers.flat(), ...authorization],
    // Without `reset` the client would close the connection after every HEAD.
    reset: false,
  };
  if (tolerant) return requestTolerantly(pooled, { ...options, signal: deadline.signal });
  if (pooled.host.sendsContinue) return requestWithNodeHttp(pooled, { ...options, signal: deadline.signal });
  const reused = pooled.connection !== null && pooled.connection.responses > 0 ? pooled.connection : null;
  const isStillReused = (): boolean => reused !== null && pooled.connection === reused;
  try {
    const response = await sendOnce(pooled, options, deadline);
    if (response.statusCode !== 408 || !isStillReused()) return response;
    // The host reports that it closes an idle connection (RFC 9110, section 15.5.9).
    response.body.destroy();
  } catch (error) {
    if (isUnexpectedContinue(error)) {
      pooled.host.sendsContinue = true;
      return requestWithNodeHttp(pooled, { ...options, signal: deadline.signal });
    }
    // The host closed an idle connection just as it was reused: not a fault, a new one is made.
    if (!isStillReused() || !isConnectionLoss(systemErrorCode(error) ?? '')) throw error;
  }
  return sendOnce(pooled, options, deadline);
}

async function sendOnce(
  pooled: PooledConnection,
  options: Dispatcher.DispatchOptions,
  deadline: Deadline,
): Promise<ClientResponse> {
  const response = await dispatch(pooled, options, deadline);
  if (pooled.connection) pooled.connection.responses += 1;
  return response;
}

/** The client reports “100 Continue” only through this error message. */
function isUnexpectedContinue(error: unknown): boolean {
  return error instanceof Error && error.message === 'bad response';
}

/** True if an error means that the connection was closed. */
export function isConnectionLoss(code: string): boolean {
  return /^(UND_ERR_SOCKET|SOCKET_CLOSED|ECONNRESET|EPIPE)$/.test(code);
}

/** Sends one request. It avoids the streams of undici's `request`, which cost as much as hashing their content. */
function dispatch(
  pooled: PooledConnection,
  options: Dispatcher.DispatchOptions,
  deadline: Deadline,
): Promise<ClientResponse> {
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | null = null;
    let body: BodyStream | null = null;
    const receive = (received: BodyStream | null): void => {
      const { connection } = pooled;
      if (connection === null) return;
      connection.onHostClosed = received && (() => received.takeRest());
    };
    deadline.onEnd((reason) => {
      if (controller) controller.abort(reason);
      // The client may never start it, for example if it considers the request before it unfinished.
      else void pooled.client.destroy(reason);
    });
    pooled.client.dispatch(options, {
      onRequestStart(started) {
        controller = started;
        pooled.host.queue.write(pooled.sent);
        if (deadline.ended) started.abort(deadline.ended);
      },
      onResponseStart(started, statusCode) {
        // Without the header Upgrade, the client fails an assertion.
        if (statusCode === 101) return started.abort(new Error('bad upgrade'));
        if (statusCode < 200) return;
        body = new BodyStream(started);
        receive(body);
        resolve({ statusCode, headers: headersOf(started), body, hasContinue: false });
      },
      onResponseData(_, chunk) {
        body?.add(chunk);
      },
      onResponseEnd() {
        deadline.onEnd(null);
        receive(null);
        body?.end(null);
      },
      onResponseError(_, error) {
        deadline.onEnd(null);
        receive(null);
        if (body) body.end(error);
        else reject(error);
      },
    });
  });
}

/** Alternating names and values, as sent: undici passes a list of buffers. */
function headersOf({ rawHeaders }: Dispatcher.DispatchController): string[] {
  return Array.isArray(rawHeaders) ? rawHeaders.map(String) : [];
}

/** A request as undici takes it. */
interface ClientRequest {
  method: string;
  path: string;
  /** Alternating names and values. */
  headers: string[];
  signal: AbortSignal;
}

/**
 * A request by Node's own client over a separate connection, for hosts that send an unsolicited "100 Continue": it is
 * legal (RFC 9110, section 15.2), but undici aborts on it. Failures have undici's codes.
 */
async function requestWithNodeHttp(
  pooled: PooledConnection,
  { headers, method, path, signal }: ClientRequest,
): Promise<ClientResponse> {
  const { origin, limits } = pooled.host;
  const { host } = new URL(origin);
  const socket = await openSeparateSocket(pooled);
  let phase: 'HEADERS' | 'BODY' = 'HEADERS';
  socket.setTimeout(limits.headersTimeout, () =>
    socket.destroy(Object.assign(new Error('timeout'), { code: `UND_ERR_${phase}_TIMEOUT` })),
  );
  return new Promise((resolve, reject) => {
    pooled.host.queue.write(pooled.sent);
    let hasContinue = false;
    request({ method, path, signal, headers: ['host', host, ...headers], createConnection: () => socket })
      .on('continue', () => {
        hasContinue = true;
      })
      .on('response', (response) => {
        const { statusCode = 0, rawHeaders } = response;
        phase = 'BODY';
        socket.setTimeout(limits.idleTimeout);
        resolve({ statusCode, headers: rawHeaders, body: responseBodyOf(response), hasContinue });
      })
      .on('upgrade', (_, upgraded) => {
        upgraded.destroy();
        reject(new Error('bad upgrade'));
      })
      .on('error', reject)
      .end();
  });
}
