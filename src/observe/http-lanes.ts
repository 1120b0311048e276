import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import undici from 'undici';
import { type Connection, connector } from './http-connect.ts';
import type { ConnectOptions } from './http-dial.ts';
import type { Proxy, ProxyFor } from './http-proxy.ts';
import type { Failure } from '../core/facts.ts';

/** A place for one request at a time to one host, with the connection that it goes over. */
export interface Lane {
  host: Host;
  client: InstanceType<typeof undici.Client>;
  connection: Connection | null;
}
interface Host {
  origin: string;
  /** What it is asked over, or null. */
  proxy: Proxy | null;
  idle: Lane[];
  open: number;
  waiting: (() => void)[];
  pausedUntil: number;
  /** Visits in a row that no connection could be made for; reset by the first that could. */
  failedVisits: number;
  lastFailure: Failure | null;
}

export interface LaneOptions extends ConnectOptions {
  proxyFor: ProxyFor;
  /** Requests under way at once, per host. */
  concurrency: number;
  headersTimeout: number;
  idleTimeout: number;
}

/** After so many visits in a row without a connection, a host is taken for dead and not tried again in this run. */
const DEAD_AFTER = 3;
/** Hosts whose idle lanes are kept; beyond it they are closed as they come free. */
const KEPT_HOSTS = 64;
const HEADER_BYTES = 65_536;

/** The lanes of all hosts: bounds what is under way per host, and makes way for those who wait in the order they came. */
export interface Lanes {
  acquire(origin: string): Promise<Lane>;
  release(lane: Lane): void;
  /** The host asked to be left alone for so many milliseconds. */
  pause(origin: string, milliseconds: number): void;
  /** Why a host is no longer tried, or null. */
  dead(origin: string): Failure | null;
  note(origin: string, failure: Failure | null): void;
  close(): Promise<void>;
}

export function openLanes(options: LaneOptions): Lanes {
  const hosts = new Map<string, Host>();
  const closing = new AbortController();
  // Every connection that is being made listens to it.
  setMaxListeners(0, closing.signal);

  function hostOf(origin: string): Host {
    let host = hosts.get(origin);
    if (!host) {
      const proxy = options.proxyFor(new URL(origin));
      host = { origin, proxy, idle: [], open: 0, waiting: [], pausedUntil: 0, failedVisits: 0, lastFailure: null };
      hosts.set(origin, host);
    }
    return host;
  }

  function openLane(host: Host): Lane {
    const lane = { host, connection: null } as unknown as Lane;
    lane.client = new undici.Client(host.origin, {
      pipelining: 1,
      headersTimeout: options.headersTimeout,
      bodyTimeout: options.idleTimeout,
      maxHeaderSize: HEADER_BYTES,
      connect: connector(options, host.proxy, closing.signal, (connection) => {
        lane.connection = connection;
      }),
    });
    return lane;
  }

  return {
    async acquire(origin) {
      const host = hostOf(origin);
      if (host.open >= options.concurrency) await new Promise<void>((resolve) => host.waiting.push(resolve));
      else host.open += 1;
      const wait = host.pausedUntil - Date.now();
      if (wait > 0) await sleep(wait);
      return host.idle.pop() ?? openLane(host);
    },
    release(lane) {
      const { host } = lane;
      const next = host.waiting.shift();
      if (!next && hosts.size > KEPT_HOSTS) void lane.client.destroy();
      else host.idle.push(lane);
      if (next) next();
      else host.open -= 1;
    },
    pause(origin, milliseconds) {
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
    async close() {
      closing.abort();
      const idle = [...hosts.values()].flatMap((host) => host.idle);
      hosts.clear();
      await Promise.all(idle.map((lane) => lane.client.destroy()));
    },
  };
}
