import { message } from '../../core/text/message.ts';
import {
  accessSync,
  closeSync,
  constants,
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
import { AppregError } from '../../core/errors.ts';
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
    throw unwritable(path, systemErrorCode(error) ?? 'unknown', error);
  }
}

/** @throws AppregError `output-unwritable` if the file cannot be written, as far as that is known before */
export function requireWritable(path: string): void {
  try {
    const target = realPath(path);
    const old = statSync(target, { throwIfNoEntry: false });
    if (old?.isDirectory() === true) throw Object.assign(new Error('a folder'), { code: 'EISDIR' });
    if (old !== undefined) return accessSync(target, constants.W_OK);
    if (!statSync(dirname(target)).isDirectory()) throw Object.assign(new Error('not a folder'), { code: 'ENOTDIR' });
    accessSync(dirname(target), constants.W_OK);
  } catch (error) {
    throw unwritable(path, systemErrorCode(error) ?? 'unknown', error);
  }
}

/** Equal for two names of one file; null for a device or a pipe, which several results may be written to. */
export function fileIdentity(path: string): string | null {
  const target = realPath(path);
  const old = statSync(target, { throwIfNoEntry: false });
  return old === undefined || old.isFile() ? target : null;
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
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (systemErrorCode(error) !== 'ENOENT') throw error;
    return join(realpathSync(dirname(path)), basename(path));
  }
}

function unwritable(path: string, code: string, cause: unknown): AppregError {
  return new AppregError(
    'output-unwritable',
    message`The results cannot be written to ${path}: ${WHY[code] ?? 'the write failed'} (${code}).`,
    message`Give a file in an existing, writable folder.`,
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
