import { AppregError, isAppregError, message } from 'appreg';
import { type Log, errorMessage, errorCode } from '../../log.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';

/** Starts an embedded PostgreSQL again after it crashed or was killed. */

export interface Supervision {
  log: Log;
  /** Called once if PostgreSQL cannot be started again. */
  onFailure(error: AppregError): void;
  /** Milliseconds of failing starts until it is given up. */
  timeout?: number;
}

const RESTART_TIMEOUT = 60_000;
const FIRST_DELAY = 100;
const LONGEST_DELAY = 5_000;
/** Milliseconds after which a start counts as a success: a server may crash immediately after each start. */
const STABLE_AFTER = 10_000;
/** Factor of the time for which a server that ends after each start is started again. */
const CRASH_LOOP_FACTOR = 5;
const FOLDER_INTERVAL = 1_000;
/** Bytes that PostgreSQL needs to start: a segment of its write-ahead log, and some room. */
const ROOM_TO_START = 32 * 2 ** 20;
const LOG_INTERVAL = 60_000;

/**
 * @param home of the database
 * @param start starts the server, and calls `onLost` once it is gone; it is also called by
 *   a server that is still running, but has closed all connections
 */
export async function supervise<Server>(
  home: string,
  start: (onLost: () => void) => Promise<Server>,
  supervision: Supervision,
): Promise<Supervisor<Server>> {
  const supervisor = new Supervisor(home, start, supervision);
  await supervisor.begin();
  return supervisor;
}

class Supervisor<Server> {
  private readonly home: string;
  private readonly start: (onLost: () => void) => Promise<Server>;
  private readonly log: Log;
  private readonly onFailure: (error: AppregError) => void;
  private readonly timeout: number;
  private readonly ended = new AbortController();
  private server: Server | null = null;
  private failingSince: number | null = null;
  private attempts = 0;
  private lastStart = -Infinity;
  private restarting: Promise<void> | null = null;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    home: string,
    start: (onLost: () => void) => Promise<Server>,
    { log, onFailure, timeout = RESTART_TIMEOUT }: Supervision,
  ) {
    this.home = home;
    this.start = start;
    this.log = log;
    this.onFailure = onFailure;
    this.timeout = timeout;
  }

  /** Starts the server for the first time. */
  async begin(): Promise<void> {
    this.server = await this.start(() => this.lost());
    if (!this.ended.signal.aborted) this.timer = setInterval(() => void this.checkFolder(), FOLDER_INTERVAL);
  }

  /** The server; after a restart another one. */
  current(): Server {
    if (this.server === null) throw new Error('the server has not been started');
    return this.server;
  }

  /** Ends the supervision, and waits for a start in progress. */
  async stop(): Promise<void> {
    this.end();
    await this.restarting;
  }

  private lost(): void {
    if (this.ended.signal.aborted) return;
    this.log('warn', 'postgres-lost');
    this.restarting ??= this.restart().finally(() => (this.restarting = null));
  }

  private async restart(): Promise<void> {
    if (performance.now() - this.lastStart > STABLE_AFTER) [this.failingSince, this.attempts] = [null, 0];
    const begun = performance.now();
    this.failingSince ??= begun;
    if (await this.isTooLate(this.timeout * CRASH_LOOP_FACTOR))
      return this.fail(failureOf(this.home, new Error('It exits after each start.')));
    for (let logged = -Infinity; !this.ended.signal.aborted;) {
      if (this.attempts > 0) await pause(delayBefore(this.attempts), this.ended.signal);
      if (this.ended.signal.aborted) return;
      this.attempts += 1;
      try {
        if (await this.startAgain(begun)) return;
      } catch (error) {
        if (this.ended.signal.aborted) return;
        if (isPermanent(error) || (await this.isTooLate(this.timeout))) return this.fail(failureOf(this.home, error));
        if (performance.now() - logged < LOG_INTERVAL) continue;
        logged = performance.now();
        this.log('warn', 'postgres-not-started', { attempts: this.attempts, message: errorMessage(error) });
      }
    }
  }

  /** @returns false if the server was lost while it started */
  private async startAgain(begun: number): Promise<boolean> {
    await assertPresent(this.home);
    let isLost = false;
    this.server = await this.start(() => {
      isLost = true;
      this.lost();
    });
    this.lastStart = performance.now();
    const seconds = Math.round(this.lastStart - begun) / 1000;
    this.log('info', 'postgres-restarted', { attempts: this.attempts, seconds });
    return !isLost;
  }

  private async isTooLate(limit: number): Promise<boolean> {
    const { failingSince } = this;
    return failingSince !== null && performance.now() - failingSince > limit && !(await isFull(this.home));
  }

  private fail(error: AppregError): void {
    this.end();
    this.onFailure(error);
  }

  /** PostgreSQL itself would notice only after a minute. */
  private async checkFolder(): Promise<void> {
    const failure = await assertPresent(this.home).catch((error: unknown) => error);
    if (isAppregError(failure) && !this.ended.signal.aborted) this.fail(failure);
  }

  private end(): void {
    this.ended.abort();
    clearInterval(this.timer);
  }
}

/** Milliseconds. @param attempts the number of those before */
function delayBefore(attempts: number): number {
  return Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** attempts);
}

async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
}

/** @throws AppregError if the database was deleted. It is never created again: that would hide the loss. */
async function assertPresent(home: string): Promise<void> {
  try {
    await stat(join(home, 'data', 'PG_VERSION'));
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') return;
    throw new AppregError(
      'data-folder-lost',
      message`The database in ${home} was deleted while the service was running.`,
      message`Restore the folder from a backup, then start appreg service again.`,
    );
  }
}

function isPermanent(error: unknown): boolean {
  return isAppregError(error) && (error.code === 'data-folder-lost' || error.code === 'data-folder-in-use');
}

/** PostgreSQL starts as soon as there is room. */
async function isFull(home: string): Promise<boolean> {
  const room = await statfs(home).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => Infinity,
  );
  return room < ROOM_TO_START;
}

function failureOf(home: string, error: unknown): AppregError {
  if (isAppregError(error)) return error;
  return new AppregError(
    'postgres-start-failed',
    message`PostgreSQL cannot be restarted in ${home}: ${errorMessage(error)}`,
    message`Its log is ${join(home, 'server.log')}.`,
    { cause: error },
  );
}
