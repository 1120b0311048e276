import { printable } from '../../core/text/text.ts';
import { type Effect, type ErrorCode, isAppregError, AppregError } from '../../core/errors.ts';
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

// System code: [our code, the cause, the remedy]
const KNOWN: Record<string, [ErrorCode, string, string]> = {
  ENOSPC: ['disk-full', 'the disk is full', 'Free some space, then run the same command again.'],
  EDQUOT: ['disk-full', 'the disk quota is exceeded', 'Free some space, then run the same command again.'],
  EFBIG: ['file-too-large', 'it exceeds the file size limit', 'Raise the limit (ulimit -f), or use another disk.'],
  EROFS: ['read-only', 'the file system is read-only', 'Mount it writable, or use a copy elsewhere.'],
  EACCES: ['permission-denied', 'permission is denied', 'Check the permissions of the file and its folder.'],
  EPERM: [
    'permission-denied',
    'the operation is not permitted',
    'Check the owner and attributes of the file and its folder.',
  ],
  EMFILE: [
    'too-many-open-files',
    'too many files are open',
    'Raise the limit (ulimit -n), then run the command again.',
  ],
  ENFILE: [
    'too-many-open-files',
    'too many files are open on this machine',
    'Close other programs, then run the command again.',
  ],
  ENAMETOOLONG: ['name-too-long', 'the name is too long for this disk', 'Choose a shorter name.'],
  ENOTDIR: ['not-a-folder', 'part of its path is not a folder', 'Choose another path, or move that file away.'],
  EEXIST: ['not-a-folder', 'part of its path is not a folder', 'Choose another path, or move that file away.'],
  EISDIR: ['not-a-file', 'it is a folder', 'Give the path of a file.'],
  ELOOP: ['link-loop', 'its symbolic links form a loop', 'Remove or fix the links.'],
  ENOENT: ['folder-missing', 'its folder does not exist', 'Create the folder, then run the command again.'],
  EBUSY: ['file-busy', 'another program is using it', 'Close that program, then run the command again.'],
  EIO: ['io-error', 'the disk reports an error', 'Check the disk for errors before you continue.'],
};

/** Windows reports these if another program has the target of a rename open; after some seconds it is not a scanner. */
const OPEN_ELSEWHERE = new Set(['EPERM', 'EACCES', 'EBUSY']);

const FIX_THAT = 'Correct the cause, then run the same command again.';

/** What a failed write did, with a sentence about the resulting state if nothing else describes it. */
export interface WriteOutcome {
  effect: Effect;
  state?: string;
}

/**
 * A system error as an AppregError that names the file, the reason and the resulting state; anything else is returned
 * unchanged.
 * @param path as the user knows it
 * @param outcome of a write that failed; null for a read
 * @param platform of the system that reported the error
 */
export function diskError(
  error: unknown,
  path: string,
  outcome: WriteOutcome | null = { effect: 'none' },
  platform: NodeJS.Platform = process.platform,
): unknown {
  if (isAppregError(error)) return error;
  const system = errno(error);
  if (system === '' || !(error instanceof Error) || !('syscall' in error)) return error;
  const isBusy = platform === 'win32' && error.syscall === 'rename' && OPEN_ELSEWHERE.has(system);
  const [code, what, hint] = KNOWN[isBusy ? 'EBUSY' : system] ?? ['io-error', `the system reports ${system}`, FIX_THAT];
  const doing = outcome === null ? 'read' : 'write';
  const message = `Cannot ${doing} ${printable(path)}: ${what} (${system}).`;
  return new AppregError(code, message, hint, { ...outcome, cause: error });
}
