import { type DatabaseFault, databaseFault, isTimeout } from './error.ts';
import { type EventLoop, within } from '../time-limits.ts';
import { type Log, errorCode, errorMessage } from '../log.ts';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds for which the result of a probe is current. */
const CURRENT = 200;
/** Milliseconds between two probes of a database with a fault. */
const PROBE_INTERVAL = 500;
/** Milliseconds between two log lines about the same fault. */
const LOG_INTERVAL = 60_000;

/** @throws the error of the database. @param previous the fault found before; null if there was none */
type Probe = (previous: DatabaseFault | null) => Promise<void>;

/** Milliseconds of delay of the event loop from which a time limit says nothing about the database. */
const BUSY = 500;
/** Probes that are repeated since this process was busy. */
const MAX_REPEATED = 3;

interface MonitorOptions {
  /** Milliseconds. */
  now?: () => number;
  eventLoop?: Pick<EventLoop, 'delaySince'>;
}

const NEVER_BUSY: Pick<EventLoop, 'delaySince'> = { delaySince: () => 0 };

/**
 * True if the database can be used. Failed statements are reported here; then the database is probed until a write
 * succeeds. Probes decide, so one lost connection is not an outage.
 */
export class DatabaseMonitor {
  private readonly probe: Probe;
  private readonly log: Log;
  private readonly now: () => number;
  private readonly eventLoop: Pick<EventLoop, 'delaySince'>;
  private readonly logFault: ThrottledLog;
  private readonly stopped = new AbortController();
  private readonly listeners: (() => void)[] = [];
  private currentFault: DatabaseFault | null = null;
  /** The fault of a statement since the last probe. */
  private reported: DatabaseFault | null = null;
  private since = 0;
  private probedAt = -Infinity;
  private running: Promise<DatabaseFault | null> | null = null;
  private isWatching = false;

  constructor(probe: Probe, log: Log, { now = () => performance.now(), eventLoop = NEVER_BUSY }: MonitorOptions = {}) {
    this.probe = probe;
    this.log = log;
    this.now = now;
    this.eventLoop = eventLoop;
    this.logFault = openThrottledLog(log, now);
  }

  /** The fault found by the last probe; null if there was none. */
  fault(): DatabaseFault | null {
    return this.currentFault;
  }

  /** Probes the database now, unless it was just probed. */
  check(): Promise<DatabaseFault | null> {
    const isCurrent = this.now() - this.probedAt < CURRENT && this.reported === null;
    if (this.running === null && isCurrent) return Promise.resolve(this.currentFault);
    this.running ??= this.probeNow().finally(() => (this.running = null));
    return this.running;
  }

  /** The same, with a time limit. @returns `otherwise` if it is over, unless this process was too busy to respond */
  async checkWithin(milliseconds: number, otherwise: DatabaseFault | null): Promise<DatabaseFault | null> {
    const started = this.now();
    const late = Symbol('late');
    const found = await within<DatabaseFault | null | typeof late>(milliseconds, this.check(), late);
    if (found !== late) return found;
    return this.eventLoop.delaySince(started) >= BUSY ? this.currentFault : otherwise;
  }

  /** Reports and logs the error of a statement. @returns its fault; null if the database is not the cause */
  report(error: unknown): DatabaseFault | null {
    const found = databaseFault(error);
    if (found === null) return null;
    this.reported = found;
    this.logFault('database-error', { fault: found, code: errorCode(error), message: errorMessage(error) });
    // While there is a fault, it is probed anyway.
    if (!this.stopped.signal.aborted && this.currentFault === null) void this.check();
    return found;
  }

  /** Waits until the fault is over. @returns false if the time is over, or if the monitor is stopped */
  async waitUntilAvailable(milliseconds: number): Promise<boolean> {
    const until = this.now() + milliseconds;
    while (!this.stopped.signal.aborted && this.now() < until) {
      if ((await this.check()) === null) return true;
      await sleep(PROBE_INTERVAL, undefined, { ref: false });
    }
    return false;
  }

  /** @param listener called once the database can be used again */
  onRecovery(listener: () => void): void {
    this.listeners.push(listener);
  }

  stop(): void {
    this.stopped.abort();
  }

  private async probeNow(): Promise<DatabaseFault | null> {
    const previous = this.currentFault ?? this.reported;
    this.reported = null;
    const found = await this.probed(previous);
    this.probedAt = this.now();
    if (this.stopped.signal.aborted) return found;
    if (found !== null && this.currentFault === null) this.since = this.now();
    const isOver = found === null && this.currentFault !== null;
    this.currentFault = found;
    if (found !== null) void this.watch();
    if (isOver) this.recovered();
    return found;
  }

  /** A probe whose time limit was over while this process was busy is repeated, and says nothing in the end. */
  private async probed(previous: DatabaseFault | null): Promise<DatabaseFault | null> {
    for (let repeated = 0; ; repeated += 1) {
      const started = this.now();
      try {
        await this.probe(previous);
        return null;
      } catch (error) {
        const delay = Math.round(this.eventLoop.delaySince(started));
        if (delay < BUSY || !isTimeout(error)) return this.logProbeError(error);
        this.logFault('event-loop-delayed', { milliseconds: delay });
        if (repeated === MAX_REPEATED || this.stopped.signal.aborted) return this.currentFault;
      }
    }
  }

  private logProbeError(error: unknown): DatabaseFault {
    const found = databaseFault(error) ?? 'unreachable';
    this.logFault('database-unavailable', { fault: found, code: errorCode(error), message: errorMessage(error) });
    return found;
  }

  private recovered(): void {
    this.logFault.forget();
    this.log('info', 'database-available', { seconds: Math.round((this.now() - this.since) / 100) / 10 });
    for (const listener of this.listeners) listener();
  }

  /** Probes until the fault is over. */
  private async watch(): Promise<void> {
    if (this.isWatching) return;
    this.isWatching = true;
    do {
      await sleep(PROBE_INTERVAL, undefined, { ref: false });
      this.probedAt = -Infinity;
    } while (!this.stopped.signal.aborted && (await this.check()) !== null);
    this.isWatching = false;
  }
}

interface ThrottledLog {
  (event: string, fields: { fault?: DatabaseFault; code?: string; message?: string; milliseconds?: number }): void;
  /** The next line is logged, whatever it is. */
  forget(): void;
}

/** Logs the same fault once in a while, with the number of times. */
function openThrottledLog(log: Log, now: () => number): ThrottledLog {
  const lines = new Map<string, { at: number; count: number }>();
  function logThrottled(...[event, fields]: Parameters<ThrottledLog>): void {
    const key = `${event} ${fields.fault ?? ''}`;
    const line = lines.get(key);
    if (line !== undefined && now() - line.at < LOG_INTERVAL) return void (line.count += 1);
    lines.set(key, { at: now(), count: 0 });
    log('warn', event, { ...fields, ...(line !== undefined && line.count > 0 && { repeated: line.count }) });
  }
  return Object.assign(logThrottled, { forget: () => lines.clear() });
}
