import { message } from '../core/text/message.ts';
import type { AppregError } from '../core/errors/error.ts';
import { isMachineLimit, machineLimitError } from '../core/errors/machine-limit.ts';
import { systemErrorCode } from './system-error.ts';
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** Files that the resolver of the system opens at once. */
const NEEDED = 4;

/**
 * True if this process cannot open as many files as the resolver of the system needs, which then reports that a name
 * does not exist, or that the name servers do not respond.
 */
export function areFilesExhausted(): boolean {
  const open: number[] = [];
  try {
    while (open.length < NEEDED) open.push(openSync(devNull, 'r'));
    return false;
  } catch (error) {
    const code = systemErrorCode(error);
    if (code === 'EMFILE' || code === 'ENFILE') return true;
    throw error;
  } finally {
    for (const file of open) closeSync(file);
  }
}

/** Errors of the system that this machine causes, and not the file or the host. */

const RESOLVER_ERRORS = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_SYSTEM', 'EAI_MEMORY']);

/** The code of such an error of a connection, also if another error contains it; null for any other. */
export function machineLimitCode(error: unknown): string | null {
  const code = systemErrorCode(error);
  if (code !== null && isMachineLimit(code)) return code;
  if (code !== null && RESOLVER_ERRORS.has(code) && areFilesExhausted()) return 'EMFILE';
  const inner = error instanceof AggregateError ? error.errors : [];
  const cause = error instanceof Error ? error.cause : undefined;
  for (const one of cause === undefined ? inner : [...inner, cause]) {
    const found = machineLimitCode(one);
    if (found !== null) return found;
  }
  return null;
}

/** The error of a file that could not be opened or read because of this machine (exit 2); null for any other error. */
export function fileLimitError(path: string, error: unknown): AppregError | null {
  const code = systemErrorCode(error);
  // EAGAIN: nothing was written to a pipe yet.
  return code === null || code === 'EAGAIN' || !isMachineLimit(code)
    ? null
    : machineLimitError(code, message`${path} cannot be read`, { cause: error });
}
