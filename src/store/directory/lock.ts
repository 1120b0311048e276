import { message } from '../../core/text/message.ts';
import { mkdir, readdir, readFile, rename, rm, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { printable } from '../../core/text/text.ts';
import { AppregError } from '../../core/errors/error.ts';
import { errno, nullIfMissing } from './disk-error.ts';
import { failpoint } from '../failpoint.ts';
import { stopIfInterrupted } from '../interrupt.ts';
import { removeEmpty, isAlive, type LockOwner, parseOwner, currentProcess, shortBase, tempName } from './owner.ts';
import { isTransientWindowsError, FORCE_REMOVE } from './system.ts';

/**
 * A lock next to a file: the folder `.<file>.lock` with one file in it, whose unique name is the lock's identity and
 * whose text names the owner. The folder is prepared elsewhere and put in place by one rename, which fails if a
 * non-empty folder exists; an empty one is free. A lock is broken by removing that one file: of several processes that
 * try, one succeeds, and a lock that was taken meanwhile has another name and is not affected.
 *
 * A lock is broken if its process is known to be gone. For a process on another machine, or whose start time is
 * unknown, the only evidence is that the lock's file is touched every few seconds; if that has not happened for `stale`
 * of our own time, the process is considered gone. A live process on this machine keeps its lock however long it sleeps
 * (Linux).
 */
export interface Lock {
  /** False if another process took the lock: nothing may be written any more. */
  held(): Promise<boolean>;
  release(): Promise<void>;
}

export interface LockOptions {
  /** The time to wait for others, in milliseconds (30 s). */
  wait?: number;
  /** The age at which a lock from another machine that nobody touched is stale, in milliseconds (20 s). */
  stale?: number;
  /** Called when a lock was broken, with a sentence. */
  notice?: (text: string) => void;
}

/** Milliseconds between two touches of a lock's file. */
const HEARTBEAT = 4_000;

/** The names of the locks that this thread holds or takes. */
const OWN_LOCKS = new Set<string>();

/**
 * Takes the lock of the file `target`, whose folder must exist.
 * @param shownAs the file's name shown to the user
 * @throws AppregError `store-locked` if others hold it for too long
 */
export async function takeLock(target: string, shownAs: string, options: LockOptions = {}): Promise<Lock> {
  const folder = join(dirname(target), `.${shortBase(basename(target))}.lock`);
  const id = `${randomBytes(12).toString('hex')}.json`;
  const prepared = join(dirname(target), tempName(basename(target)));
  await mkdir(prepared);
  OWN_LOCKS.add(id);
  try {
    await writeFile(join(prepared, id), `${JSON.stringify({ ...currentProcess(), thread: threadId() })}\n`, {
      flag: 'wx',
    });
    failpoint('lock-prepared');
    await acquire(prepared, folder, shownAs, options);
  } catch (error) {
    OWN_LOCKS.delete(id);
    await rm(prepared, FORCE_REMOVE);
    throw error;
  }
  failpoint('locked');
  return keepAlive(folder, join(folder, id));
}

/** Puts the prepared folder in place once the lock is free or broken. */
async function acquire(prepared: string, folder: string, shownAs: string, options: LockOptions): Promise<void> {
  const { wait: timeout = 30_000, stale = 20_000, notice } = options;
  const end = performance.now() + timeout;
  let lastHeartbeat = '';
  let lastHeartbeatAt = 0;
  for (;;) {
    stopIfInterrupted();
    if (await tryRename(prepared, folder)) return;
    const other = await readHolder(folder);
    const now = performance.now();
    if (other !== null) {
      if (other.heartbeat !== lastHeartbeat) [lastHeartbeat, lastHeartbeatAt] = [other.heartbeat, now];
      const alive = isHeld(other);
      if (alive === false || (alive === null && now - lastHeartbeatAt >= stale)) {
        if (await breakLock(folder, other.file))
          notice?.(`Took over the lock of ${printable(shownAs)}: ${describe(other.owner)} no longer exists.`);
        continue;
      }
    }
    if (now >= end) throw lockedError(shownAs, folder, other?.owner ?? null, timeout);
    await wait(other === null ? 1 : 5 + Math.random() * 40);
  }
}

/** Puts the prepared folder in place; false if a lock exists. */
async function tryRename(prepared: string, folder: string): Promise<boolean> {
  // Windows never renames onto a folder, not even an empty one; elsewhere, an empty one is left by a crash between the
  // two steps of a release.
  if (process.platform === 'win32') await removeEmpty(folder);
  try {
    await rename(prepared, folder);
    return true;
  } catch (error) {
    if (['ENOTEMPTY', 'EEXIST'].includes(errno(error)) || isTransientWindowsError(error)) return false;
    throw error;
  }
}

/**
 * True if the owner of a lock still runs. Null if only the touched file can show it: the owner is unknown or on another
 * machine, or its start time is unknown (Windows, macOS), so that its process id may belong to a later process. If that
 * is this process, the owner is gone unless the lock is ours: Windows soon reuses process ids.
 */
function isHeld({ owner, file }: Holder): boolean | null {
  if (owner === null) return null;
  const alive = isAlive(owner);
  if (alive === true && owner.pid === process.pid && owner.thread === threadId()) return OWN_LOCKS.has(basename(file));
  return alive === true && owner.started === null ? null : alive;
}

/** The number of this thread. Loaded for a lock only: `bundle` takes none, and the module takes 1 ms. */
function threadId(): number {
  return process.getBuiltinModule('node:worker_threads').threadId;
}

interface Holder {
  file: string;
  owner: LockOwner | null;
  /** Changes with every new lock, and each time the lock's file is touched. */
  heartbeat: string;
}

/** Reads the holder of a lock; null if it is free, or is being released. */
async function readHolder(folder: string): Promise<Holder | null> {
  try {
    const [name] = (await nullIfMissing(readdir(folder))) ?? [];
    if (name === undefined) return null;
    const file = join(folder, name);
    const text = await nullIfMissing(readFile(file, 'utf8'));
    const stats = await nullIfMissing(stat(file));
    if (text === null || stats === null) return null;
    return { file, owner: parseOwner(text), heartbeat: `${name} ${stats.mtimeMs}` };
  } catch (error) {
    if (isTransientWindowsError(error)) return null;
    throw error;
  }
}

/** Removes one particular lock; false if another process just did. */
async function breakLock(folder: string, file: string): Promise<boolean> {
  try {
    await unlink(file);
  } catch (error) {
    if (errno(error) === 'ENOENT' || isTransientWindowsError(error)) return false;
    throw error;
  }
  await removeEmpty(folder);
  return true;
}

/** Touches the lock's file until it is released. */
function keepAlive(folder: string, file: string): Lock {
  const timer = setInterval(() => {
    const now = new Date();
    // held() detects that a lock is gone.
    utimes(file, now, now).catch(() => {});
  }, HEARTBEAT);
  timer.unref();
  return {
    async held() {
      return (await nullIfMissing(stat(file))) !== null;
    },
    async release() {
      clearInterval(timer);
      failpoint('before-unlock');
      await rm(file, FORCE_REMOVE);
      await removeEmpty(folder);
      OWN_LOCKS.delete(basename(file));
    },
  };
}

function describe(owner: LockOwner | null): string {
  return owner === null
    ? 'its process'
    : `process ${owner.pid} on ${printable(owner.host)}, since ${printable(owner.since)},`;
}

function lockedError(shownAs: string, folder: string, owner: LockOwner | null, timeout: number): AppregError {
  const who =
    owner === null
      ? 'an unknown process'
      : `process ${owner.pid} on ${printable(owner.host)} since ${printable(owner.since)}`;
  return new AppregError(
    'store-locked',
    message`${shownAs} is locked by ${who}; waited ${Math.round(timeout / 1000)} s.`,
    message`Wait for the process to finish, then run the same command again. If it no longer exists, delete ${folder}`,
    { effect: 'none', advisesRepeat: true },
  );
}
