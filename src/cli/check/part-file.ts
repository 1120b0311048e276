import { closeSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { printable } from '../../core/text/text.ts';
import { systemErrorCode } from '../../platform/system-error.ts';
import { AppregError } from '../../core/errors.ts';

/** A new file that only its owner may read. It has its final path once it is complete. */
export interface PartFile {
  /** False after `finish` or `abandon`. */
  readonly isOpen: boolean;
  write(text: string): void;
  /** Renames the file to its final path, replacing an existing one. */
  finish(): void;
  /** Removes the file. Only the first call of `finish` or `abandon` takes effect. */
  abandon(): void;
}

/**
 * @param path absolute; the final path
 * @throws AppregError `output-unwritable` if the file cannot be created
 */
export function openPartFile(path: string): PartFile {
  const part = `${path}.${process.pid}.part`;
  const file = open(part, path);
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
      for (let at = 0; at < bytes.length;) at += writeSync(file, bytes, at);
    },
    finish() {
      if (close()) renameSync(part, path);
    },
    abandon() {
      if (close()) rmSync(part, { force: true });
    },
  };
}

function open(part: string, path: string): number {
  try {
    return openSync(part, 'wx', 0o600);
  } catch (error) {
    throw new AppregError(
      'output-unwritable',
      `The facts cannot be saved as ${printable(path)}: ${reasonOf(error)}`,
      'Give a file in an existing, writable folder.',
      { cause: error },
    );
  }
}

/** The system's reason, without the name of the part file. */
function reasonOf(error: unknown): string {
  if (systemErrorCode(error) === 'ENOENT') return 'its folder does not exist.';
  return error instanceof Error ? `${error.message.replace(/, open '.*'$/s, '')}.` : String(error);
}
