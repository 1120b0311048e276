import { exitCodeOf } from '../../core/errors/codes/exit-codes.ts';
import { isAppregError, AppregError } from '../../core/errors/error.ts';
import type { FailedRun } from '../../report/results.ts';
import { message } from '../../core/text/message.ts';
import { fileLimitError } from '../../platform/machine-limit.ts';
import { whyUnreadable } from '../../platform/regular-file.ts';

/** Describes a thrown error in the form of the documents. */
export function failureOf(error: unknown): FailedRun {
  if (isAppregError(error)) {
    const { code, message, hint, exit, rules } = error;
    const outcome = exit > 128 ? 'interrupted' : FAILURES[exit === 1 ? 1 : 0];
    return { outcome, error: { code, message, hint, exit, ...(rules.length > 0 && { rules }) } };
  }
  const message = 'Internal error in appreg; its stack is on stderr.';
  return {
    outcome: 'failed',
    error: { code: 'defect', message, hint: 'Please report it.', exit: exitCodeOf('defect') },
  };
}

const FAILURES = ['failed', 'refused'] as const;

/**
 * An error of the system about a file as an expected one, with path and cause: the file is wrong, and not appreg. Any
 * other error is returned unchanged.
 */
export function withoutSystemError(error: unknown): unknown {
  if (isAppregError(error) || !isAboutFile(error)) return error;
  const limit = fileLimitError(error.path, error);
  if (limit !== null) return limit;
  const why = whyUnreadable(error.path, error);
  if (why === null) return error;
  return new AppregError(
    'file-unreadable',
    message`${error.path} ${why}.`,
    message`Check the path, and the permissions of the file and of the folders above it.`,
    { cause: error },
  );
}

function isAboutFile(error: unknown): error is Error & { path: string } {
  return error instanceof Error && 'syscall' in error && 'path' in error && typeof error.path === 'string';
}
