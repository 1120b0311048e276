import { fstatSync, writeSync } from 'node:fs';

type Descriptor = 0 | 1 | 2;

/** How output goes out: at once to the system, through Node's stream, or nowhere any more. */
type Way = 'direct' | 'stream' | 'lost';

const ways: { 1: Way | null; 2: Way | null } = { 1: null, 2: null };

/** Writes a text to stdout. What keeps it from being written is told once, at the end, and never thrown. */
export function toStdout(text: string): void {
  write(1, text);
}

/** Writes a text to stderr. */
export function toStderr(text: string): void {
  write(2, text);
}

/** Whether somebody sits there: 0 at the keyboard, 1 and 2 in front of the screen. */
export function isTerminal(descriptor: Descriptor): boolean {
  try {
    if (!fstatSync(descriptor).isCharacterDevice()) return false;
  } catch {
    return false;
  }
  return process.getBuiltinModule('node:tty').isatty(descriptor);
}

/** How many characters a line of the screen has; 80 where there is none. */
export function columns(descriptor: 1 | 2): number {
  return isTerminal(descriptor) ? streamOf(descriptor).columns : 80;
}

/**
 * Node's streams take 3 ms to make, so what is no terminal is written to by the system call that they would end in:
 * on all but Windows they write to pipes and files synchronously as well.
 */
function write(descriptor: 1 | 2, text: string): void {
  ways[descriptor] ??= isPlain(descriptor) ? 'direct' : openStream(descriptor);
  let rest: Buffer = Buffer.from(text);
  while (ways[descriptor] === 'direct' && rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      // A pipe that somebody made non-blocking is full: Node's stream waits until it is read.
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') ways[descriptor] = openStream(descriptor);
      else lost(descriptor, error as NodeJS.ErrnoException);
    }
  }
  if (ways[descriptor] === 'stream' && rest.length > 0) streamOf(descriptor).write(rest);
}

/** True while a part of the results waits for its reader. */
export function hasPendingOutput(): boolean {
  return ways[1] === 'stream' && process.stdout.writableLength > 0;
}

function isPlain(descriptor: 1 | 2): boolean {
  try {
    const stats = fstatSync(descriptor);
    return process.platform !== 'win32' && (stats.isFIFO() || stats.isFile() || stats.isSocket());
  } catch {
    return false;
  }
}

/** Node makes no stream of some descriptors that can be written to, such as a pipe of Linux under Wine (EBADF). */
function openStream(descriptor: 1 | 2): Way {
  try {
    streamOf(descriptor).on('error', (error) => lost(descriptor, error));
    return 'stream';
  } catch {
    return 'direct';
  }
}

function streamOf(descriptor: 1 | 2): NodeJS.WriteStream {
  return descriptor === 1 ? process.stdout : process.stderr;
}

/** A reader that has read enough (`| head`) is no failure; a full disk is one, whatever the command had to say. */
function lost(descriptor: 1 | 2, error: NodeJS.ErrnoException): void {
  if (ways[descriptor] === 'lost') return;
  ways[descriptor] = 'lost';
  if (descriptor === 2 || error.code === 'EPIPE') return;
  toStderr(`appreg: The results cannot be written: ${error.code ?? 'unknown'}\n`);
  process.once('exit', () => {
    process.exitCode = 2;
  });
}
