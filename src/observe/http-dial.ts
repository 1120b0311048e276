import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
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

export interface ConnectOptions {
  trust: Trust;
  /** Milliseconds for the name, the connection and the handshake together. */
  timeout: number;
  lookup: LookupFunction | null;
}

export interface Place {
  host: string;
  port: number;
  secure: boolean;
  /** A tunnel that leads there already. */
  over?: Socket;
}

export interface Dialled {
  socket: Socket;
  address: string | null;
  tls: TlsFacts | null;
}

/**
 * Opens a connection. The handshake with a host that is not trusted is let through, so that its certificate can be read;
 * the connection is then closed before anything is sent over it. Rejects with ConnectFailure.
 * @param until the moment when it must stand, as of Date.now(); @param closing breaks it off
 */
export function dial(place: Place, options: ConnectOptions, until: number, closing: AbortSignal): Promise<Dialled> {
  const { host, port, secure, over } = place;
  const { trust, lookup } = options;
  const where = over ? { socket: over } : { host, port, ...(lookup ? { lookup } : {}) };
  let phase: Failure['phase'] = over ? 'tls' : isIP(host) ? 'connect' : 'dns';
  return new Promise((resolve, reject) => {
    const socket: Socket = secure
      ? connectTls({
          ...where,
          servername: isIP(host) ? '' : host,
          secureContext: trust.context(),
          rejectUnauthorized: false,
          ALPNProtocols: ['http/1.1'],
        })
      : connectTcp({ host, port, ...(lookup ? { lookup } : {}) });
    socket.setNoDelay(true);
    const abort = (): void => fail('SOCKET_CLOSED', 'the run ended');
    const timer = setTimeout(
      () => fail('CONNECT_TIMEOUT', `no connection within ${options.timeout / 1000} s`),
      Math.max(0, until - Date.now()),
    );
    closing.addEventListener('abort', abort);

    function settle(): void {
      clearTimeout(timer);
      closing.removeEventListener('abort', abort);
      socket.removeAllListeners('error').removeAllListeners('close').removeAllListeners('lookup');
    }
    function fail(code: string, message: string, tls: TlsFacts | null = null): void {
      const address = socket.remoteAddress ?? null;
      settle();
      socket.on('error', () => {}).destroy();
      over?.destroy();
      reject(new ConnectFailure(phase, code, message, over ? null : address, tls));
    }

    socket.on('lookup', (error: Error | null) => {
      if (!error) phase = 'connect';
    });
    socket.once('connect', () => {
      phase = 'tls';
    });
    socket.on('error', (error: NodeJS.ErrnoException) =>
      // A host may show its certificate first, and refuse ours then.
      fail(error.code ?? codeIn(error), messageOf(error), secure ? tlsFacts(socket as TLSSocket, trust) : null),
    );
    socket.once('close', () => fail('SOCKET_CLOSED', 'the connection was closed'));
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      const tls = secure ? tlsFacts(socket as TLSSocket, trust) : null;
      if (secure && !(socket as TLSSocket).authorized) {
        // Typed as an error, but it is the code, or the words where there is none.
        const reason: unknown = (socket as TLSSocket).authorizationError;
        const text = typeof reason === 'string' ? reason : reason instanceof Error ? reason.message : 'UNAUTHORIZED';
        return fail(/^[A-Z0-9_]+$/.test(text) ? text : 'UNSPECIFIED', text, tls);
      }
      settle();
      resolve({ socket, address: socket.remoteAddress ?? null, tls });
    });
  });
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
