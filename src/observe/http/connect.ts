import { request } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { callbackify } from 'node:util';
import type { buildConnector } from 'undici';
import type { TlsFacts } from '../../core/facts/facts.ts';
import { ConnectFailure, type ConnectOptions, dial, type Dialled, type Place } from './dial.ts';
import type { Proxy } from './proxy.ts';
import type { Addresses } from './addresses.ts';
import type { ReusedReadBuffer } from './read-buffer.ts';

/** The known facts about an open connection. */
export interface ConnectionInfo {
  /** Null behind a proxy, which does not disclose it. */
  address: string | null;
  tls: TlsFacts | null;
  failedAddresses: Dialled['vain'];
  /** The code of an error that the host sent on the established connection (a TLS alert), or null. */
  alert: string | null;
  /** Responses received over it so far. */
  answers: number;
  isOpen: boolean;
  /** Null if it is read as a stream. */
  reading: ReusedReadBuffer | null;
  /** Closes it; the next request in its slot uses a new one. */
  close(): void;
}

/**
 * A connector for undici that reports the phase in which it failed, and reads the certificate of an untrusted host.
 * @param addresses of the hosts of this run
 * @param proxy the proxy to use, or null; https is tunnelled, and http is requested from the proxy itself
 * @param closing aborts pending connections
 */
export function connector(
  options: ConnectOptions,
  addresses: Addresses,
  proxy: Proxy | null,
  closing: AbortSignal,
  opened: (connection: ConnectionInfo) => void,
): buildConnector.connector {
  return ({ hostname, protocol, port }, callback) => {
    const secure = protocol === 'https:';
    const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    const target: Place = { host, port: Number(port) || (secure ? 443 : 80), secure };
    const until = Date.now() + options.timeout;
    const reached: Promise<Dialled & { reading: ReusedReadBuffer | null }> = proxy
      ? through(proxy, target, options, until, closing).then((dialled) => ({ ...dialled, reading: null }))
      : addresses.open(target, options, until, closing);
    callbackify(() => reached)((error, dialled) => {
      if (error) return callback(error, null);
      const { socket, address, tls, vain, reading } = dialled;
      const connection: ConnectionInfo = {
        address,
        tls,
        failedAddresses: vain,
        alert: null,
        answers: 0,
        isOpen: true,
        reading,
        close: () => void socket.destroy(),
      };
      socket.on('error', ({ code = null }: { code?: string | null }) => {
        connection.alert ??= code;
      });
      socket.on('close', () => (connection.isOpen = false));
      opened(connection);
      callback(null, socket);
    });
  };
}

async function through(
  proxy: Proxy,
  target: Place,
  options: ConnectOptions,
  until: number,
  closing: AbortSignal,
): Promise<Dialled> {
  if (proxy.unusable !== null) throw failure('PROXY_UNUSABLE', proxy.unusable);
  let socket: Socket;
  try {
    ({ socket } = await dial(proxy, options, until, closing));
  } catch (error) {
    if (!(error instanceof ConnectFailure)) throw error;
    throw failure(error.code, error.message, error.tls);
  }
  if (!target.secure) return { socket, address: null, tls: null, vain: [] };
  await tunnel(socket, proxy, target, until);
  return { ...(await dial({ ...target, over: socket }, options, until, closing)), address: null };
}

/** Has the proxy connect to the target (RFC 9110, section 9.3.6); the socket then leads there. */
function tunnel(socket: Socket, { authorization }: Proxy, { host, port }: Place, until: number): Promise<void> {
  const authority = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  return new Promise((resolve, reject) => {
    const asked = request({
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...(authorization ? { 'proxy-authorization': authorization } : {}) },
      createConnection: () => socket,
    });
    const fail = (code: string, message: string): void => {
      clearTimeout(timer);
      socket.destroy();
      reject(failure(code, message));
    };
    const late = (): void => fail('CONNECT_TIMEOUT', 'the proxy did not answer in time');
    const timer = setTimeout(late, Math.max(0, until - Date.now()));
    asked.on('error', ({ code = 'SOCKET_CLOSED', message }: NodeJS.ErrnoException) =>
      fail(code.startsWith('HPE_') ? 'PROXY_NOT_HTTP' : code, message),
    );
    asked.on('connect', ({ statusCode = 0, headers }, _, head: Buffer) => {
      const told = String(headers['x-squid-error'] ?? '');
      if (statusCode < 200 || statusCode > 299)
        return fail(`PROXY_${statusCode}`, `the proxy answered ${statusCode}${told && ` (${told})`}`);
      clearTimeout(timer);
      if (head.length > 0) socket.unshift(head);
      resolve();
    });
    asked.end();
  });
}

function failure(code: string, message: string, tls: TlsFacts | null = null): ConnectFailure {
  return new ConnectFailure('proxy', code, message, null, tls);
}
