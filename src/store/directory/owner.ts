import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { systemErrorCode } from '../../platform/system-error.ts';

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

/** This process. */
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

/** Whether the owner's process still runs; null if that cannot be known, because it ran on another machine. */
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
export function tempOwner(name: string): ProcessIdentity | null {
  const [, machine, pid] = /^\..+\.([0-9a-f]{12})-(\d{1,10})-[0-9a-f]{16}\.tmp$/.exec(name) ?? [];
  return machine === undefined ? null : { machine, pid: Number(pid), started: null };
}

/** Shortens a long name to leave room for what is added to it. */
export function shortBase(base: string): string {
  return Buffer.byteLength(base) <= 100 ? base : createHash('sha256').update(base).digest('hex');
}
