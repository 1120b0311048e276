import { callbackify } from 'node:util';
import type { buildConnector } from 'undici';
import type { TlsFacts } from '../../core/facts/facts.ts';
import type { Addresses } from './addresses.ts';
import { systemErrorCode } from '../../platform/system-error.ts';
import { endParserPause } from '../../platform/parser-pause.ts';
import { targetOf } from './address-policy.ts';
import { type ConnectOptions, type OpenSocket, type Endpoint, openSocket } from './open-socket.ts';
import type { Proxy } from './proxy.ts';
import { request } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { ConnectFailure } from './failure.ts';

/** The known facts about an open connection. */
export interface ConnectionInfo {
  /** Null behind a proxy, which does not disclose it. */
  address: string | null;
  tls: TlsFacts | null;
  failedAddresses: OpenSocket['failedAddresses'];
  /** The code of an error that the host sent on the established connection (a TLS alert), or null. */
  alert: string | null;
  /** Responses received over it so far. */
  responses: number;
  isOpen: boolean;
  /** Called when the host has closed its side, before the client learns it; null without a response. */
  onHostClosed: (() => void) | null;
  /** Closes it; the next request in its slot uses a new one. */
  close(): void;
}

interface ConnectorOptions {
  options: ConnectOptions;
  /** Of the hosts of this run. */
  addresses: Addresses;
  /** The proxy to use, or null; https is tunnelled, and http is requested from the proxy itself. */
  proxy: Proxy | null;
  /** Aborts pending connections. */
  closing: AbortSignal;
  onOpen(connection: ConnectionInfo): void;
}

/** A connector for undici that reports the phase in which it failed, and reads the certificate of an untrusted host. */
export function openConnector({
  options,
  addresses,
  proxy,
  closing,
  onOpen,
}: ConnectorOptions): buildConnector.connector {
  return (url, callback) => {
    const target = targetOf(url);
    const until = Date.now() + options.timeout;
    const opening: Promise<OpenSocket> = proxy
      ? connectThroughProxy(proxy, target, { options, until, closing })
      : addresses.open(target, options, until, closing);
    callbackify(() => opening)((error, opened) => {
      if (error) return callback(error, null);
      onOpen(trackConnection(opened));
      callback(null, opened.socket);
    });
  };
}

function trackConnection({ socket, address, tls, failedAddresses }: OpenSocket): ConnectionInfo {
  const connection: ConnectionInfo = {
    address,
    tls,
    failedAddresses,
    alert: null,
    responses: 0,
    isOpen: true,
    onHostClosed: null,
    close: () => void socket.destroy(),
  };
  socket.on('end', () => {
    connection.onHostClosed?.();
    endParserPause(socket);
  });
  socket.on('error', (error) => {
    connection.alert ??= systemErrorCode(error);
    endParserPause(socket);
  });
  socket.on('close', () => {
    connection.isOpen = false;
    endParserPause(socket);
  });
  return connection;
}

/** Connects to a target through a proxy. */

interface TunnelOptions {
  options: ConnectOptions;
  /** The deadline, as of Date.now(). */
  until: number;
  /** Aborts it. */
  closing: AbortSignal;
}

/** Rejects with ConnectFailure. A connection to an unencrypted target is one to the proxy itself. */
async function connectThroughProxy(
  proxy: Proxy,
  target: Endpoint,
  { options, until, closing }: TunnelOptions,
): Promise<OpenSocket> {
  if (proxy.unusable !== null) throw proxyFailure('PROXY_UNUSABLE', proxy.unusable);
  const socket = await openSocket(proxy, options, until, closing).then(
    (opened) => opened.socket,
    (error: unknown) => {
      if (!(error instanceof ConnectFailure)) throw error;
      throw proxyFailure(error.code, error.message, error.tls);
    },
  );
  if (!target.secure) return { socket, address: null, tls: null, failedAddresses: [] };
  await openTunnel(socket, proxy, target, until);
  const opened = await openSocket({ ...target, tunnel: socket }, options, until, closing);
  return { ...opened, address: null };
}

/** Has the proxy connect to the target (RFC 9110, section 9.3.6); the socket then leads there. */
function openTunnel(socket: Socket, { authorization }: Proxy, { host, port }: Endpoint, until: number): Promise<void> {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const connectRequest = request({
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...(authorization ? { 'proxy-authorization': authorization } : {}) },
      createConnection: () => socket,
    });
    const fail = (code: string, message: string): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(proxyFailure(code, message));
    };
    const expire = (): void => fail('CONNECT_TIMEOUT', 'the proxy timed out');
    const timer = setTimeout(expire, Math.max(0, until - Date.now()));
    connectRequest.on('error', ({ code = 'SOCKET_CLOSED', message }: NodeJS.ErrnoException) =>
      fail(code.startsWith('HPE_') ? 'PROXY_NOT_HTTP' : code, message),
    );
    connectRequest.on('connect', ({ statusCode = 0, headers }, _, head: Buffer) => {
      const squidError = String(headers['x-squid-error'] ?? '');
      if (statusCode < 200 || statusCode > 299)
        return fail(`PROXY_${statusCode}`, `the proxy responded with ${statusCode}${squidError && ` (${squidError})`}`);
      const isPage = Number(headers['content-length'] ?? 0) > 0 || /^text\/html/i.test(headers['content-type'] ?? '');
      if (isPage || isText(head)) return fail('PROXY_PAGE', 'the proxy responded with a page instead of a tunnel');
      clearTimeout(timer);
      if (head.length > 0) socket.unshift(head);
      resolve();
    });
    connectRequest.end();
  });
}

/** True for bytes that no TLS record begins with: a server sends nothing before the client does. */
function isText(head: Buffer): boolean {
  const [first = TLS_HANDSHAKE] = head;
  return first !== TLS_HANDSHAKE && first !== TLS_ALERT;
}

/** Types of TLS records (RFC 8446, section 5.1). */
const TLS_ALERT = 21;
const TLS_HANDSHAKE = 22;

function proxyFailure(code: string, message: string, tls: TlsFacts | null = null): ConnectFailure {
  return new ConnectFailure({ phase: 'proxy', code, message, tls });
}
