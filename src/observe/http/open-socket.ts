import { lookup as lookUp } from 'node:dns';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, TLSSocket } from 'node:tls';
import type { AddressFailure, Failure, TlsFacts } from '../../core/facts/facts.ts';
import { verifyMessage } from '../../platform/tls-handles.ts';
import { type AddressPolicy, addressRefusal, lookupWithPolicy, type ConnectionTarget } from './address-policy.ts';
import { isMachineLimit } from '../../core/errors/machine-limit.ts';
import { areFilesExhausted } from '../../platform/machine-limit.ts';
import { ConnectFailure } from './failure.ts';
import { checkServerIdentity, type Trust, tlsFacts } from './tls.ts';

/** Options of a connection. */
export interface ConnectOptions {
  trust: Trust;
  /** Milliseconds for name resolution, connection and handshake together. */
  timeout: number;
  lookup: LookupFunction | null;
  /** Decides which addresses may be connected to; null for all. */
  guard: AddressPolicy | null;
}

export interface Endpoint extends ConnectionTarget {
  /** An established tunnel to the target. */
  tunnel?: Socket;
}

export interface OpenSocket {
  socket: Socket;
  address: string | null;
  tls: TlsFacts | null;
  /** Other addresses of the name, which were tried first. */
  failedAddresses: AddressFailure[];
}

/**
 * Opens a connection. The handshake with an untrusted host is completed so that its certificate can be read; the
 * connection is then closed before anything is sent over it. Rejects with ConnectFailure.
 * @param until the deadline, as of Date.now()
 * @param closing aborts it
 */
export function openSocket(
  endpoint: Endpoint,
  options: ConnectOptions,
  until: number,
  closing: AbortSignal,
): Promise<OpenSocket> {
  const { host } = endpoint;
  const refused = options.guard?.(endpoint, isIP(host) ? host : null) ?? null;
  if (refused !== null) {
    const { message } = addressRefusal(refused);
    return Promise.reject(new ConnectFailure({ phase: 'connect', code: refused, message }));
  }
  return new Promise((resolve, reject) => {
    new ConnectionAttempt(endpoint, options, { resolve, reject }).start(until, closing);
  });
}

/** The socket, which connects by itself. */
function createSocket(endpoint: Endpoint, { trust, guard, lookup: plainLookup }: ConnectOptions): Socket {
  const { host, port, secure, tunnel } = endpoint;
  const lookup = guard ? lookupWithPolicy(endpoint, guard, plainLookup) : plainLookup;
  const address = {
    host,
    port,
    // Addresses are tried in turn; the usual quarter of a second is too short for distant hosts.
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: 2000,
    ...(lookup ? { lookup } : {}),
  };
  if (!secure) return connectTcp(address);
  return connectTls({
    ...(tunnel ? { socket: tunnel } : address),
    servername: isIP(host) ? '' : host,
    secureContext: trust.context(),
    rejectUnauthorized: false,
    checkServerIdentity,
    ALPNProtocols: ['http/1.1'],
  });
}

/** One attempt to connect, which settles a promise. */
class ConnectionAttempt {
  private readonly endpoint: Endpoint;
  private readonly options: ConnectOptions;
  private readonly promise: { resolve(opened: OpenSocket): void; reject(error: Error): void };
  private readonly socket: Socket;
  private readonly failedAddresses: AddressFailure[] = [];
  private phase: Failure['phase'];
  /** True while it is found out whether the name has addresses of the other family. */
  private isLookingUp = false;
  private stopWaiting = (): void => {};

  constructor(endpoint: Endpoint, options: ConnectOptions, promise: ConnectionAttempt['promise']) {
    this.endpoint = endpoint;
    this.options = options;
    this.promise = promise;
    this.phase = firstPhase(endpoint);
    this.socket = createSocket(endpoint, options);
  }

  start(until: number, closing: AbortSignal): void {
    const { socket } = this;
    socket.setNoDelay(true);
    const abort = (): void => this.fail('SOCKET_CLOSED', 'the run was aborted');
    const expire = (): void => this.fail('CONNECT_TIMEOUT', `no connection within ${this.options.timeout / 1000} s`);
    const timer = setTimeout(expire, Math.max(0, until - Date.now()));
    closing.addEventListener('abort', abort);
    this.stopWaiting = () => {
      clearTimeout(timer);
      closing.removeEventListener('abort', abort);
    };
    this.trackPhase();
    socket.on('error', (error: NodeJS.ErrnoException) => this.onError(error));
    socket.once('close', () => {
      if (!this.isLookingUp) this.fail('SOCKET_CLOSED', 'the connection was closed');
    });
    socket.once(this.endpoint.secure ? 'secureConnect' : 'connect', () => this.onConnected());
  }

