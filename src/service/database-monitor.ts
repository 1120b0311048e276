import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, errorMessage } from './error-fields.ts';
import type { Log } from './log.ts';
import { type DatabaseFault, databaseFault } from './storage/database-error.ts';

/**
 * Whether the database can be used. Failed statements are reported here; then the database is probed until a write
 * succeeds. Probes decide, so one lost connection is not an outage.
 */
export interface DatabaseMonitor {
  /** The fault found by the last probe; null if there was none. */
  fault(): DatabaseFault | null;
  /** Probes the database now, unless it was just probed. */
  check(): Promise<DatabaseFault | null>;
  /** Reports and logs the error of a statement. @returns its fault; null if the database is not the cause */
  report(error: unknown): DatabaseFault | null;
  /** Waits until the fault is over. @returns false if the time is over, or if the monitor is stopped */
  waitUntilAvailable(milliseconds: number): Promise<boolean>;
  /** @param listener called once the database can be used again */
  onRecovery(listener: () => void): void;
  stop(): void;
}

/** Milliseconds for which the result of a probe is current. */
const CURRENT = 200;
/** Milliseconds between two probes of a database with a fault. */
const PROBE_INTERVAL = 500;
/** Milliseconds between two log lines about the same fault. */
const LOG_INTERVAL = 60_000;

/** @param probe throws the error of the database @param now milliseconds */
export function openDatabaseMonitor(
  probe: (previous: DatabaseFault | null) => Promise<void>,
  log: Log,
  now: () => number = () => performance.now(),
): DatabaseMonitor {
  const stopped = new AbortController();
  const listeners: (() => void)[] = [];
  const logged = openThrottledLog(log, now);
  let fault: DatabaseFault | null = null;
  let since = 0;
  let probed = -Infinity;
  let running: Promise<DatabaseFault | null> | null = null;
  let isWatching = false;
  /** The fault of a statement since the last probe. */
  let reported: DatabaseFault | null = null;

  async function probeNow(): Promise<DatabaseFault | null> {
    const previous = fault ?? reported;
    reported = null;
    const found = await probe(previous).then(
      () => null,
      (error: unknown) => faultOf(error),
    );
    probed = now();
    if (stopped.signal.aborted) return found;
    if (found !== null && fault === null) since = now();
    const isOver = found === null && fault !== null;
    fault = found;
    if (found !== null) void watch();
    if (isOver) recovered();
    return found;
  }

  function faultOf(error: unknown): DatabaseFault {
    const found = databaseFault(error) ?? 'unreachable';
    logged('database-unavailable', { fault: found, code: errorCode(error), message: errorMessage(error) });
    return found;
  }

  function recovered(): void {
    logged.forget();
    log('info', 'database-available', { seconds: Math.round((now() - since) / 100) / 10 });
    for (const listener of listeners) listener();
  }

  function check(): Promise<DatabaseFault | null> {
    if (running === null && now() - probed < CURRENT && reported === null) return Promise.resolve(fault);
    running ??= probeNow().finally(() => (running = null));
    return running;
  }

  /** Probes until the fault is over. */
  async function watch(): Promise<void> {
    if (isWatching) return;
    isWatching = true;
    do {
      await sleep(PROBE_INTERVAL, undefined, { ref: false });
      probed = -Infinity;
    } while (!stopped.signal.aborted && (await check()) !== null);
    isWatching = false;
  }

  return {
    fault: () => fault,
    check,
    report(error) {
      const found = databaseFault(error);
      if (found === null) return null;
      reported = found;
      logged('database-error', { fault: found, code: errorCode(error), message: errorMessage(error) });
      // While there is a fault, it is probed anyway.
      if (!stopped.signal.aborted && fault === null) void check();
      return found;
    },
    async waitUntilAvailable(milliseconds) {
      const until = now() + milliseconds;
      while (!stopped.signal.aborted && now() < until) {
        if ((await check()) === null) return true;
        await sleep(PROBE_INTERVAL, undefined, { ref: false });
      }
      return false;
    },
    onRecovery: (listener) => void listeners.push(listener),
    stop: () => stopped.abort(),
  };
}

interface ThrottledLog {
  (event: string, fields: { fault: DatabaseFault; code: string; message: string }): void;
  /** The next line is logged, whatever it is. */
  forget(): void;
}

/** Logs the same fault once in a while, with the number of times. */
function openThrottledLog(log: Log, now: () => number): ThrottledLog {
  const lines = new Map<string, { at: number; count: number }>();
  function logThrottled(event: string, fields: { fault: DatabaseFault; code: string; message: string }): void {
    const key = `${event} ${fields.fault}`;
    const line = lines.get(key);
    if (line !== undefined && now() - line.at < LOG_INTERVAL) return void (line.count += 1);
    lines.set(key, { at: now(), count: 0 });
    log('warn', event, { ...fields, ...(line !== undefined && line.count > 0 && { repeated: line.count }) });
  }
  return Object.assign(logThrottled, { forget: () => lines.clear() });
}
