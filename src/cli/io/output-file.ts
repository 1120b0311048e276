import { message } from '../../core/text/message.ts';
import {
  closeSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  type Stats,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AppregError } from '../../core/errors/error.ts';
import { systemErrorCode } from '../../platform/system-error.ts';

/** The files of --output and --report. */

/**
 * Writes a text to a file: a regular file is replaced atomically, so that no reader sees a part of it; a device or a
 * pipe is written to. A file that cannot be replaced, such as one mounted into a container, is overwritten.
 * @throws AppregError `output-unwritable`
 */
export function writeOutputFile(path: string, text: string): void {
  try {
    const target = realPath(path);
    const old = statSync(target, { throwIfNoEntry: false });
    if ((old !== undefined && !old.isFile()) || !replaced(target, text, old)) writeFileSync(target, text);
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** @returns false if the file cannot be replaced, which leaves it unchanged */
function replaced(target: string, text: string, old: Stats | undefined): boolean {
  const temp = join(dirname(target), `.${basename(target)}.${process.pid}.tmp`);
  try {
    const descriptor = openSync(temp, 'wx', old === undefined ? 0o666 : old.mode & 0o777);
    try {
      writeFileSync(descriptor, text);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temp, target);
    return true;
  } catch (error) {
    rmSync(temp, { force: true });
    if (old !== undefined && IN_PLACE.has(systemErrorCode(error) ?? '')) return false;
    throw error;
  }
}

/** The errors of a folder in which no file can be created, and of a file that cannot be replaced. */
const IN_PLACE = new Set(['EACCES', 'EPERM', 'EROFS', 'EBUSY', 'EXDEV']);

/** The file that a path refers to, through symbolic links, also if it does not exist yet. */
export function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    return join(realpathSync(dirname(path)), basename(path));
  }
}

/** @param cause an error of the system */
export function unwritable(path: string, cause: unknown): AppregError {
  const code = systemErrorCode(cause) ?? 'unknown';
  return new AppregError(
    'output-unwritable',
    message`The results cannot be written to ${path}: ${WHY[code] ?? 'the write failed'} (${code}).`,
    code === 'ENOSPC' ? message`Free some space.` : message`Give a file in an existing, writable folder.`,
    { cause },
  );
}

const WHY: Record<string, string> = {
  ENOENT: 'its folder does not exist',
  ENOTDIR: 'its folder is a file',
  EISDIR: 'it is a folder',
  EACCES: 'permission is denied',
  EPERM: 'permission is denied',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
};
