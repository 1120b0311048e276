import { fstatSync, writeSync } from 'node:fs';
import { systemErrorCode } from '../../platform/system-error.ts';

type Descriptor = 0 | 1 | 2;

/** Ways of writing: by direct system calls, through Node's stream, or discarded. */
type OutputMode = 'direct' | 'stream' | 'lost';

const modes: { 1: OutputMode | null; 2: OutputMode | null } = { 1: null, 2: null };

/** Writes a text to stdout. A write error is never thrown, but reported once at exit. */
export function toStdout(text: string): void {
  write(1, text);
}

export function toStderr(text: string): void {
  write(2, text);
}

/** True if the descriptor is a terminal: 0 the keyboard, 1 and 2 the screen. */
export function isTerminal(descriptor: Descriptor): boolean {
  try {
    if (!fstatSync(descriptor).isCharacterDevice()) return false;
  } catch {
    return false;
  }
  return process.getBuiltinModule('node:tty').isatty(descriptor);
}

/** Columns of the terminal: COLUMNS if it is set; 80 without a terminal, and for one that reports no size. */
export function columns(descriptor: 1 | 2): number {
  const requested = Number(process.env['COLUMNS']);
  if (Number.isInteger(requested) && requested > 0) return requested;
  return (isTerminal(descriptor) && streamOf(descriptor).columns) || 80;
}

/**
 * Node's streams take 3 ms to create, so anything but a terminal is written by a direct system call: except on Windows,
 * Node writes to pipes and files synchronously as well.
 */
function write(descriptor: 1 | 2, text: string): void {
  modes[descriptor] ??= isPlain(descriptor) ? 'direct' : openStream(descriptor);
  let rest: Buffer = Buffer.from(text);
  while (modes[descriptor] === 'direct' && rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      // The non-blocking pipe is full: Node's stream waits until it is read.
      if (systemErrorCode(error) === 'EAGAIN') modes[descriptor] = openStream(descriptor);
      else discard(descriptor, error);
    }
  }
  if (modes[descriptor] === 'stream' && rest.length > 0) streamOf(descriptor).write(rest);
}

/** True while output is still buffered. */
export function hasPendingOutput(): boolean {
  return modes[1] === 'stream' && process.stdout.writableLength > 0;
}

function isPlain(descriptor: 1 | 2): boolean {
  try {
    const stats = fstatSync(descriptor);
    return process.platform !== 'win32' && (stats.isFIFO() || stats.isFile() || stats.isSocket());
  } catch {
    return false;
  }
}

/** Node cannot create streams for some writable descriptors, such as a Linux pipe under Wine (EBADF). */
function openStream(descriptor: 1 | 2): OutputMode {
  try {
    streamOf(descriptor).on('error', (error) => discard(descriptor, error));
    return 'stream';
  } catch {
    return 'direct';
  }
}

function streamOf(descriptor: 1 | 2): NodeJS.WriteStream {
  return descriptor === 1 ? process.stdout : process.stderr;
}

/** A closed pipe (`| head`) is not an error; a full disk is, regardless of the command's result. */
function discard(descriptor: 1 | 2, error: unknown): void {
  if (modes[descriptor] === 'lost') return;
  modes[descriptor] = 'lost';
  const code = systemErrorCode(error) ?? 'unknown';
  if (descriptor === 2 || code === 'EPIPE') return;
  // Not by `message`, which would be loaded before anything is printed: the code is one of the system.
  toStderr(`appreg: The results cannot be written: ${code}\n`);
  process.once('exit', () => {
    process.exitCode = 2;
  });
}
