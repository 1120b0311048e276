import { setMaxListeners } from 'node:events';
import { type buildConnector, Client } from 'undici';
import type { Failure, HostFacts } from '../../core/facts/facts.ts';
import { targetOf } from './address-policy.ts';
import { type Addresses, openAddresses } from './addresses.ts';
import { type ConnectionInfo, openConnector } from './connect.ts';
import type { Deadline } from './deadlines.ts';
import { ConnectFailure } from './failure.ts';
import { type ConnectOptions, openSocket } from './open-socket.ts';
import { HostQueue, type Sent, type Turn } from './host-queue.ts';
import type { Proxy, ProxyFor } from './proxy.ts';
import { openSemaphore } from './semaphore.ts';

/** A slot for one request at a time to one host, with its connection. */
export interface PooledConnection {
  readonly host: Host;
  readonly client: Client;
  readonly connect: buildConnector.connector;
  /** The current request. */
  sent: Sent;
  /** Null until it is open. */
  connection: ConnectionInfo | null;
}

interface Host {
  readonly origin: string;
  readonly limits: Pick<ConnectionPoolOptions, 'headersTimeout' | 'idleTimeout'>;
  /** The proxy in use, or null. */
  readonly proxy: Proxy | null;
  readonly queue: HostQueue;
  /** True for one that sends an unsolicited “100 Continue”. */
  sendsContinue: boolean;
  idle: PooledConnection[];
  /** Consecutive probes that could not connect; reset by the first one that could. */
  failedProbes: number;
  lastFailure: Failure | null;
  /** The longest time until a response began, in milliseconds. */
  slowest: number;
}

interface ConnectionPoolOptions extends ConnectOptions {
  proxyFor: ProxyFor;
  /** Requests in flight at once, per host. */
  concurrency: number;
  headersTimeout: number;
  idleTimeout: number;
}

/** Consecutive probes without a connection after which a host is considered down for this run. */
const DOWN_AFTER = 3;
/** Requests in flight at once, over all hosts. */
const MAX_IN_FLIGHT = 128;
/** Idle connections that are kept, over all hosts; the one that was idle longest is closed first. */
const MAX_IDLE = 64;
const HEADER_BYTES = 65_536;
/** The shortest wait for a side request, in milliseconds, and how many times longer than a plain GET it may take. */
const MIN_PATIENCE = 5000;
const PATIENCE_FACTOR = 3;
/** Created once: an error and its stack for each connection would cost as much as closing it. */
const CLOSED = new Error('the run was aborted');

/** The connection pool of all hosts: bounds the requests in flight, and serves waiting requests in FIFO order. */
export class ConnectionPool {
  private readonly options: ConnectionPoolOptions;
  private readonly hosts = new Map<string, Host>();
  private readonly inFlight = openSemaphore(MAX_IN_FLIGHT);
  /** In the order in which they became idle. */
  private readonly idle = new Set<PooledConnection>();
  private readonly closing = new AbortController();
  /** Idle connections that are kept. */
  private maxIdle = MAX_IDLE;
  private relieved = 0;
  private readonly addresses: Addresses = openAddresses();

  constructor(options: ConnectionPoolOptions) {
    this.options = options;
    // Every pending connection adds a listener to it.
    setMaxListeners(0, this.closing.signal);
  }

  /** @param deadline ends the wait for the turn; a connection is acquired all the same */
  async acquire(origin: string, turn: Turn, deadline: Pick<Deadline, 'ended' | 'onEnd'>): Promise<PooledConnection> {
    const host = this.hostOf(origin);
    const sent = await host.queue.enter(turn, deadline);
    await this.inFlight.acquire();
    const pooled = takeIdle(host);
    if (pooled === undefined) return this.openConnection(host, sent);
    this.idle.delete(pooled);
    pooled.sent = sent;
    return pooled;
  }

  release(pooled: PooledConnection): void {
    const { host } = pooled;
    if (!pooled.client.destroyed) {
      host.idle.push(pooled);
      this.idle.add(pooled);
    }
    for (const oldest of this.idle) {
      if (this.idle.size <= this.maxIdle) break;
      this.closeIdle(oldest);
    }
    this.inFlight.release();
    host.queue.leave(pooled.sent);
  }

  /** The requests to a host. */
  queueOf(origin: string): Pick<HostQueue, 'pause' | 'slowTo' | 'recordCure' | 'recordFault' | 'endAlone'> {
    return this.hostOf(origin).queue;
  }

