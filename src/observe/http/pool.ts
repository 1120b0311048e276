import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { buildConnector } from 'undici';
// Imported directly: the rest of the package takes three times as long to load.
import Client from 'undici/lib/dispatcher/client.js';
import { openAddresses } from './addresses.ts';
import { type ConnectionInfo, connector } from './connect.ts';
import type { ConnectOptions } from './dial.ts';
import type { Proxy, ProxyFor } from './proxy.ts';
import type { Deadline } from './deadlines.ts';
import { openConcurrencyWindow, type Sent, type ConcurrencyWindow } from './concurrency-window.ts';
import type { Failure, HostFacts } from '../../core/facts/facts.ts';

/** A slot for one request at a time to one host, with its connection. */
export interface PooledConnection {
  host: Host;
  /** The current request. */
  sent: Sent;
  client: Client;
  connection: ConnectionInfo | null;
  connect: buildConnector.connector;
}
interface Host {
  origin: string;
  limits: Pick<ConnectionPoolOptions, 'headersTimeout' | 'idleTimeout'>;
  /** True for one that sends an unsolicited “100 Continue”. */
  continues: boolean;
  /** The proxy in use, or null. */
  proxy: Proxy | null;
  idle: PooledConnection[];
  window: ConcurrencyWindow;
  pausedUntil: number;
  /** Consecutive probes that could not connect; reset by the first one that could. */
  failedVisits: number;
  lastFailure: Failure | null;
}

export interface ConnectionPoolOptions extends ConnectOptions {
  proxyFor: ProxyFor;
  /** Requests in flight at once, per host. */
  concurrency: number;
  headersTimeout: number;
  idleTimeout: number;
}

/** Consecutive probes without a connection after which a host is considered down for this run. */
const DEAD_AFTER = 3;
/** Requests in flight at once, over all hosts. */
const UNDER_WAY = 128;
/** Idle connections that are kept, over all hosts; the one that was idle longest is closed first. */
const RESTING = 64;
const HEADER_BYTES = 65_536;
/** Created once: an error and its stack for each connection would cost as much as closing it. */
const CLOSED = new Error('the run ended');

/** The connection pool of all hosts: bounds the requests in flight, and serves waiting requests in FIFO order. */
export interface ConnectionPool {
  /** @param deadline ends the wait that a host requested; a connection is acquired all the same */
  acquire(origin: string, deadline: Pick<Deadline, 'ended' | 'signal'>): Promise<PooledConnection>;
  release(pooled: PooledConnection): void;
  /** The host is overloaded: no request is sent to it for this number of milliseconds. */
  slow(origin: string, milliseconds: number): void;
  /** Why a host is not tried any more, or null. */
  dead(origin: string): Failure | null;
  note(origin: string, failure: Failure | null): void;
  /** The hosts that refused requests temporarily. */
  limited(): HostFacts[];
  close(): Promise<void>;
}

export function openConnectionPool(options: ConnectionPoolOptions): ConnectionPool {
  const hosts = new Map<string, Host>();
  const all = openGate(UNDER_WAY);
  // In the order in which they became idle.
  const resting = new Set<PooledConnection>();
  const closing = new AbortController();
  const addresses = openAddresses();
  // Every pending connection adds a listener to it.
  setMaxListeners(0, closing.signal);

  function hostOf(origin: string): Host {
    let host = hosts.get(origin);
    if (!host) {
      const proxy = options.proxyFor(new URL(origin));
      const window = openConcurrencyWindow(options.concurrency);
      host = {
        origin,
        limits: options,
        continues: false,
        proxy,
        idle: [],
        window,
        pausedUntil: 0,
        failedVisits: 0,
        lastFailure: null,
      };
      hosts.set(origin, host);
    }
    return host;
  }

  function openConnection(host: Host): PooledConnection {
    const connect = connector(options, addresses, host.proxy, closing.signal, (connection) => {
      pooled.connection = connection;
    });
    const pooled = { host, connection: null, connect } as unknown as PooledConnection;
    pooled.client = new Client(host.origin, {
      pipelining: 1,
      headersTimeout: options.headersTimeout,
      bodyTimeout: options.idleTimeout,
      maxHeaderSize: HEADER_BYTES,
      connect,
    });
    return pooled;
  }

  function drop(pooled: PooledConnection): void {
    resting.delete(pooled);
    pooled.host.idle = pooled.host.idle.filter((one) => one !== pooled);
    void pooled.client.destroy(CLOSED);
  }

  return {
    async acquire(origin, deadline) {
      const host = hostOf(origin);
      const sent = await host.window.enter();
      for (let wait = host.pausedUntil - Date.now(); wait > 0 && !deadline.ended; wait = host.pausedUntil - Date.now())
        await sleep(wait, undefined, { signal: deadline.signal }).catch(() => {});
      await all.enter();
      const pooled = takeIdle(host) ?? openConnection(host);
      resting.delete(pooled);
      pooled.sent = sent;
      return pooled;
    },
    release(pooled) {
      const { host } = pooled;
      host.idle.push(pooled);
      resting.add(pooled);
      if (resting.size > RESTING) for (const oldest of resting) if (resting.size > RESTING) drop(oldest);
      all.leave();
      host.window.leave(pooled.sent);
    },
    slow(origin, milliseconds) {
      const host = hostOf(origin);
      host.pausedUntil = Math.max(host.pausedUntil, Date.now() + milliseconds);
    },
    dead(origin) {
      const host = hosts.get(origin);
      return host && host.failedVisits >= DEAD_AFTER ? host.lastFailure : null;
    },
    note(origin, failure) {
      const host = hostOf(origin);
      host.failedVisits = failure ? host.failedVisits + 1 : 0;
      host.lastFailure = failure;
    },
    limited() {
      return [...hosts.values()].flatMap(({ origin, window }) => {
        const load = window.load();
        return load === null ? [] : [{ origin, ...load }];
      });
    },
    async close() {
      closing.abort(CLOSED);
      hosts.clear();
      await Promise.all([...resting].map((pooled) => pooled.client.destroy(CLOSED)));
      resting.clear();
    },
  };
}

/** Prefers an open connection: a host may keep no more connections than exist. */
function takeIdle({ idle }: Host): PooledConnection | undefined {
  const open = idle.findLastIndex(({ connection }) => connection?.isOpen === true);
  return open === -1 ? idle.pop() : idle.splice(open, 1)[0];
}

interface Gate {
  enter(): Promise<void>;
  leave(): void;
}

/** Admits a limited number at once, the others in FIFO order. */
function openGate(most: number): Gate {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return {
    async enter() {
      if (inside >= most) await new Promise<void>((resolve) => waiting.push(resolve));
      else inside += 1;
    },
    leave() {
      const next = waiting.shift();
      if (next) next();
      else inside -= 1;
    },
  };
}
