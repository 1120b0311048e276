import { callbackify } from 'node:util';
import type { buildConnector } from 'undici';
import type { TlsFacts } from '../../core/facts/facts.ts';
import type { ReusedReadBuffer } from '../../platform/read-buffer.ts';
import type { Addresses } from './addresses.ts';
import { systemErrorCode } from '../../platform/system-error.ts';
import { targetOf } from './address-policy.ts';
import type { ConnectOptions, OpenSocket } from './open-socket.ts';
import type { Proxy } from './proxy.ts';
import { connectThroughProxy } from './tunnel.ts';

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
  /** Null if it is read as a stream. */
  readBuffer: ReusedReadBuffer | null;
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
    const opening: Promise<OpenSocket & { readBuffer: ReusedReadBuffer | null }> = proxy
      ? connectThroughProxy(proxy, target, { options, until, closing })
      : addresses.open(target, options, until, closing);
    callbackify(() => opening)((error, opened) => {
      if (error) return callback(error, null);
      onOpen(trackConnection(opened));
      callback(null, opened.socket);
    });
  };
}

function trackConnection({
  socket,
  address,
  tls,
  failedAddresses,
  readBuffer,
}: OpenSocket & { readBuffer: ReusedReadBuffer | null }): ConnectionInfo {
  const connection: ConnectionInfo = {
    address,
    tls,
    failedAddresses,
    alert: null,
    responses: 0,
    isOpen: true,
    readBuffer,
    close: () => void socket.destroy(),
  };
  socket.on('error', (error) => {
    connection.alert ??= systemErrorCode(error);
  });
  socket.on('close', () => {
    connection.isOpen = false;
  });
  return connection;
}
