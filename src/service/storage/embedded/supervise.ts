import { statfs, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppregError, isAppregError } from '../../../core/errors.ts';
import { printable } from '../../../core/text/text.ts';
import { errorCode, errorMessage } from '../../error-fields.ts';
import type { Log } from '../../log.ts';

/** Starts an embedded PostgreSQL again after it crashed or was killed. */

export interface Supervision {
  log: Log;
  /** Called once if PostgreSQL cannot be started again. */
  onFailure(error: AppregError): void;
  /** Milliseconds of failing starts until it is given up. */
  timeout?: number;
}

export interface Supervised<Server> {
  /** The server; after a restart another one. */
  current(): Server;
  /** Ends the supervision, and waits for a start in progress. */
  stop(): Promise<void>;
}

const RESTART_TIMEOUT = 60_000;
const FIRST_DELAY = 100;
const LONGEST_DELAY = 5_000;
/** Milliseconds after which a start counts as a success: a server may crash immediately after each start. */
const STABLE_AFTER = 10_000;
/** How much longer a server is started again that ends after each start. */
const CRASH_LOOP_FACTOR = 5;
const FOLDER_INTERVAL = 1_000;
/** Bytes that PostgreSQL needs to start: a segment of its write-ahead log, and some room. */
const ROOM_TO_START = 32 * 2 ** 20;
const LOG_INTERVAL = 60_000;

/**
 * @param home of the database @param start starts the server, and calls `onLost` once it is gone; it is also called by
 *   a server that is still running, but has closed all connections
 */
export async function supervise<Server>(
  home: string,
  start: (onLost: () => void) => Promise<Server>,
  { log, onFailure, timeout = RESTART_TIMEOUT }: Supervision,
): Promise<Supervised<Server>> {
  const ended = new AbortController();
  let failingSince: number | null = null;
  let attempts = 0;
  let lastStart = -Infinity;
  let restarting: Promise<void> | null = null;
  let server = await start(lost);

  function lost(): void {
    if (ended.signal.aborted) return;
    log('warn', 'postgres-lost');
    restarting ??= restart().finally(() => (restarting = null));
  }

  async function restart(): Promise<void> {
    if (performance.now() - lastStart > STABLE_AFTER) [failingSince, attempts] = [null, 0];
    const begun = performance.now();
    failingSince ??= begun;
    if (await isTooLate(timeout * CRASH_LOOP_FACTOR))
      return fail(failureOf(home, new Error('It exits after each start.')));
    for (let logged = -Infinity; !ended.signal.aborted;) {
      if (attempts > 0) await pause(Math.min(LONGEST_DELAY, FIRST_DELAY * 2 ** attempts), ended.signal);
      if (ended.signal.aborted) return;
      attempts += 1;
      try {
        await assertPresent(home);
        let isLost = false;
        server = await start(() => {
          isLost = true;
          lost();
        });
        lastStart = performance.now();
        log('info', 'postgres-restarted', { attempts, seconds: Math.round(lastStart - begun) / 1000 });
        if (!isLost) return;
      } catch (error) {
        if (ended.signal.aborted) return;
        if (isPermanent(error) || (await isTooLate(timeout))) return fail(failureOf(home, error));
        if (performance.now() - logged < LOG_INTERVAL) continue;
        logged = performance.now();
        log('warn', 'postgres-not-started', { attempts, message: errorMessage(error) });
      }
    }
  }

  async function isTooLate(limit: number): Promise<boolean> {
    return failingSince !== null && performance.now() - failingSince > limit && !(await isFull(home));
  }

  function fail(error: AppregError): void {
    end();
    onFailure(error);
  }

  /** PostgreSQL itself would notice only after a minute. */
  async function checkFolder(): Promise<void> {
    const failure = await assertPresent(home).catch((error: unknown) => error);
    if (isAppregError(failure) && !ended.signal.aborted) fail(failure);
  }

  const timer = setInterval(() => void checkFolder(), FOLDER_INTERVAL);
  function end(): void {
    ended.abort();
    clearInterval(timer);
  }

  return {
    current: () => server,
    async stop() {
      end();
      await restarting;
    },
  };
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
      `The database in ${printable(home)} was deleted while the service was running.`,
      'Restore the folder from a backup, then start appreg service again.',
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
    `PostgreSQL cannot be restarted in ${printable(home)}: ${printable(errorMessage(error))}`,
    `Its log is ${printable(join(home, 'server.log'))}.`,
    { cause: error },
  );
}
