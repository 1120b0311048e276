import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { buildConnector } from 'undici';
import type { Failure, TlsFacts } from '../core/facts.ts';
import { type Trust, tlsFacts } from './tls.ts';

/** A connection that did not come about, and how far it got. */
export class ConnectFailure extends Error {
  readonly phase: Failure['phase'];
  readonly code: string;
  readonly address: string | null;
  readonly tls: TlsFacts | null;

  constructor(phase: Failure['phase'], code: string, message: string, address: string | null, tls: TlsFacts | null) {
    super(message);
    this.phase = phase;
    this.code = code;
    this.address = address;
    this.tls = tls;
  }
}

/** What is known of an open connection. */
export interface Connection {
  address: string | null;
  tls: TlsFacts | null;
  /** Answers that came over it so far. */
  answers: number;
}

export interface ConnectOptions {
  trust: Trust;
  /** Milliseconds for the name, the connection and the handshake together. */
  timeout: number;
  lookup: LookupFunction | null;
}

/**
 * A connector for undici that says in which phase it failed, and reads the certificate of a host that is not trusted:
 * the handshake is let through, the verdict looked at, and the connection closed before anything is sent over it.
 */
export function connector(options: ConnectOptions, opened: (connection: Connection) => void): buildConnector.connector {
  return ({ hostname, protocol, port }, callback) => {
    const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    const secure = protocol === 'https:';
    let phase: Failure['phase'] = isIP(host) ? 'connect' : 'dns';
    let done = false;
    const place = {
      host,
      port: Number(port) || (secure ? 443 : 80),
      ...(options.lookup ? { lookup: options.lookup } : {}),
    };
    const socket: Socket = secure
      ? connectTls({
          ...place,
          servername: isIP(host) ? '' : host,
          secureContext: options.trust.context(),
          rejectUnauthorized: false,
          ALPNProtocols: ['http/1.1'],
        })
      : connectTcp(place);
    socket.setNoDelay(true);

    function fail(code: string, message: string, tls: TlsFacts | null = null): void {
      if (done) return;
      done = true;
      clearTimeout(timer);
      const address = socket.remoteAddress ?? null;
      socket.on('error', () => {}).destroy();
      callback(new ConnectFailure(phase, code, message, address, tls), null);
    }
    const timer = setTimeout(
      () => fail('CONNECT_TIMEOUT', `no connection within ${options.timeout / 1000} s`),
      options.timeout,
    );

    socket.on('lookup', (error: Error | null) => {
      if (!error) phase = 'connect';
    });
    socket.once('connect', () => {
      phase = 'tls';
    });
    socket.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? codeIn(error), messageOf(error)));
    socket.once('close', () => fail('SOCKET_CLOSED', 'the connection was closed'));
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      if (done) return;
      const tls = secure ? tlsFacts(socket as TLSSocket, options.trust) : null;
      if (secure && !(socket as TLSSocket).authorized) {
        // Typed as an error, but it is the code, or the words where there is none.
        const reason: unknown = (socket as TLSSocket).authorizationError;
        const text = typeof reason === 'string' ? reason : reason instanceof Error ? reason.message : 'UNAUTHORIZED';
        return fail(/^[A-Z0-9_]+$/.test(text) ? text : 'UNSPECIFIED', text, tls);
      }
      done = true;
      clearTimeout(timer);
      socket.removeAllListeners('error').removeAllListeners('close').removeAllListeners('lookup');
      opened({ address: socket.remoteAddress ?? null, tls, answers: 0 });
      callback(null, socket);
    });
  };
}

function codeIn(error: Error): string {
  const first = error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException | undefined) : undefined;
  return first?.code ?? 'CONNECT_FAILED';
}

/** Several addresses fail with an error that has no words of its own. */
function messageOf(error: Error): string {
  if (error instanceof AggregateError)
    return error.errors.map((one: unknown) => (one instanceof Error ? one.message : String(one))).join('; ');
  return error.message;
}