  /** The reason why a host is not tried any more, or null. */
  downReason(origin: string): Failure | null {
    const host = this.hosts.get(origin);
    return host && host.failedProbes >= DOWN_AFTER ? host.lastFailure : null;
  }

  /** @param failure why no connection could be made, or null */
  recordConnection(origin: string, failure: Failure | null): void {
    const host = this.hostOf(origin);
    host.failedProbes = failure ? host.failedProbes + 1 : 0;
    host.lastFailure = failure;
  }

  /**
   * This machine cannot open more connections: closes the idle ones, and halves the number of requests in flight, once
   * for all that were in flight together.
   * @param since the number of earlier reliefs when the request began
   */
  async reduceConnections(since: number): Promise<void> {
    if (since === this.relieved) {
      this.relieved += 1;
      this.inFlight.halve();
      this.maxIdle = this.inFlight.limit() >> 1;
    }
    const idle = [...this.idle];
    for (const pooled of idle) this.closeIdle(pooled);
    await Promise.all(idle.map(({ client }) => client.destroy(CLOSED)));
  }

  /** Number of times that the pool was relieved. */
  reliefs(): number {
    return this.relieved;
  }

  /** @param milliseconds until a response of the host began, the connection included */
  recordResponseTime(origin: string, milliseconds: number): void {
    const host = this.hostOf(origin);
    host.slowest = Math.max(host.slowest, milliseconds);
  }

  /** Time to wait for a request of another kind than those that the host answered, in milliseconds. */
  patience(origin: string): number {
    return Math.max(MIN_PATIENCE, PATIENCE_FACTOR * this.hostOf(origin).slowest);
  }

  /** The hosts that refused requests temporarily. */
  refusingHosts(): HostFacts[] {
    return [...this.hosts.values()].flatMap(({ origin, queue }) => {
      const load = queue.load();
      return load === null ? [] : [{ origin, ...load }];
    });
  }

  /** True if a server accepts a TLS handshake on the port of an http URL. An untrusted certificate is one, too. */
  async acceptsTls(url: URL): Promise<boolean> {
    const { options, closing } = this;
    const endpoint = { ...targetOf(url), secure: true };
    try {
      const { socket } = await openSocket(endpoint, options, Date.now() + options.timeout, closing.signal);
      socket.destroy();
      return true;
    } catch (error) {
      return error instanceof ConnectFailure && error.tls !== null;
    }
  }

  async close(): Promise<void> {
    this.closing.abort(CLOSED);
    for (const { queue } of this.hosts.values()) queue.close();
    this.hosts.clear();
    await Promise.all([...this.idle].map((pooled) => pooled.client.destroy(CLOSED)));
    this.idle.clear();
  }

  private hostOf(origin: string): Host {
    const known = this.hosts.get(origin);
    if (known) return known;
    const host: Host = {
      origin,
      limits: this.options,
      proxy: this.options.proxyFor(new URL(origin)),
      queue: new HostQueue(this.options.concurrency),
      sendsContinue: false,
      idle: [],
      failedProbes: 0,
      lastFailure: null,
      slowest: 0,
    };
    this.hosts.set(origin, host);
    return host;
  }

  private openConnection(host: Host, sent: Sent): PooledConnection {
    const { options, addresses, closing } = this;
    const connect = openConnector({
      options,
      addresses,
      proxy: host.proxy,
      closing: closing.signal,
      onOpen(connection) {
        pooled.connection = connection;
      },
    });
    const client = new Client(host.origin, {
      pipelining: 1,
      headersTimeout: options.headersTimeout,
      bodyTimeout: options.idleTimeout,
      maxHeaderSize: HEADER_BYTES,
      connect,
    });
    const pooled: PooledConnection = { host, client, connect, sent, connection: null };
    return pooled;
  }

  private closeIdle(pooled: PooledConnection): void {
    this.idle.delete(pooled);
    pooled.host.idle = pooled.host.idle.filter((other) => other !== pooled);
    void pooled.client.destroy(CLOSED);
  }
}

/** Prefers an open connection: a host may keep no more connections than exist. */
function takeIdle({ idle }: Host): PooledConnection | undefined {
  const open = idle.findLastIndex(({ connection }) => connection?.isOpen === true);
  return open === -1 ? idle.pop() : idle.splice(open, 1)[0];
}
