import { lookup as lookUp } from 'node:dns';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { AddressFailure, Failure, TlsFacts } from '../../core/facts/facts.ts';
import { type AddressPolicy, lookupWithPolicy, addressRefusal } from './address-policy.ts';
import type { ReusedReadBuffer } from './read-buffer.ts';
import { checkServerIdentity, type Trust, tlsFacts, verifyMessage } from './tls.ts';

/** A failed connection attempt, and the phase in which it failed. */
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
  /** Milliseconds for name resolution, connection and handshake together. */
  timeout: number;
  lookup: LookupFunction | null;
  /** Decides which addresses may be connected to; null for all. */
  guard: AddressPolicy | null;
}

export interface Place {
  host: string;
  port: number;
  secure: boolean;
  /** An established tunnel to the target. */
  over?: Socket;
  /** How received data is read, unless as a stream. */
  reading?: ReusedReadBuffer;
}

export interface Dialled {
  socket: Socket;
  address: string | null;
  tls: TlsFacts | null;
  /** Other addresses of the name, which were tried first. */
  vain: AddressFailure[];
}

/**
 * Opens a connection. The handshake with an untrusted host is completed so that its certificate can be read; the
 * connection is then closed before anything is sent over it. Rejects with ConnectFailure.
 * @param until the deadline, as of Date.now()
 * @param closing aborts it
 */
export function dial(place: Place, options: ConnectOptions, until: number, closing: AbortSignal): Promise<Dialled> {
  const { host, port, secure, over } = place;
  const reading = place.reading ? { onread: place.reading.onread } : {};
  const { trust, guard } = options;
  const lookup = guard ? lookupWithPolicy(place, guard, options.lookup) : options.lookup;
  // Addresses are tried in turn; the usual quarter of a second is too short for distant hosts.
  const near = { host, port, autoSelectFamily: true, autoSelectFamilyAttemptTimeout: 2000 };
  const where = over ? { socket: over } : { ...near, ...reading, ...(lookup ? { lookup } : {}) };
  const vain: AddressFailure[] = [];
  let phase: Failure['phase'] = over ? 'tls' : isIP(host) ? 'connect' : 'dns';
  return new Promise((resolve, reject) => {
    const refused = guard?.(place, isIP(host) ? host : null) ?? null;
    if (refused !== null)
      return reject(new ConnectFailure('connect', refused, addressRefusal(refused).message, null, null));
    const socket: Socket = secure
      ? connectTls({
          ...where,
          servername: isIP(host) ? '' : host,
          secureContext: trust.context(),
          rejectUnauthorized: false,
          checkServerIdentity,
          ALPNProtocols: ['http/1.1'],
        })
      : connectTcp({ ...near, ...reading, ...(lookup ? { lookup } : {}) });
    place.reading?.attach(socket);
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

    socket.on('connectionAttemptFailed', (address: string, _port, _family, error: NodeJS.ErrnoException) =>
      vain.push({ address, code: error.code ?? 'CONNECT_FAILED' }),
    );
    socket.on('connectionAttemptTimeout', (address: string) => vain.push({ address, code: 'ETIMEDOUT' }));
    socket.on('lookup', (error: Error | null) => {
      if (!error) phase = 'connect';
    });
    // Before the handshake begins, and before undici is notified.
    socket.prependOnceListener('connect', () => {
      const wrong = over ? null : (guard?.(place, socket.remoteAddress ?? '') ?? null);
      if (wrong !== null) return fail(wrong, addressRefusal(wrong).message);
      phase = 'tls';
    });
    let doubted = false;
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const code = codeIn(error);
      if (code === 'ENOTFOUND' && !lookup) {
        doubted = true;
        // Without IPv6 on this machine, names that only have IPv6 addresses are reported as nonexistent.
        return lookUp(host, { family: 6 }, (none, address) => {
          if (none) return fail(code, messageOf(error));
          phase = 'connect';
          fail('ENETUNREACH', `no way to ${address}, the only kind of address that ${host} has`);
        });
      }
      // A host may send its certificate first and then reject ours.
      fail(code, messageOf(error), secure ? tlsFacts(socket as TLSSocket, trust) : null);
    });
    socket.once('close', () => doubted || fail('SOCKET_CLOSED', 'the connection was closed'));
    socket.once(secure ? 'secureConnect' : 'connect', () => {
      const said = secure ? verifyMessage(socket as TLSSocket) : null;
      const tls = secure ? tlsFacts(socket as TLSSocket, trust) : null;
      if (secure && !(socket as TLSSocket).authorized) {
        // Typed as an error, but it is the code, or the message if there is none.
        const reason: unknown = (socket as TLSSocket).authorizationError;
        const text = typeof reason === 'string' ? reason : reason instanceof Error ? reason.message : 'UNAUTHORIZED';
        return fail(/^[A-Z0-9_]+$/.test(text) ? text : 'UNSPECIFIED', said ?? text, tls);
      }
      settle();
      resolve({ socket, address: socket.remoteAddress ?? null, tls, vain });
    });
  });
}

// Errors that say nothing about the host: this machine has no route to addresses of that kind.
const LOCAL = /^(ENETUNREACH|EADDRNOTAVAIL|EAFNOSUPPORT)$/;

/** If several addresses failed, the code of the most significant error. */
function codeIn(error: NodeJS.ErrnoException): string {
  if (!(error instanceof AggregateError)) return error.code ?? 'CONNECT_FAILED';
  const codes = error.errors.map((one: NodeJS.ErrnoException) => one.code ?? 'CONNECT_FAILED');
  return codes.find((code) => !LOCAL.test(code)) ?? codes[0] ?? 'CONNECT_FAILED';
}

/** An AggregateError of several addresses has no message of its own. */
function messageOf(error: Error): string {
  if (error instanceof AggregateError)
    return error.errors.map((one: unknown) => (one instanceof Error ? one.message : String(one))).join('; ');
  return error.message;
}
