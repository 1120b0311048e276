import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { systemErrorCode } from './system-error.ts';

/** Reads input files without waiting for a writer, and says in words why one cannot be read. */

export type FileRead = { bytes: Buffer } | { failure: string; code: string | null };

/** What a pipe of the shell is called, such as `<(…)` and /dev/stdin. These may be read as files. */
const SHELL_PIPES = /^\/(?:dev\/(?:fd\/|stdin$)|proc\/self\/fd\/)/;

/**
 * The content of a regular file; otherwise the reason, worded to follow the path: “does not exist”. Never waits: a named
 * pipe is not read.
 */
export function readRegularFile(path: string): FileRead {
  if (SHELL_PIPES.test(path)) return attempt(path, () => readFileSync(path));
  return attempt(path, () => {
    const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const stat = fstatSync(fd);
      if (stat.isDirectory()) return { failure: 'is a folder', code: 'EISDIR' };
      if (!stat.isFile()) return { failure: 'is not a regular file', code: null };
      return readFileSync(fd);
    } finally {
      closeSync(fd);
    }
  });
}

function attempt(path: string, read: () => Buffer | FileRead): FileRead {
  try {
    const result = read();
    return Buffer.isBuffer(result) ? { bytes: result } : result;
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
  EMFILE: 'cannot be read: too many files are open',
};

/** Why the system cannot read a path, worded to follow it; null for an error of another kind. */
export function whyUnreadable(path: string, error: unknown): string | null {
  const code = systemErrorCode(error);
  if (code === null || !/^E[A-Z0-9]+$/.test(code)) return null;
  if (code === 'ENOENT') return isLink(path) ? 'is a link to a file that does not exist' : 'does not exist';
  return REASONS[code] ?? `cannot be read (${code})`;
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}
