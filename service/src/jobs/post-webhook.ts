import { ConnectFailure, type ConnectOptions, openSocket, targetOf } from 'appreg/node';
import { type DeliveryError } from '../domain/webhooks.ts';
import { type Socket } from 'node:net';
import { type IncomingMessage, request } from 'node:http';
import { createHmac } from 'node:crypto';
import { signingKey } from '../domain/webhook-secrets.ts';

/** Sends one request to a webhook: over a connection of its own, to an address that may be requested. */

interface PostOptions {
  connect: ConnectOptions;
  /** Milliseconds for everything. */
  timeout: number;
  /** Ends the request. */
  signal: AbortSignal;
}

/** Milliseconds and bytes of a body that is read before the connection is closed, so that the receiver sees no error. */
const DRAIN_TIME = 1000;
const DRAINED = 65_536;

/** Response of the receiver: redirects are not followed, and bodies are ignored. */
export type PostResult = { status: number; retryAfter: number | null } | { error: DeliveryError };

export async function post(
  url: string,
  headers: Record<string, string>,
  body: string,
  { connect, timeout, signal }: PostOptions,
): Promise<PostResult> {
  const late = AbortSignal.timeout(timeout);
  const ending = AbortSignal.any([late, signal]);
  let socket: Socket;
  try {
    const until = Date.now() + Math.min(timeout, connect.timeout);
    ({ socket } = await openSocket(targetOf(new URL(url)), connect, until, ending));
  } catch (error) {
    return { error: error instanceof ConnectFailure && error.phase === 'tls' ? 'tls' : 'unreachable' };
  }
  try {
    const response = await respond(socket, url, headers, body, ending);
    await drain(response, ending);
    const { statusCode = 0, headers: received } = response;
    return { status: statusCode, retryAfter: retryAfterIn(received['retry-after']) };
  } catch {
    return { error: late.aborted ? 'timeout' : 'connection-lost' };
  } finally {
    socket.destroy();
  }
}

/** The status and the headers of the response. */
async function respond(
  socket: Socket,
  url: string,
  headers: Record<string, string>,
  body: string,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { host, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    request({
      method: 'POST',
      path: pathname + search,
      headers: { ...headers, host, 'content-length': String(Buffer.byteLength(body)), connection: 'close' },
      createConnection: () => socket,
      signal,
    })
      .on('response', (response) => {
        // An error after its status changes nothing, and may occur after it was read.
        response.on('error', () => {});
        resolve(response);
      })
      .on('upgrade', () => reject(new Error('The receiver switched protocols.')))
      .on('error', reject)
      .end(body);
  });
}

/** Reads a body as far as it is small and fast. */
async function drain(response: IncomingMessage, signal: AbortSignal): Promise<void> {
  const late = setTimeout(() => response.destroy(), DRAIN_TIME);
  let size = 0;
  try {
    for await (const chunk of response) {
      size += chunk.length;
      if (size > DRAINED || signal.aborted) break;
    }
  } catch {
    // The status is the result; a failing body adds nothing to it.
  } finally {
    clearTimeout(late);
  }
}

/** Seconds are common; a date is ignored. */
function retryAfterIn(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,6}$/.test(text) ? Number(text) * 1000 : null;
}

/**
 * The headers of a delivery (Standard Webhooks).
 * @param secrets each signs it: a receiver may not have a new one yet
 * @param at when it is sent: receivers refuse old signatures
 */
export function signatureHeaders(
  secrets: readonly string[],
  id: string,
  at: Date,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = secrets.map((secret) =>
    createHmac('sha256', signingKey(secret)).update(`${id}.${timestamp}.${body}`).digest('base64'),
  );
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.map((signature) => `v1,${signature}`).join(' '),
  };
}
