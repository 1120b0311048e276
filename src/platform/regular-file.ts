import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { counted } from '../core/text/text.ts';
import { fileLimitError } from './machine-limit.ts';
import { systemErrorCode } from './system-error.ts';

/** Reads input files without waiting for a writer, and says in words why one cannot be read. */

export interface ReadFailure {
  /** The reason, worded to follow the path: “does not exist”. */
  failure: string;
  /** Of the system; null if there is none. */
  code: string | null;
}

export type FileRead = { bytes: Buffer } | ReadFailure;

/** Paths of the pipes of a shell, such as `<(…)` and /dev/stdin; and the empty file. These may be read, once. */
const SHELL_PIPES = /^\/(?:dev\/(?:fd\/|stdin$|null$)|proc\/self\/fd\/)/;

export function isShellPipe(path: string): boolean {
  return SHELL_PIPES.test(path);
}

/**
 * The content of a regular file, or why it cannot be read. Never waits: a named pipe is not read.
 * @param most the number of bytes of the largest file that is read
 */
export function readRegularFile(path: string, most = Infinity): FileRead {
  if (isShellPipe(path)) return attempt(path, () => ({ bytes: readFileSync(path) }));
  return withFile<FileRead>(path, (fd) =>
    fstatSync(fd).size > most
      ? { failure: `is larger than ${counted(most, 'byte')}`, code: null }
      : { bytes: readFileSync(fd) },
  );
}

/** The reason why a path cannot be read as a regular file; null if it can be. Nothing is read. */
export function whyNotRegularFile(path: string): ReadFailure | null {
  return isShellPipe(path) ? null : withFile(path, () => null);
}

/** Opens a regular file for `use`. */
function withFile<Result>(path: string, use: (fd: number) => Result): Result | ReadFailure {
  return attempt(path, () => {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stat = fstatSync(fd);
      if (stat.isDirectory()) return { failure: 'is a folder', code: 'EISDIR' };
      if (!stat.isFile()) return { failure: 'is not a regular file', code: null };
      return use(fd);
    } finally {
      closeSync(fd);
    }
  });
}

function attempt<Result>(path: string, read: () => Result): Result | ReadFailure {
  try {
    return read();
  } catch (error) {
    const failure = whyUnreadable(path, error);
    if (failure === null) throw error;
    return { failure, code: systemErrorCode(error) };
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'cannot be read: permission denied',
  EPERM: 'cannot be read: permission denied',
  EISDIR: 'is a folder',
  ELOOP: 'is a symbolic link that forms a loop',
  ENAMETOOLONG: 'cannot be read: its path is too long',
  ENOTDIR: 'does not exist: a part of its path is not a folder',
  ENXIO: 'is not a regular file',
  EIO: 'cannot be read: the disk reports an error',
};

/**
 * The reason why the system cannot read a path, worded to follow it; null for an error of another kind.
 * @throws AppregError `too-many-open-files`, `machine-limit` if this machine is the cause, and not the file
 */
export function whyUnreadable(path: string, error: unknown): string | null {
  const code = systemErrorCode(error);
  if (code === null || !/^E[A-Z0-9]+$/.test(code)) return null;
  const limit = fileLimitError(path, error);
  if (limit !== null) throw limit;
  if (code === 'ENOENT') return isLink(path) ? 'is a link to a file that does not exist' : 'does not exist';
  return REASONS[code] ?? `cannot be read (${code})`;
}

/** True for a symbolic link, also one to a file that does not exist. */
export function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/**
 * Names the kind of a path that is not a regular file, worded to follow it: “is not a regular file: it is a folder”.
 */
export function unlikeRegularFile(stat: Stats): string {
  return `is not a regular file: it is ${kindOf(stat)}`;
}

function kindOf(stat: Stats): string {
  if (stat.isDirectory()) return 'a folder';
  if (stat.isSymbolicLink()) return 'a symbolic link';
  if (stat.isFIFO()) return 'a named pipe';
  return stat.isSocket() ? 'a socket' : 'a device';
}
