import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { buildConnector } from 'undici';
// By itself: the rest of the package takes three times as long to load.
import Client from 'undici/lib/dispatcher/client.js';
import { openAddresses } from './addresses.ts';
import { type ConnectionInfo, connector } from './connect.ts';
import type { ConnectOptions } from './dial.ts';
import type { Proxy, ProxyFor } from './proxy.ts';
import type { Deadline } from './deadlines.ts';
import { openConcurrencyWindow, type Sent, type ConcurrencyWindow } from './concurrency-window.ts';
import type { Failure, HostFacts } from '../../core/facts/facts.ts';

/** A place for one request at a time to one host, with the connection that it goes over. */
export interface PooledConnection {
  host: Host;
  /** The request that it is for. */
  sent: Sent;
  client: Client;
  connection: ConnectionInfo | null;
  connect: buildConnector.connector;
}
interface Host {
  origin: string;
  limits: Pick<ConnectionPoolOptions, 'headersTimeout' | 'idleTimeout'>;
  /** True for one that says “100 Continue” unasked. */
  continues: boolean;
  /** What it is asked over, or null. */
  proxy: Proxy | null;
  idle: PooledConnection[];
  window: ConcurrencyWindow;
  pausedUntil: number;
  /** Visits in a row that no connection could be made for; reset by the first that could. */
  failedVisits: number;
  lastFailure: Failure | null;
}

export interface ConnectionPoolOptions extends ConnectOptions {
  proxyFor: ProxyFor;
  /** Requests under way at once, per host. */
  concurrency: number;
  headersTimeout: number;
  idleTimeout: number;
}

/** After so many visits in a row without a connection, a host is taken for dead and not tried again in this run. */
const DEAD_AFTER = 3;
/** Requests under way at once, over all hosts. */
const UNDER_WAY = 128;
/** Connections that are kept while they rest, over all hosts; the one that rested longest goes first. */
const RESTING = 64;
const HEADER_BYTES = 65_536;
/** Made once: an error and its stack for each connection would cost as much as closing it. */
const CLOSED = new Error('the run ended');

/** The lanes of all hosts: bounds what is under way, and makes way for those who wait in the order they came. */
export interface ConnectionPool {
  /** @param clock ends the time that a host asked for; the lane is given all the same */
  acquire(origin: string, clock: Pick<Deadline, 'ended' | 'signal'>): Promise<PooledConnection>;
  release(lane: PooledConnection): void;
  /** The host has too much to do: it is left alone for so many milliseconds. */
  slow(origin: string, milliseconds: number): void;
  /** Why a host is no longer tried, or null. */
  dead(origin: string): Failure | null;
  note(origin: string, failure: Failure | null): void;
  /** The hosts that refused requests for now. */
  limited(): HostFacts[];
  close(): Promise<void>;
}

export function openConnectionPool(options: ConnectionPoolOptions): ConnectionPool {
  const hosts = new Map<string, Host>();
  const all = openGate(UNDER_WAY);
  // In the order in which they came to rest.
  const resting = new Set<PooledConnection>();
  const closing = new AbortController();
  const addresses = openAddresses();
  // Every connection that is being made listens to it.
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

  function openLane(host: Host): PooledConnection {
    const connect = connector(options, addresses, host.proxy, closing.signal, (connection) => {
      lane.connection = connection;
    });
    const lane = { host, connection: null, connect } as unknown as PooledConnection;
    lane.client = new Client(host.origin, {
      pipelining: 1,
      headersTimeout: options.headersTimeout,
      bodyTimeout: options.idleTimeout,
      maxHeaderSize: HEADER_BYTES,
      connect,
    });
    return lane;
  }

  function drop(lane: PooledConnection): void {
    resting.delete(lane);
    lane.host.idle = lane.host.idle.filter((one) => one !== lane);
    void lane.client.destroy(CLOSED);
  }

  return {
    async acquire(origin, clock) {
      const host = hostOf(origin);
      const sent = await host.window.enter();
      for (let wait = host.pausedUntil - Date.now(); wait > 0 && !clock.ended; wait = host.pausedUntil - Date.now())
        await sleep(wait, undefined, { signal: clock.signal }).catch(() => {});
      await all.enter();
      const lane = takeIdle(host) ?? openLane(host);
      resting.delete(lane);
      lane.sent = sent;
      return lane;
    },
    release(lane) {
      const { host } = lane;
      host.idle.push(lane);
      resting.add(lane);
      if (resting.size > RESTING) for (const oldest of resting) if (resting.size > RESTING) drop(oldest);
      all.leave();
      host.window.leave(lane.sent);
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
      await Promise.all([...resting].map((lane) => lane.client.destroy(CLOSED)));
      resting.clear();
    },
  };
}

/** Rather one whose connection is open: a host may keep no more connections than there are. */
function takeIdle({ idle }: Host): PooledConnection | undefined {
  const open = idle.findLastIndex(({ connection }) => connection?.isOpen === true);
  return open === -1 ? idle.pop() : idle.splice(open, 1)[0];
}

interface Gate {
  enter(): Promise<void>;
  leave(): void;
}

/** Lets so many in at once; the others in the order they came. */
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