  private trackPhase(): void {
    const { socket, failedAddresses } = this;
    socket.on('connectionAttemptFailed', (address: string, _port, _family, error: NodeJS.ErrnoException) => {
      const code = codeOf(error);
      if (!isMachineLimit(code)) failedAddresses.push({ address, code });
    });
    socket.on('connectionAttemptTimeout', (address: string) => failedAddresses.push({ address, code: 'ETIMEDOUT' }));
    socket.on('lookup', (error: Error | null) => {
      if (!error) this.phase = 'connect';
    });
    // Before the handshake begins, and before undici is notified.
    socket.prependOnceListener('connect', () => {
      const { guard } = this.options;
      const refused = this.endpoint.tunnel ? null : (guard?.(this.endpoint, socket.remoteAddress ?? '') ?? null);
      if (refused !== null) this.fail(refused, addressRefusal(refused).message);
      else this.phase = 'tls';
    });
  }

  private onError(error: NodeJS.ErrnoException): void {
    const { host } = this.endpoint;
    const { guard, lookup } = this.options;
    const code = this.phase === 'dns' && areFilesExhausted() ? 'EMFILE' : connectCode(error);
    if (code !== 'ENOTFOUND' || guard || lookup) {
      // A host may send its certificate first and then reject ours.
      this.fail(code, connectMessage(error), this.readTlsFacts());
      return;
    }
    this.isLookingUp = true;
    // Without IPv6 on this machine, names that only have IPv6 addresses are reported as nonexistent.
    lookUp(host, { family: 6 }, (notFound, address) => {
      if (notFound) return this.fail(code, connectMessage(error));
      this.phase = 'connect';
      this.fail('ENETUNREACH', `no route to ${address}, the only kind of address that ${host} has`);
    });
  }

  private onConnected(): void {
    const { socket, failedAddresses } = this;
    if (socket instanceof TLSSocket && !socket.authorized) {
      const message = verifyMessage(socket);
      const code = authorizationCode(socket);
      this.fail(
        /^[A-Z0-9_]+$/.test(code) ? code : 'UNSPECIFIED',
        message ?? code,
        tlsFacts(socket, this.options.trust),
      );
      return;
    }
    const tls = this.readTlsFacts();
    this.settle();
    this.promise.resolve({ socket, address: socket.remoteAddress ?? null, tls, failedAddresses });
  }

  private readTlsFacts(): TlsFacts | null {
    return this.socket instanceof TLSSocket ? tlsFacts(this.socket, this.options.trust) : null;
  }

  private fail(code: string, message: string, tls: TlsFacts | null = null): void {
    const { socket, phase } = this;
    const { tunnel } = this.endpoint;
    const address = tunnel ? null : (socket.remoteAddress ?? null);
    this.settle();
    socket.on('error', () => {}).destroy();
    tunnel?.destroy();
    this.promise.reject(new ConnectFailure({ phase, code, message, address, tls }));
  }

  private settle(): void {
    this.stopWaiting();
    this.socket.removeAllListeners('error').removeAllListeners('close').removeAllListeners('lookup');
  }
}

function firstPhase({ tunnel, host }: Endpoint): Failure['phase'] {
  if (tunnel) return 'tls';
  return isIP(host) ? 'connect' : 'dns';
}

/**
 * The reason why a certificate is not trusted. Typed as an error, but it is the code, or the message if there is
 * none.
 */
function authorizationCode({ authorizationError }: TLSSocket): string {
  const reason: unknown = authorizationError;
  if (typeof reason === 'string') return reason;
  return reason instanceof Error ? reason.message : 'UNAUTHORIZED';
}

// Errors that say nothing about the host: this machine has no route to addresses of that kind.
const LOCAL = /^(ENETUNREACH|EADDRNOTAVAIL|EAFNOSUPPORT)$/;

/** If several addresses failed, the code of the most significant error. */
function connectCode(error: NodeJS.ErrnoException): string {
  if (!(error instanceof AggregateError)) return codeOf(error);
  const codes = error.errors.map(codeOf);
  // The other addresses were not all tried.
  const limit = codes.find((code) => isMachineLimit(code) && !LOCAL.test(code));
  if (limit !== undefined) return limit;
  return codes.find((code) => !LOCAL.test(code)) ?? codes[0] ?? 'CONNECT_FAILED';
}

/** Without a route for IPv6, some systems report that the local address is not available. */
function codeOf({ code = 'CONNECT_FAILED', address = '' }: NodeJS.ErrnoException & { address?: string }): string {
  return code === 'EADDRNOTAVAIL' && isIP(address) === 6 ? 'ENETUNREACH' : code;
}

/** An AggregateError of several addresses has no message of its own. */
function connectMessage(error: Error): string {
  if (error instanceof AggregateError)
    return error.errors.map((one: unknown) => (one instanceof Error ? one.message : String(one))).join('; ');
  return error.message;
}
