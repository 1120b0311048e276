import { message } from '../../core/text/message.ts';
import { closeSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import { systemErrorCode } from '../../platform/system-error.ts';
import { AppregError } from '../../core/errors.ts';

/** A new file that only its owner may read. It has its final path once it is complete. */
export interface PartFile {
  /** False after `finish` or `abandon`. */
  readonly isOpen: boolean;
  /** @throws AppregError `output-unwritable`, as `finish` does */
  write(text: string): void;
  /** Renames the file to its final path, replacing an existing one. */
  finish(): void;
  /** Removes the file. Only the first call of `finish` or `abandon` takes effect. */
  abandon(): void;
}

/**
 * Opens the file. A device or a pipe is written to, and not replaced.
 * @param path absolute; the final path
 * @throws AppregError `output-unwritable` if the file cannot be created
 */
export function openPartFile(path: string): PartFile {
  const isReplaced = !isDevice(path);
  const part = isReplaced ? `${path}.${process.pid}.part` : path;
  const file = open(part, path, isReplaced ? 'wx' : 'w');
  let isOpen = true;

  function close(): boolean {
    if (!isOpen) return false;
    isOpen = false;
    closeSync(file);
    return true;
  }

  return {
    get isOpen() {
      return isOpen;
    },
    write(text) {
      const bytes = Buffer.from(text);
      try {
        for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
      } catch (error) {
        throw notSaved(path, error);
      }
    },
    finish() {
      if (!close() || !isReplaced) return;
      try {
        renameSync(part, path);
      } catch (error) {
        rmSync(part, { force: true });
        throw notSaved(path, error);
      }
    },
    abandon() {
      if (close() && isReplaced) rmSync(part, { force: true });
    },
  };
}

function open(part: string, path: string, flags: 'w' | 'wx'): number {
  if (isFolder(path)) throw unwritable(path, 'it is a folder', null);
  try {
    return openSync(part, flags, 0o600);
  } catch (error) {
    throw systemErrorCode(error) === 'ENOENT'
      ? unwritable(path, 'its folder does not exist', error)
      : notSaved(path, error);
  }
}

/** True for a device or a pipe; for a path that cannot be read, opening the file reports the reason. */
function isDevice(path: string): boolean {
  try {
    const old = statSync(path);
    return !old.isFile() && !old.isDirectory();
  } catch {
    return false;
  }
}

/** A path that cannot be read is not one: opening the file reports the reason. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** An error of the system with its reason, without the name of the part file; any other error is returned unchanged. */
function notSaved(path: string, error: unknown): unknown {
  if (!(error instanceof Error) || systemErrorCode(error) === null) return error;
  return unwritable(path, error.message.replace(/, \w+(?: '.*')?$/s, ''), error);
}

function unwritable(path: string, reason: string, cause: unknown): AppregError {
  return new AppregError(
    'output-unwritable',
    message`The facts cannot be saved as ${path}: ${reason}.`,
    message`Give a file in an existing, writable folder.`,
    { cause },
  );
}
