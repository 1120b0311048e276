import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** Who holds a lock or wrote a temporary file, and whether that process still runs. */
export interface Owner {
  /** Stands for this run of this machine, seen from this container: only there does `pid` mean anything. */
  machine: string;
  /** The machine's name, for people. */
  host: string;
  pid: number;
  /** When the process started, in the kernel's ticks: tells a process from a later one with its number. Else null. */
  started: string | null;
  /** For people. */
  since: string;
  /** Of a lock: the thread of the process, by Node's number, which no later thread of the process has. */
  thread?: number;
}

const MACHINE = createHash('sha256')
  .update(
    [
      hostname(),
      look(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8')),
      look(() => readlinkSync('/proc/self/ns/pid')),
    ].join('\n'),
  )
  .digest('hex')
  .slice(0, 12);

/** This process. */
export function self(): Owner {
  const since = new Date().toISOString();
  return {
    machine: MACHINE,
    host: hostname(),
    pid: process.pid,
    started: processInfo(process.pid)?.started ?? null,
    since,
  };
}

/** Whether the owner's process still runs; null where that cannot be known, because it ran on another machine. */
export function isAlive(owner: Pick<Owner, 'machine' | 'pid' | 'started'>): boolean | null {
  if (owner.machine !== MACHINE) return null;
  try {
    process.kill(owner.pid, 0);
  } catch (error) {
    // Not permitted to send a signal means that there is somebody.
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
  const now = processInfo(owner.pid);
  if (now === null) return true;
  return now.state !== 'Z' && now.state !== 'X' && (owner.started === null || owner.started === now.started);
}

/** What Linux says of a process; null on other systems, or where it says nothing. */
function processInfo(pid: number): { state: string; started: string } | null {
  const text = look(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The name in parentheses may hold anything; what follows it are fields 3 (state) to 22 (start) and more.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state, started] = [fields[0], fields[19]];
  return state && started ? { state, started } : null;
}

function look(read: () => string): string {
  try {
    return read();
  } catch {
    return ''; // Not Linux, or not shown in this container.
  }
}

/** The owner that a lock names, or null where the text is none of ours. */
export function parseOwner(text: string): Owner | null {
  let value: Partial<Record<keyof Owner, unknown>> | null;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const { machine, host, pid, started, since, thread } = value;
  if (typeof machine !== 'string' || typeof host !== 'string' || typeof since !== 'string') return null;
  if (!Number.isSafeInteger(pid) || (pid as number) < 1) return null;
  return {
    machine,
    host,
    since,
    pid: pid as number,
    started: typeof started === 'string' ? started : null,
    ...(typeof thread === 'number' ? { thread } : {}),
  };
}

/**
 * A name beside a file that nobody else has: hidden, and it tells the owner, so that what a crash leaves behind is
 * known for what it is.
 */
export function tempName(base: string): string {
  return `.${shortBase(base)}.${MACHINE}-${process.pid}-${randomBytes(8).toString('hex')}.tmp`;
}

/** The machine and process in a name from `tempName`; null of other names. */
export function tempOwner(name: string): { machine: string; pid: number; started: null } | null {
  const found = /^\..+\.([0-9a-f]{12})-(\d{1,10})-[0-9a-f]{16}\.tmp$/.exec(name);
  return found ? { machine: found[1]!, pid: Number(found[2]), started: null } : null;
}

/** A long name leaves no room for what is added to it. */
export function shortBase(base: string): string {
  return Buffer.byteLength(base) <= 100 ? base : createHash('sha256').update(base).digest('hex');
}
