import { message, safe, type SafeText } from '../../core/text/message.ts';
import { statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type Effect, type ErrorCode, isAppregError, AppregError } from '../../core/errors/error.ts';
import { systemErrorCode } from '../../platform/system-error.ts';

/** The code of a system error, or '' of anything else. */
export function errno(error: unknown): string {
  return error instanceof Error ? (systemErrorCode(error) ?? '') : '';
}

/** The result of `operation`, or null if nothing of that name exists. */
export async function nullIfMissing<T>(operation: Promise<T>): Promise<T | null> {
  try {
    return await operation;
  } catch (error) {
    if (errno(error) === 'ENOENT') return null;
    throw error;
  }
}

interface DiskError {
  code: ErrorCode;
  /** The error of the system, as the end of a sentence. */
  cause: string;
  hint: string;
  /** True if the hint says to run the same command again. */
  advisesRepeat?: boolean;
}

/** By the code of the system. */
const KNOWN: Readonly<Record<string, DiskError>> = {
  ENOSPC: {
    code: 'disk-full',
    cause: 'the disk is full',
    hint: 'Free some space, then run the same command again.',
    advisesRepeat: true,
  },
  EDQUOT: {
    code: 'disk-full',
    cause: 'the disk quota is exceeded',
    hint: 'Free some space, then run the same command again.',
    advisesRepeat: true,
  },
  EFBIG: {
    code: 'file-too-large',
    cause: 'it exceeds the file size limit',
    hint: 'Raise the limit (ulimit -f), or use another disk.',
  },
  EROFS: {
    code: 'read-only',
    cause: 'the file system is read-only',
    hint: 'Mount it writable, or use a copy elsewhere.',
  },
  EACCES: {
    code: 'permission-denied',
    cause: 'permission is denied',
    hint: 'Check the permissions of the file and its folder.',
  },
  EPERM: {
    code: 'permission-denied',
    cause: 'the operation is not permitted',
    hint: 'Check the owner and attributes of the file and its folder.',
  },
  EMFILE: {
    code: 'too-many-open-files',
    cause: 'too many files are open',
    hint: 'Raise the limit (ulimit -n), then run the same command again.',
    advisesRepeat: true,
  },
  ENFILE: {
    code: 'too-many-open-files',
    cause: 'too many files are open on this machine',
    hint: 'Close other programs, then run the same command again.',
    advisesRepeat: true,
  },
  ENAMETOOLONG: { code: 'name-too-long', cause: 'the name is too long for this disk', hint: 'Choose a shorter name.' },
  ENOTDIR: {
    code: 'not-a-folder',
    cause: 'part of its path is not a folder',
    hint: 'Choose another path, or move that file away.',
  },
  EEXIST: {
    code: 'not-a-folder',
    cause: 'part of its path is not a folder',
    hint: 'Choose another path, or move that file away.',
  },
  EISDIR: { code: 'not-a-file', cause: 'it is a folder', hint: 'Give the path of a file.' },
  ELOOP: { code: 'link-loop', cause: 'its symbolic links form a loop', hint: 'Remove or fix the links.' },
  ENOENT: {
    code: 'folder-missing',
    cause: 'its folder does not exist',
    hint: 'Create the folder, then run the same command again.',
    advisesRepeat: true,
  },
  EBUSY: {
    code: 'file-busy',
    cause: 'another program is using it',
    hint: 'Close that program, then run the same command again.',
    advisesRepeat: true,
  },
  EIO: { code: 'io-error', cause: 'the disk reports an error', hint: 'Check the disk for errors before you continue.' },
};

/** Windows reports these if another program has the target of a rename open; after some seconds it is not a scanner. */
const OPEN_ELSEWHERE = new Set(['EPERM', 'EACCES', 'EBUSY']);

/** Effect of a failed write, with a sentence about the resulting state if nothing else describes it. */
export interface WriteOutcome {
  effect: Effect;
  state?: SafeText;
}

/**
 * A system error as an AppregError that names the file, the reason and the resulting state; anything else is returned
 * unchanged.
 * @param path as the user knows it
 * @param outcome of a write that failed; null for a read
 * @param target the path on disk, whose folder is named
 * @param platform of the system that reported the error
 */
export function diskError(
  error: unknown,
  path: string,
  outcome: WriteOutcome | null = { effect: 'none' },
  target = path,
  platform: NodeJS.Platform = process.platform,
): unknown {
  if (isAppregError(error)) return error;
  const system = errno(error);
  if (system === '' || !(error instanceof Error) || !('syscall' in error)) return error;
  const isBusy = platform === 'win32' && error.syscall === 'rename' && OPEN_ELSEWHERE.has(system);
  const { code, cause, hint, advisesRepeat = false } = KNOWN[isBusy ? 'EBUSY' : system] ?? unknownError(system);
  const doing = outcome === null ? 'read' : 'write';
  const summary = message`Cannot ${doing} ${path}: ${cause} (${system}).`;
  const located = message`${hint} ${safe(whereIs(target, outcome !== null && IN_PARENT.has(code)))}`;
  return new AppregError(code, summary, located, { ...outcome, cause: error, advisesRepeat });
}

/** Errors of a write for which the missing folder of a file would have been created. */
const IN_PARENT: ReadonlySet<ErrorCode> = new Set(['disk-full', 'read-only', 'permission-denied', 'name-too-long']);

/** The folder of a file; if that had to be created, the one above it that exists. */
function whereIs(target: string, isCreated: boolean): SafeText {
  const folder = dirname(resolve(target));
  const existing = isCreated ? existingAbove(folder) : folder;
  return existing === folder ? message`Its folder is ${folder}` : message`Its folder would be created in ${existing}`;
}

function existingAbove(folder: string): string {
  const parent = dirname(folder);
  return parent !== folder && isMissing(folder) ? existingAbove(parent) : folder;
}

/** False also for a folder that cannot be accessed. */
function isMissing(folder: string): boolean {
  try {
    return statSync(folder, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

function unknownError(system: string): DiskError {
  const hint = 'Correct the cause, then run the same command again.';
  return { code: 'io-error', cause: `the system reports ${system}`, hint, advisesRepeat: true };
}
