import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { readdir, readFile, rm, rmdir, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { systemErrorCode } from '../../platform/system-error.ts';
import { errno, nullIfMissing } from './disk-error.ts';
import { FORCE_REMOVE } from './system.ts';

/** A process, distinguished from others with its id. */
export interface ProcessIdentity {
  /** Identifies this boot of this machine, as seen from this container: `pid` is only valid there. */
  machine: string;
  pid: number;
  /** The process's start time in kernel ticks: distinguishes it from a later one with its id. Else null. */
  started: string | null;
}

/** The owner of a lock or a temporary file. */
export interface LockOwner extends ProcessIdentity {
  /** The machine's name, for display. */
  host: string;
  /** For display. */
  since: string;
  /** Of a lock: the thread of the process, by Node's thread id, which no later thread of the process has. */
  thread?: number;
}

const MACHINE = createHash('sha256')
  .update(
    [
      hostname(),
      readOrEmpty(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
      readOrEmpty(() => readlinkSync('/proc/self/ns/pid')),
    ].join('\n'),
  )
  .digest('hex')
  .slice(0, 12);

export function currentProcess(): LockOwner {
  const since = new Date().toISOString();
  return {
    machine: MACHINE,
    host: hostname(),
    pid: process.pid,
    started: processInfo(process.pid)?.started ?? null,
    since,
  };
}

/** True if the owner's process still runs; null if that cannot be known, because it ran on another machine. */
export function isAlive(owner: ProcessIdentity): boolean | null {
  if (owner.machine !== MACHINE) return null;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // A missing permission to send a signal means that the process exists.
    return systemErrorCode(error) !== 'ESRCH';
  }
  const now = processInfo(owner.pid);
  if (now === null) return true;
  return now.state !== 'Z' && now.state !== 'X' && (owner.started === null || owner.started === now.started);
}

/** Linux's information about a process; null on other systems, or if there is none. */
function processInfo(pid: number): { state: string; started: string } | null {
  const text = readOrEmpty(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The name in parentheses may contain anything; after it come fields 3 (state) to 22 (start) and more.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, started] = [fields[0], fields[19]];
  return state && started ? { state, started } : null;
}

function readOrEmpty(read: () => string): string {
  try {
    return read();
  } catch {
    return ''; // Not Linux, or not shown in this container.
  }
}

/** The owner that a lock names, or null if the text is not one of ours. */
export function parseOwner(text: string): LockOwner | null {
  let value: Partial<Record<keyof LockOwner, unknown>> | null;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { machine, host, pid, started, since, thread } = value;
  if (typeof machine !== 'string' || typeof host !== 'string' || typeof since !== 'string') return null;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1) return null;
  return {
    machine,
    host,
    since,
    pid,
    started: typeof started === 'string' ? started : null,
    ...(typeof thread === 'number' ? { thread } : {}),
  };
}

/** A unique, hidden name next to a file that identifies the owner, so that leftovers of a crash can be recognised. */
export function tempName(base: string): string {
  return `.${shortBase(base)}.${MACHINE}-${process.pid}-${randomBytes(8).toString('hex')}.tmp`;
}

/** The machine and process in a name from `tempName`; null for other names. */
function tempOwner(name: string): ProcessIdentity | null {
  const [, machine, pid] = /^\..+\.([0-9a-f]{12})-(\d{1,10})-[0-9a-f]{16}\.tmp$/.exec(name) ?? [];
  return machine === undefined ? null : { machine, pid: Number(pid), started: null };
}

/** Shortens a long name to leave room for what is added to it. */
export function shortBase(base: string): string {
  return Buffer.byteLength(base) <= 100 ? base : createHash('sha256').update(base).digest('hex');
}

const DAY = 24 * 60 * 60 * 1000;

/**
 * Removes the leftovers of killed runs in a folder: temporary files of processes that are gone, or that ran on another
 * machine more than a day ago. Files that may not be listed or removed are kept.
 */
export async function removeStaleTempFiles(folder: string): Promise<void> {
  await forEachEntry(folder, async (name, path) => {
    const owner = tempOwner(name);
    if (owner !== null && (await isGone(owner, path))) await rm(path, FORCE_REMOVE);
  });
}

/** The same, and locks whose owner is gone. A lock that is held, or that names no owner, is kept. */
export async function removeStaleFiles(folder: string): Promise<void> {
  await removeStaleTempFiles(folder);
  await forEachEntry(folder, async (name, path) => {
    if (!LOCK.test(name)) return;
    const files = (await nullIfMissing(readdir(path))) ?? [];
    const [file = ''] = files;
    if (files.length > 1 || (files.length === 1 && !LOCK_OWNER.test(file))) return;
    const text = file === '' ? null : await nullIfMissing(readFile(join(path, file), 'utf8'));
    const owner = text === null ? null : parseOwner(text);
    // Removing that one file breaks the lock: one that was taken meanwhile has another name.
    if (owner !== null && (await isGone(owner, join(path, file)))) await rm(join(path, file), FORCE_REMOVE);
    await removeEmpty(path);
  });
}

const LOCK = /^\..+\.lock$/;
const LOCK_OWNER = /^[0-9a-f]{24}\.json$/;

async function forEachEntry(folder: string, visit: (name: string, path: string) => Promise<void>): Promise<void> {
  try {
    for (const name of (await nullIfMissing(readdir(folder))) ?? []) await visit(name, join(folder, name));
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EBUSY', 'EROFS', 'ENOTDIR'].includes(errno(error))) throw error;
  }
}

/** True if the process is gone; if that cannot be known, whether the file is more than a day old. */
export async function isGone(owner: ProcessIdentity | null, path: string): Promise<boolean> {
  const alive = owner === null ? null : isAlive(owner);
  return alive === false || (alive === null && (await isOld(path)));
}

/** Removes an empty folder; a lock that is held is not empty. */
export async function removeEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    // Gone, or a lock that was taken meanwhile; on Windows also one that another process has open.
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES', 'EBUSY'].includes(errno(error))) throw error;
  }
}

async function isOld(path: string): Promise<boolean> {
  const stats = await nullIfMissing(stat(path));
  return stats !== null && Date.now() - stats.mtimeMs > DAY;
}
